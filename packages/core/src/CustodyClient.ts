/**
 * The way a call travels: encode, gate, span, retry, token, exchange, replay, result. Straight down, one place for each
 * step.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as ApiError from "./ApiError.ts"
import type { Operation } from "./Endpoint.ts"
import * as Environment from "./Environment.ts"
import * as Ending from "./internal/ending.ts"
import { fingerprint } from "./internal/fingerprint.ts"
import * as Redaction from "./internal/redaction.ts"
import type { Encoded } from "./internal/request.ts"
import * as Response from "./internal/response.ts"
import * as RetryPolicy from "./RetryPolicy.ts"
import { OutcomeUnknown, type SdkError, TransportError, UnconfirmedEndpoint, UnexpectedResponse } from "./SdkError.ts"
import type { SessionError } from "./SessionError.ts"
import { TokenService } from "./TokenService.ts"
import { type Outcome, Transport } from "./Transport.ts"
import { type Differences, WireContract } from "./WireContract.ts"

/** Everything that any endpoint can fail with; each one's own type says which of it. */
type AnyError = ApiError.ApiError | SdkError | SessionError

/** One attempt that did not succeed. */
interface Attempt extends RetryPolicy.Failure {
  readonly error: AnyError
}

/** What to do with an exchange that has come to its end. */
interface Ended<A> {
  readonly outcome: Outcome
  readonly body: unknown
  readonly decoded: Result.Result<A, string>
  readonly ending: Ending.Ending
  /** What no error may repeat, even if the answer does. */
  readonly secrets: ReadonlyArray<string>
}

const specifiedAsIs: Differences = {}

/** The differences to send an operation with, or why it must not be sent. */
const gate = (
  operation: Operation<unknown, unknown>,
  environment: Environment.Environment
): Effect.Effect<Differences, UnconfirmedEndpoint> =>
  Effect.flatMap(WireContract, ({ confirmed }) => {
    const differences = confirmed(operation.operation)
    if (differences !== undefined) return Effect.succeed(differences)
    if (operation.provenance === "specified" || !Environment.isReal(environment)) return Effect.succeed(specifiedAsIs)
    const { method, path } = operation.route
    return Effect.fail(new UnconfirmedEndpoint({ operation: operation.operation, assumed: `${method} ${path}` }))
  })

/** What went to the service and is secret: the access token, or the one-time secret in the body. */
const secretsIn = ({ body }: Encoded, accessToken: Option.Option<Redacted.Redacted>): ReadonlyArray<string> =>
  Option.match(accessToken, {
    onSome: (token) => [Redacted.value(token)],
    onNone: () => (body._tag === "None" ? [] : Object.values(body.fields).filter(Predicate.isString))
  })

/** Reads an exchange: what came, whether it is the payload, how it ended. Pure. */
const read = <A>(
  operation: Operation<A, unknown>,
  differences: Differences,
  outcome: Outcome,
  secrets: ReadonlyArray<string>
): Ended<A> => {
  const body = outcome._tag === "Answered" ? Response.json(outcome.text) : undefined
  const succeeded = outcome._tag === "Answered" && outcome.status >= 200 && outcome.status < 300
  const decoded = succeeded ? operation.decode(Response.envelope(body, differences)) : Result.fail("not a success")
  return { outcome, body, decoded, secrets, ending: Ending.of(outcome, body, Result.isSuccess(decoded)) }
}

/** The error of an answer or of none, where its effect is not in doubt. Pure. */
const errorOf = (operation: Operation<unknown, unknown>, ended: Ended<unknown>): AnyError => {
  const { decoded, outcome, secrets } = ended
  const name = operation.operation
  if (outcome._tag === "NotAnswered") {
    return new TransportError({ operation: name, phase: outcome.phase, reason: outcome.reason })
  }
  const { retryAfter, status } = outcome
  const text = Redaction.without(secrets, outcome.text)
  if (status >= 400) {
    const body = text === outcome.text ? ended.body : Response.json(text)
    return ApiError.fromAnswer({ operation: name, status, body, text, retryAfter }, operation.declared)
  }
  const reason =
    status >= 300
      ? "a redirect, which is not followed"
      : Redaction.without(secrets, Result.isFailure(decoded) ? decoded.failure : "")
  return new UnexpectedResponse({ operation: name, status, reason, body: text.slice(0, ApiError.bodyLimit) })
}

