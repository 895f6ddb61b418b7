/** Ends a failed attempt: looks up what the call may have created, or makes the error. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Failed } from "../http/Classification.ts"
import { nextAfter } from "../retry/resend.ts"
import type { Diagnostics, DiagnosticsOf } from "../secrets/Redaction.ts"
import type { AccessToken } from "../session/TokenService.ts"
import * as CallError from "./callError.ts"
import type { AttemptFailure } from "./callError.ts"
import { type Call, timeLeft } from "./callState.ts"
import type { Found } from "./lookUp.ts"

export const endCall = (error: CallError.CallError): Effect.Effect<never, AttemptFailure> =>
  Effect.fail({ error, mayResend: false, retryAfter: undefined })

/** Ends a call whose deadline has passed. The error says what was sent. */
export const endLate = (call: Call<unknown>): Effect.Effect<never, AttemptFailure> =>
  Effect.suspend(() => endCall(CallError.deadlinePassed(call)))

/** `true` if the call changes something, and an earlier or the present attempt may have taken effect. */
export const isInDoubt = ({ operation, state }: Call<unknown>): boolean =>
  operation.safety !== "read" && state.doubt !== undefined

export interface Options {
  /** Selects the parts of an answer that an error may contain. */
  readonly diagnostics: DiagnosticsOf
  readonly lookUp: <A>(call: Call<A>, isExact: boolean) => Effect.Effect<Found<A>>
}

/** Ends an attempt after its last exchange has failed. */
export const make = ({ diagnostics, lookUp }: Options) => {
  const settleInDoubt = Effect.fnUntraced(function* <A>(
    call: Call<A>,
    outcome: Failed,
    limits: Diagnostics
  ): Effect.fn.Return<A, AttemptFailure> {
    const { state } = call
    const { reason, retryAfter } = outcome
    const next = nextAfter(call.operation.safety, outcome._tag)
    state.evidence ??= CallError.evidence(call, outcome, limits)
    let mayResend = next === "Resend"
    let lookUpReason: string | undefined
    // Look up after a refusal too: the service may refuse the second creation because the first one succeeded. After a
    // refusal, require the exact spelling of the name, because another record may have a variant of the name.
    if (next === "LookUp" || next === "Fail") {
      const found = yield* Effect.withFiber((fiber) =>
        Effect.timeoutOrElse(lookUp(call, next === "Fail"), {
          duration: timeLeft(fiber, call.endsAt),
          orElse: () => endLate(call)
        })
      )
      if (Result.isSuccess(found)) return found.success
      mayResend = next === "LookUp" && found.failure._tag === "Absent"
      if (found.failure._tag === "Unknown") lookUpReason = found.failure.reason
    }
    const error = CallError.outcomeUnknown(call, reason, lookUpReason)
    return yield* Effect.fail({ error, mayResend, retryAfter })
  })

  return <A>(call: Call<A>, token: AccessToken | undefined, outcome: Failed): Effect.Effect<A, AttemptFailure> =>
    Effect.flatMap(diagnostics(call.encoded, token), (limits) => {
      if (isInDoubt(call)) return settleInDoubt(call, outcome, limits)
      return Effect.fail({
        error: CallError.ofAttempt(call, outcome, limits),
        mayResend: nextAfter(call.operation.safety, outcome._tag) === "Resend",
        retryAfter: outcome.retryAfter
      })
    })
}
