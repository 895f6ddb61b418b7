/** Classifies every status with every code, for calls and for the authentication endpoints. */
import * as Classification from "@effect-custody/core/siblings/Classification"
import * as Operation from "@effect-custody/core/siblings/Operation"
import type { ExchangeResult } from "@effect-custody/core/siblings/Transport"
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Result from "effect/Result"
import { Authentication } from "@effect-custody/authentication"
import * as TokenEndpoint from "../../authentication/src/tokenEndpoint.ts"
import { answered, notSent, reset } from "../../../test/support/clients/scriptedTransport.ts"

const specified = Operation.codec(Authentication.refreshToken).wire

const read = (sent: TokenEndpoint.Sent, answer: ExchangeResult) => TokenEndpoint.read(sent, answer, 0, specified)

/** Both code sets of the specification, unknown codes, and none. */
const codes = [
  "E00401",
  "E00402",
  "E01401",
  "E01402",
  "E01403",
  "E40000",
  "E40001",
  "E40002",
  "E40003",
  "E99999",
  "nonsense",
  undefined
] as const
type Code = (typeof codes)[number]

const statuses = Array.from({ length: 400 }, (_, at) => 200 + at)
const bodyOf = (status: number, code: Code) => ({
  status,
  message: "No",
  errors: {},
  ...(code === undefined ? {} : { code })
})

/** `true` for a status in doubt, whatever the code. */
const isInDoubt = (status: number) => status < 400 || status >= 500 || status === 408 || status === 499

const unreadable = Result.fail("no payload")

/** The outcome of a call according to the documentation. */
const expectedOfCall = (status: number, code: Code): Classification.Failed["_tag"] => {
  if (isInDoubt(status)) return "InDoubt"
  if (status === 429) return "Throttled"
  if (status === 498 || code === "E01403" || code === "E40003") return "Expired"
  if (code === "E01401" || code === "E40001") return "Unauthorized"
  // A 401 without a reason counts as a refusal of the access token.
  const isNamed = code !== undefined && code !== "E99999" && code !== "nonsense"
  return status === 401 && !isNamed ? "Unauthorized" : "Rejected"
}

/** The fate of a one-time secret according to the documentation. */
const expectedOfSecret = (
  sent: TokenEndpoint.Sent,
  status: number,
  code: Code
): TokenEndpoint.TokenResponse["_tag"] => {
  if (isInDoubt(status)) return "InDoubt"
  if (status === 429) return "NotSpent"
  // A status alone may be a gateway's: only a code says that a secret is dead.
  const isRefreshTokenDead = code === "E01402" || code === "E40002"
  const isExpired = code === "E01403" || code === "E40003"
  if (sent === "RefreshToken" && (isRefreshTokenDead || isExpired)) return "Dead"
  if (sent === "ApiKey" && (isRefreshTokenDead || code === "E00401")) return "Dead"
  return code === "E00402" ? "Malformed" : "NotSpent"
}

