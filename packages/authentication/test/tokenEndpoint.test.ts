/** The meaning of an answer to a one-time secret: new tokens, an end, no effect, or doubt. */
import { Authentication } from "@effect-custody/authentication"
import * as Operation from "@effect-custody/core/siblings/Operation"
import type { ExchangeResult } from "@effect-custody/core/siblings/Transport"
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Redacted from "effect/Redacted"
import { read as readAnswer, type Sent } from "../src/tokenEndpoint.ts"
import { answered } from "../../../test/support/clients/scriptedTransport.ts"

const now = 1_760_000_000_000
const { wire } = Operation.codec(Authentication.refreshToken)
const read = (sent: Sent, answer: ExchangeResult) => readAnswer(sent, answer, now, wire)

const pair = { accessToken: "eyJhbGciOiJIUzI1NiJ9.access", refreshToken: "eyJhbGciOiJIUzI1NiJ9.refresh" }
const whole = JSON.stringify({ message: "refreshed", data: { ...pair, expiresAt: 4102444800000 }, status: 201 })

const cutOff = (text: string): ExchangeResult => ({
  _tag: "NotAnswered",
  phase: "MaybeProcessed",
  reason: "ECONNRESET",
  partial: { _tag: "Answered", status: 201, text, retryAfter: undefined }
})

/** The two tokens of an answer, or the tag of an answer without tokens. */
const tokensOf = (answer: ExchangeResult) => {
  const response = read("RefreshToken", answer)
  if (response._tag !== "Tokens") return response._tag
  const { accessToken, refreshToken } = response
  return { accessToken: Redacted.value(accessToken), refreshToken: Redacted.value(refreshToken) }
}

describe("new tokens", () => {
  it.each([
    ["after a guard against scripts", `)]}',\n${whole}`],
    ["after a warning", `Warning: undefined variable $x in /a.php on line 3\n${whole}`],
    ["before other text", `${whole}\n<!-- served by proxy-3 -->`],
    ["with brackets and quotes in a text", whole.replace("refreshed", String.raw`}]\"{[`)],
    ["without an envelope", JSON.stringify(pair)]
  ])("new tokens are read %s, and also from an answer that is cut after them", (_, text) => {
    assert.deepStrictEqual(tokensOf(answered(201, text)), pair)
    assert.deepStrictEqual(tokensOf(cutOff(text)), pair)
    assert.strictEqual(tokensOf(answered(500, text)), "InDoubt")
  })

  it("tokens are read from a cut answer if the object that holds them is complete", () => {
    const end = whole.indexOf("}") + 1
    for (let cut = 0; cut < whole.length; cut++) {
      assert.deepStrictEqual(tokensOf(cutOff(whole.slice(0, cut))), cut >= end ? pair : "InDoubt")
    }
  })

  it.each(["", "***", "[REDACTED]", "<accessToken>", "{token}", "${TOKEN}", "eyJhb***"])(
    "the text %s counts as no token",
    (text) => {
      const given = (data: unknown) => tokensOf(answered(201, JSON.stringify({ data })))
      assert.strictEqual(given({ ...pair, accessToken: text }), "InDoubt")
      assert.strictEqual(given({ ...pair, refreshToken: text }), "InDoubt")
    }
  )

  it.each([undefined, null, 7, "two\nlines", "Ω", "x".repeat(40_000)])(
    "a refresh is in doubt if no header can carry its access token: %s",
    (accessToken) => {
      assert.strictEqual(tokensOf(answered(201, JSON.stringify({ data: { ...pair, accessToken } }))), "InDoubt")
    }
  )

  const inAYear = now + Duration.toMillis(Duration.days(366))
  it.each([
    ["missing", undefined, undefined],
    ["0", 0, undefined],
    ["now", now, undefined],
    ["in a millisecond", now + 1, now + 1],
    ["just within 366 days", inAYear - 1, inAYear - 1],
    ["after 366 days", inAYear, undefined],
    ["in seconds", Math.floor(now / 1_000) + 900, undefined],
    ["in half a millisecond", now + 0.5, undefined],
    ["a text", String(now + 1), undefined]
  ])("only a credible expiry is kept: %s", (_, expiresAt, expected) => {
    const response = read("RefreshToken", answered(201, JSON.stringify({ data: { ...pair, expiresAt } })))
    assert(response._tag === "Tokens")
    assert.strictEqual(response.expiresAt, expected)
  })
})

const refusal = (status: number, code?: string, errors = {}): ExchangeResult =>
  answered(status, JSON.stringify({ status, message: "no", errors, code }))

describe("only the service's own code ends a session, or uses up a key", () => {
  it.each([400, 401, 403, 404, 422, 498])("a %d without a code of the service ends no session", (status) => {
    for (const sent of ["RefreshToken", "ApiKey"] as const) {
      for (const text of ["", "<html>blocked E01402</html>", JSON.stringify({ code: "BLOCKED" })]) {
        assert.strictEqual(read(sent, answered(status, text))._tag, "NotSpent")
      }
      assert.strictEqual(read(sent, refusal(status))._tag, "NotSpent")
    }
  })

  it.each<[Sent, string, string]>([
    ["RefreshToken", "refreshToken", "Malformed"],
    ["RefreshToken", "tenant", "NotSpent"],
    ["ApiKey", "apiKey", "Malformed"],
    ["ApiKey", "tenant", "NotSpent"]
  ])("after sending a %s, a validation error of the field %s means %s", (sent, field, tag) => {
    assert.strictEqual(read(sent, refusal(422, "E00402", { [field]: ["is wrong"] }))._tag, tag)
  })
})
