/**
 * What is secret in a request: the access token in its header, and the one-time secret in the body of an authentication
 * request. Both are sent as they are and never printed, wherever the request is: in a log of the user's own
 * `HttpClient`, in an error that holds the request, inside a fiber or outside.
 */
import * as Context from "effect/Context"
import * as Headers from "effect/http/Headers"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Redactable from "effect/Redactable"
import * as Redacted from "effect/Redacted"
import { isHeaderText } from "../values/Text.ts"

/** The header that carries the access token. */
export const accessTokenHeader = "x-access-token"

/** Tokens that have passed {@link isSendable}. Every call asks, so a token is checked once. */
const sendable = new WeakSet<Redacted.Redacted>()

/** Whether servers take this access token in a header: 1 to 32,768 characters, all printable, of Latin-1, or a tab. */
export const isSendable = (token: Redacted.Redacted): boolean => {
  if (sendable.has(token)) return true
  const value = Redacted.value(token)
  const isSendable = value.length <= 32_768 && isHeaderText(value)
  if (isSendable) sendable.add(token)
  return isSendable
}

/** Headers whose access token is always printed as redacted. Only the prototype says so: `fetch` reads each own property. */
const printedWithoutToken = Object.create(Object.getPrototypeOf(Headers.empty) as object, {
  [Redactable.symbolRedactable]: {
    value(this: Headers.Headers, context: Context.Context<never>) {
      return Headers.redact(this, [...Context.get(context, Headers.CurrentRedactedNames), accessTokenHeader])
    }
  }
}) as object

/** Puts the access token into its header. */
export const authorize = (
  { body, hash, headers, method, url, urlParams }: HttpClientRequest.HttpClientRequest,
  token: Redacted.Redacted
): HttpClientRequest.HttpClientRequest => {
  const all = Object.assign(Object.create(printedWithoutToken) as Headers.Headers, headers, {
    [accessTokenHeader]: Redacted.value(token)
  })
  return HttpClientRequest.makeWith(method, url, urlParams, hash, all, body)
}

const encoder = new TextEncoder()

/** A JSON body that prints its type and its size, and nothing of its content. */
class SecretBody extends HttpBody.Uint8Array {
  readonly #bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    super(undefined, "application/json", bytes.byteLength)
    this.#bytes = bytes
  }

  override get body(): Uint8Array {
    return this.#bytes
  }

  override toJSON(): unknown {
    const { _tag, contentLength, contentType } = this
    return { _id: "effect/HttpBody", _tag, body: "<redacted>", contentType, contentLength }
  }
}

/** The JSON of an authentication request. */
export const body = (fields: Readonly<Record<string, unknown>>): HttpBody.HttpBody =>
  // oxlint-disable-next-line effecttsgo/prefer-schema-over-json -- the fields are encoded by their schema.
  new SecretBody(encoder.encode(JSON.stringify(fields)))

/** Whether a body is one of {@link body}. */
export const isSecretBody = (other: HttpBody.HttpBody): boolean => other instanceof SecretBody
