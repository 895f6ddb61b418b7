import { assert, describe, it } from "@effect/vitest"
import * as Snippets from "./snippets.ts"

describe("the documentation's code", () => {
  it("compiles, as a user's own modules would", async () => {
    const planted = { file: "planted.md", line: 10, text: `export {}\nexport const x: number = ["1"][0]` }
    const [planting, ...errors] = await Snippets.compile([planted, ...Snippets.all()])
    assert.match(planting!, /^planted\.md:11: error TS2322/)
    assert.deepStrictEqual(errors, [])
  })

  it("reads the session keys wherever a program has a store of its own, so that CUSTODY_SESSION_KEY encrypts there", () => {
    const programs = Snippets.all().filter(
      ({ file, text }) =>
        file.endsWith(".md") &&
        /TokenStorePostgres\.layer\(|TokenStore\.make\(/.test(text) &&
        text.includes("Config.Redacted(")
    )
    assert.isAbove(programs.length, 2)
    for (const { file, text } of programs) assert.include(text, "yield* NodeCustody.sessionKeysConfig", file)
  })
})
