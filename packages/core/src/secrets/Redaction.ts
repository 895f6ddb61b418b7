/**
 * Bounds what an error repeats from the service: one line, and no secret. A text is dropped as a whole if it holds 12
 * characters of a secret, one after the other: as they are, in any letter case, escaped for JSON,
 * percent-encoded, in hexadecimal or in base64. A secret of 8 to 11 characters is looked for whole; a shorter one is not
 * looked for. Other spellings are not found. Time is linear in the size of the text, whatever it holds.
 */
import * as Base64 from "effect/encoding/Base64"
import * as Hex from "effect/encoding/Hex"
import * as Predicate from "effect/Predicate"
import { bodyLimit } from "../errors/ErrorAnswer.ts"

/** Shorter texts are not treated as secrets: they would match by chance. */
const shortest = 8

/** So many characters of a secret, one after the other, are found. A spelling that is shorter is found whole. */
const run = 12

/** Windows of a secret are indexed, at every fifth character: each run has a whole one. */
const windowSize = 8
const stride = run - windowSize + 1

/** The most places of one window that are compared. A text with a window that has more is dropped. */
const mostPlaces = 16

/** Only this much of a secret is looked for. No token that can be sent is longer. */
const longest = 131_072

/** What replaces a text with a secret. */
export const redacted = "<redacted>"

/** A text in small letters, in one alphabet of base64, and without backslashes, however often JSON has escaped it. */
const plain = (text: string): string =>
  text.toLowerCase().replaceAll("\\", "").replaceAll("+", "-").replaceAll("/", "_")

/** Base64 of bytes that stand after 0, 1 or 2 others, without the characters that they share with what is beside them. */
const inBase64 = (bytes: Uint8Array): ReadonlyArray<string> =>
  [0, 1, 2].map((before) => {
    const all = new Uint8Array(before + bytes.length)
    all.set(bytes, before)
    return Base64.encode(all).slice(Math.ceil((before * 8) / 6), Math.floor((all.length * 8) / 6))
  })

const spellings = (secret: string): ReadonlyArray<string> => {
  const bytes = new TextEncoder().encode(secret)
  const all = [secret, encodeURIComponent(secret), Hex.encode(bytes), ...inBase64(bytes)].map(plain)
  return [...new Set(all)].filter(({ length }) => length >= shortest)
}

/** Whether `see` says so of a window: of its hash, and where it begins. Windows that differ may share a hash. */
const someWindow = (text: string, see: (hash: number, at: number) => boolean): boolean => {
  let hash = 0
  for (let end = 1; end <= text.length; end++) {
    // Eight steps later, nothing of a character is left in the 32 bits.
    hash = ((hash << 4) + text.charCodeAt(end - 1)) | 0
    if (end >= windowSize && see(hash, end - windowSize)) return true
  }
  return false
}

/** Whether a run is the same in two texts, around these places. */
const isRun = (one: string, place: number, other: string, at: number): boolean => {
  let size = 0
  while (size < run && one.charCodeAt(place + size) === other.charCodeAt(at + size)) size++
  for (let back = 1; size < run && one.charCodeAt(place - back) === other.charCodeAt(at - back); back++) size++
  return size >= run
}

/** Looks for a secret in a text that is {@link plain}. */
const finder = (secret: string): ((text: string) => boolean) => {
  const spelt = spellings(secret)
  const short = spelt.filter(({ length }) => length < run)
  const all = spelt.join("\n")
  const places = new Map<number, Array<number>>()
  someWindow(all, (hash, at) => {
    if (at % stride !== 0) return false
    const known = places.get(hash)
    if (known === undefined) places.set(hash, [at])
    else if (known.length <= mostPlaces) known.push(at)
    return false
  })
  return (text) =>
    short.some((piece) => text.includes(piece)) ||
    someWindow(text, (hash, at) => {
      const known = places.get(hash)
      if (known === undefined) return false
      return known.length > mostPlaces || known.some((place) => isRun(all, place, text, at))
    })
}

