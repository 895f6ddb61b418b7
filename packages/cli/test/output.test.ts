import { assert, it } from "@effect/vitest"
import * as Output from "../src/terminal/output.ts"

it("a table is aligned by what a terminal shows", () => {
  assert.deepStrictEqual(
    Output.table([
      ["client", "sum"],
      ["日本", "1"],
      ["é", "2"],
      ["a\u200eb", "3"]
    ]),
    ["client      sum", "日本        1", "é           2", "a\u200eb  3"]
  )
})

it("failure shows control characters as escapes", () => {
  assert.strictEqual(Output.failure("GET /a\u001b[2J\u202e").userMessage, "GET /a\\u{1b}[2J\\u{202e}")
})
