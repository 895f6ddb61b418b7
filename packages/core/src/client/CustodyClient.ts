/**
 * The client that every endpoint function calls through.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Limits from "../retry/limits.ts"
import * as Call from "../call/call.ts"
import { monotonicSeconds } from "../call/callEnd.ts"
import * as Instrumentation from "../telemetry/Instrumentation.ts"
import * as UnknownWrites from "../call/unknownWrites.ts"
import type { Declaration } from "../endpoint/Declaration.ts"
import type { Operation } from "../endpoint/Operation.ts"
import * as RetryPolicy from "../retry/RetryPolicy.ts"
import { onUncertain, type OutcomeUnknown } from "../errors/SdkError.ts"
import * as Secrets from "../secrets/Secrets.ts"
import { TokenService } from "../session/TokenService.ts"
import * as Environment from "../http/Environment.ts"
import { InTurn, Transport } from "../http/Transport.ts"
import { assumed, factsOf, fingerprint, type OperationFacts, select, Wires } from "../endpoint/Wires.ts"

export type { OperationFacts } from "../endpoint/Wires.ts"

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
   * With `bodies`, an `OtherApiError` and an `UnexpectedResponse` keep the first characters of a body that is not
   * as specified. The secrets of the process are removed from this text. By default, an error keeps only the code
   * and the messages of an answer.
   */
  readonly diagnostics?: "bodies" | undefined
  /** The headers of an answer that its error keeps, for the service's support. Default: {@link requestIdHeaders}. */
  readonly requestIdHeaders?: ReadonlyArray<string> | undefined
}

/**
 * What a program can know about the contract of some operations.
 *
 * @category models
 * @since 0.1.0
 */
export interface ContractFacts {
  /**
   * A short text that two processes with the same contract have in common. It changes with each part of the contract
   * that can change how the operations are written or read: their entries, all defaults, and the source text of code.
   * It does not see a change in something that code calls, or in a value that code captures. `assumed` if the contract
   * defines the wire of none of the operations.
   */
  readonly fingerprint: string
  /**
   * `true` if the client speaks with an emulator in its own wire: the program says that it is one
   * (`Environment.emulator`), and no contract defines the wire of any of the operations.
   */
  readonly isEmulated: boolean
}

/** What a client knows of its contract and of its writes. A call may have a contract of its own. */
const makeKnowledge = (contract: Wires, unknownWrites: UnknownWrites.UnknownWrites, isReal: boolean) => ({
  resolved: (write: UnknownWrites.Write) => Effect.sync(() => unknownWrites.forget(write)),
  factsOf: (operation: Declaration) =>
    Wires.useSync((ofCall) => {
      const facts = factsOf(select(operation, contract, ofCall)[0], operation)
      return { ...facts, isConfirmed: facts.isConfirmed || !isReal }
    }),
  contractOf: (operations: ReadonlyArray<Declaration>) =>
    Wires.useSync((ofCall) => {
      const hash = fingerprint(operations, (one) => select(one, contract, ofCall)[0])
      return { fingerprint: hash, isEmulated: !isReal && hash === assumed }
    })
})

/** What is known of an operation without a contract: it is unconfirmed, and no filter is proven. */
const unconfirmed: OperationFacts = { isConfirmed: false, proven: [], omits: [], place: identity }

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
    /** Forgets that a write's outcome is unknown, so that the client may send the write again: `Outcome.resolved`. */
    readonly resolved?: (write: Pick<OutcomeUnknown, "operation" | "fingerprint">) => Effect.Effect<void>
    /** What the contract says of an operation. Absent: the operation is unconfirmed. */
    readonly factsOf?: (operation: Declaration) => Effect.Effect<OperationFacts>
    /** The contract under which the client sends and reads some operations, such as `Transactions.send`. */
    readonly contractOf?: (operations: ReadonlyArray<Declaration>) => Effect.Effect<ContractFacts>
  }
>()("@effect-custody/core/CustodyClient") {
  /** What the client's contract says of an operation. Without such knowledge, the operation is unconfirmed. */
  static readonly factsOf = (operation: Declaration): Effect.Effect<OperationFacts, never, CustodyClient> =>
    CustodyClient.use((client) => client.factsOf?.(operation) ?? Effect.succeed(unconfirmed))

  /** Forgets that a write's outcome is unknown. A client that remembers no write does nothing. */
  static readonly resolved = (write: UnknownWrites.Write): Effect.Effect<void, never, CustodyClient> =>
    CustodyClient.use((client) => client.resolved?.(write) ?? Effect.void)

  /** The contract under which the client sends and reads some operations. */
  static readonly contractOf = (
    operations: ReadonlyArray<Declaration>
  ): Effect.Effect<ContractFacts, never, CustodyClient> =>
    CustodyClient.use(
      (client) => client.contractOf?.(operations) ?? Effect.succeed({ fingerprint: "unknown", isEmulated: false })
    )

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
        const waiting = { count: 0 }
        const unknownWrites = UnknownWrites.make()
        const budget = Limits.makeBudget()
        const listener = yield* Instrumentation.Listener
        const inTurn = yield* InTurn
        const contract = yield* Wires
        const policy = options.retry ?? (yield* RetryPolicy.RetryPolicy)
        const diagnostics = Secrets.makeDiagnostics({
          tokens,
          keepsBodies: options.diagnostics === "bodies",
          requestIdHeaders: (options.requestIdHeaders ?? requestIdHeaders).map((name) => name.toLowerCase())
        })
        const call = Instrumentation.followCalls(
          listener,
          Call.make({
            transport,
            tokens,
            inTurn,
            contract,
            policy,
            budget,
            unknownWrites,
            onUnknownOutcome: yield* onUncertain,
            diagnostics,
            waiting,
            follow: (exchange) => Instrumentation.followExchange(transport, listener, exchange)
          })
        )
        const clock = yield* Clock.Clock
        if (listener !== undefined) {
          yield* listener.showClient(() => ({
            budgetLeft: budget.left(monotonicSeconds(clock), policy.budget),
            waiters: waiting.count
          }))
        }
        const client = CustodyClient.of({
          call: <A, E>(operation: Operation<A, E>, input: unknown) =>
            // A call fails only with the errors in the type of its operation: the declared errors, and those that its
            // safety class and its provenance allow.
            // oxlint-disable-next-line effecttsgo/unsafe-effect-type-assertion -- see above.
            call(operation, input) as Effect.Effect<A, E>,
          ...makeKnowledge(contract, unknownWrites, Environment.isReal(transport.environment))
        })
        return Context.add(Context.make(CustodyClient, client), RetryPolicy.RetryPolicy, policy)
      })
    )
}
