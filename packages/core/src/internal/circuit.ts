/** Sends through Effect's circuit breaker. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Breaker from "effect/persistence/CircuitBreaker"
import type { ExchangeResult } from "../Transport.ts"

/** What an exchange says of the service. An exchange that its caller ended says nothing. */
const outcomeOf = (exit: Exit.Exit<ExchangeResult>): Breaker.Outcome => {
  if (Exit.isFailure(exit)) return Breaker.ignored
  const result = exit.value
  if (result._tag === "NotAnswered" && result.isLate === true) return Breaker.ignored
  const hasFailed = result._tag === "NotAnswered" || result.status >= 500
  return hasFailed
    ? Breaker.failure({ retryAfter: result._tag === "Answered" ? result.retryAfter : undefined })
    : Breaker.success
}

/**
 * Sends unless the breaker says not to. It fails only before the exchange: an exchange has no error, and the breaker
 * logs an error of its store that comes after the answer.
 */
export const send = (
  breaker: Breaker.CircuitBreaker,
  key: string,
  exchange: Effect.Effect<ExchangeResult>
): Effect.Effect<ExchangeResult> =>
  exchange.pipe(
    breaker.execute({ key, classify: outcomeOf }),
    Effect.catch(({ reason }) =>
      Effect.succeed<ExchangeResult>({
        _tag: "NotAnswered",
        phase: "NotSent",
        reason:
          reason._tag === "CircuitBreakerStoreError"
            ? "the store of the circuit breaker failed"
            : "the circuit breaker is open"
      })
    )
  )
