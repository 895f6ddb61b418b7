/** Casts that the compiler cannot check have one place for each reason, and it is known. */
import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import * as Path from "node:path"

const root = Path.resolve(import.meta.dirname, "../..")

/** How many casts a file may have, and why there. */
const known: Readonly<Record<string, readonly [casts: number, reason: string]>> = {
  "packages/core/src/internal/errorAnswer.ts": [1, "one class of a union, chosen by its tag"],
  "packages/core/src/internal/httpApi.ts": [5, "HttpApi hides the parts of an endpoint from its constraint types"],
  "packages/emulator/src/Snapshot.ts": [1, "a JSON object is JSON"],
  "packages/emulator/src/internal/categories/category.ts": [1, "handlers of one group among those of all"],
  "packages/emulator/src/internal/categories/tokens.ts": [1, "a JSON object is JSON"],
  "packages/emulator/src/internal/control/controlApi.ts": [1, "the endpoints of a group, by name"],
  "packages/emulator/src/internal/http/exactJson.ts": [1, "JSON.rawJSON, which TypeScript does not know"],
  "packages/emulator/src/internal/http/routes.ts": [2, "the endpoints of a group, by name"],
  "packages/emulator/src/internal/state/stateField.ts": [3, "mutable state under a schema of readonly values"],
  "packages/testing/src/CustodyTest.ts": [1, "a stub of one operation among those of all"],
  "packages/testing/src/Generators.ts": [3, "values that a schema generates have its type"],
  "packages/testing/src/internal/stubs.ts": [1, "a stub fails with what the operation's type lists"]
}

const castsIn = (source: string): number =>
  source
    .replaceAll(/\/\*[^]*?\*\//g, "")
    .split("\n")
    .filter((line) => !/^\s*\/\//.test(line))
    .join("\n")
    .match(/\bas never\b|\bas unknown as\b|\bas any\b/g)?.length ?? 0

describe("unchecked casts", () => {
  it("are where they are known to be, and nowhere else", () => {
    const found = globSync("packages/*/src/**/*.ts", { cwd: root })
      .map((file) => [file, castsIn(readFileSync(Path.join(root, file), "utf8"))] as const)
      .filter(([, casts]) => casts > 0)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
    assert.deepStrictEqual(
      Object.fromEntries(found),
      Object.fromEntries(Object.entries(known).map(([file, [casts]]) => [file, casts]))
    )
  })

  it("are counted in code, not in comments", () => {
    assert.strictEqual(castsIn("a as never\n// b as never\n/* c as never */\nd as unknown as D"), 2)
  })
})
