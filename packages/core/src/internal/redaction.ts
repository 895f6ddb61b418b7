/**
 * Keeps secrets that the service repeats in its answer out of our errors. Pure.
 *
 * Both the secrets and the text are brought into one canonical spelling, in which escapes are decoded, however often they
 * are nested. A window then slides over the text once. Time and memory are linear in both sizes, whatever they hold: no
 * expression is built from data, and nothing backtracks.
 */
import { canonical } from "./canonicalText.ts"

/** Shorter texts are not treated as secrets: they would match by chance. */
const shortest = 8

/** A run of this many characters of a secret is redacted, wherever in the secret it begins. In an answer it may be longer: backslashes do not count. */
const windowSize = 12

/** So much of a secret is known: what it takes to find one grows with it. No token that can be sent is longer. */
const longest = 131_072

/** What stands in the place of a secret. */
export const redacted = "<redacted>"

/** Base64 of bytes as it stands inside a longer encoding, after 0, 1 or 2 other bytes: without the units that others share. */
const insideBase64 = (bytes: Uint8Array): ReadonlyArray<string> =>
  [0, 1, 2].map((before) => {
    let binary = "\0".repeat(before)
    for (const byte of bytes) binary += String.fromCharCode(byte)
    const whole = Math.floor((binary.length * 8) / 6)
    return btoa(binary).slice(Math.ceil((before * 8) / 6), whole)
  })

const hexOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")

const encoder = new TextEncoder()

/** What a secret may look like in an answer, apart from escapes. */
const spellings = (secret: string): ReadonlyArray<string> => {
  const bytes = encoder.encode(secret)
  return [secret, hexOf(bytes), ...insideBase64(bytes)]
}

/** The size of the filter that rules out most windows of a text, in bits. */
const filterBits = 1 << 18

/** A hash of the window that ends at each position, made from the one before it. */
const eachWindow = (text: string, size: number, see: (end: number, hash: number) => void): void => {
  let power = 1
  for (let at = 1; at < size; at++) power = Math.imul(power, 31)
  let hash = 0
  for (let at = 0; at < text.length; at++) {
    if (at >= size) hash = (hash - Math.imul(text.charCodeAt(at - size), power)) | 0
    hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0
    if (at >= size - 1) see(at + 1, (hash ^ (hash >>> 15)) & (filterBits - 1))
  }
}

/** The windows of one size that some secrets have. */
interface Index {
  readonly size: number
  readonly filter: Uint32Array
  readonly windows: Set<string>
}

/** The windows of a secret, by size: the common one, and those of spellings that are shorter. */
const indexesOf = (secret: string): ReadonlyArray<Index> => {
  const indexes = new Map<number, Index>()
  for (const spelling of spellings(secret)) {
    const { text } = canonical(spelling)
    if (text.length < shortest) continue
    const size = Math.min(windowSize, text.length)
    const index = indexes.get(size) ?? { size, filter: new Uint32Array(filterBits / 32), windows: new Set<string>() }
    indexes.set(size, index)
    eachWindow(text, size, (end, hash) => {
      index.filter[hash >>> 5]! |= 1 << (hash & 31)
      index.windows.add(text.slice(end - size, end))
    })
  }
  return [...indexes.values()]
}

/** What a secret is found by. It is made when a text is first looked at, and kept. */
export interface Compiled {
  readonly indexes: () => ReadonlyArray<Index>
}

/** Prepares a secret, to be looked for in many texts. A text that is too short to be one is never found. */
export const compile = (given: string): Compiled => {
  const secret = given.trim().slice(0, longest)
  let indexes: ReadonlyArray<Index> | undefined
  return { indexes: () => (indexes ??= secret.length < shortest ? [] : indexesOf(secret)) }
}

const isRepeated = (marks: Uint8Array): boolean => marks.includes(1)

const cut = (text: string, marks: Uint8Array): string => {
  let rest = ""
  let from = 0
  for (let at = 0; at < text.length; at++) {
    if (marks[at] === 0) continue
    if (at === 0 || marks[at - 1] === 0) rest += text.slice(from, at) + redacted
    from = at + 1
  }
  return rest + text.slice(from)
}

/** Takes secrets out of texts. */
export type Redact = (text: string) => string

/** Takes prepared secrets out of a text: see {@link make}. */
export const by = (secrets: ReadonlyArray<Compiled>): Redact => {
  const apply = (text: string): string => {
    if (text.length < shortest) return text
    const indexes = secrets.flatMap((secret) => secret.indexes())
    if (indexes.length === 0) return text
    const { ends, starts, text: decoded } = canonical(text)
    const marks = new Uint8Array(text.length)
    for (const { filter, size, windows } of indexes) {
      let marked = 0
      eachWindow(decoded, size, (end, hash) => {
        if ((filter[hash >>> 5]! & (1 << (hash & 31))) === 0) return
        if (!windows.has(decoded.slice(end - size, end))) return
        const from = Math.max(marked, starts[end - size]!)
        marked = ends[end - 1]!
        marks.fill(1, from, marked)
      })
    }
    return isRepeated(marks) ? cut(text, marks) : text
  }
  return (text) => {
    try {
      return apply(text)
    } catch {
      return redacted
    }
  }
}

/**
 * Takes the secrets out of a text, however they are spelt in it: plain, in other letter case, escaped for JSON, a URL or
 * HTML, in hexadecimal, in base64; and any piece of 16 characters of each.
 *
 * Never throws: where it fails, nothing of the text is left.
 */
export const make = (secrets: ReadonlyArray<string>): Redact => by(secrets.map(compile))
