/** Each bug that the simulations and the kills plant still matches the code that it changes. */
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { bugs } from "../simulation/bugs.ts"
import { modelBugs } from "../simulation/explorer/modelBugs.ts"

describe("a planted bug has its place, once", () => {
  it.each([...Object.entries(bugs), ...Object.entries(modelBugs)])("%s", (_, changes) => {
    for (const { file, from } of changes) {
      const path = file.startsWith("test/") ? file : `packages/${file}`
      const source = readFileSync(new URL(`../../${path}`, import.meta.url), "utf8")
      assert.lengthOf(source.split(from), 2, file)
    }
  })
})
