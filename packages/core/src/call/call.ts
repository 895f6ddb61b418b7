/** One call from its input to its result: encode, confirm, attempt until the deadline, and report an interruption. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Environment from "../http/Environment.ts"
import type { Operation } from "../endpoint/Operation.ts"
import * as Page from "../paging/Page.ts"
import * as RetryPolicy from "../retry/RetryPolicy.ts"
import { RequestInvalid, UnconfirmedEndpoint } from "../errors/SdkError.ts"
import type { TokenService } from "../session/TokenService.ts"
import { type Wire, Wires } from "../endpoint/Wires.ts"
import * as Attempt from "./attempt.ts"
import type { CallError } from "./callError.ts"
import { Deadline } from "../retry/deadline.ts"
import * as CallState from "./callState.ts"
import * as DroppedFields from "../endpoint/droppedFields.ts"
import * as Exchange from "./exchange.ts"
import * as KnownSecrets from "./knownSecrets.ts"
import * as LookUp from "./lookUp.ts"
import { resend } from "./resend.ts"
import type { RetryBudget } from "../retry/retryBudget.ts"
import type { TokenWaits } from "./tokenWaits.ts"
import * as UnknownWrites from "./unknownWrites.ts"

export interface Options extends UnknownWrites.Options {
  readonly environment: Environment.Environment
  /** Sends the request of a call once. */
  readonly exchange: Exchange.Exchange
  /** Shared by all calls of a client. */
  readonly budget: RetryBudget
  readonly tokens: TokenService["Service"]
  /** The calls of a client that wait for a token. */
  readonly waits: TokenWaits
  readonly contract: Wires
  /** The policy of calls that have none of their own. */
  readonly policy: RetryPolicy.RetryPolicy
  /** Whether errors keep the beginning of an answer's body. */
  readonly keepsBodies: boolean
  /** The headers of an answer that errors keep. */
  readonly requestIdHeaders: ReadonlyArray<string>
}

/** The wire of an operation, or why it must not be called. `isReal`: real money may be at the other end. */
const confirm = (
  { operation: name, provenance, wire: assumed }: Operation<unknown, unknown>,
  isReal: boolean,
  ofClient: Wires,
  ofCall: Wires
): Result.Result<Wire, UnconfirmedEndpoint> => {
  // The client's comes first: the one around a call may be that of another client in the same program.
  const confirming = ofClient.confirms(name) ? ofClient : ofCall.confirms(name) ? ofCall : undefined
  const contract = confirming ?? (ofClient.wire(name) === undefined ? ofCall : ofClient)
  const wire = contract.wire(name) ?? assumed
  if (confirming !== undefined || provenance === "specified" || !isReal) return Result.succeed(wire)
  const { method, path } = wire.route
  return Result.fail(new UnconfirmedEndpoint({ operation: name, assumed: `${method} ${path}` }))
}

/** Calls operations over an exchange and a session. */
export const make = (options: Options) => {
  const { budget, contract, environment, exchange, keepsBodies, requestIdHeaders, tokens, waits } = options
  const isReal = Environment.isReal(environment)

  const takeExtra = (policy: RetryPolicy.RetryPolicy): Effect.Effect<boolean> =>
    Effect.clockWith((clock) => Effect.sync(() => budget.take(Exchange.secondsOf(clock), policy.budget)))

  const attempt = Attempt.make({
    tokens,
    waits,
    exchange,
    diagnostics: KnownSecrets.make({ tokens, keepsBodies, requestIdHeaders }),
    lookUp: LookUp.make({ takeExtra, read: (operation, input, policy) => run(operation, input, policy) })
  })

  /** The whole call. */
  const whole = <A>(call: Exchange.Call<A>): Effect.Effect<A, CallError> =>
    Effect.catch(attempt(call), (failure) => {
      if (!failure.mayResend) return Effect.fail(failure.error)
      const { endsAt, operation, policy, state } = call
      const mayWait = (wait: Duration.Duration): Effect.Effect<boolean> =>
        Effect.clockWith((clock) =>
          // Do not begin a wait that the deadline would cut short: the error at hand says more.
          Exchange.secondsOf(clock) + Duration.toSeconds(wait) >= endsAt ? Effect.succeed(false) : takeExtra(policy)
        )
      return resend(attempt(call), failure, { policy: policy[operation.safety], state, mayWait })
    })

  const run = <A>(
    operation: Operation<A, unknown>,
    input: unknown,
    ownPolicy: RetryPolicy.RetryPolicy | undefined
  ): Effect.Effect<A, CallError> =>
    Effect.withFiber((fiber) => {
      const prepared = operation.prepare(input)
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
      const now = Exchange.secondsOf(clock)
      if (operation.safety === "write") {
        const unknown = options.unknownWrites.find(operation.operation, encoded, now)
        if (unknown !== undefined) return Effect.fail(unknown)
      }
      const policy = ownPolicy ?? fiber.getRef(RetryPolicy.RetryPolicy) ?? options.policy
      const deadline = Duration.min(policy[operation.safety].deadline, fiber.getRef(Deadline))
      const call: Exchange.Call<A> = {
        operation,
        encoded,
        wire,
        cursor,
        request: request.success,
        existing,
        policy,
        deadline,
        endsAt: now + Duration.toSeconds(deadline),
        state: CallState.begun(clock.currentTimeMillisUnsafe())
      }
      const bare = whole(call)
      const told = DroppedFields.isSeen(fiber)
        ? Effect.tap(bare, (result) => DroppedFields.report(operation, wire, result))
        : bare
      return operation.safety === "read" ? told : UnknownWrites.reported(call, told, options)
    })

  /** Calls an operation. */
  return <A>(operation: Operation<A, unknown>, input: unknown): Effect.Effect<A, CallError> =>
    Effect.withFiber((fiber) => {
      budget.called(Exchange.secondsOf(fiber.getRef(Clock.Clock)))
      return run(operation, input, undefined)
    })
}
