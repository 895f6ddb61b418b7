/**
 * The way a call travels: encode, gate, span, deadline, retry, token, exchange, replay, result. Straight down, one place
 * for each step.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Breaker from "effect/persistence/CircuitBreaker"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import type { Operation } from "./Operation.ts"
import * as RetryBudget from "./internal/budget.ts"
import * as Ending from "./internal/ending.ts"
import * as Exchanged from "./internal/exchanged.ts"
import { gate } from "./internal/gate.ts"
import * as Journey from "./internal/journey.ts"
import * as Request from "./internal/request.ts"
import * as RetryPolicy from "./RetryPolicy.ts"
import { Interrupted, onUncertain, TransportError } from "./SdkError.ts"
import { type AccessToken, TokenService } from "./TokenService.ts"
import * as Transmission from "./Transmission.ts"
import { type Outcome, Transport } from "./Transport.ts"
import { WireContract } from "./WireContract.ts"

/** A session rotates at most so often for one call, with all its attempts. */
const maxRotations = 2

/**
 * A session is read from its store at most so often for one call: for what another process has rotated, which may be old
 * by then, and for a new token that is not accepted everywhere yet.
 */
const maxResyncs = 3

/** How many things a creation of many is looked up for at a time. */
const lookUpConcurrency = 4

const seconds = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos) / 1e9)

