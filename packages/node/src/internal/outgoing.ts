/** A request on its way to a connection. */
import type * as Dispatch from "@effect-custody/core/unstable/Dispatch"
import type { Readable } from "node:stream"

/**
 * The kinds of requests. A request never waits for a request of another kind. `tokens` are requests to the
 * authentication endpoints.
 */
export type Kind = "reads" | "writes" | "tokens"

export interface Outgoing extends Omit<Dispatch.Request, "body"> {
  readonly body: Uint8Array | Readable | FormData | null
}
