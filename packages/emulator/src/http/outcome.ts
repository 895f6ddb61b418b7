/** The outcome of an exchange as the client sees it, with and without a fault. */
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Schema from "effect/Schema"
import type { Fault } from "../model/Fault.ts"

/** A complete response of the service. */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A response that an operation made. */
export interface OwnReply extends Reply {
  /** The value that the body was written from; `undefined` if the body is empty. */
  readonly content: unknown
}

/** Writes a value as the JSON body of a response. */
export const makeReply = (status: number, content: unknown, headers: Reply["headers"] = {}): OwnReply => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: content === undefined ? "" : JSON.stringify(content),
  content
})

export const toResponse = ({ body, headers, status }: Reply): HttpServerResponse.HttpServerResponse =>
  body === ""
    ? HttpServerResponse.empty({ status, headers })
    : HttpServerResponse.text(body, { status, headers, contentType: headers["content-type"] ?? "text/plain" })

/** The outcome of an exchange. Each transport implements the outcomes in its own way. */
export type Outcome =
  | { readonly _tag: "Replied"; readonly reply: Reply }
  | { readonly _tag: "Truncated"; readonly reply: Reply; readonly bytes: number }
  | { readonly _tag: "Broken"; readonly code: string }

/** `true` for the object of a record, and `false` for an amount, a time or a number with all its digits. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype

/** Applies a JSON merge patch (RFC 7396). */
const merge = (target: unknown, patch: unknown): unknown => {
  if (!isRecord(patch)) return patch
  const result = new Map<string, unknown>(isRecord(target) ? Object.entries(target) : [])
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) result.delete(name)
    else result.set(name, merge(result.get(name), value))
  }
  return Object.fromEntries(result)
}

/** Applies a patch to the content of an answer. An empty body stays empty. */
const edit = (reply: OwnReply, patch: Schema.Json): Reply =>
  reply.content === undefined ? reply : { ...reply, body: JSON.stringify(merge(reply.content, patch)) }

/**
 * The outcome under a fault. `reply` is the service's own response, if the service acted. Returns `undefined` if the
 * client gets no response and the connection stays open.
 */
export const resolveOutcome = (
  ending: Fault["ending"] = { _tag: "Answer" },
  reply: OwnReply | undefined
): Outcome | undefined => {
  switch (ending._tag) {
    case "Silence":
      return undefined
    case "Break":
      return { _tag: "Broken", code: ending.code }
    case "Replacement":
      return { _tag: "Replied", reply: ending }
  }
  // `Answer`, `Truncation` and `Edit` need the service's own response. It is missing if the service did not act.
  if (reply === undefined) return { _tag: "Broken", code: "ECONNRESET" }
  if (ending._tag === "Truncation") return { _tag: "Truncated", reply, bytes: ending.bytes }
  return { _tag: "Replied", reply: ending._tag === "Edit" ? edit(reply, ending.patch) : reply }
}
