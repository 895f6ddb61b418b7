/**
 * What a client knows beside its calls. `CustodyClient.layer` provides it with the client.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import type { Declaration } from "../endpoint/Declaration.ts"
import type { OperationFacts } from "../endpoint/Wires.ts"
import type { OutcomeUnknown } from "../errors/SdkError.ts"

export type { OperationFacts } from "../endpoint/Wires.ts"

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
   * `true` if the client speaks with a stand-in in its own wire: the address is on the loopback
   * (`Environment.isReal` is `false`), and no contract defines the wire of any of the operations.
   */
  readonly isEmulated: boolean
}

/**
 * What a client knows beside its calls. A client without it, such as one of your own, proves no filter and remembers no
 * write. It stands in the context beside the client, so keep the context of a client that you provide again:
 * `Effect.context<CustodyClient>()`.
 *
 * @since 0.1.0
 * @category services
 */
export interface ClientKnowledge {
  /** Forgets that a write's outcome is unknown, so that the client may send the write again: `Outcome.resolved`. */
  readonly resolved: (write: Pick<OutcomeUnknown, "operation" | "fingerprint">) => Effect.Effect<void>
  /** What the contract says of an operation. */
  readonly factsOf: (operation: Declaration) => Effect.Effect<OperationFacts>
  /** The contract under which the client sends and reads some operations, such as `Transactions.send`. */
  readonly contractOf: (operations: ReadonlyArray<Declaration>) => Effect.Effect<ContractFacts>
}
export const ClientKnowledge = Context.Reference<ClientKnowledge>("@effect-custody/core/ClientKnowledge", {
  defaultValue: () => ({
    resolved: () => Effect.void,
    factsOf: () => Effect.succeed({ isConfirmed: true, proven: [], omits: [], place: identity }),
    contractOf: () => Effect.succeed({ fingerprint: "unknown", isEmulated: false })
  })
})
