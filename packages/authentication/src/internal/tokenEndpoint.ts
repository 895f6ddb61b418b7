/** Sends a one-time secret to its endpoint, once, and reads the answer. */
import * as Defect from "@effect-custody/core/Defect"
import type { Outcome, Transport } from "@effect-custody/core/Transport"
import type { WireContract } from "@effect-custody/core/WireContract"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Authentication from "../Authentication.ts"
import { now } from "./clock.ts"
import type { Purpose } from "./decision/model.ts"
import * as TokenResponse from "./tokenResponse.ts"

const notSent = (reason: string): Outcome => ({ _tag: "NotAnswered", phase: "NotSent", reason })
const unanswered = (reason: string): Outcome => ({ _tag: "NotAnswered", phase: "MaybeProcessed", reason })

/** Gives the function that sends the secret of a purpose. It runs on a fiber of its own: only its own timeout ends it. */
export const make = (options: {
  readonly transport: Transport["Service"]
  readonly contract: WireContract
  readonly timeout: Duration.Duration
}) => {
  const { contract, timeout, transport } = options
  return Effect.fnUntraced(function* (purpose: Purpose, secret: Redacted.Redacted) {
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
          // After a defect the secret may be on its way.
          Effect.catchCause((cause) =>
            Effect.as(
              Defect.report(`${operation.operation} failed with a defect`, cause),
              unanswered("an internal error")
            )
          ),
          Effect.withSpan(operation.operation, { kind: "client" }),
          Effect.forkDetach,
          Effect.flatMap(Fiber.join)
        )
    return TokenResponse.read(sent, outcome, yield* now, differences)
  })
}
