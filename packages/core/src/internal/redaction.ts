/**
 * Keeps secrets that the service repeats in its answer out of our errors. Pure.
 *
 * Both the secrets and the text are brought into one canonical spelling, in which escapes are decoded, however often they
 * are nested. A window then slides over the text once. Time and memory are linear in both sizes, whatever they hold: no
 * expression is built from data, and nothing backtracks.
 */
import { bytesIn } from "./bytesInText.ts"
import { canonical } from "./canonicalText.ts"

/** Shorter texts are not treated as secrets: they would match by chance. */
const shortest = 8

/** A run of this many characters of a secret is redacted, wherever in the secret it begins. In an answer it may be longer: backslashes do not count. */
const shortestRun = 12

/** How many units of each encoding such a run has at least. In base64, it shares up to two with its neighbours. */
const shortestInBase64 = 14
const shortestInHex = 2 * shortestRun

/** A secret is known by pieces of this size. */
const windowSize = 10

/**
 * Only this much of a secret is looked for, because the cost grows with its length. No token that can be sent is
 * longer.
 */
const longest = 131_072

/** What replaces a secret. */
export const redacted = "<redacted>"

const encoder = new TextEncoder()

/** A text's bytes in UTF-8 as another text, with a character for each. */
const binaryOf = (text: string): string => {
  const bytes = encoder.encode(text)
  if (bytes.length === text.length) return text
  let binary = ""
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return binary
}

const hexDigits = Uint8Array.from("0123456789abcdef", (digit) => digit.charCodeAt(0))

const inHex = (binary: string): Uint16Array => {
  const units = new Uint16Array(binary.length * 2)
  for (let at = 0; at < binary.length; at++) {
    const byte = binary.charCodeAt(at)
    units[at * 2] = hexDigits[byte >> 4]!
    units[at * 2 + 1] = hexDigits[byte & 15]!
  }
  return units
}

/**
 * Base64 of bytes as it appears inside a longer encoding, after 0, 1 or 2 other bytes: without the units that it shares
 * with its neighbours.
 */
const insideBase64 = (binary: string): ReadonlyArray<string> =>
  [0, 1, 2].map((before) => {
    const whole = Math.floor(((before + binary.length) * 8) / 6)
    return btoa("\0".repeat(before) + binary).slice(Math.ceil((before * 8) / 6), whole)
  })

const isLatin = (text: string): boolean => {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0xff) return false
  return true
}

/** A secret as it may be spelt, in canonical units, and how many of them a run has at least that is redacted. */
interface Spelling {
  readonly units: Uint16Array
  readonly shortest: number
}

/**
 * What a secret may look like in an answer, apart from escapes and letter case. A character beyond ASCII has different
 * bytes in UTF-8 and, as in a header, in Latin-1; and a reader that takes one for the other shows other letters.
 */
const spellings = (secret: string): ReadonlyArray<Spelling> => {
  const utf8 = binaryOf(secret)
  const plain = utf8 === secret ? [secret] : [secret, utf8]
  const binaries = utf8 !== secret && isLatin(secret) ? [utf8, secret] : [utf8]
  return [
    ...plain.map((text) => ({ units: canonical(text).units, shortest: shortestRun })),
    ...binaries.flatMap(insideBase64).map((text) => ({ units: canonical(text).units, shortest: shortestInBase64 })),
    ...binaries.map((binary) => ({ units: inHex(binary), shortest: shortestInHex }))
  ]
}

/** A hash of the window that ends at each position of a text, made from the one before it. */
const hashes = (units: Uint16Array, size: number): Int32Array => {
  const all = new Int32Array(units.length + 1)
  let power = 1
  for (let at = 1; at < size; at++) power = Math.imul(power, 31)
  let hash = 0
  for (let at = 0; at < units.length; at++) {
    if (at >= size) hash = (hash - Math.imul(units[at - size]!, power)) | 0
    hash = (Math.imul(hash, 31) + units[at]!) | 0
    all[at + 1] = Math.imul(hash ^ (hash >>> 15), 0x9e3779b1)
  }
  return all
}

const isSame = (one: Uint16Array, from: number, other: Uint16Array, at: number, size: number): boolean => {
  for (let step = 0; step < size; step++) if (one[from + step] !== other[at + step]) return false
  return true
}

/**
 * The longest probe sequence of the hash table. If a secret is crafted to need more, everything that hashes to that
 * place counts as a match.
 */
const mostProbes = 64

/** The distance between windows, such that each run of the shortest length contains a whole one. */
const strideOf = (shortest: number, size: number): number => Math.max(1, shortest - size + 1)

/** A match whose position in the secret is not known. */
const somewhere = -1

/** The windows of one size that a secret has: a hash table of the places where they end in its spellings. */
class Windows {
  readonly size: number
  readonly #units: Uint16Array
  readonly #slots: Int32Array
  readonly #shift: number
  /** The greatest distance from the end of a run's first window back to the beginning of the run. */
  readonly #furthest: number
  #isFull = false

