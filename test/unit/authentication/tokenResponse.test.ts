import { Authentication } from "@effect-custody/authentication"
import type { ExchangeResult } from "@effect-custody/core/Transport"
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Redacted from "effect/Redacted"
import { read, type Sent } from "../../../packages/authentication/src/internal/tokenResponse.ts"

const now = 1_760_000_000_000
const { wire } = Authentication.refreshToken

const answered = (status: number, body: unknown): ExchangeResult => ({
  _tag: "Answered",
  status,
  text: JSON.stringify(body),
  retryAfter: undefined
})

const refused = (sent: Sent, status: number, code?: string) =>
  read(
    sent,
    answered(status, { status, message: "no", errors: {}, ...(code === undefined ? {} : { code }) }),
    now,
    wire
  )

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
    const response = read("RefreshToken", answered(201, { accessToken: "a", refreshToken: 12 }), now, wire)
    assert(response._tag === "Tokens")
    assert.deepStrictEqual(
      [response.accessToken, response.refreshToken].map((one) => Redacted.value(one!)),
      ["a", "12"]
    )
  })

  it("an empty access token is none: nobody knows what became of the secret", () => {
    const response = given({ accessToken: "", refreshToken: "r" })
    assert.strictEqual(response._tag, "InDoubt")
    assert.notInclude(JSON.stringify(response), `"r"`)
  })

  it.each<[Sent, number, string | undefined, string]>([
    ["RefreshToken", 401, "E01402", "Rejected"],
    ["RefreshToken", 401, "E40002", "Rejected"],
    ["RefreshToken", 498, undefined, "Rejected"],
    ["RefreshToken", 498, "E01403", "Rejected"],
    ["RefreshToken", 498, "E00402", "Rejected"],
    ["RefreshToken", 422, "E00402", "Malformed"],
    ["RefreshToken", 401, undefined, "NotSpent"],
    ["RefreshToken", 400, "E00401", "NotSpent"],
    ["RefreshToken", 429, "E01402", "NotSpent"],
    ["ApiKey", 400, "E00401", "Rejected"],
    ["ApiKey", 401, "E01402", "Rejected"],
    ["ApiKey", 422, "E00402", "Malformed"],
    ["ApiKey", 498, undefined, "NotSpent"],
    ["ApiKey", 401, undefined, "NotSpent"],
    ["ApiKey", 429, "E00401", "NotSpent"]
  ])("%s: a %d with the code %s is %s", (sent, status, code, tag) => {
    const response = refused(sent, status, code)
    assert.strictEqual(response._tag, tag)
    if (response._tag === "NotSpent") assert.strictEqual(response.phase, status === 429 ? "Throttled" : "Rejected")
  })
})
