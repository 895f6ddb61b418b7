import { catchCode, InvalidApiKey, NotFound, TokenExpired } from "@effect-custody/core"
import type { ErrorClass } from "@effect-custody/core/Endpoint"
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { maxBody, fromAnswer } from "../src/answer/Answer.ts"

const everything = [InvalidApiKey, NotFound]

const answer = (status: number, body: unknown, refusals: ReadonlyArray<ErrorClass> = everything) =>
  fromAnswer(
    { operation: "vaults.details", refusals, safety: "read" },
    { status, body, text: JSON.stringify(body) ?? "", retryAfter: undefined }
  )

describe("the error of an answer", () => {
  const meanings = {
    E00401: "InvalidApiKey",
    E00402: "ValidationFailed",
    E01401: "InvalidAccessToken",
    E01402: "InvalidRefreshToken",
    E01403: "TokenExpired",
    E40000: "BadRequest",
    E40001: "InvalidAccessToken",
    E40002: "InvalidRefreshToken",
    E40003: "TokenExpired"
  }

  it("a known code decides the error class, whatever the status", () => {
    for (const [code, tag] of Object.entries(meanings)) {
      for (const status of [400, 401, 404, 422, 498, 500]) {
        const error = answer(status, { status, message: "No", errors: {}, code })
        assert.deepInclude<object>(error, { _tag: tag, code, status, summary: "No", operation: "vaults.details" })
      }
    }
  })

  it("the status decides the error class if there is no code, and for a 404 and a 429", () => {
    for (const code of [undefined, "E50001", "e40000", "E4000", "E400000", ""]) {
      const body = { status: 0, message: "No", errors: {}, code }
      assert.strictEqual(answer(404, body)._tag, "NotFound")
      assert.strictEqual(answer(429, body)._tag, "RateLimited")
      for (const status of [400, 403, 409, 500, 502, 599]) {
        assert.deepInclude<object>(answer(status, body), { _tag: "OtherApiError", status, code })
      }
      for (const [status, tag] of Object.entries({
        401: "InvalidAccessToken",
        422: "ValidationFailed",
        498: "TokenExpired"
      })) {
        assert.strictEqual(answer(Number(status), body)._tag, code === undefined ? tag : "OtherApiError")
      }
    }
  })

  it("a 422 with an endpoint's own code is an OtherApiError, whose message has the fields too", () => {
    const errors = { message: "No", amount: ["is too large"] }
    const error = answer(422, { status: 422, message: "No", errors, code: "E50001" })
    assert(error._tag === "OtherApiError")
    assert.deepStrictEqual(error.fields, { amount: ["is too large"] })
    assert.strictEqual(error.message, "vaults.details: HTTP 422, E50001: No; amount is too large")
  })

  it("an answer that is not the service's own is an OtherApiError, unless its status is 429 or 498", () => {
    const told = (status: number, body: unknown) =>
      fromAnswer(
        { operation: "vaults.details", refusals: everything, safety: "read" },
        { status, body, foreign: "a page", retryAfter: undefined }
      )
    for (const status of [400, 401, 403, 404, 422, 502]) {
      const error = told(status, { message: "No", code: "NO" })
      assert.deepInclude<object>(error, { _tag: "OtherApiError", code: "NO", summary: "a page", isForeign: true })
    }
    assert.strictEqual(told(429, undefined)._tag, "RateLimited")
    assert.strictEqual(told(498, undefined)._tag, "TokenExpired")
  })

  it("an error that the endpoint does not declare is an OtherApiError", () => {
    for (const code of ["E00401"]) {
      const error = answer(400, { code, message: "No" }, [])
      assert.deepInclude<object>(error, { _tag: "OtherApiError", code, summary: "No" })
    }
    for (const status of [404]) assert.strictEqual(answer(status, {}, [])._tag, "OtherApiError")
  })

  it("an error keeps the body's text only if it is not the specification's error body", () => {
    assert.notProperty(answer(500, { message: "No" }), "body")
    assert.deepInclude<object>(answer(500, ["No"]), { body: `["No"]`, errors: {} })
    assert.deepInclude<object>(answer(500, { message: "No", errors: "why" }), { errors: {}, summary: "No" })
    assert.property(answer(500, { message: "No", errors: "why" }), "body")
    const long = { status: 500, body: undefined, text: "x".repeat(9_999), retryAfter: undefined }
    assert.deepInclude<object>(fromAnswer({ operation: "a.b", refusals: everything, safety: "read" }, long), {
      body: "x".repeat(maxBody)
    })
  })

  it("an error body of another type, or with fields of other types, has no code and no summary of its own", () => {
    for (const body of [{ code: 40001, message: 7, status: "401", errors: 3 }, [], "E40001", 40001, null, {}]) {
      const expected = { _tag: "OtherApiError", status: 400, code: undefined, summary: "HTTP 400", errors: {} }
      assert.deepInclude<object>(answer(400, body), expected)
    }
  })

  it("an error has retryAfter if the answer asks to wait", () => {
    const error = fromAnswer(
      { operation: "a.b", refusals: everything, safety: "read" },
      { status: 429, body: {}, retryAfter: Duration.seconds(7) }
    )
    assert.strictEqual(error.message, "a.b: HTTP 429. The service asks to wait 7s")
  })

  it("an error's message is one log line: operation, status, code, the service's message, and the fields", () => {
    const body = { message: "Validation error", errors: { apiKey: ["must be a string"] }, code: "E00402" }
    assert.strictEqual(
      answer(422, body).message,
      "vaults.details: HTTP 422, E00402: Validation error; apiKey must be a string"
    )
    assert.strictEqual(answer(502, undefined).message, "vaults.details: HTTP 502")
    assert.strictEqual(answer(429, { message: "Too many" }).message, "vaults.details: HTTP 429: Too many")
  })

  it("a 401 to a request without an access token is no InvalidAccessToken", () => {
    const told = (status: number, body: unknown) =>
      fromAnswer(
        { operation: "authentication.refreshToken", refusals: everything, safety: "session" },
        { status, body, retryAfter: undefined }
      )._tag
    assert.strictEqual(told(401, {}), "OtherApiError")
    assert.strictEqual(told(401, { code: "E40001" }), "InvalidAccessToken")
    assert.strictEqual(told(498, {}), "TokenExpired")
  })

  it("an error body may hold any key, such as __proto__, as plain data", () => {
    const body: unknown = JSON.parse(`{"errors":{"__proto__":["a"],"constructor":["b"],"message":"No"}}`)
    const error = answer(422, body)
    assert(error._tag === "ValidationFailed")
    assert.deepStrictEqual(Object.entries(error.fields), [
      ["__proto__", ["a"]],
      ["constructor", ["b"]]
    ])
  })
})

describe("catchCode", () => {
  const expired = (code: "E01403" | "E40003") =>
    new TokenExpired({ operation: "vaults.details", status: 498, summary: "Token has expired", errors: {}, code })

  it.effect("catchCode handles one code or several, and no other", () =>
    Effect.gen(function* () {
      const fail = (code: "E01403" | "E40003") => Effect.fail(expired(code))
      assert.strictEqual(yield* fail("E40003").pipe(catchCode("E40003", ({ code }) => Effect.succeed(code))), "E40003")
      const one = catchCode(fail("E01403"), ["E40003", "E01403"], ({ code }) => Effect.succeed(code))
      assert.strictEqual(yield* one, "E01403")
      const other = yield* Effect.flip(fail("E01403").pipe(catchCode("E40003", () => Effect.void)))
      assert.strictEqual(other.code, "E01403")
    })
  )

  it.effect("catchCode handles an endpoint's own code, which only a class with an open code has", () =>
    Effect.gen(function* () {
      const handled = yield* Effect.fail(answer(409, { code: "E50001", message: "Duplicate" })).pipe(
        catchCode("E50001", (error) => Effect.succeed(error.summary))
      )
      assert.strictEqual(handled, "Duplicate")
    })
  )
})
