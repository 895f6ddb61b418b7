/**
 * What a request carries beside its operation's own input: the headers of its scope, the access token in its header, and
 * the one-time secret in the body of an authentication request. Each secret is sent unchanged and never printed, inside
 * or outside a fiber: not in a log of the user's own `HttpClient`, and not in an error that holds the request.
 *
 * @stability unstable
 */
import * as Context from "effect/Context"
import * as Headers from "effect/http/Headers"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as UrlParams from "effect/http/UrlParams"
import * as Option from "effect/Option"
import * as Redactable from "effect/Redactable"
import * as Redacted from "effect/Redacted"
import { isHeaderText } from "../values/Text.ts"
import type * as Redaction from "./Redaction.ts"

/** The headers that the scopes around a call add, by name in lower case. */
export const ScopeHeaders = Context.Reference<Readonly<Record<string, string>> | undefined>(
  "@effect-custody/core/RequestHeaders",
  { defaultValue: () => undefined }
)

/** The header that carries the access token. */
export const accessTokenHeader = "x-access-token"

/** Tokens that have passed {@link isSendable}. Every call checks its token, so the result is remembered. */
const sendableTokens = new WeakSet<Redacted.Redacted>()

/** `true` if servers accept the token in a header: 1 to 32,768 printable characters of Latin-1, or tabs. */
export const isSendable = (token: Redacted.Redacted): boolean => {
  if (sendableTokens.has(token)) return true
  const value = Redacted.value(token)
  const isSendable = value.length <= 32_768 && isHeaderText(value)
  if (isSendable) sendableTokens.add(token)
  return isSendable
}

/**
 * The prototype of headers that redact their access token when printed. The method is on the prototype, because `fetch`
 * would read an own property of the headers.
 */
const redactingHeaders = Object.create(Object.getPrototypeOf(Headers.empty) as object, {
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
  const all = Object.assign(Object.create(redactingHeaders) as Headers.Headers, headers, {
    [accessTokenHeader]: Redacted.value(token)
  })
  return HttpClientRequest.makeWith(method, url, urlParams, hash, all, body)
}

const encoder = new TextEncoder()

/** A body that prints its type and its size, but not its content. */
class SecretBody extends HttpBody.Uint8Array {
  readonly #bytes: Uint8Array

  constructor(bytes: Uint8Array, contentType = "application/json") {
    super(undefined, contentType, bytes.byteLength)
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

/** Makes the JSON body of an authentication request. */
export const body = (fields: Readonly<Record<string, unknown>>): HttpBody.HttpBody =>
  // oxlint-disable-next-line effecttsgo/prefer-schema-over-json -- the fields are encoded by their schema.
  new SecretBody(encoder.encode(JSON.stringify(fields)))

/** The headers that a log of Effect redacts by itself. In another header, a one-time secret would be printed. */
const redactedHeaders: ReadonlySet<string> = new Set(["authorization", "cookie", "x-api-key"])

/**
 * Keeps the one-time secrets of an authentication request out of what prints the request, whoever made it: see
 * {@link body}. Returns `undefined` if it cannot, because a secret stands in the address or in another header than those
 * that Effect redacts, or because the body is a stream or a form of files.
 */
export const conceal = (
  request: HttpClientRequest.HttpClientRequest,
  secrets: Redaction.Secrets
): HttpClientRequest.HttpClientRequest | undefined => {
  const { body, hash, headers, url, urlParams } = request
  const open = Object.entries(headers).flatMap(([name, value]) => (redactedHeaders.has(name) ? [] : [value]))
  const texts = [url, UrlParams.toString(urlParams), Option.getOrElse(hash, () => ""), ...open]
  if (texts.some((text) => secrets.areIn(text))) return undefined
  if (body._tag === "Empty" || body instanceof SecretBody) return request
  return body._tag === "Uint8Array"
    ? HttpClientRequest.setBody(request, new SecretBody(body.body, body.contentType))
    : undefined
}

/**
 * `true` for a request that carries a one-time secret: its body is kept out of what prints it, or it has one of the headers
 * that Effect redacts in place of an access token.
 */
export const isSecret = ({ body, headers }: HttpClientRequest.HttpClientRequest): boolean =>
  body instanceof SecretBody ||
  (headers[accessTokenHeader] === undefined && [...redactedHeaders].some((name) => name in headers))
