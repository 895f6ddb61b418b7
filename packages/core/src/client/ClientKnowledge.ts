/**
 * What a client knows beside its calls. `CustodyClient.layer` provides it with the client.
 *
 * @since 0.3.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Declaration } from "../endpoint/Declaration.ts"
import type { OutcomeUnknown } from "../errors/SdkError.ts"

/**
 * What a client knows beside its calls. A client without it, such as one of your own, proves no filter and remembers no
 * write. It stands in the context beside the client, so keep the context of a client that you provide again:
 * `Effect.context<CustodyClient>()`.
 *
 * @since 0.3.0
 * @category services
 */
export interface ClientKnowledge {
  /** Forgets that a write's outcome is unknown, so that the client may send the write again: `Outcome.resolved`. */
  readonly resolved: (write: Pick<OutcomeUnknown, "operation" | "fingerprint">) => Effect.Effect<void>
  /** The filters of a list that work, according to the `ServiceContract`. */
  readonly provenFilters: (list: Declaration) => Effect.Effect<ReadonlyArray<string>>
}
export const ClientKnowledge = Context.Reference<ClientKnowledge>("@effect-custody/core/ClientKnowledge", {
  defaultValue: () => ({ resolved: () => Effect.void, provenFilters: () => Effect.succeed([]) })
})
