/** Runs one call: encodes the input, selects the wire, attempts until the deadline, and reports an unknown outcome. */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Declaration from "../endpoint/Declaration.ts"
import * as AnswerReport from "../endpoint/AnswerReport.ts"
import * as Operation from "../endpoint/Operation.ts"
import { type Wire, Wires } from "../endpoint/Wires.ts"
import * as Defect from "../errors/Defect.ts"
import {
  Interrupted,
  onUncertain,
  type OutcomeUnknown,
  RequestInvalid,
  UnconfirmedEndpoint
} from "../errors/SdkError.ts"
import * as Environment from "../http/Environment.ts"
import * as Page from "../lists/Page.ts"
import { Deadline } from "../retry/deadline.ts"
import type { RetryBudget } from "../retry/retryBudget.ts"
import * as RetryPolicy from "../retry/RetryPolicy.ts"
import type { DiagnosticsOf } from "../secrets/Redaction.ts"
import type { TokenService } from "../session/TokenService.ts"
import * as Attempt from "./attempt.ts"
import * as CallError from "./callError.ts"
import * as CallState from "./callState.ts"
import { type Call, monotonicSeconds } from "./callState.ts"
import type { TokenWaits } from "./tokenWaits.ts"
import type { UnknownWrites } from "./unknownWrites.ts"
import { repeatAttempt } from "./waits.ts"

export interface Options {
  readonly environment: Environment.Environment
  readonly exchange: Attempt.Exchange
  /** Shared by all calls of a client. */
  readonly budget: RetryBudget
  readonly tokens: TokenService["Service"]
  /** The calls of a client that wait for a token. */
  readonly waits: TokenWaits
  readonly unknownWrites: UnknownWrites
  /** Receives the unknown outcome of an interrupted call, unless a receiver is provided to the call. */
  readonly onUnknownOutcome: (error: OutcomeUnknown) => Effect.Effect<void>
  readonly contract: Wires
  /** The policy of calls that have no policy of their own. */
  readonly policy: RetryPolicy.RetryPolicy
  readonly diagnostics: DiagnosticsOf
}

/** Selects the contract of an operation, and says whether the contract confirms the operation. */
export const selectContract = (
  operation: Declaration.Declaration,
  ofClient: Wires,
  ofCall: Wires
): readonly [Wires, isConfirmed: boolean] => {
  // The client's contract comes first, because the contract provided to a call may belong to another client.
  if (ofClient.confirms(operation)) return [ofClient, true]
  if (ofCall.confirms(operation)) return [ofCall, true]
  return [ofClient.wire(operation) === undefined ? ofCall : ofClient, false]
}

/** Selects the wire of an operation. Fails if the service is real, and no contract confirms the assumed wire. */
const confirm = (
  operation: Operation.Any,
  isReal: boolean,
  ofClient: Wires,
  ofCall: Wires
): Result.Result<Wire, UnconfirmedEndpoint> => {
  const { operation: name, provenance } = operation
  const [contract, isConfirmed] = selectContract(operation, ofClient, ofCall)
  const wire = contract.wire(operation) ?? Operation.codec(operation).wire
  if (isConfirmed || provenance === "specified" || !isReal) return Result.succeed(wire)
  const { method, path } = wire.route
  return Result.fail(new UnconfirmedEndpoint({ operation: name, assumed: `${method} ${path}` }))
}

/** Ends a call that may have taken effect, after an interruption, a failure or a defect. */
const endUnknown = Effect.fnUntraced(function* (
  call: Call<unknown>,
  cause: Cause.Cause<CallError.CallError>,
  { onUnknownOutcome, unknownWrites }: Options
): Effect.fn.Return<never, CallError.CallError> {
  const now = monotonicSeconds(yield* Clock.Clock)
  const remember = (error: OutcomeUnknown) => {
    if (call.operation.safety === "write") unknownWrites.remember(error, now)
  }
  if (Cause.hasInterrupts(cause)) {
    const error = CallError.outcomeUnknown(call, "it was interrupted")
    remember(error)
    const receive = Context.getOrUndefined(yield* Effect.context<never>(), onUncertain) ?? onUnknownOutcome
    yield* Effect.suspend(() => receive(error)).pipe(
      Effect.catchCause((failure) => Defect.report("onUncertain failed", failure))
    )
    return yield* Effect.failCause(Cause.annotate(cause, Context.make(Interrupted, error)))
  }
  if (Cause.hasDies(cause)) {
    // The error does not repeat the defect, which may hold anything.
    const error = CallError.outcomeUnknown(call, "a defect cut it short")
    remember(error)
    return yield* error
  }
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  if (error?._tag === "OutcomeUnknown") remember(error)
  return yield* Effect.failCause(cause)
})

