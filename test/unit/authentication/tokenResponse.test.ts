import { Authentication } from "@effect-custody/authentication"
import * as Operation from "@effect-custody/core/Operation"
import { type ExchangeResult, partial } from "@effect-custody/core/Transport"
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Redacted from "effect/Redacted"
import {
  isPair,
  read as readAnswer,
  type Sent,
  unreadable
} from "../../../packages/authentication/src/internal/tokenResponse.ts"

const now = 1_760_000_000_000
const { wire } = Operation.of(Authentication.refreshToken)

const secret = Redacted.make("refresh-token-that-was-sent")

const read = (sent: Sent, answer: ExchangeResult, at: number, by: typeof wire) =>
  readAnswer({ sent, secret }, answer, at, by)

const answered = (status: number, body: unknown): ExchangeResult => ({
  _tag: "Answered",
  status,
  text: JSON.stringify(body),
  retryAfter: undefined
})

/** An answer whose body is this text. */
const saying = (status: number, text: string): ExchangeResult => ({
  _tag: "Answered",
  status,
  text,
  retryAfter: undefined
})

const envelope = (status: number, code: string | undefined, errors = {}): string =>
  JSON.stringify({
    status,
    message: "no",
    errors: { message: "no", ...errors },
    ...(code === undefined ? {} : { code })
  })

const refused = (sent: Sent, status: number, code?: string, errors = {}) =>
  read(sent, saying(status, envelope(status, code, errors)), now, wire)

const given = (data: unknown) => read("RefreshToken", answered(201, { status: 201, message: "ok", data }), now, wire)

describe("the answer to a one-time secret", () => {
  const inAYear = now + Duration.toMillis(Duration.days(366))
  for (const [name, expiresAt, expected] of [
    ["now", now, undefined],
    ["in a millisecond", now + 1, now + 1],
    ["just within 366 days", inAYear - 1, inAYear - 1],
    ["after 366 days", inAYear, undefined],
    ["in half a millisecond", now + 0.5, undefined],
    ["as text", String(now + 1), undefined]
  ] as const) {
    it(`an expiry ${name} ${expected === undefined ? "is not believed" : "is kept"}`, () => {
      const response = given({ accessToken: "a", refreshToken: "r", expiresAt })
      assert(response._tag === "Tokens")
      assert.strictEqual(response.expiresAt, expected)
    })
  }

  it("tokens at the top of the body, without an envelope, are kept", () => {
    const response = read("RefreshToken", answered(201, { accessToken: "a", refreshToken: "r" }), now, wire)
    assert(response._tag === "Tokens")
    assert.deepStrictEqual(
      [response.accessToken, response.refreshToken].map((one) => Redacted.value(one!)),
      ["a", "r"]
    )
  })

  const fresh = "refresh-token-of-the-next-generation"

  it.each([
    ["no access token", { refreshToken: fresh, vaultId: 7 }],
    ["null in its place", { refreshToken: fresh, accessToken: null }],
    ["an empty one", { refreshToken: fresh, accessToken: "" }],
    ["a placeholder in its place", { refreshToken: fresh, accessToken: "***" }]
  ])("a new refresh token with %s is kept", (_, data) => {
    const response = given(data)
    assert(response._tag === "Tokens")
    assert.strictEqual(response.accessToken, unreadable)
    assert.strictEqual(Redacted.value(response.refreshToken!), fresh)
    // More may come, while the answer has not ended.
    assert.isFalse(isPair(response))
  })

  it("a new refresh token is kept from an answer that breaks off in its access token", () => {
    const text = JSON.stringify({ data: { refreshToken: fresh, accessToken: "access-token" } })
    const broken: ExchangeResult = {
      _tag: "NotAnswered",
      phase: "MaybeProcessed",
      reason: "reset",
      partial: partial({
        status: 201,
        headers: {},
        ending: "Cut",
        text: () => text.slice(0, text.indexOf('-token"}')),
        response: undefined
      })
    }
    const response = read("RefreshToken", broken, now, wire)
    assert(response._tag === "Tokens")
    assert.strictEqual(Redacted.value(response.refreshToken!), fresh)
  })

  it.each([
    ["that was sent", 201, Redacted.value(secret)],
    ["in an error, which may be an example", 400, fresh]
  ])("a refresh token %s, without an access token, is no new one", (_, status, refreshToken) => {
    const response = read("RefreshToken", answered(status, { data: { refreshToken } }), now, wire)
    assert.notStrictEqual(response._tag, "Tokens")
  })

  it.each<[Sent, number, string | undefined, string]>([
    ["RefreshToken", 401, "E01402", "Rejected"],
    ["RefreshToken", 401, "E40002", "Rejected"],
    ["RefreshToken", 498, undefined, "NotSpent"],
    ["RefreshToken", 498, "E01403", "Rejected"],
    ["RefreshToken", 498, "E00402", "Malformed"],
    ["RefreshToken", 422, "E00402", "Malformed"],
    ["RefreshToken", 422, "E99999", "NotSpent"],
    ["RefreshToken", 422, undefined, "NotSpent"],
    ["RefreshToken", 401, undefined, "NotSpent"],
    ["RefreshToken", 400, "E00401", "NotSpent"],
    ["RefreshToken", 429, "E01402", "NotSpent"],
    ["ApiKey", 400, "E00401", "Rejected"],
    ["ApiKey", 401, "E01402", "Rejected"],
    ["ApiKey", 422, "E00402", "Malformed"],
    ["ApiKey", 422, undefined, "NotSpent"],
    ["ApiKey", 498, undefined, "NotSpent"],
    ["ApiKey", 401, undefined, "NotSpent"],
    ["ApiKey", 429, "E00401", "NotSpent"]
  ])("%s: a %d with the code %s is %s", (sent, status, code, tag) => {
    const response = refused(sent, status, code)
    assert.strictEqual(response._tag, tag)
    if (response._tag === "NotSpent") assert.strictEqual(response.phase, status === 429 ? "Throttled" : "Rejected")
  })
})

