/**
 * The secrets of a session: what a request carries of them, and what nobody may say.
 *
 * 1. A request carries the headers of its scope, the access token in its header, and the one-time secret in the body of an
 *    authentication request. Each secret is sent unchanged and never printed, inside or outside a fiber: not in a log of
 *    the user's own `HttpClient`, and not in an error that holds the request.
 * 2. An error, a log line or a span repeats no secret. A text of the service is replaced as a whole if it holds 12
 *    consecutive characters of a secret: unchanged, in another letter case, or escaped for JSON or for a URL. A secret of 8
 *    to 11 characters matches only as a whole. A shorter secret is not searched for, and no other encoding is. The texts
 *    that an error repeats are also limited in length.
 *
 * @siblings `authentication` and `node` carry secrets, and `testing` and `cli` keep them out of what they show.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Headers from "effect/http/Headers"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as UrlParams from "effect/http/UrlParams"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Redactable from "effect/Redactable"
import * as Redacted from "effect/Redacted"
import { maxBody } from "../answer/Answer.ts"
import type { AccessToken, TokenService } from "../session/TokenService.ts"
import { escapeInvisible, isHeaderText } from "../values/Text.ts"

/** Replaces a text that holds a secret. */
export const redacted = "<redacted>"

// 1. What a request carries.