/** Runs a call that changes something. Remembers and reports the call if its outcome is unknown. */
const withUnknownOutcome = <A>(
  call: Call<A>,
  run: Effect.Effect<A, CallError.CallError>,
  options: Options
): Effect.Effect<A, CallError.CallError> =>
  Effect.uninterruptibleMask((restore) => {
    const end = (exit: Exit.Exit<A, CallError.CallError>): Effect.Effect<A, CallError.CallError> => {
      if (!CallState.mayHaveHappened(call.state)) return exit
      // Yield once, so that a pending interruption arrives here and is reported.
      return Effect.flatMap(Effect.yieldNow, () =>
        Effect.matchCauseEffect(restore(Effect.void), {
          onFailure: (cause) => endUnknown(call, cause, options),
          onSuccess: () => (Exit.isFailure(exit) ? endUnknown(call, exit.cause, options) : exit)
        })
      )
    }
    return Effect.matchCauseEffect(restore(run), {
      onFailure: (cause) => end(Exit.failCause(cause)),
      onSuccess: (value) => end(Exit.succeed(value))
    })
  })

/** Makes the function that calls operations over an exchange and a session. */
export const make = (options: Options) => {
  const { budget, contract, diagnostics, environment, exchange, tokens, waits } = options
  const isReal = Environment.isReal(environment)

  const takeExtra = (policy: RetryPolicy.RetryPolicy): Effect.Effect<boolean> =>
    Effect.clockWith((clock) => Effect.sync(() => budget.take(monotonicSeconds(clock), policy.budget)))

  const attempt = Attempt.make({
    tokens,
    waits,
    exchange,
    diagnostics,
    takeExtra,
    read: (operation, input, policy) => run(operation, undefined, input, policy)
  })

  /** Attempts a call until it ends: after the first attempt, after waits, or at its deadline. */
  const attemptUntilEnd = <A>(call: Call<A>): Effect.Effect<A, CallError.CallError> =>
    Effect.catch(attempt(call), (failure) => {
      if (!failure.mayResend) return Effect.fail(failure.error)
      const { endsAt, operation, policy, state } = call
      const mayWait = (wait: Duration.Duration): Effect.Effect<boolean> =>
        Effect.clockWith((clock) =>
          // Do not begin a wait that the deadline would end, because the present error says more.
          monotonicSeconds(clock) + Duration.toSeconds(wait) >= endsAt ? Effect.succeed(false) : takeExtra(policy)
        )
      return repeatAttempt(attempt(call), failure, { policy: policy[operation.safety], state, mayWait })
    })

  const run = <A>(
    operation: Operation.Operation<A, unknown>,
    about: Declaration.About | undefined,
    input: unknown,
    ownPolicy: RetryPolicy.RetryPolicy | undefined
  ): Effect.Effect<A, CallError.CallError> =>
    Effect.withFiber((fiber) => {
      const prepared = Operation.codec(operation).prepare(input)
      if (Result.isFailure(prepared)) return Effect.fail(prepared.failure)
      const { encoded, existing } = prepared.success
      const confirmed = confirm(operation, isReal, contract, fiber.getRef(Wires))
      if (Result.isFailure(confirmed)) return Effect.fail(confirmed.failure)
      const wire = confirmed.success
      const cursor = fiber.getRef(Page.Cursor)
      const request = wire.request({ encoded, cursor })
      if (Result.isFailure(request)) {
        return Effect.fail(new RequestInvalid({ operation: operation.operation, issues: request.failure }))
      }
      const clock = fiber.getRef(Clock.Clock)
      const now = monotonicSeconds(clock)
      if (operation.safety === "write") {
        const unknown = options.unknownWrites.find(operation.operation, encoded, now)
        if (unknown !== undefined) return Effect.fail(unknown)
      }
      const policy = ownPolicy ?? Context.getOrUndefined(fiber.context, RetryPolicy.RetryPolicy) ?? options.policy
      const deadline = Duration.min(policy[operation.safety].deadline, fiber.getRef(Deadline))
      const call: Call<A> = {
        operation,
        about,
        encoded,
        wire,
        cursor,
        baseUrl: environment.baseUrl,
        request: request.success,
        existing,
        policy,
        deadline,
        endsAt: now + Duration.toSeconds(deadline),
        state: CallState.initial(clock.currentTimeMillisUnsafe())
      }
      const attempted = attemptUntilEnd(call)
      const reported = AnswerReport.isSeen(fiber)
        ? Effect.tap(attempted, (result) => AnswerReport.logDropped(operation, wire, result))
        : attempted
      return operation.safety === "read" ? reported : withUnknownOutcome(call, reported, options)
    })

  return <A>(operation: Operation.Operation<A, unknown>, input: unknown): Effect.Effect<A, CallError.CallError> =>
    Effect.withFiber((fiber) => {
      budget.called(monotonicSeconds(fiber.getRef(Clock.Clock)))
      return run(operation, operation.about, input, undefined)
    })
}
