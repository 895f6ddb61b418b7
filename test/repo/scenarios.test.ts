import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import * as Path from "node:path"

const tests = Path.resolve(import.meta.dirname, "..")

/** The failures that a session must survive are numbered; the name of a test begins with the numbers that it is about. */
const scenarios = Array.from({ length: 49 }, (_, index) => index + 1)

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
  it("each has a test whose name begins with its number", () => {
    const missing = scenarios.filter((scenario) => !tested.includes(scenario))
    assert.deepStrictEqual(missing, [])
  })

  it("no test has the number of one that does not exist", () => {
    const unknown = tested.filter((number) => !scenarios.includes(number))
    assert.deepStrictEqual(unknown, [])
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