/** The headers that the scopes around a call add, by name in lower case. */
export const ScopeHeaders = Context.Reference<Readonly<Record<string, string>> | undefined>(
  "@effect-custody/core/ScopeHeaders",
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
    return { _id: "effect/HttpBody", _tag, body: redacted, contentType, contentLength }
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
  secrets: Secrets
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

// 2. What nobody may say.

/** The minimum length of a secret to search for. A shorter secret would match by chance. */
const minSecret = 8

/** The number of consecutive characters that make a match. */
const minRun = 12

/** A longer secret is cut to this number of characters before the search. No sendable token is longer. */
const maxSecret = 131_072

const toCharacter = (code: string): string => String.fromCharCode(Number.parseInt(code, 16))

/** Removes the escapes of JSON, also of JSON in JSON, and the letter case. */
const fold = (text: string): string =>
  text
    .replaceAll(/\\(?:u([0-9a-f]{4}))?/gi, (_, code?: string) => (code === undefined ? "" : toCharacter(code)))
    .toLowerCase()

/** Decodes the escapes of a URL for ASCII. */
const decodeUrl = (text: string): string =>
  text.replaceAll(/%([0-7][0-9a-f])/gi, (_, code: string) => toCharacter(code))

/** The secrets to search for. */
export class Secrets {
  /** Each {@link minRun} consecutive characters of a secret. */
  readonly #runs = new Set<string>()
  /** The secrets that are shorter. */
  readonly #short = new Set<string>()

  add(text: string): void {
    const secret = fold(text.trim().slice(0, maxSecret))
    if (secret.length >= minSecret && secret.length < minRun) this.#short.add(secret)
    for (let end = minRun; end <= secret.length; end++) this.#runs.add(secret.slice(end - minRun, end))
  }

  /** `true` if a text holds a part of a secret. Takes time linear in the size of the text. */
  areIn(text: string): boolean {
    return this.#areInFolded(fold(text)) || (text.includes("%") && this.#areInFolded(fold(decodeUrl(text))))
  }

  #areInFolded(text: string): boolean {
    for (const secret of this.#short) if (text.includes(secret)) return true
    for (let end = minRun; end <= text.length; end++) {
      if (this.#runs.has(text.slice(end - minRun, end))) return true
    }
    return false
  }
}

/** Returns a text unchanged, or `<redacted>` if it holds a secret. */
export type Redact = (text: string) => string

/** The maximum number and the maximum length of remembered texts without a secret. */
const maxClean = 256
const maxCleanText = 128

/** Makes a function that redacts a text if a part of one of these secrets occurs in it. */
export const makeRedact = (secrets: ReadonlyArray<string>): Redact => {
  const known = new Secrets()
  for (const secret of secrets) known.add(secret)
  // Remembers texts without a secret, because errors repeat the same names, codes and messages.
  const clean = new Set<string>()
  return (text) => {
    if (text.length < minSecret || clean.has(text)) return text
    if (known.areIn(text)) return redacted
    if (text.length <= maxCleanText && clean.size < maxClean) clean.add(text)
    return text
  }
}

/** Says which parts of an answer an error may quote. */
export interface Diagnostics {
  readonly keepsBodies: boolean
  /** The names of the headers that identify a request to the service, in lower case. */
  readonly requestIdHeaders: ReadonlyArray<string>
  readonly redact: Redact
}

/** A request as far as its body may hold a secret. */
interface Carrier {
  readonly body: { readonly _tag: string; readonly fields?: Readonly<Record<string, unknown>> }
}

/**
 * Says what the error of a request may quote: no secret of the session, not the token of the request, and without a
 * token no text of its body, because one of these texts is a one-time secret.
 */
export type DiagnosticsOf = (request: Carrier, token: AccessToken | undefined) => Effect.Effect<Diagnostics>

export const makeDiagnostics = (options: {
  readonly tokens: Pick<TokenService["Service"], "secrets">
  readonly keepsBodies: boolean
  readonly requestIdHeaders: ReadonlyArray<string>
}): DiagnosticsOf => {
  const { keepsBodies, requestIdHeaders, tokens } = options
  const without = (secrets: ReadonlyArray<Redacted.Redacted>, texts: ReadonlyArray<string> = []): Diagnostics => ({
    keepsBodies,
    requestIdHeaders,
    redact: makeRedact([...secrets.map(Redacted.value), ...texts])
  })
  /** A cache: what the last error could quote, and the secrets known then. The next error mostly has the same ones. */
  let last: { readonly held: ReadonlyArray<Redacted.Redacted>; readonly diagnostics: Diagnostics } | undefined
  return ({ body }, token) =>
    Effect.map(tokens.secrets, (ofSession) => {
      if (token === undefined) return without(ofSession, Object.values(body.fields ?? {}).filter(Predicate.isString))
      const held = [...ofSession, token.value]
      if (last?.held.length !== held.length || !held.every((secret, at) => secret === last?.held[at])) {
        last = { held, diagnostics: without(held) }
      }
      return last.diagnostics
    })
}

/** The maximum length of one text. */
const maxText = 1_024
/** The maximum total length of a value's texts. A redacted text counts with its original length. */
const maxTotal = 32_768

/** The maximum number of fields of an object or items of a list, and the maximum depth of a value. */
const maxFields = 64
const maxDepth = 32

/** Cuts a text of an answer to one line for an error, and redacts it if the remaining part holds a secret. */
export const excerpt = (redact: Redact, text: string, maxLength = maxText): string => {
  const line = escapeInvisible(redact(text.slice(0, maxLength + 1)))
  return line.length > maxLength ? `${line.slice(0, maxLength)}…` : line
}

/** Selects an answer's headers for an error, by their names in lower case, and redacts them. */
export const redactHeaders = (
  redact: Redact,
  names: ReadonlyArray<string>,
  {
    headers = {}
  }: { readonly headers?: Readonly<Record<string, string | ReadonlyArray<string> | undefined>> | undefined }
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    names.filter((name) => headers[name] !== undefined).map((name) => [name, excerpt(redact, String(headers[name]))])
  )

/** Cuts a body for an error, and redacts each line that holds a secret. */
export const redactBody = (redact: Redact, text: string): string =>
  text
    .slice(0, maxBody)
    .split(/\r?\n/)
    .map((line) => escapeInvisible(redact(line)))
    .join("\n")
    .slice(0, maxBody)

/** Sets a field. Unlike an assignment, treats `__proto__` as an ordinary name. */
const defineField = (fields: Record<string, unknown>, name: string, value: unknown): void => {
  if (name !== "__proto__") fields[name] = value
  else Object.defineProperty(fields, name, { value, enumerable: true, configurable: true, writable: true })
}

/** Prepares a part of an answer for an error: limits its texts, fields, depth and size, and redacts its texts. */
export const redactValue = (redact: Redact, value: unknown): unknown => {
  let left = maxTotal
  const redactText = (text: string): string => {
    const line = excerpt(redact, text, Math.min(maxText, left))
    left -= Math.max(line.length, Math.min(text.length, maxText))
    return line
  }
  const redactAt = (value: unknown, depth: number): unknown => {
    // Each value counts as at least one character.
    left--
    if (typeof value === "string") return redactText(value)
    if (typeof value === "number") return redactText(String(value)) === String(value) ? value : redacted
    if (!Predicate.isObjectOrArray(value)) return value
    const names = depth < maxDepth ? Object.keys(value).slice(0, maxFields) : []
    const list: Array<unknown> = []
    const fields: Record<string, unknown> = {}
    for (const name of names) {
      if (left <= 0) break
      const field = (value as Readonly<Record<string, unknown>>)[name]
      if (Array.isArray(value)) list.push(redactAt(field, depth + 1))
      else defineField(fields, redactText(name), redactAt(field, depth + 1))
    }
    return Array.isArray(value) ? list : fields
  }
  return redactAt(value, 0)
}
