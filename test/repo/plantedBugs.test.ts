import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { bugs, ledgerBugs } from "../simulation/bugs.ts"
import { modelBugs } from "../simulation/explorer/modelBugs.ts"

describe("planted bugs", () => {
  it.each([...Object.entries(bugs), ...Object.entries(modelBugs), ...Object.entries(ledgerBugs)])(
    'the bug "%s" matches exactly one place in the sources',
    (_, changes) => {
      for (const { file, from } of changes) {
        const path = file.startsWith("test/") ? file : `packages/${file}`
        const source = readFileSync(new URL(`../../${path}`, import.meta.url), "utf8")
        assert.lengthOf(source.split(from), 2, file)
      }
    }
  )
})