/** One attempt that did not succeed. */
interface Attempt extends RetryPolicy.Failure {
  readonly error: Exchanged.AnyError
}

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
        const contract = yield* WireContract
        const budget = RetryBudget.make()

        /** Takes one request more than there are calls, if the budget has it. */
        const takeExtra = ({ budget: { floor, ratio, window } }: RetryPolicy.RetryPolicy): Effect.Effect<boolean> =>
          Effect.map(seconds, (now) => budget.take(now, { ratio, windowSeconds: Duration.toSeconds(window), floor }))

        /** One exchange through the circuit breaker, if there is one. */
        const throughBreaker = (exchange: Effect.Effect<Outcome>): Effect.Effect<Outcome> =>
          Effect.flatMap(RetryPolicy.CircuitBreaker, (breaker) => {
            if (breaker === undefined) return exchange
            return exchange.pipe(
              breaker.execute({
                key: transport.environment.baseUrl,
                classify: (exit) => {
                  if (exit._tag === "Failure") return Breaker.ignored
                  const outcome = exit.value
                  const failed = outcome._tag === "NotAnswered" || outcome.status >= 500
                  return failed
                    ? Breaker.failure({ retryAfter: outcome._tag === "Answered" ? outcome.retryAfter : undefined })
                    : Breaker.success
                }
              }),
              Effect.orElseSucceed((): Outcome => ({
                _tag: "NotAnswered",
                phase: "NotSent",
                reason: "the circuit breaker is open"
              }))
            )
          })

        /** Sends a call once, and keeps its journey up. */
        const send = Effect.fnUntraced(function* <A>(journey: Journey.Journey<A>, token: AccessToken | undefined) {
          const { differences, encoded, operation } = journey
          const spent = Request.spent(encoded)
          if (spent !== undefined) {
            return yield* new TransportError({
              operation: operation.operation,
              phase: "NotSent",
              reason: `${spent} can be read once only, and it was read by an attempt that the service rejected`
            })
          }
          const request = operation.toRequest(encoded, differences)
          const secret = Option.map(Option.fromUndefinedOr(token), ({ value }) => value)
          journey.sentAt = yield* DateTime.now
          journey.transmission = Transmission.make()
          const outcome = yield* throughBreaker(
            Effect.suspend(() => {
              journey.stage = "InFlight"
              journey.doing = "it was under way"
              return transport.send(request, secret)
            })
          ).pipe(Effect.provideService(Transmission.Transmission, journey.transmission))
          journey.secrets = Exchanged.secretsIn(encoded, token)
          const ended = Exchanged.read(operation, differences, outcome)
          if (ended._tag === "InDoubt") {
            journey.stage = "Doubtful"
            journey.doubt ??= ended.reason
          } else if (ended._tag !== "Succeeded") {
            journey.stage = journey.doubt === undefined || operation.safety === "read" ? "Idle" : "Doubtful"
          }
          return ended
        })

        /** One attempt with the newest token: replayed at once after a rotation, or after a newer session was found. */
        const exchange = Effect.fnUntraced(function* <A>(journey: Journey.Journey<A>) {
          const { safety } = journey.operation
          if (safety === "session") return yield* send(journey, undefined)
          journey.doing = "it waited for an access token"
          let token = yield* tokens.current
          for (;;) {
            const ended = yield* send(journey, token)
            const decision = Ending.decide(safety, ended._tag)
            if (decision === "Rotate" && journey.rotations < maxRotations) {
              journey.rotations++
              journey.doing = "the session was rotated, which goes on"
              token = yield* tokens.rotate(token.generation)
            } else if (decision === "Resync" && journey.resyncs < maxResyncs) {
              journey.resyncs++
              journey.doing = "the session was read again"
              const newest = yield* tokens.resync(token.generation)
              if (newest.generation === token.generation && newest.isSettling !== true) return ended
              token = newest
            } else {
              return ended
            }
          }
        })

        /** What a creation has created: the payload, certainly nothing, or nobody can say. */
        const lookUp = Effect.fnUntraced(function* <A>(
          journey: Journey.Journey<A>
        ): Effect.fn.Return<Result.Result<A, "Absent" | "Unknown">> {
          const existing = journey.operation.existing?.(journey.input)
          if (existing === undefined) return Result.fail("Unknown")
          journey.doing = "it was looked up"
          const find = (input: unknown): Effect.Effect<Result.Result<unknown, "Absent" | "Unknown">> =>
            Effect.gen(function* () {
              if (!(yield* takeExtra(journey.policy))) return Result.fail("Unknown")
              const found = yield* Effect.result(begin(existing.operation, input, journey.policy))
              return Result.mapError(found, (error) => (Exchanged.isAbsent(error) ? "Absent" : "Unknown"))
            })
          const found = yield* Effect.forEach(existing.inputs, find, { concurrency: lookUpConcurrency })
          const payload = Result.all(found)
          if (Result.isSuccess(payload)) return Result.succeed(existing.payload(payload.success))
          const isAllAbsent = found.every((result) => Result.isFailure(result) && result.failure === "Absent")
          return Result.fail(isAllAbsent ? "Absent" : "Unknown")
        })

        /** The failure of an attempt that leaves doubt, or follows one that did. */
        const doubtful = (
          journey: Journey.Journey<unknown>,
          reason: string,
          next: Pick<Attempt, "mayResend" | "retryAfter">
        ): Effect.Effect<never, Attempt> => Effect.fail({ ...next, error: Journey.outcomeUnknown(journey, reason) })

        const attempt = Effect.fnUntraced(function* <A>(journey: Journey.Journey<A>): Effect.fn.Return<A, Attempt> {
          const { operation } = journey
          const ended = yield* exchange(journey).pipe(
            Effect.catch((error: Exchanged.AnyError) =>
              journey.stage === "Doubtful" && operation.safety !== "read"
                ? doubtful(journey, error.message, { mayResend: false, retryAfter: undefined })
                : Effect.fail({ error, mayResend: false, retryAfter: undefined })
            )
          )
          if (ended._tag === "Succeeded") return ended.value
          const decision = Ending.decide(operation.safety, ended._tag)
          const { reason, retryAfter } = ended
          if (decision === "TellUnknown") return yield* doubtful(journey, reason, { mayResend: false, retryAfter })
          // A second creation that is refused may have been refused because the first one has happened.
          if (decision === "LookUp" || (journey.stage === "Doubtful" && decision === "Fail")) {
            const found = yield* lookUp(journey)
            if (Result.isSuccess(found)) return found.success
            const mayResend = decision === "LookUp" && found.failure === "Absent"
            return yield* doubtful(journey, reason, { mayResend, retryAfter })
          }
          const mayResend = decision === "Resend"
          if (journey.stage === "Doubtful" && operation.safety !== "read") {
            return yield* doubtful(journey, reason, { mayResend, retryAfter })
          }
          return yield* Effect.fail({
            error: Exchanged.errorOf(operation, ended, journey.secrets),
            mayResend,
            retryAfter
          })
        })

        /** Every attempt that the policy, the deadline and the budget allow. */
        const attempts = Effect.fnUntraced(function* <A>(journey: Journey.Journey<A>, deadline: Duration.Duration) {
          const { operation, policy } = journey
          const startedAt = yield* seconds
          const mayWait = (wait: Duration.Duration) =>
            Effect.flatMap(seconds, (now) => {
              // A wait that the deadline would cut short tells less than the error that it was for.
              const tooLong = now - startedAt + Duration.toSeconds(wait) >= Duration.toSeconds(deadline)
              return tooLong ? Effect.succeed(false) : takeExtra(policy)
            })
          return yield* attempt(journey).pipe(
            Effect.tapError(() =>
              Effect.sync(() => {
                journey.doing = "it waited to be sent again"
              })
            ),
            Effect.retry(
              RetryPolicy.schedule(policy, operation.safety).pipe(Schedule.while(({ duration }) => mayWait(duration)))
            ),
            Effect.mapError(({ error }) => error)
          )
        })

        /** A call that may have happened, and ends otherwise than by itself: no error of its own tells what was sent. */
        const torn = Effect.fnUntraced(function* (
          journey: Journey.Journey<unknown>,
          cause: Cause.Cause<Exchanged.AnyError>
        ): Effect.fn.Return<never, Exchanged.AnyError> {
          if (Cause.hasInterrupts(cause)) {
            const error = Journey.outcomeUnknown(journey, "it was interrupted")
            yield* Effect.flatMap(onUncertain, (tell) => tell(error)).pipe(
              Effect.catchCause((failure) => Effect.logError("onUncertain failed", failure))
            )
            return yield* Effect.failCause(Cause.annotate(cause, Context.make(Interrupted, error)))
          }
          // The defect itself may hold anything, and is not repeated.
          return yield* Cause.hasDies(cause)
            ? Journey.outcomeUnknown(journey, "a defect cut it short")
            : Effect.failCause(cause)
        })

        /** A call from its input to its result. */
        const begin: <A>(
          operation: Operation<A, unknown>,
          input: unknown,
          ownPolicy: RetryPolicy.RetryPolicy | undefined
        ) => Effect.Effect<A, Exchanged.AnyError> = Effect.fnUntraced(function* <A>(
          operation: Operation<A, unknown>,
          input: unknown,
          ownPolicy: RetryPolicy.RetryPolicy | undefined
        ): Effect.fn.Return<A, Exchanged.AnyError> {
          const encoded = yield* Effect.fromResult(operation.encode(input))
          const differences = yield* gate(operation, transport.environment, contract)
          const policy = ownPolicy ?? (yield* RetryPolicy.RetryPolicy) ?? options?.retry ?? RetryPolicy.standard
          const deadline = Duration.min(policy[operation.safety].deadline, yield* RetryPolicy.Deadline)
          const journey: Journey.Journey<A> = {
            operation,
            input,
            encoded,
            differences,
            policy,
            stage: "Idle",
            doing: "it had not begun",
            sentAt: yield* DateTime.now,
            transmission: Transmission.make(),
            doubt: undefined,
            secrets: [],
            rotations: 0,
            resyncs: 0
          }
          const late = Effect.suspend(() =>
            Effect.fail(
              Journey.cutShort(journey, `the deadline of ${Duration.format(deadline)} passed while ${journey.doing}`)
            )
          )
          const inTime = Duration.isFinite(deadline)
            ? Effect.timeoutOrElse(attempts(journey, deadline), {
                duration: deadline,
                orElse: () => late
              })
            : attempts(journey, deadline)
          return yield* Effect.uninterruptibleMask((restore) =>
            Effect.gen(function* () {
              const exit = yield* Effect.exit(restore(inTime))
              if (!Journey.mayHaveHappened(journey)) return yield* exit
              // What interrupts its caller at this very moment would take the end away unseen. It is waited for, and told.
              yield* Effect.yieldNow
              const interruption = yield* Effect.exit(restore(Effect.void))
              if (Exit.isFailure(interruption)) return yield* torn(journey, interruption.cause)
              return Exit.isFailure(exit) ? yield* torn(journey, exit.cause) : exit.value
            })
          )
        })

        return CustodyClient.of({
          call: <A, E>(operation: Operation<A, E>, input: unknown) =>
            Effect.map(seconds, budget.called).pipe(
              Effect.andThen(begin(operation, input, undefined)),
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
