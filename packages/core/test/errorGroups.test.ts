/** The groups of errors: by session, by refusal, by what a caller may do. */
import {
  catchCode,
  catchRefused,
  catchSession,
  Outcome,
  isRetryable,
  isSessionError,
  OutcomeUnknown,
  RefreshUnavailable,
  InputInvalid,
  SessionLost,
  StillPending,
  TokenStoreError,
  TransportError,
  UnconfirmedEndpoint,
  UnexpectedResponse
} from "@effect-custody/core"
import type { Endpoint } from "@effect-custody/core"
import * as ApiError from "@effect-custody/core/ApiError"
import { assert, describe, it } from "@effect/vitest"
import { Cause, DateTime, Effect } from "effect"

const operation = "transactions.send"
const now = DateTime.makeUnsafe("2026-11-20T09:30:00Z")
const fields = { operation, summary: "No", errors: {} }

const unknown = new OutcomeUnknown({ operation, fingerprint: "7f3a", sentAt: now, reason: "502" })
const limited = new ApiError.RateLimited({ ...fields, status: 429, code: "E40003" })
const expired = new ApiError.TokenExpired({ ...fields, status: 498, code: "E40003" })
const funds = new ApiError.OtherApiError({ ...fields, status: 409, code: "E50001" })
const broken = new ApiError.OtherApiError({ ...fields, status: 503, code: undefined })
const slow = new ApiError.OtherApiError({ ...fields, status: 408, code: "E50002" })
const lost = new SessionLost({ identity: "main", generation: 3 })
const store = new TokenStoreError({ operation: "load", reason: "down" })
const unsent = new TransportError({ operation, phase: "NotSent", reason: "ECONNREFUSED" })
const silent = new TransportError({ operation, phase: "MaybeProcessed", reason: "ECONNRESET" })
const refresh = (phase: RefreshUnavailable["phase"]) =>
  new RefreshUnavailable({ identity: "main", phase, reason: "x", retryAt: now })

/** A value of another library with one of our tags. */
const foreign = { _tag: "SessionLost" as const, identity: "main" }

describe("groups of errors", () => {
  it.effect("catchSession handles the session's errors, and no error of another library with their tags", () =>
    Effect.gen(function* () {
      const failing = (error: Endpoint.ReadError | typeof foreign) => Effect.fail(error)
      const handled = yield* failing(lost).pipe(catchSession(({ message }) => Effect.succeed(message)))
      assert.include(String(handled), "is lost")
      for (const other of [limited, unsent, foreign]) {
        assert.strictEqual(yield* Effect.flip(failing(other).pipe(catchSession(() => Effect.void))), other)
      }
      assert.isTrue(isSessionError(store))
      assert.isFalse(isSessionError(foreign))
    })
  )

  it.effect("catchRefused handles the service's error answers only", () =>
    Effect.gen(function* () {
      const failing = (error: Endpoint.WriteError) => Effect.fail(error)
      assert.strictEqual(yield* failing(funds).pipe(catchRefused(({ code }) => Effect.succeed(code))), "E50001")
      for (const other of [unknown, lost]) {
        assert.strictEqual(yield* Effect.flip(failing(other).pipe(catchRefused(() => Effect.void))), other)
      }
    })
  )

  it.effect("catchCode gives a specified code's own class, and leaves a rate limit with that code", () =>
    Effect.gen(function* () {
      const failing = (error: Endpoint.ReadError) => Effect.fail(error)
      const tag = yield* failing(expired).pipe(catchCode("E40003", ({ _tag }) => Effect.succeed(_tag)))
      assert.strictEqual(tag, "TokenExpired")
      assert.strictEqual(yield* Effect.flip(failing(limited).pipe(catchCode("E40003", () => Effect.void))), limited)
    })
  )

  it("isRetryable says which calls may be made again, and never says so of an unknown outcome", () => {
    for (const error of [limited, broken, slow, store, unsent, silent, refresh("NotSent"), refresh("Throttled")]) {
      assert.isTrue(isRetryable(error), error.message)
    }
    const others = [unknown, funds, expired, lost, refresh("Rejected"), refresh("Stopped"), foreign, undefined]
    for (const [at, error] of others.entries()) assert.isFalse(isRetryable(error), `error ${at}`)
  })

  it("no answer is about the order if the same call may succeed later", () => {
    for (const error of [broken, slow, limited]) assert.isTrue(Outcome.isAbout("moment")(error), error.message)
    for (const error of [funds, broken, slow]) assert.strictEqual(Outcome.isAbout("order")(error), error === funds)
  })

  it("Outcome.httpStatus never answers an unknown outcome with a status that callers repeat", () => {
    const rows: ReadonlyArray<readonly [error: unknown, status: number]> = [
      [unknown, 202],
      [new StillPending({ operation, id: "t-1" }), 202],
      [new InputInvalid({ operation, issues: [] }), 400],
      [new ApiError.BadRequest({ ...fields, status: 400, code: "E40000" }), 400],
      [new ApiError.NotFound({ ...fields, status: 404, code: undefined }), 404],
      [new ApiError.ValidationFailed({ ...fields, status: 422, code: "E00402" }), 422],
      [funds, 422],
      [new UnconfirmedEndpoint({ operation, assumed: "POST /x" }), 501],
      [broken, 502],
      [slow, 502],
      [silent, 502],
      [new UnexpectedResponse({ operation, status: 200, reason: "x" }), 502],
      [unsent, 503],
      [limited, 503],
      [expired, 503],
      [lost, 503],
      [new Cause.TimeoutError(), 500],
      [undefined, 500]
    ]
    for (const [error, status] of rows) assert.strictEqual(Outcome.httpStatus(error), status, String(error))
  })
})
