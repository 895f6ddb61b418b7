/**
 * The client that every endpoint function calls through.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as RetryBudget from "../retry/retryBudget.ts"
import * as Call from "../call/call.ts"
import * as Attempt from "../call/attempt.ts"
import { monotonicSeconds } from "../call/callState.ts"
import * as Instrumentation from "../telemetry/Instrumentation.ts"
import * as TokenWaits from "../call/tokenWaits.ts"
import * as UnknownWrites from "../call/unknownWrites.ts"
import type { Operation } from "../endpoint/Operation.ts"
import * as RetryPolicy from "../retry/RetryPolicy.ts"
import { onUncertain } from "../errors/SdkError.ts"
import { Listener } from "../telemetry/Listener.ts"
import * as Redaction from "../secrets/Redaction.ts"
import { TokenService } from "../session/TokenService.ts"
import * as Environment from "../http/Environment.ts"
import { InTurn, Transport } from "../http/Transport.ts"
import { assumed, factsOf, fingerprint, Wires } from "../endpoint/Wires.ts"
import { ClientKnowledge } from "./ClientKnowledge.ts"

/**
 * Headers of an answer that identify a request to the service's support. Errors keep them.
 *
 * @category constants
 * @since 0.1.0
 */
export const requestIdHeaders: ReadonlyArray<string> = ["x-request-id", "x-correlation-id", "traceparent"]

/** The options of {@link CustodyClient.layer}. */
interface Options {
  /** The policy of calls that have no policy of their own. Default: the policy that is provided to the layer. */
  readonly retry?: RetryPolicy.RetryPolicy | undefined
  /**
   * With `bodies`, an `UnknownApiError` and an `UnexpectedResponse` keep the first characters of a body that is not
   * as specified. The secrets of the process are removed from this text. By default, an error keeps only the code
   * and the messages of an answer.
   */
  readonly diagnostics?: "bodies" | undefined
  /** The headers of an answer that its error keeps, for the service's support. Default: {@link requestIdHeaders}. */
  readonly requestIdHeaders?: ReadonlyArray<string> | undefined
}

/** What a client knows of its contract and of its writes. A call may have a contract of its own. */
const makeKnowledge = (
  contract: Wires,
  unknownWrites: UnknownWrites.UnknownWrites,
  isReal: boolean
): ClientKnowledge => ({
  factsOf: (operation) =>
    Wires.useSync((ofCall) => {
      const facts = factsOf(Call.selectContract(operation, contract, ofCall)[0], operation)
      return { ...facts, isConfirmed: facts.isConfirmed || !isReal }
    }),
  resolved: (write) => Effect.sync(() => unknownWrites.forget(write)),
  contractOf: (operations) =>
    Wires.useSync((ofCall) => {
      const hash = fingerprint(operations, (one) => Call.selectContract(one, contract, ofCall)[0])
      return { fingerprint: hash, isEmulated: !isReal && hash === assumed }
    })
})

/**
 * Calls the API. Endpoint functions require it; `Custody.layer`, the emulator and stubs provide it.
 *
 * @category services
 * @since 0.1.0
 */
export class CustodyClient extends Context.Service<
  CustodyClient,
  {
    /** Calls an operation. Checks the input against the operation's contract. */
    readonly call: <A, E>(operation: Operation<A, E>, input: unknown) => Effect.Effect<A, E>
  }
>()("@effect-custody/core/CustodyClient") {
  /**
   * Makes the client from a transport and a session.
   *
   * @category layers
   * @since 0.1.0
   */
  static readonly layer = (options: Options = {}): Layer.Layer<CustodyClient, never, Transport | TokenService> =>
    Layer.effectContext(
      Effect.gen(function* () {
        const transport = yield* Transport
        const tokens = yield* TokenService
        const waits = TokenWaits.make()
        const unknownWrites = UnknownWrites.make()
        const budget = RetryBudget.make()
        const listener = yield* Listener
        const inTurn = yield* InTurn
        const contract = yield* Wires
        const policy = options.retry ?? (yield* RetryPolicy.RetryPolicy)
        const diagnostics = Redaction.makeDiagnostics({
          tokens,
          keepsBodies: options.diagnostics === "bodies",
          requestIdHeaders: (options.requestIdHeaders ?? requestIdHeaders).map((name) => name.toLowerCase())
        })
        const call = Instrumentation.followCalls(
          listener,
          Call.make({
            environment: transport.environment,
            exchange: Instrumentation.followExchange(
              transport,
              listener,
              Attempt.exchangeOver(transport, tokens, inTurn, diagnostics)
            ),
            budget,
            tokens,
            waits,
            unknownWrites,
            contract,
            policy,
            onUnknownOutcome: yield* onUncertain,
            diagnostics
          })
        )
        const clock = yield* Clock.Clock
        if (listener !== undefined) {
          yield* listener.showClient(() => ({
            budgetLeft: budget.left(monotonicSeconds(clock), policy.budget),
            waiters: waits.count()
          }))
        }
        const isReal = Environment.isReal(transport.environment)
        const client = CustodyClient.of({
          call: <A, E>(operation: Operation<A, E>, input: unknown) =>
            // A call fails only with the errors in the type of its operation: the declared errors, and those that its
            // safety class and its provenance allow.
            // oxlint-disable-next-line effecttsgo/unsafe-effect-type-assertion -- see above.
            call(operation, input) as Effect.Effect<A, E>
        })
        return Context.make(CustodyClient, client).pipe(
          Context.add(ClientKnowledge, makeKnowledge(contract, unknownWrites, isReal)),
          Context.add(RetryPolicy.RetryPolicy, policy)
        )
      })
    )
}
