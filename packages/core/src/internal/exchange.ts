/** Sends the request of a call once, and reads what it came to. */
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Option from "effect/Option"
import * as Breaker from "effect/persistence/CircuitBreaker"
import * as Ref from "effect/Ref"
import * as Result from "effect/Result"
import * as AttemptOutcome from "../AttemptOutcome.ts"
import type { Encoded, Operation } from "../Operation.ts"
import * as RetryPolicy from "../RetryPolicy.ts"
import { TransportError } from "../SdkError.ts"
import * as SendProgress from "../SendProgress.ts"
import type { AccessToken } from "../TokenService.ts"
import type { Outcome, Transport } from "../Transport.ts"
import type { Differences } from "../WireContract.ts"
import * as CallState from "./callState.ts"
import * as Request from "./request.ts"
import { RequestHeaders } from "./requestHeaders.ts"
import * as Response from "./response.ts"

/** One call, from its first attempt to its last. */
export interface Call<A> {
  readonly operation: Operation<A, unknown>
  readonly input: unknown
  readonly encoded: Encoded
  readonly differences: Differences
  readonly policy: RetryPolicy.RetryPolicy
  /** When its deadline passes, in seconds of the monotonic clock. */
  readonly endsAt: number
  readonly state: Ref.Ref<CallState.CallState>
}

/** Sends through a circuit breaker. While it is open, nothing is sent. */
const through = (
  breaker: Breaker.CircuitBreaker,
  circuit: string,
  send: Effect.Effect<Outcome>
): Effect.Effect<Outcome> =>
  send.pipe(
    breaker.execute({
      key: circuit,
      classify: (exit) => {
        if (exit._tag === "Failure") return Breaker.ignored
        const answer = exit.value
        const hasFailed = answer._tag === "NotAnswered" || answer.status >= 500
        return hasFailed
          ? Breaker.failure({ retryAfter: answer._tag === "Answered" ? answer.retryAfter : undefined })
          : Breaker.success
      }
    }),
    Effect.orElseSucceed((): Outcome => ({
      _tag: "NotAnswered",
      phase: "NotSent",
      reason: "the circuit breaker is open"
    }))
  )

/** Sends the request of a call once, with the token if one is given. Fails only where an upload cannot be sent again. */
export const make = (transport: Transport["Service"]) => {
  const { baseUrl } = transport.environment
  return <A>(
    { differences, encoded, operation, state }: Call<A>,
    token: AccessToken | undefined
  ): Effect.Effect<AttemptOutcome.AttemptOutcome<A>, TransportError> =>
    Effect.withFiber((fiber) => {
      const spent = Request.spent(encoded)
      if (spent !== undefined) {
        const reason = `${spent} can be read only once, and an attempt that the service rejected has read it`
        return Effect.fail(new TransportError({ operation: operation.operation, phase: "NotSent", reason }))
      }
      const headers = fiber.getRef(RequestHeaders)
      const bare = operation.toRequest(encoded, differences)
      const request = headers === undefined ? bare : HttpClientRequest.setHeaders(bare, headers)
      const sentAt = DateTime.makeUnsafe(fiber.getRef(Clock.Clock).currentTimeMillisUnsafe())
      const progress = SendProgress.make()
      const send = Effect.andThen(
        Ref.update(state, CallState.inFlight(sentAt, progress)),
        transport.send(request, Option.fromUndefinedOr(token?.value))
      ).pipe(Effect.provideService(SendProgress.SendProgress, progress))
      const breaker = fiber.getRef(RetryPolicy.CircuitBreaker)
      return Effect.flatMap(
        breaker === undefined ? send : through(breaker, baseUrl, send),
        (answer): Effect.Effect<AttemptOutcome.AttemptOutcome<A>> => {
          const kind = operation.safety === "session" ? "auth" : "call"
          const outcome = AttemptOutcome.classify(kind, answer, (body, status) =>
            AttemptOutcome.isSuccess(status)
              ? operation.decode(Response.envelope(body, differences))
              : Result.fail("not a success")
          )
          return outcome._tag === "Succeeded"
            ? Effect.succeed(outcome)
            : Effect.as(Ref.update(state, CallState.failed(operation.safety, outcome)), outcome)
        }
      )
    })
}
