import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import * as Path from "node:path"
import { equivalents, mutants } from "../mutation/mutants.ts"

const sources = Path.resolve(import.meta.dirname, "../../packages/authentication/src")

describe("the mutants of the session", () => {
  it("each has one place in the sources: nothing that they were made for has gone unnoticed", () => {
    const lost = [...mutants, ...equivalents].filter(
      ({ file, from }) => readFileSync(Path.join(sources, file), "utf8").split(from).length !== 2
    )
    assert.deepStrictEqual(lost, [])
  })

  it("each changes something, and no two the same", () => {
    const all = [...mutants, ...equivalents].map(({ file, from, to }) => JSON.stringify([file, from, to]))
    assert.strictEqual(new Set(all).size, all.length)
    assert.isTrue([...mutants, ...equivalents].every(({ from, to }) => from !== to))
  })
})