describe("only the service's own code ends a session, or uses up a key", () => {
  /** The statuses of a refusal, each with the code that the service gives with it. */
  const codes: Readonly<Record<Sent, Readonly<Record<number, string>>>> = {
    RefreshToken: { 400: "E40000", 401: "E01402", 403: "E99999", 404: "E99999", 422: "E00402", 498: "E01403" },
    ApiKey: { 400: "E00401", 401: "E01402", 403: "E99999", 404: "E99999", 422: "E00402", 498: "E01403" }
  }
  const ends: Readonly<Record<string, string>> = {
    "RefreshToken E01402": "Rejected",
    "RefreshToken E01403": "Rejected",
    "RefreshToken E00402": "Malformed",
    "ApiKey E00401": "Rejected",
    "ApiKey E01402": "Rejected",
    "ApiKey E00402": "Malformed"
  }
  for (const sent of ["RefreshToken", "ApiKey"] as const) {
    for (const status of [400, 401, 403, 404, 422, 498]) {
      const code = codes[sent][status]!
      for (const [kind, body, expected] of [
        [`the envelope with ${code}`, envelope(status, code), ends[`${sent} ${code}`] ?? "NotSpent"],
        ["the envelope without a code", envelope(status, undefined), "NotSpent"],
        ["a code of nobody's", JSON.stringify({ code: "BLOCKED" }), "NotSpent"],
        ["HTML", `<html>blocked ${code}</html>`, "NotSpent"],
        ["nothing", "", "NotSpent"]
      ] as const) {
        it(`62 · ${sent}: a ${status} with ${kind} is ${expected}`, () => {
          const response = read(sent, saying(status, body), now, wire)
          assert.strictEqual(response._tag, expected)
          if (response._tag === "NotSpent") assert.strictEqual(response.phase, "Rejected")
        })
      }
    }
  }

  it.each<[Sent, string, string]>([
    ["RefreshToken", "refreshToken", "Malformed"],
    ["RefreshToken", "tenant", "NotSpent"],
    ["ApiKey", "apiKey", "Malformed"],
    ["ApiKey", "tenant", "NotSpent"]
  ])("62 · %s: a validation error of the field %s is %s", (sent, field, tag) => {
    assert.strictEqual(refused(sent, 422, "E00402", { [field]: ["is wrong"] })._tag, tag)
  })
})

describe("masks and examples in place of tokens", () => {
  const pair = { accessToken: "eyJhbGciOiJIUzI1NiJ9.access", refreshToken: "eyJhbGciOiJIUzI1NiJ9.refresh" }
  const tagOf = (status: number, body: unknown) => read("RefreshToken", answered(status, body), now, wire)._tag

  it.each(["", "***", "[REDACTED]", "<accessToken>", "{token}", "${TOKEN}", "eyJhb***"])(
    "63 · %s is no token",
    (text) => {
      assert.strictEqual(tagOf(201, { data: { accessToken: text, refreshToken: text } }), "InDoubt")
      const refresh = given({ ...pair, refreshToken: text })
      assert.isTrue(refresh._tag === "Tokens" && refresh.refreshToken === undefined)
    }
  )

  it.each([
    [201, "Tokens"],
    [302, "Tokens"],
    [400, "NotSpent"],
    [429, "NotSpent"],
    [500, "InDoubt"],
    [503, "InDoubt"]
  ])("63 · a pair in a %d: %s", (status, tag) => {
    assert.strictEqual(tagOf(status, { data: pair }), tag)
  })
})
