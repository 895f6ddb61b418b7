/**
 * Makes the requests of a client take turns. A reference, so that only a program with a rate limit loads the limiter.
 */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type { ExchangeResult } from "./exchangeResult.ts"

/** Runs an exchange in its turn. If the turn does not come within `patience`, the result is `tooLate`. */
export type InTurn = (
  exchange: Effect.Effect<ExchangeResult>,
  patience: Duration.Duration,
  tooLate: ExchangeResult
) => Effect.Effect<ExchangeResult>

/** Decides when each request may be sent. Default: each request is sent at once. */
export const InTurn = Context.Reference<InTurn | undefined>("@effect-custody/core/RateLimit", {
  defaultValue: () => undefined
})
