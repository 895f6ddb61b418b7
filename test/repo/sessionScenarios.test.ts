/** The page of the session numbers its scenarios. The title of a test begins with the numbers of its scenarios. */
import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import * as Path from "node:path"

const root = Path.resolve(import.meta.dirname, "../..")
const page = readFileSync(Path.join(root, "docs/internals/session.md"), "utf8")

/** The numbers on the page, by what it says of them. */
const { open = [], tested: claimed = [] } = Object.groupBy(
  [...page.matchAll(/^\| (\d+) \| .+ \| (tested|simulated|open) \|$/gm)].map(([, number, state]) => ({
    number,
    state
  })),
  ({ state }) => state!
)

/** The numbers that begin a name in quotes: `7 · …` or `5, 6, 23 · …`. */
const tested = new Set(
  globSync(["{test,packages/*/test}/**/*.test.ts", "test/support/worlds/tokenStoreConformance.ts"], { cwd: root })
    .filter((file) => !file.startsWith("test/repo"))
    .flatMap((file) => [...readFileSync(Path.join(root, file), "utf8").matchAll(/["'`](\d+(?:, \d+)*) · \S/g)])
    .flatMap(([, numbers]) => numbers!.split(", "))
)

describe("the scenarios of the session", () => {
  it("every scenario that the page calls tested has a test, and no open scenario has one", () => {
    assert.isAtLeast(claimed.length, 50)
    assert.deepStrictEqual(
      claimed.filter(({ number }) => !tested.has(number!)),
      []
    )
    assert.deepStrictEqual(
      open.filter(({ number }) => tested.has(number!)),
      []
    )
  })

  it("the page has every scenario that a test names", () => {
    const numbers = new Set([...claimed, ...open].map(({ number }) => number))
    assert.deepStrictEqual(
      [...tested].filter((number) => !numbers.has(number)),
      []
    )
  })
})
