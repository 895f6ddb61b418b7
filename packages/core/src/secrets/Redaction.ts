/**
 * Decides what an error, a log line or a span may say. A text of the service is replaced as a whole if it holds 12
 * consecutive characters of a secret: unchanged, in another letter case, or escaped for JSON or for a URL. A secret of 8
 * to 11 characters matches only as a whole. A shorter secret is not searched for, and no other encoding is. The texts
 * that an error repeats are also limited in length.
 *
 * @stability unstable
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import { maxBody } from "../errors/ErrorAnswer.ts"
import type { AccessToken, TokenService } from "../session/TokenService.ts"

/** The minimum length of a secret to search for. A shorter secret would match by chance. */
const minSecret = 8

/** The number of consecutive characters that make a match. */
const minRun = 12

/** A longer secret is cut to this number of characters before the search. No sendable token is longer. */
const maxSecret = 131_072

/** Replaces a text that holds a secret. */
export const redacted = "<redacted>"

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
export const make = (secrets: ReadonlyArray<string>): Redact => {
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
    redact: make([...secrets.map(Redacted.value), ...texts])
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

// oxlint-disable-next-line no-control-regex -- the pattern matches control characters.
const controls = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g

// oxlint-disable-next-line no-control-regex -- the pattern matches control characters.
const controlsExceptLines = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g

/** Escapes control characters, so that no terminal obeys them and no log line ends early. */
const escapeControls = (text: string, pattern: RegExp): string =>
  text.search(pattern) === -1
    ? text
    : text.replaceAll(pattern, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** Cuts a text of an answer to one line for an error, and redacts it if the remaining part holds a secret. */
export const excerpt = (redact: Redact, text: string, maxLength = maxText): string => {
  const line = escapeControls(redact(text.slice(0, maxLength + 1)), controls)
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
  escapeControls(text.slice(0, maxBody).split("\n").map(redact).join("\n"), controlsExceptLines).slice(0, maxBody)

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