/** A secret, prepared for searching in a text that is {@link plain}. */
export interface Compiled {
  readonly isIn: (text: string) => boolean
}

/** Prepares a secret, to be looked for in many texts. Its windows are indexed when the first text is searched. */
export const compile = (given: string): Compiled => {
  const secret = given.trim().slice(0, longest).toWellFormed()
  let find: ((text: string) => boolean) | undefined
  return { isIn: (text) => secret.length >= shortest && (find ??= finder(secret))(text) }
}

/** Drops a text that holds a secret: gives `<redacted>` in its place. */
export type Redact = (text: string) => string

/** Looks for prepared secrets in a text: see {@link make}. */
export const by =
  (secrets: ReadonlyArray<Compiled>): Redact =>
  (text) => {
    if (text.length < shortest) return text
    const shown = plain(text)
    return secrets.some(({ isIn }) => isIn(shown)) ? redacted : text
  }

/** Drops a text in which a piece of one of these secrets occurs. */
export const make = (secrets: ReadonlyArray<string>): Redact => by(secrets.map(compile))

/** In characters: one text, and all texts of a value. What is searched counts, even if it is dropped. */
const maxText = 1_024
const maxTotal = 32_768

/** Fields of an object, or items of a list. */
const maxFields = 64
const maxDepth = 32

// oxlint-disable-next-line no-control-regex -- these are the ones that are looked for.
const controls = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g

// oxlint-disable-next-line no-control-regex -- these are the ones that are looked for.
const exceptLines = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g

/** Control characters in visible form, so that no terminal obeys them and no log line ends early. */
const visible = (text: string, which: RegExp): string =>
  text.search(which) === -1
    ? text
    : text.replaceAll(which, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** A text of an answer as an error may repeat it: bounded, on one line, and dropped if what is left holds a secret. */
export const excerpt = (redact: Redact, text: string, longest = maxText): string => {
  const shown = visible(redact(text.slice(0, longest + 1)), controls)
  return shown.length > longest ? `${shown.slice(0, longest)}…` : shown
}

/** The headers of an answer with one of these names, in lower case, as an error may repeat them. */
export const headersIn = (
  redact: Redact,
  names: ReadonlyArray<string>,
  {
    headers = {}
  }: { readonly headers?: Readonly<Record<string, string | ReadonlyArray<string> | undefined>> | undefined }
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    names.filter((name) => headers[name] !== undefined).map((name) => [name, excerpt(redact, String(headers[name]))])
  )

/** The beginning of a body as an error may repeat it: each line that holds a secret is dropped. */
export const bodyIn = (redact: Redact, text: string): string =>
  visible(text.slice(0, bodyLimit).split("\n").map(redact).join("\n"), exceptLines).slice(0, bodyLimit)

/** A value of an answer as an error may repeat it: bounded in size, number and depth, and as a whole. */
export const valueIn = (redact: Redact, value: unknown): unknown => {
  let left = maxTotal
  const textOf = (text: string): string => {
    const shown = excerpt(redact, text, Math.min(maxText, left))
    left -= Math.max(shown.length, Math.min(text.length, maxText))
    return shown
  }
  const inside = (value: unknown, depth: number): unknown => {
    // Each value counts, however short it is.
    left--
    if (typeof value === "string") return textOf(value)
    if (typeof value === "number") return textOf(String(value)) === String(value) ? value : redacted
    if (!Predicate.isObjectOrArray(value)) return value
    const entries = depth < maxDepth ? Object.entries(value).slice(0, maxFields) : []
    if (Array.isArray(value)) return entries.flatMap(([, item]) => (left > 0 ? [inside(item, depth + 1)] : []))
    return Object.fromEntries(
      entries.flatMap(([name, field]) => (left > 0 ? [[textOf(name), inside(field, depth + 1)]] : []))
    )
  }
  return inside(value, 0)
}
