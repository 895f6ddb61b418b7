/** Tells a caller which errors a later call may not meet again: a reader of `ErrorFacts`. */
import * as ErrorFacts from "./ErrorFacts.ts"

/**
 * `true` if the same call may be made again, and may then succeed:
 *
 * - a read got no answer, or the SDK sent nothing;
 * - the service answered with a 429, or with a 408 or 5xx, and certainly did nothing;
 * - the session cannot be used yet.
 *
 * `false` for any other value, and always for `OutcomeUnknown`: look up the outcome first.
 *
 * The SDK has already retried as often as the call's `RetryPolicy` allows. Wait longer than the policy, and at least
 * until the error's `retryAt` or `retryAfter`, if there is one.
 *
 * @example
 * ```ts
 * import { isRetryable } from "@effect-custody/core"
 * import { Vaults } from "@effect-custody/sdk"
 * import { Effect, Schedule } from "effect"
 *
 * const details = Vaults.details().pipe(Effect.retry({ schedule: Schedule.spaced("1 minute"), while: isRetryable }))
 * ```
 *
 * @since 0.1.0
 * @category guards
 */
export const isRetryable = (error: unknown): boolean => ErrorFacts.of(error)?.again === true
