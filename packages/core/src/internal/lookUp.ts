/** Looks up what a call has created, by the name that the caller gave it. */
import * as Effect from "effect/Effect"
import * as MutableRef from "effect/MutableRef"
import * as Result from "effect/Result"
import type { ExistingRead, Operation } from "../Operation.ts"
import type { RetryPolicy } from "../RetryPolicy.ts"
import * as CallError from "./callError.ts"
import * as CallState from "./callState.ts"
import type { Call } from "./exchange.ts"

/** The payload, or why there is none: it certainly does not exist, or that is unknown. */
export type Found<A> = Result.Result<A, "Absent" | "Unknown">

/** How many things are looked up at a time. */
const concurrency = 4

export interface Options {
  /** Calls an operation that reads. */
  readonly read: (
    operation: Operation<unknown, unknown>,
    input: unknown,
    policy: RetryPolicy
  ) => Effect.Effect<unknown, CallError.CallError>
  /** Takes one extra request, if the budget has one. */
  readonly takeExtra: (policy: RetryPolicy) => Effect.Effect<boolean>
}

/** Looks up what a call may have created: `Unknown` for an operation without a look-up. */
export const make = ({ read, takeExtra }: Options) =>
  Effect.fnUntraced(function* <A>({ existing, policy, state }: Call<A>): Effect.fn.Return<Found<A>> {
    if (existing === undefined) return Result.fail("Unknown")
    MutableRef.update(state, CallState.lookingUp)
    const find = Effect.fnUntraced(function* ({ input, isOf }: ExistingRead): Effect.fn.Return<Found<unknown>> {
      if (!(yield* takeExtra(policy))) return Result.fail("Unknown")
      const found = yield* Effect.result(read(existing.operation, input, policy))
      if (Result.isSuccess(found)) return isOf(found.success) ? Result.succeed(found.success) : Result.fail("Unknown")
      return Result.fail(CallError.isAbsent(found.failure) ? "Absent" : "Unknown")
    })
    const found = yield* Effect.forEach(existing.reads, find, { concurrency })
    const payload = Result.all(found)
    if (Result.isSuccess(payload)) return Result.succeed(existing.payload(payload.success))
    const isAllAbsent = found.every((result) => Result.isFailure(result) && result.failure === "Absent")
    return Result.fail(isAllAbsent ? "Absent" : "Unknown")
  })
