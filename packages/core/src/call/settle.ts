/**
 * Ends a failed attempt: looks up the records that the call may have created, by the names that the caller gave them, or
 * makes the error.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ExistingRead, Operation } from "../endpoint/Operation.ts"
import type { Failed } from "../http/Classification.ts"
import { nextAfter } from "../retry/resend.ts"
import type { RetryPolicy } from "../retry/RetryPolicy.ts"
import type { Diagnostics, DiagnosticsOf } from "../secrets/Redaction.ts"
import { ScopeHeaders } from "../secrets/SecretRequest.ts"
import type { AccessToken } from "../session/TokenService.ts"
import * as CallError from "./callError.ts"
import type { AttemptFailure } from "./callError.ts"
import * as CallState from "./callState.ts"
import { type Call, timeLeft } from "./callState.ts"

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
  /** Calls the operation of a look-up. */
  readonly read: (
    operation: Operation<unknown, unknown>,
    input: unknown,
    policy: RetryPolicy
  ) => Effect.Effect<unknown, CallError.CallError>
  /** Takes an extra request from the retry budget. */
  readonly takeExtra: (policy: RetryPolicy) => Effect.Effect<boolean>
}

/** `reason` says why the look-up proved nothing; `undefined` if no look-up was made. */
interface Unknown {
  readonly _tag: "Unknown"
  readonly reason: string | undefined
}

interface Absent {
  readonly _tag: "Absent"
}

type Found<A> = Result.Result<A, Absent | Unknown>

const unknown = (reason?: string): Unknown => ({ _tag: "Unknown", reason })

/** Asks caches for a fresh answer, because a cached answer may be older than the record. */
const uncached = <A, E>(read: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.updateService(read, ScopeHeaders, (own) => ({ "cache-control": "no-cache", ...own }))

const concurrency = 4

/**
 * Looks up what a call may have created. Returns `Unknown` for an operation without a look-up. The whole look-up takes
 * one extra request from the retry budget. The first record is read before the others. With `isExact`, a record whose
 * name is spelled differently proves nothing.
 */
const makeLookUp = ({ read, takeExtra }: Options) =>
  Effect.fnUntraced(function* <A>({ existing, policy, state }: Call<A>, isExact: boolean): Effect.fn.Return<Found<A>> {
    if (existing === undefined) return Result.fail(unknown())
    const [first, ...rest] = existing.reads
    CallState.does(state, "the call was looked up")
    if (first === undefined || !(yield* takeExtra(policy))) return Result.fail(unknown())
    const find = ({ input, matches }: ExistingRead): Effect.Effect<Result.Result<unknown, Absent>, Unknown> =>
      Effect.matchEffect(uncached(read(existing.operation, input, policy)), {
        onSuccess: (record) =>
          matches(record, isExact)
            ? Effect.succeed(Result.succeed(record))
            : Effect.fail(unknown("its look-up shows another record")),
        onFailure: (error) =>
          CallError.isAbsent(error)
            ? Effect.succeed(Result.fail({ _tag: "Absent" }))
            : Effect.fail(unknown(`its look-up failed: ${error.message}`))
      })
    const round = Effect.gen(function* () {
      const one = yield* find(first)
      const others = yield* Effect.forEach(
        rest,
        (next) =>
          Effect.filterOrFail(
            find(next),
            ({ _tag }) => _tag === one._tag,
            () => unknown("its look-up shows only some of the records")
          ),
        { concurrency }
      )
      return yield* Effect.fromResult(Result.all([one, ...others]))
    })
    return Result.map(yield* Effect.result(round), existing.payload)
  })

/** Ends an attempt after its last exchange has failed. */
export const make = (options: Options) => {
  const { diagnostics } = options
  const lookUp = makeLookUp(options)
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
