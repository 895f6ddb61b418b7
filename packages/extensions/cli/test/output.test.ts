import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"
import * as TestConsole from "effect/testing/TestConsole"
import * as Output from "../src/terminal/output.ts"

it("a table is aligned by what a terminal shows", () => {
  assert.deepStrictEqual(
    Output.table([
      ["client", "sum"],
      ["日本", "1"],
      ["é", "2"],
      ["a\u200eb", "3"]
    ]),
    ["client    sum", "日本      1", "é         2", "a\u200eb  3"]
  )
})

it.effect("a line has no escape sequence and no line break but the command's own", () =>
  Effect.gen(function* () {
    const bad = "june-1\n\u001b[8mjune-2\u001b[31m\u2028\u202e"
    const paint = yield* Output.paint
    yield* Output.lines([bad, paint("bad", bad), ...Output.linesOf("a\r\nb")])
    yield* Output.value({ bad })
    const shown = String.raw`june-1\u000a\u001b[8mjune-2\u001b[31m\u2028\u202e`
    const printed = yield* TestConsole.logLines
    assert.deepStrictEqual(printed.slice(0, 4), [shown, `\u001b[31m${shown}\u001b[0m`, "a", "b"])
    assert.deepStrictEqual(JSON.parse(printed.slice(4).join("\n")), { bad })
    for (const hidden of ["\u001b", "\u2028", "\u202e"]) assert.notInclude(printed.slice(4).join("\n"), hidden)
  }).pipe(
    Effect.provideService(TerminalCapabilities.TerminalCapabilities, {
      canColor: true,
      canAnimate: false,
      canPrompt: false
    })
  )
)

it("failure shows control characters as escapes", () => {
  assert.strictEqual(Output.failure("GET /a\u001b[2J\u202e").userMessage, "GET /a\\u001b[2J\\u202e")
})