describe("the classification of an answer", () => {
  it("a call has the documented outcome for every status and every code", () => {
    for (const status of statuses) {
      for (const code of codes) {
        const outcome = Classification.classify("call", answered(status, bodyOf(status, code)), unreadable)
        assert.strictEqual(outcome._tag, expectedOfCall(status, code), `${status} ${code}`)
      }
    }
  })

  it("a 4xx that is not the service's own says nothing, except a 429 and a 498", () => {
    const foreign = (status: number) => [
      "<html>403 Forbidden</html>",
      "",
      "null",
      [],
      {},
      { message: "Forbidden" },
      { statusCode: status, message: "Cannot GET /vaults", error: "Not Found" },
      { status: 200, message: "No" },
      { status, error: "No" },
      { status, message: { text: "No" } },
      { success: false, errors: [{ code: 1020 }] },
      { code: "FORBIDDEN" },
      { code: 40001 },
      { error: { code: "E40001" } }
    ]
    const own = (status: number) => [
      { status, message: "No" },
      { status: String(status), message: "" },
      { code: "E50001" }
    ]
    const classified = (status: number, body: unknown) =>
      Classification.classify("call", answered(status, body), undefined)
    for (const status of statuses.filter((one) => !isInDoubt(one))) {
      for (const body of foreign(status)) {
        const outcome = classified(status, body)
        const expected = status === 429 ? "Throttled" : status === 498 ? "Expired" : "Foreign"
        assert.strictEqual(outcome._tag, expected, `${status} ${JSON.stringify(body)}`)
        assert.isFalse(Classification.acceptsToken(outcome))
        const ofSecret = read("RefreshToken", answered(status, body))._tag
        assert.strictEqual(ofSecret, "NotSpent", `${status} ${JSON.stringify(body)}`)
      }
      for (const body of own(status)) assert.notStrictEqual(classified(status, body)._tag, "Foreign")
    }
  })

  it("under a contract, an answer is the service's own if the contract recognises its error", () => {
    const classified = (isOwn: boolean | undefined, tag?: "BadRequest") =>
      Classification.classify("call", answered(400, { status: 400, message: "No" }), undefined, {
        isDoubtful: () => false,
        error: (body) => ({ body, tag, isOwn })
      })._tag
    assert.strictEqual(classified(false), "Foreign")
    for (const isOwn of [true, undefined]) assert.strictEqual(classified(isOwn), "Rejected")
    assert.strictEqual(classified(false, "BadRequest"), "Rejected")
  })

  it("a request to an authentication endpoint is in doubt exactly if a call is", () => {
    for (const status of statuses) {
      for (const code of codes) {
        const answer = answered(status, bodyOf(status, code))
        const call = Classification.classify("call", answer, unreadable)._tag
        const auth = Classification.classify("auth", answer, unreadable)._tag
        // No access token was sent: a rejection is never about one.
        const expected = call === "Expired" || call === "Unauthorized" ? "Rejected" : call
        assert.strictEqual(auth, expected, `${status} ${code}`)
      }
    }
  })

  for (const sent of ["RefreshToken", "ApiKey"] as const) {
    it(`the secret ${sent} has the documented fate for every status and every code`, () => {
      for (const status of statuses) {
        for (const code of codes) {
          const response = read(sent, answered(status, bodyOf(status, code)))
          assert.strictEqual(response._tag, expectedOfSecret(sent, status, code), `${status} ${code}`)
          if (response._tag !== "NotSpent") continue
          assert.strictEqual(response.phase, status === 429 ? "Throttled" : "Rejected", `${status} ${code}`)
        }
      }
    })
  }

  it("a classification keeps the Retry-After of every answer", () => {
    for (const kind of ["call", "auth"] as const) {
      for (const status of statuses) {
        const outcome = Classification.classify(kind, answered(status, "", "7 seconds"), unreadable)
        assert.isTrue(outcome._tag !== "Succeeded" && outcome._tag !== "NotSent", String(status))
        const { retryAfter } = outcome as Classification.Refused | Classification.InDoubt
        assert.deepStrictEqual(retryAfter, Duration.seconds(7), `${kind} ${status}`)
      }
    }
    for (const status of [302, 408, 499, 500, 503]) {
      const response = read("RefreshToken", answered(status, "", "7 seconds"))
      assert.isTrue(response._tag === "InDoubt", String(status))
      assert.deepStrictEqual(response._tag === "InDoubt" ? response.retryAfter : undefined, Duration.seconds(7))
    }
  })

  it("without an answer, the outcome depends on whether a byte was written", () => {
    for (const kind of ["call", "auth"] as const) {
      assert.strictEqual(Classification.classify(kind, notSent, undefined)._tag, "NotSent")
      assert.strictEqual(Classification.classify(kind, reset, undefined)._tag, "InDoubt")
    }
    assert.strictEqual(read("RefreshToken", notSent)._tag, "NotSpent")
    assert.strictEqual(read("RefreshToken", reset)._tag, "InDoubt")
  })

  it("a call succeeds with the payload of a 2xx, and an authentication endpoint with tokens below 400", () => {
    const tokens = { data: { accessToken: "access-of-sixteen-characters", refreshToken: "refresh-of-sixteen" } }
    for (const status of statuses) {
      const isSuccess = status < 300
      const call = Classification.classify(
        "call",
        answered(status, tokens),
        isSuccess ? Result.succeed(tokens) : undefined
      )
      assert.strictEqual(call._tag === "Succeeded", isSuccess, String(status))
      assert.strictEqual(read("RefreshToken", answered(status, tokens))._tag === "Tokens", status < 400, String(status))
    }
  })

  it("a 2xx, readable or not, or a 4xx after the check of the token shows that the token was accepted", () => {
    for (const status of statuses) {
      for (const code of codes) {
        const outcome = Classification.classify("call", answered(status, bodyOf(status, code)), unreadable)
        const isShown = status < 300 || (outcome._tag === "Rejected" && status !== 401 && status !== 407)
        assert.strictEqual(Classification.acceptsToken(outcome), isShown, `${status} ${code}`)
      }
    }
    assert.isTrue(Classification.acceptsToken(Classification.classify("call", answered(200, {}), Result.succeed({}))))
    for (const answer of [notSent, reset]) {
      assert.isFalse(Classification.acceptsToken(Classification.classify("call", answer, undefined)))
    }
  })

  it("an unreadable 2xx has a reason, and so has a body that is not JSON", () => {
    const odd = Classification.classify("call", answered(201, {}), Result.fail("no id"))
    assert.isTrue(odd._tag === "InDoubt" && odd.issue === "no id" && odd.reason === "HTTP 201 that cannot be read")
    const html = Classification.classify("call", answered(201, "<html>"), Result.fail("not JSON"))
    assert.isTrue(html._tag === "InDoubt" && html.issue === "not JSON")
  })
})