  constructor(size: number, spellings: ReadonlyArray<Spelling>) {
    this.size = size
    this.#units = new Uint16Array(spellings.reduce((sum, { units }) => sum + units.length, 0))
    const strides = spellings.map(({ shortest }) => strideOf(shortest, size))
    const count = spellings.reduce((sum, { units }, at) => sum + units.length / strides[at]!, 0)
    // Between a quarter and a half of the slots are taken.
    const bits = Math.max(4, 33 - Math.clz32(count))
    this.#slots = new Int32Array(2 ** bits)
    this.#shift = 32 - bits
    this.#furthest = size + Math.max(...strides) - 1
    let before = 0
    for (const [at, { units }] of spellings.entries()) {
      this.#units.set(units, before)
      const all = hashes(units, size)
      const { length } = units
      for (let end = size; end < length; end += strides[at]!) this.#add(before + end, all[end]!)
      this.#add(before + length, all[length]!)
      before += length
    }
  }

  /** The slot of the window that ends there in a text, or the empty one where it would be; -1 where there is none. */
  #slotOf(units: Uint16Array, end: number, hash: number): number {
    const { size } = this
    const last = this.#slots.length - 1
    let slot = hash >>> this.#shift
    for (let probe = 0; probe < mostProbes; probe++) {
      const known = this.#slots[slot]!
      if (known === 0 || isSame(this.#units, known - size, units, end - size, size)) return slot
      slot = (slot + 1) & last
    }
    return -1
  }

  #add(end: number, hash: number): void {
    const slot = this.#slotOf(this.#units, end, hash)
    if (slot === -1) this.#isFull = true
    else if (this.#slots[slot] === 0) this.#slots[slot] = end
  }

  /**
   * Reports which parts of a text come from the secret: each matching window, extended as far as text and secret agree.
   */
  eachMatch(units: Uint16Array, all: Int32Array, see: (from: number, to: number) => void): void {
    const known = this.#units
    const slots = this.#slots
    const shift = this.#shift
    for (let end = this.size; end <= units.length; end++) {
      const hash = all[end]!
      // Most windows of a text hash to an empty slot.
      if (slots[hash >>> shift] === 0) continue
      const slot = this.#slotOf(units, end, hash)
      const place = slot === -1 ? (this.#isFull ? somewhere : 0) : slots[slot]!
      if (place === 0) continue
      let from = end - this.size
      let to = end
      if (place !== somewhere) {
        for (
          let at = place - this.size;
          at > 0 && from > 0 && end - from < this.#furthest && known[at - 1] === units[from - 1];
          at--
        )
          from--
        for (let at = place; at < known.length && to < units.length && known[at] === units[to]; at++) to++
      }
      see(from, to)
      // The extension is part of the secret as well, and its last windows find what follows.
      end = Math.max(end, to - this.size)
    }
  }
}

/** The windows of a secret, by size: the common one, and those of spellings that are shorter than the shortest run. */
const windowsOf = (secret: string): ReadonlyArray<Windows> => {
  const bySize = new Map<number, Array<Spelling>>()
  for (const spelling of spellings(secret)) {
    const { length } = spelling.units
    if (length < shortest) continue
    const size = length < shortestRun ? length : windowSize
    bySize.set(size, [...(bySize.get(size) ?? []), spelling])
  }
  return [...bySize].map(([size, all]) => new Windows(size, all))
}

/** A secret, prepared for searching. Its windows are computed when the first text is searched, and kept. */
export interface Compiled {
  readonly windows: () => ReadonlyArray<Windows>
}

/** Prepares a secret, to be looked for in many texts. A text that is too short to be one is never found. */
export const compile = (given: string): Compiled => {
  const secret = given.trim().slice(0, longest)
  let windows: ReadonlyArray<Windows> | undefined
  return { windows: () => (windows ??= secret.length < shortest ? [] : windowsOf(secret)) }
}

/** Which units of a text come from a secret. */
const matchesIn = (known: ReadonlyArray<Windows>, units: Uint16Array): Array<readonly [from: number, to: number]> => {
  const bySize = new Map<number, Int32Array>()
  const found: Array<readonly [from: number, to: number]> = []
  for (const windows of known) {
    const { size } = windows
    const all = bySize.get(size) ?? hashes(units, size)
    bySize.set(size, all)
    windows.eachMatch(units, all, (from, to) => found.push([from, to]))
  }
  return found
}

/** Which characters of a text belong to these pieces of its canonical spelling. */
const marksOf = (text: string, found: ReadonlyArray<readonly [from: number, to: number]>): Uint8Array => {
  const { ends, starts } = canonical(text, true)
  const marks = new Uint8Array(text.length)
  for (const [from, to] of found) marks.fill(1, starts[from]!, ends[to - 1]!)
  return marks
}

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
  let known: ReadonlyArray<Windows> | undefined
  const apply = (text: string): string => {
    if (text.length < shortest) return text
    known ??= secrets.flatMap((secret) => secret.windows())
    if (known.length === 0) return text
    const { units } = canonical(text)
    const found = matchesIn(known, units)
    for (const bytes of bytesIn(units)) {
      for (const [from, to] of matchesIn(known, bytes.units)) found.push([bytes.starts[from]!, bytes.ends[to - 1]!])
    }
    // Most texts contain no secret, so the positions of their units are not needed.
    return found.length === 0 ? text : cut(text, marksOf(text, found))
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
 * Takes the secrets out of a text, in the spellings that `Redaction` lists.
 *
 * Never throws: if it fails, the whole text is redacted.
 */
export const make = (secrets: ReadonlyArray<string>): Redact => by(secrets.map(compile))
