import { assert, describe, it } from "@effect/vitest"
import * as Snippets from "./snippets.ts"

describe("the documentation's code", () => {
  it("the code of the documentation compiles as modules of a user", async () => {
    const planted = { file: "planted.md", line: 10, text: `export {}\nexport const x: number = ["1"][0]` }
    const [planting, ...errors] = await Snippets.compile([planted, ...Snippets.all()])
    assert.match(planting!, /^planted\.md:11: error TS2322/)
    assert.deepStrictEqual(errors, [])
  })

  it("every documented program with its own store reads the session keys", () => {
    const programs = Snippets.all().filter(
      ({ file, text }) => file.endsWith(".md") && /TokenStore(?:Postgres|Redis)\.layer\(|TokenStore\.make\(/.test(text)
    )
    assert.isAbove(programs.length, 2)
    for (const { file, text } of programs) assert.include(text, "NodeCustody.sessionKeysConfig", file)
  })
})
