import { assert, describe, it } from "@effect/vitest"
import { changed, declarationsOf } from "../../tools/release/apiChanges.ts"

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
  it("the report finds a removed or changed declaration", () => {
    assert.deepStrictEqual(changes(before.replace("(options: Options) =>", "(options?: Options) =>")), [
      "Limit: export declare const make: (options: Options) => string"
    ])
    assert.lengthOf(changes(before.replace("readonly size: number", "readonly size: bigint")), 1)
    assert.lengthOf(changes(before.replace("export declare const limit: number", "")), 1)
    assert.lengthOf(changed(apiOf(before), new Map()), 3)
  })

  it("the report accepts new declarations, rewritten comments and other formatting", () => {
    assert.deepStrictEqual(changes(before), [])
    assert.deepStrictEqual(changes(`${before}export declare const more: number\n`), [])
    assert.deepStrictEqual(changes(before.replace("What it is", "What it means")), [])
    assert.deepStrictEqual(changes(before.replaceAll("    readonly", "  readonly")), [])
  })
})
