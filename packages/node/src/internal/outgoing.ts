/** A request on its way to a connection. */
import type * as Dispatch from "@effect-custody/core/unstable/Dispatch"
import { Readable } from "node:stream"

/**
 * The kinds of requests. A request never waits for a request of another kind. `tokens` are requests to the
 * authentication endpoints.
 */
export type Kind = "reads" | "writes" | "tokens"

export interface Outgoing extends Omit<Dispatch.Request, "body"> {
  readonly body: Uint8Array | Readable | FormData | null
}

/**
 * `true` for a form. Asks for `FormData` last, because Node loads a second undici (10 ms) when a program first reads
 * this global.
 */
export const isForm = (body: Outgoing["body"]): body is FormData =>
  body !== null && !(body instanceof Uint8Array) && !(body instanceof Readable) && body instanceof FormData