/** How an uncertain end is told in one word or two. */
const doubt = ({ outcome }: Ended<unknown>): string =>
  outcome._tag === "NotAnswered"
    ? outcome.reason
    : outcome.status < 300
      ? `HTTP ${outcome.status} that cannot be read`
      : `HTTP ${outcome.status}`

/** A session rotates at most so often for one call. */
const maxRotations = 2

/**
 * Calls the API. Endpoint functions ask for it; `Custody.layer`, the emulator and stubs provide it.
 */
export class CustodyClient extends Context.Service<
  CustodyClient,
  {
    /** Calls an operation; the input is checked by its contract. */
    readonly call: <A, E>(operation: Operation<A, E>, input: unknown) => Effect.Effect<A, E>
  }
>()("@effect-custody/core/CustodyClient") {
  /** The client over a transport and a session. */
  static readonly layer = (options?: {
    /** The policy of calls that bring none of their own. */
    readonly retry?: RetryPolicy.RetryPolicy | undefined
  }): Layer.Layer<CustodyClient, never, Transport | TokenService> =>
    Layer.effect(
      this,
      Effect.gen(function* () {
        const transport = yield* Transport
        const tokens = yield* TokenService

        /** One attempt with the newest token: replayed at once after a rotation, or after a newer session was found. */
        const exchange = Effect.fnUntraced(function* <A>(
          operation: Operation<A, unknown>,
          differences: Differences,
          encoded: Encoded
        ) {
          const send = (token: Option.Option<Redacted.Redacted>) =>
            Effect.map(
              Effect.suspend(() => transport.send(operation.toRequest(encoded, differences), token)),
              (outcome) => read(operation, differences, outcome, secretsIn(encoded, token))
            )
          if (operation.safety === "session") return yield* send(Option.none())
          let token = yield* tokens.current
          let resynced = false
          for (let rotations = 0; ; ) {
            const ended = yield* send(Option.some(token.value))
            const decision = Ending.decide(operation.safety, ended.ending)
            if (decision === "Rotate" && rotations < maxRotations) {
              token = yield* tokens.rotate(token.generation)
              rotations++
            } else if (decision === "Resync" && !resynced) {
              const newest = yield* tokens.resync(token.generation)
              if (newest.generation === token.generation) return ended
              token = newest
              resynced = true
            } else {
              return ended
            }
          }
        })

        const attempt = Effect.fnUntraced(function* <A>(
          operation: Operation<A, unknown>,
          differences: Differences,
          encoded: Encoded
        ): Effect.fn.Return<A, Attempt> {
          const sentAt = yield* DateTime.now
          const ended = yield* Effect.mapError(
            exchange(operation, differences, encoded),
            (error): Attempt => ({ error, mayResend: false, retryAfter: undefined })
          )
          if (Result.isSuccess(ended.decoded)) return ended.decoded.success
          const decision = Ending.decide(operation.safety, ended.ending)
          if (decision === "TellUnknown") {
            const error = new OutcomeUnknown({
              operation: operation.operation,
              fingerprint: yield* fingerprint(encoded),
              sentAt,
              reason: doubt(ended),
              ...(operation.lookUp === undefined ? {} : { lookUp: operation.lookUp })
            })
            return yield* Effect.fail({ error, mayResend: false, retryAfter: undefined })
          }
          return yield* Effect.fail({
            error: errorOf(operation, ended),
            mayResend: decision === "Resend",
            retryAfter: ended.outcome._tag === "Answered" ? ended.outcome.retryAfter : undefined
          })
        })

        const travel = Effect.fnUntraced(function* <A>(operation: Operation<A, unknown>, input: unknown) {
          const encoded = yield* Effect.fromResult(operation.encode(input))
          const differences = yield* gate(operation, transport.environment)
          const policy = (yield* RetryPolicy.RetryPolicy) ?? options?.retry ?? RetryPolicy.standard
          return yield* attempt(operation, differences, encoded).pipe(
            Effect.retry(RetryPolicy.schedule(policy, operation.safety)),
            Effect.mapError(({ error }) => error)
          )
        })

        return CustodyClient.of({
          call: <A, E>(operation: Operation<A, E>, input: unknown) =>
            travel(operation, input).pipe(
              // The pipeline fails with nothing but what the operation's type lists: its declared answers, and the
              // failures that its safety class and provenance allow. The type of each endpoint is derived from them.
              Effect.mapError((error) => error as unknown as E),
              Effect.withSpan(operation.operation, {
                kind: "client",
                attributes: { "custody.safety": operation.safety, "custody.provenance": operation.provenance }
              })
            )
        })
      })
    )
}
