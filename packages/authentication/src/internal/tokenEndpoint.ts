/** Sends a one-time secret, once. */
import type { Outcome, Transport } from "@effect-custody/core/Transport"
import type { WireContract } from "@effect-custody/core/WireContract"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Authentication from "../Authentication.ts"
import type { Purpose } from "./decision/model.ts"
import * as Reading from "./tokenResponse.ts"
import { now } from "./clock.ts"

/** The way to the service. */
export interface Wire {
  readonly transport: Transport["Service"]
  readonly contract: WireContract
}

const notSent = (reason: string): Outcome => ({ _tag: "NotAnswered", phase: "NotSent", reason })
const unanswered = (reason: string): Outcome => ({ _tag: "NotAnswered", phase: "MaybeProcessed", reason })

/**
 * Sends the secret of a purpose, and says what became of it. On a fiber of its own: its own timeout ends it, no caller's.
 */
export const exchange = Effect.fnUntraced(function* (
  { contract, transport }: Wire,
  purpose: Purpose,
  secret: Redacted.Redacted,
  timeout: Duration.Duration
) {
  const [sent, operation, input] =
    purpose._tag === "Refresh"
      ? (["RefreshToken", Authentication.refreshToken, { refreshToken: secret }] as const)
      : (["ApiKey", Authentication.generateTokens, { apiKey: secret }] as const)
  const differences = contract.confirmed(operation.operation) ?? {}
  const encoded = operation.encode(input)
  const outcome = Result.isFailure(encoded)
    ? notSent(encoded.failure.message)
    : yield* Effect.suspend(() =>
        transport.send(operation.toRequest(encoded.success, differences), Option.none())
      ).pipe(
        Effect.timeoutOrElse({
          duration: timeout,
          orElse: () => Effect.succeed(unanswered(`no answer within ${Duration.format(timeout)}`))
        }),
        // Whatever has gone wrong, the secret may be on its way.
        Effect.catchCause((cause) =>
          Effect.as(
            Effect.logError(`${operation.operation} failed in an unforeseen way`, cause),
            unanswered("an internal error")
          )
        ),
        Effect.withSpan(operation.operation, { kind: "client" }),
        Effect.forkDetach,
        Effect.flatMap(Fiber.join)
      )
  return Reading.of(sent, outcome, yield* now, differences)
})
