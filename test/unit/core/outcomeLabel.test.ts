import {
  InvalidAccessToken,
  NoSession,
  RateLimited,
  RefreshUnavailable,
  RetryPolicy,
  SessionAmbiguous,
  SessionLost,
  SessionOfAnotherEnvironment,
  StoredSessionInvalid,
  Telemetry,
  TokenStoreError,
  UnknownApiError,
  ValidationFailed
} from "@effect-custody/core"
import { CustodyEmulator, Fault } from "@effect-custody/emulator"
import { Vaults } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import type { CallError } from "../../../packages/core/src/internal/callError.ts"
import * as OutcomeLabel from "../../../packages/core/src/internal/outcomeLabel.ts"

const labelOf = (error: CallError) => OutcomeLabel.of(Exit.fail(error)).outcome

const [at, identity, reason, generation] = [DateTime.makeUnsafe(0), "default", "a reason", 1]

const sessionErrors = (status: number): ReadonlyArray<CallError> => [
  new NoSession({ identity, reason, status }),
  new SessionLost({ identity, generation, status }),
  new SessionAmbiguous({ identity, generation, since: at, retryAt: at, status }),
  new RefreshUnavailable({ identity, phase: "Rejected", reason, retryAt: at, status }),
  new StoredSessionInvalid({ identity, reason, status }),
  new SessionOfAnotherEnvironment({ identity, stored: "a", configured: "b" }),
  new TokenStoreError({ operation: "load", reason })
]

describe("the outcome of a call", () => {
  it("is `no_token` for each error of a session, whatever the service answered to the request for tokens", () => {
    for (const status of [401, 429, 500]) {
      for (const error of sessionErrors(status)) assert.strictEqual(labelOf(error), "no_token", error._tag)
    }
  })

  it("is `refused` only if the service did nothing, and `unanswered` where a status says nothing about the call", () => {
    const answer = { operation: "vaults.details", summary: "", errors: {}, code: undefined }
    const labels = [400, 403, 404, 408, 499, 500, 502, 503, 504].map((status) => [
      status,
      labelOf(new UnknownApiError({ ...answer, status }))
    ])
    assert.deepStrictEqual(labels, [
      [400, "refused"],
      [403, "refused"],
      [404, "refused"],
      [408, "unanswered"],
      [499, "unanswered"],
      [500, "unanswered"],
      [502, "unanswered"],
      [503, "unanswered"],
      [504, "unanswered"]
    ])
    assert.strictEqual(labelOf(new RateLimited({ ...answer, status: 429 })), "throttled")
    assert.strictEqual(labelOf(new InvalidAccessToken({ ...answer, status: 401 })), "refused")
    assert.strictEqual(labelOf(new ValidationFailed({ ...answer, status: 422 })), "refused")
    assert.strictEqual(labelOf(new ValidationFailed({ ...answer, status: 500 })), "unanswered")
  })
})

/** How often a read ended with each outcome while the emulator does this. */
const outcomesOf = <E>(prepare: Effect.Effect<unknown, E, Layer.Success<typeof CustodyEmulator.layer>>) =>
  Effect.gen(function* () {
    yield* prepare
    yield* Effect.exit(RetryPolicy.provide(Vaults.details(), RetryPolicy.none))
    const series = yield* Metric.snapshot
    return series
      .filter(({ id }) => id === "custody_calls_total")
      .map(({ attributes }) => (attributes as Readonly<Record<string, string>>)["outcome"])
  }).pipe(
    Effect.provide(
      CustodyEmulator.layer.pipe(
        Layer.provideMerge(Telemetry.layer()),
        Layer.provideMerge(Layer.sync(Metric.MetricRegistry, () => new Map()))
      ),
      { local: true }
    )
  )

describe("the metric of calls", () => {
  it.effect("counts a read that is answered with a 500 as unanswered", () =>
    Effect.gen(function* () {
      const prepare = Effect.gen(function* () {
        yield* (yield* CustodyEmulator).faults.next("vaults.details", Fault.serverError())
      })
      assert.deepStrictEqual(yield* outcomesOf(prepare), ["unanswered"])
    })
  )

  it.effect("counts a read whose session is refused at its refresh as one without a token", () =>
    Effect.gen(function* () {
      const prepare = Effect.gen(function* () {
        const { expireTokens, faults } = yield* CustodyEmulator
        const body = { status: 401, code: "E01402", message: "Invalid refresh token", errors: {} }
        yield* faults.next("authentication.refreshToken", Fault.answered({ status: 401, body }))
        yield* Effect.exit(Vaults.details())
        yield* expireTokens
      })
      assert.deepStrictEqual(yield* outcomesOf(prepare), ["succeeded", "no_token"])
    })
  )
})
