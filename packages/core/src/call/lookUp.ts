/** Looks up the records that a call has created, by the names that the caller gave them. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ExistingRead, Operation } from "../endpoint/Operation.ts"
import type { RetryPolicy } from "../retry/RetryPolicy.ts"
import * as CallError from "./callError.ts"
import * as CallState from "./callState.ts"
import type { Call } from "./callState.ts"
import { ScopeHeaders } from "../secrets/SecretRequest.ts"

/** `reason` says why the look-up proved nothing; `undefined` if no look-up was made. */
export interface Unknown {
  readonly _tag: "Unknown"
  readonly reason: string | undefined
}

interface Absent {
  readonly _tag: "Absent"
}

export type Found<A> = Result.Result<A, Absent | Unknown>

const unknown = (reason?: string): Unknown => ({ _tag: "Unknown", reason })

/** Asks caches for a fresh answer, because a cached answer may be older than the record. */
const uncached = <A, E>(read: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.updateService(read, ScopeHeaders, (own) => ({ "cache-control": "no-cache", ...own }))

const concurrency = 4

export interface Options {
  readonly read: (
    operation: Operation<unknown, unknown>,
    input: unknown,
    policy: RetryPolicy
  ) => Effect.Effect<unknown, CallError.CallError>
  readonly takeExtra: (policy: RetryPolicy) => Effect.Effect<boolean>
}

/**
 * Looks up what a call may have created. Returns `Unknown` for an operation without a look-up. The whole look-up takes
 * one extra request from the retry budget. The first record is read before the others. With `isExact`, a record whose
 * name is spelled differently proves nothing.
 */
export const make = ({ read, takeExtra }: Options) =>
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
