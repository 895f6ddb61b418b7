/**
 * Limits the texts of the service that an error repeats, and keeps secrets out of them. A text is replaced as a whole
 * if it holds 12 consecutive characters of a secret, in any letter case: unchanged, escaped for JSON, percent-encoded,
 * in hexadecimal or in base64. A secret of 8 to 11 characters matches only as a whole. A shorter secret is not searched
 * for. Other encodings are not found. The search takes time linear in the size of the text, whatever the text holds.
 */
import * as Base64 from "effect/encoding/Base64"
import * as Hex from "effect/encoding/Hex"
import * as Predicate from "effect/Predicate"
import { maxBody } from "../errors/ErrorAnswer.ts"

/** The minimum length of a secret to search for. A shorter secret would match by chance. */
const minSecret = 8

/**
 * The number of consecutive characters that make a match. A shorter secret, or a shorter encoding of a secret, matches
 * only as a whole.
 */
const minRun = 12

/**
 * The length of a window (a hashed substring), in characters. Every fifth window of a secret is indexed, so that any 12
 * consecutive characters of the secret contain an indexed window.
 */
const windowSize = 8
const stride = minRun - windowSize + 1

/**
 * The maximum number of places in the secret that one window of a text is compared with. If more places have the
 * window's hash, the text counts as a match without comparison.
 */
const maxPlaces = 16

/** A longer secret is cut to this number of characters before the search. No sendable token is longer. */
const maxSecret = 131_072

/** Replaces a text that holds a secret. */
export const redacted = "<redacted>"

/** Folds a text: converts it to lower case and to one base64 alphabet, and removes the backslashes of JSON escapes. */
const fold = (text: string): string => text.toLowerCase().replaceAll("\\", "").replaceAll("+", "-").replaceAll("/", "_")

/** Writes bytes in base64 at the three possible alignments, without the characters that also encode adjacent bytes. */
const toBase64 = (bytes: Uint8Array): ReadonlyArray<string> =>
  [0, 1, 2].map((before) => {
    const all = new Uint8Array(before + bytes.length)
    all.set(bytes, before)
    return Base64.encode(all).slice(Math.ceil((before * 8) / 6), Math.floor((all.length * 8) / 6))
  })

const spellings = (secret: string): ReadonlyArray<string> => {
  const bytes = new TextEncoder().encode(secret)
  const all = [secret, encodeURIComponent(secret), Hex.encode(bytes), ...toBase64(bytes)].map(fold)
  return [...new Set(all)].filter(({ length }) => length >= minSecret)
}

/** `true` if a window passes the test, which gets the window's hash and place. Different windows may share a hash. */
const someWindow = (text: string, test: (hash: number, at: number) => boolean): boolean => {
  let hash = 0
  for (let end = 1; end <= text.length; end++) {
    // Each step shifts the hash by 4 of its 32 bits, so the hash only depends on the last eight characters.
    hash = ((hash << 4) + text.charCodeAt(end - 1)) | 0
    if (end >= windowSize && test(hash, end - windowSize)) return true
  }
  return false
}

/** `true` if the two texts share a run of {@link minRun} characters that includes `place` and `at`. */
const isRun = (one: string, place: number, other: string, at: number): boolean => {
  let size = 0
  while (size < minRun && one.charCodeAt(place + size) === other.charCodeAt(at + size)) size++
  for (let back = 1; size < minRun && one.charCodeAt(place - back) === other.charCodeAt(at - back); back++) size++
  return size >= minRun
}

/** Returns a search for a secret in a {@link fold}ed text. */
const makeSearch = (secret: string): ((text: string) => boolean) => {
  const spelled = spellings(secret)
  const short = spelled.filter(({ length }) => length < minRun)
  const all = spelled.join("\n")
  const places = new Map<number, Array<number>>()
  someWindow(all, (hash, at) => {
    if (at % stride !== 0) return false
    const indexed = places.get(hash)
    if (indexed === undefined) places.set(hash, [at])
    else if (indexed.length <= maxPlaces) indexed.push(at)
    return false
  })
  return (text) =>
    short.some((piece) => text.includes(piece)) ||
    someWindow(text, (hash, at) => {
      const indexed = places.get(hash)
      if (indexed === undefined) return false
      return indexed.length > maxPlaces || indexed.some((place) => isRun(all, place, text, at))
    })
}

/** A secret that is prepared for searches in {@link fold}ed texts. */
export interface Compiled {
  readonly isIn: (text: string) => boolean
}

/** Prepares a secret for searches in many texts. The first search indexes its windows. */
export const compile = (text: string): Compiled => {
  const secret = text.trim().slice(0, maxSecret).toWellFormed()
  let search: ((text: string) => boolean) | undefined
  return { isIn: (text) => secret.length >= minSecret && (search ??= makeSearch(secret))(text) }
}

/** Returns a text unchanged, or `<redacted>` if it holds a secret. */
export type Redact = (text: string) => string

/** The maximum number and the maximum length of remembered texts without a secret. */
const maxClean = 256
const maxCleanText = 128

/** Makes a function that redacts a text if a part of one of these prepared secrets occurs in it. */
export const fromCompiled = (secrets: ReadonlyArray<Compiled>): Redact => {
  // Remembers texts without a secret, because errors repeat the same names, codes and messages.
  const clean = new Set<string>()
  return (text) => {
    if (text.length < minSecret || clean.has(text)) return text
    const folded = fold(text)
    if (secrets.some(({ isIn }) => isIn(folded))) return redacted
    if (text.length <= maxCleanText && clean.size < maxClean) clean.add(text)
    return text
  }
}

/** Makes a function that redacts a text if a part of one of these secrets occurs in it. */
export const make = (secrets: ReadonlyArray<string>): Redact => fromCompiled(secrets.map(compile))

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
