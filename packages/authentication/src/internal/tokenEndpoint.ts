/** Sends a one-time secret to its endpoint, once, and reads the answer. */
import * as Classification from "@effect-custody/core/unstable/Classification"
import * as Defect from "@effect-custody/core/Defect"
import * as Instrumentation from "@effect-custody/core/unstable/Instrumentation"
import * as Operation from "@effect-custody/core/unstable/Operation"
import { RequestInvalid } from "@effect-custody/core/SdkError"
import * as SendProgress from "@effect-custody/core/unstable/SendProgress"
import type { Listener } from "@effect-custody/core/Telemetry"
import { afterFreeze, type ExchangeResult, limitPassed, type Transport } from "@effect-custody/core/unstable/Transport"
import type { Wires } from "@effect-custody/core/unstable/Wires"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Authentication from "../Authentication.ts"
import { now } from "./clock.ts"
import type { Purpose } from "./decision/model.ts"
import * as TokenResponse from "./tokenResponse.ts"

const notSent = (reason: string): ExchangeResult => ({ _tag: "NotAnswered", phase: "NotSent", reason })
const unanswered = (reason: string): ExchangeResult => ({ _tag: "NotAnswered", phase: "MaybeProcessed", reason })

/** The transport has the same time limit, and its answer says more: it gets so much longer. */
const grace = Duration.sum(afterFreeze, Duration.seconds(5))

const closingPatience = Duration.seconds(30)

/** Waits a while longer if it is interrupted because the client closes: the answer may be the next session. */
const awaited = (answer: Fiber.Fiber<ExchangeResult>) =>
  Effect.interruptible(Fiber.join(answer)).pipe(
    Effect.catchCauseIf(Cause.hasInterrupts, () =>
      Effect.raceFirst(
        Fiber.join(answer),
        Effect.as(limitPassed(closingPatience), unanswered("no answer before the client was closed"))
      )
    ),
    Effect.ensuring(Fiber.interrupt(answer))
  )

export const make = (options: {
  readonly transport: Transport["Service"]
  readonly contract: Wires
  readonly timeout: Duration.Duration
  readonly listener: Listener | undefined
  /** The names, in lower case, of the headers that identify a request to the service's support. */
  readonly requestIdHeaders: ReadonlyArray<string>
  /** What no error may repeat, beside the secret that is sent. */
  readonly secrets: Effect.Effect<ReadonlyArray<Redacted.Redacted>>
}) => {
  const { contract, listener, requestIdHeaders, secrets, timeout, transport } = options
  const request = Instrumentation.authRequest(transport, listener)
  const tooLate = limitPassed(timeout).pipe(
    Effect.andThen(limitPassed(grace)),
    Effect.as(unanswered(`no answer within ${Duration.format(timeout)}`))
  )
  return Effect.fnUntraced(function* (
    purpose: Purpose,
    secret: Redacted.Redacted,
    mayStart: () => boolean
  ): Effect.fn.Return<TokenResponse.TokenResponse> {
    const [sent, operation, input] =
      purpose._tag === "Refresh"
        ? (["RefreshToken", Operation.of(Authentication.refreshToken), { refreshToken: secret }] as const)
        : (["ApiKey", Operation.of(Authentication.generateTokens), { apiKey: secret }] as const)
    const wire = contract.wire(operation.operation) ?? operation.wire
    const prepared = Result.flatMap(operation.encode(input), (encoded) =>
      Result.mapError(
        wire.request({ encoded }),
        (issues) => new RequestInvalid({ operation: operation.operation, issues })
      )
    )
    const progress = SendProgress.make(mayStart)
    const outcome = Result.isFailure(prepared)
      ? notSent(prepared.failure.message)
      : yield* Effect.suspend(() => request(operation, prepared.success, progress)).pipe(
          Effect.raceFirst(tooLate),
          // After a defect the secret may be on its way.
          Effect.catchCause((cause) =>
            Effect.as(
              Defect.report(`${operation.operation} failed with a defect`, cause),
              unanswered("an internal error")
            )
          ),
          Effect.forkDetach,
          Effect.flatMap(awaited)
        )
    const response = TokenResponse.read(sent, outcome, yield* now, wire)
    if (response._tag === "Tokens") return response
    const known = [...(yield* secrets), secret]
    return { ...response, support: Classification.supportData(outcome, { requestIdHeaders, secrets: known, wire }) }
  })
}
