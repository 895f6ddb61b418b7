/** New tokens are read from JSON with a mistake, from its beginning up to the mistake, and below a status of 400. */
import { Authentication } from "@effect-custody/authentication"
import * as Operation from "@effect-custody/core/Operation"
import { type ExchangeResult, partial } from "@effect-custody/core/Transport"
import { assert, describe, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import { read } from "../../../packages/authentication/src/internal/tokenResponse.ts"
import { random, type Source } from "../../support/random.ts"
import { answered } from "../../support/clients/scripted.ts"

const { wire } = Operation.of(Authentication.refreshToken)

const access = "access-1-ABCDEFGHIJ"
const refresh = "refresh-1-ABCDEFGHIJ"
const data = { accessToken: access, refreshToken: refresh }
const whole = JSON.stringify({ message: "refreshed", data: { ...data, expiresAt: 4102444800000 }, status: 201 })

const notEnded = (text: string, status = 201): ExchangeResult => ({
  _tag: "NotAnswered",
  phase: "MaybeProcessed",
  reason: "ECONNRESET",
  partial: partial({ status, headers: {}, ending: "Cut", text: () => text, response: undefined })
})

/** The access token and the refresh token that are read, where there are any. */
const tokensIn = (answer: ExchangeResult): ReadonlyArray<string | undefined> => {
  const response = read({ sent: "RefreshToken", secret: Redacted.make("what was sent") }, answer, 0, wire)
  if (response._tag !== "Tokens") return []
  const { accessToken, refreshToken } = response
  return [Redacted.value(accessToken), refreshToken && Redacted.value(refreshToken)]
}

/** What is read of a text, as a whole answer and as one that broke off. */
const reading = (text: string, status = 201) => [tokensIn(answered(status, text)), tokensIn(notEnded(text, status))]

const both = [access, refresh]

/** What may stand in the place of a character, or before it. */
const mistakes = ["", "{", "}", "[", "]", ",", ":", '"', "\\", "0", "-", ".", "e", " ", "\n", "\0", "a", "/", "*", "é"]

describe("new tokens in JSON with a mistake after them are read", () => {
  for (const [name, text] of [
    ["a comma at the end", whole.replace(/}$/, ",}")],
    ["a comma at the end of the data", whole.replace("00000}", "00000,}")],
    ["two commas", whole.replace("},", "},,")],
    ["no comma", whole.replace("},", "}")],
    ["no comma after the last token", whole.replace(`J","expiresAt"`, `J""expiresAt"`)],
    ["no colon", whole.replace(`"status":`, `"status"`)],
    ["no value", whole.replace("201", "")],
    ["a key that is none", whole.replace(`"status"`, "status")],
    ["a zero before a number", whole.replace("201", "0201")],
    ["a point without digits", whole.replace("201", "201.")],
    ["a value of another language", whole.replace("201", "None")],
    ["a quote in a text", whole.replace("201", `"say "hi" now"`)],
    ["a line break in a text", whole.replace("201", `"one\ntwo"`)],
    ["a comment", whole.replace("201", "201 /* created */")],
    ["the wrong bracket at the end", whole.replace(/}$/, "]")],
    ["a bracket too many", `${whole}}`],
    ["nothing after a comma", whole.replace(/},.*$/, `},"sta`)],
    ["600 levels of lists", whole.replace("201", "[".repeat(600) + "]".repeat(600))],
    ["60,000 brackets", whole.replace("201", "[".repeat(60_000))],
    ["60,000 braces", whole.replace("201", `{"a":`.repeat(12_000))]
  ] as const) {
    it(name, () => {
      assert.notStrictEqual(text, whole)
      assert.deepStrictEqual(reading(text), [both, both])
      assert.deepStrictEqual(reading(text, 500), [[], []])
    })
  }

  it("whatever the place of the mistake, or of the cut, and never a part of a token", () => {
    const source = random("mistakes in JSON")
    for (let round = 0; round < 2_000; round++) {
      const text = documentOf(source)
      const end = text.indexOf(refresh) + refresh.length + 1
      const at = between(source, end, text.length)
      const kept = source.pick([at, at, at + 1])
      const mistake = source.pick(mistakes)
      const changed = text.slice(0, at) + mistake + text.slice(kept)
      assert.deepStrictEqual(reading(changed), [both, both], changed)
      const cut = between(source, 0, text.length)
      for (const found of reading(text.slice(0, cut))) {
        assert.deepStrictEqual(found, cut >= end ? both : found[0] === undefined ? [] : [access, undefined])
      }
    }
  })
})

/** From one number to another, inclusive. */
const between = (source: Source, from: number, to: number) => from + source.below(to - from + 1)

/** An answer with both tokens, and with fields around them. */
const documentOf = (source: Source): string => {
  const value = (depth: number): unknown => {
    const size = between(source, 0, 3)
    switch (between(source, depth > 2 ? 2 : 0, 6)) {
      case 0:
        return Array.from({ length: size }, () => value(depth + 1))
      case 1:
        return Object.fromEntries(Array.from({ length: size }, (_, at) => [`k${at}`, value(depth + 1)]))
      case 2:
        return between(source, -1_000, 1_000) / 8
      case 3:
        return source.pick([true, false, null])
      default:
        return source.pick(["", "text", 'a "quote"', "back\\slash", '{"a":[', "line\nbreak", "é€😀"])
    }
  }
  const fields = (name: string) =>
    Object.fromEntries(Array.from({ length: between(source, 0, 3) }, (_, at) => [`${name}${at}`, value(0)]))
  const body = { ...fields("before"), data: { ...fields("first"), ...data, ...fields("last") }, ...fields("after") }
  return JSON.stringify(body, null, source.pick([0, 2]))
}

describe("new tokens after other text are read from the first brace on", () => {
  for (const [name, before] of [
    ["a guard against scripts", ")]}',\n"],
    ["a warning", "Warning: undefined variable $x in /a.php on line 3\n"]
  ] as const) {
    it(name, () => {
      assert.deepStrictEqual(reading(before + whole), [both, both])
    })
  }

  it("in time in proportion to the text", () => {
    for (const part of ["{", `{"`, `{"a`, `{"a":`, `{"a":1}`, `{ `, `{"a":[`, `{"a":"{`]) {
      assert.deepStrictEqual(reading(part.repeat(1_000_000 / part.length)), [[], []])
    }
  })
})
