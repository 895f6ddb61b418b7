import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import * as Path from "node:path"

const tests = Path.resolve(import.meta.dirname, "..")

/**
 * The page that numbers the scenarios that a session must survive. The name of a test begins with the numbers of its
 * scenarios.
 */
const page = readFileSync(Path.resolve(tests, "../docs/internals/session.md"), "utf8")

/** The numbers on the page, with whether it says that they are tested, or still open. */
const rows = [...page.matchAll(/^\| (\d+) \| .+ \| (tested|simulated|open) \|$/gm)].map(([, number, state]) => ({
  number: Number(number),
  state
}))
const numbersThatAre = (wanted: "tested" | "open"): ReadonlyArray<number> =>
  rows.filter(({ state }) => state === wanted).map(({ number }) => number)

/** A name, in the quotes that it is written in: `7 · …` or `5, 6, 23 · …`. A name that begins otherwise has no number. */
const numbered = /["'`](\d+(?:, \d+)*) · \S/g

const numbersIn = (source: string): ReadonlyArray<number> =>
  [...source.matchAll(numbered)].flatMap((match) => match[1]!.split(", ").map(Number))

/** The numbers of all tests. Those of the stores are in a module that the stores' tests share. */
const tested = ["**/*.test.ts", "support/worlds/tokenStoreConformance.ts"]
  .flatMap((pattern) => globSync(pattern, { cwd: tests }))
  .filter((file) => file !== Path.join("repo", "scenarios.test.ts"))
  .flatMap((file) => numbersIn(readFileSync(Path.join(tests, file), "utf8")))

describe("the scenarios of the session", () => {
  it("are numbered on their page without a gap, and none of the first 49 is open", () => {
    assert.deepStrictEqual(
      rows.map(({ number }) => number),
      rows.map((_, index) => index + 1)
    )
    assert.isAtLeast(rows.length, 60)
    assert.deepStrictEqual(
      numbersThatAre("open").filter((number) => number <= 49),
      []
    )
  })

  it("each that the page calls tested has a test whose name begins with its number", () => {
    assert.deepStrictEqual(
      numbersThatAre("tested").filter((number) => !tested.includes(number)),
      []
    )
  })

  it("none that the page calls open has a test", () => {
    assert.deepStrictEqual(
      numbersThatAre("open").filter((number) => tested.includes(number)),
      []
    )
  })

  it("no test has the number of one that the page does not have", () => {
    const numbers = rows.map(({ number }) => number)
    assert.deepStrictEqual(
      tested.filter((number) => !numbers.includes(number)),
      []
    )
  })

  it("a number counts at the beginning of a name only", () => {
    const source = [
      `it("7 · seven", run)`,
      "it(`8, 21 · both, ${times} times`, run)",
      `it("16 hosts at once", run)`,
      `assert.include(said, "  · 9 of them")`,
      "it(`${number} · told by nobody`, run)"
    ].join("\n")
    assert.deepStrictEqual(numbersIn(source), [7, 8, 21])
  })
})
