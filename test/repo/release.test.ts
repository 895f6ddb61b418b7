/** The checks of a release find the faults that they are meant to find. */
import { assert, describe, it } from "@effect/vitest"
import { changed, declarationsOf } from "../../.ci/api.ts"
import { compare } from "../../.ci/bench-compare.ts"

const before = `/** What it is. */
export declare const limit: number
interface Hidden { readonly a: string }
export interface Options {
    readonly size: number
    readonly hidden: Hidden
}
export declare const make: (options: Options) => string
export {}
`

const apiOf = (source: string) => new Map([["Limit", declarationsOf(source)]])
const changes = (after: string) => changed(apiOf(before), apiOf(after))

describe("the report of a public API", () => {
  it("finds a declaration that is gone, or not as it was", () => {
    assert.deepStrictEqual(changes(before.replace("(options: Options) =>", "(options?: Options) =>")), [
      "Limit: export declare const make: (options: Options) => string"
    ])
    assert.lengthOf(changes(before.replace("readonly size: number", "readonly size: bigint")), 1)
    assert.lengthOf(changes(before.replace("export declare const limit: number", "")), 1)
    assert.lengthOf(changed(apiOf(before), new Map()), 3)
  })

  it("lets pass what is new, what is said in other words, and what only looks different", () => {
    assert.deepStrictEqual(changes(before), [])
    assert.deepStrictEqual(changes(`${before}export declare const more: number\n`), [])
    assert.deepStrictEqual(changes(before.replace("What it is", "What it means")), [])
    assert.deepStrictEqual(changes(before.replaceAll("    readonly", "  readonly")), [])
  })
})

describe("the comparison of benches", () => {
  const rows = (low: number, ratio: number, high: number) => ({
    rows: [{ name: "effect-custody", job: "read", ratio, spread: { low, high } }]
  })
  const verdict = (before: ReturnType<typeof rows>, after: ReturnType<typeof rows>) =>
    compare(before, after).split("\n").at(-1)

  it("calls a client slower or faster only where the rounds of both are apart", () => {
    assert.strictEqual(
      verdict(rows(1, 1.2, 1.4), rows(1.5, 1.6, 1.7)),
      "| effect-custody | read | 1.20 | 1.60 | **slower** |"
    )
    assert.strictEqual(
      verdict(rows(1.5, 1.6, 1.7), rows(1, 1.2, 1.4)),
      "| effect-custody | read | 1.60 | 1.20 | faster |"
    )
    assert.strictEqual(
      verdict(rows(1, 1.2, 1.4), rows(1.3, 1.4, 1.5)),
      "| effect-custody | read | 1.20 | 1.40 | same |"
    )
    assert.strictEqual(verdict({ rows: [] }, rows(1, 1.2, 1.4)), "| effect-custody | read | – | 1.20 | new |")
  })
})
