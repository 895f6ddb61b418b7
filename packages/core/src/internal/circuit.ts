/** Sends through a circuit breaker whose store belongs to somebody else: it may hang, fail or die, and stops no call. */
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Breaker from "effect/persistence/CircuitBreaker"
import * as Defect from "../Defect.ts"
import type { ExchangeResult } from "../Transport.ts"

/** How long the store may take to say whether to send. */
const storeLimit = Duration.seconds(1)

/** What an exchange says of the service. An exchange that was interrupted says nothing. */
const outcomeOf = (exit: Exit.Exit<ExchangeResult>): Breaker.Outcome => {
  if (Exit.isFailure(exit)) return Breaker.ignored
  const result = exit.value
  const hasFailed = result._tag === "NotAnswered" || result.status >= 500
  return hasFailed
    ? Breaker.failure({ retryAfter: result._tag === "Answered" ? result.retryAfter : undefined })
    : Breaker.success
}

const reasonOf = ({ reason }: Breaker.CircuitBreakerError): string =>
  reason._tag === "CircuitBreakerStoreError" ? "the store of the circuit breaker failed" : "the circuit breaker is open"

/**
 * Sends unless the breaker says not to. The breaker runs in a fiber of its own, because nothing can interrupt it while
 * it is with its store: it is waited for at most a second before sending, and not at all afterwards.
 */
export const send = (
  breaker: Breaker.CircuitBreaker,
  key: string,
  exchange: Effect.Effect<ExchangeResult>
): Effect.Effect<ExchangeResult> =>
  Effect.suspend(() => {
    /** Why nothing is to be sent, or that it may be. */
    const admitted = Deferred.makeUnsafe<string | undefined>()
    const exchanged = Deferred.makeUnsafe<ExchangeResult>()
    const asking = Effect.andThen(Deferred.succeed(admitted, undefined), Deferred.await(exchanged)).pipe(
      breaker.execute({ key, classify: outcomeOf }),
      Effect.catch((error) => Deferred.succeed(admitted, reasonOf(error))),
      Effect.catchCause((cause) =>
        Cause.hasDies(cause)
          ? Effect.andThen(
              Defect.report("the store of the circuit breaker failed", cause),
              Deferred.succeed(admitted, undefined)
            )
          : Effect.void
      )
    )
    const sending = Effect.flatMap(
      Effect.suspend(() =>
        Deferred.isDoneUnsafe(admitted)
          ? Deferred.await(admitted)
          : Effect.timeoutOrElse(Deferred.await(admitted), {
              duration: storeLimit,
              orElse: () => Effect.undefined
            })
      ),
      (reason) =>
        reason === undefined
          ? exchange
          : Effect.succeed<ExchangeResult>({ _tag: "NotAnswered", phase: "NotSent", reason })
    )
    return Effect.andThen(
      Effect.forkDetach(asking, { startImmediately: true }),
      Effect.onExit(sending, (exit) => Deferred.done(exchanged, exit))
    )
  })
