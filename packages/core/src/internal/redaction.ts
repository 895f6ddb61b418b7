/** Drops a text in which a piece of a secret occurs. Pure. Time is linear in the size of the text, whatever it holds. */
import * as Base64 from "effect/encoding/Base64"
import * as Hex from "effect/encoding/Hex"

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

/** Drops a text in which a piece of one of these secrets occurs, in the spellings that `Redaction` lists. */
export const make = (secrets: ReadonlyArray<string>): Redact => by(secrets.map(compile))
