import { assert, it } from "@effect/vitest"
import * as Output from "../src/terminal/output.ts"

it("failure shows control characters as escapes", () => {
  assert.strictEqual(Output.failure("GET /a\u001b[2J\u202e").userMessage, "GET /a\\u{1b}[2J\\u{202e}")
})
