/**
 * Brings a text into one canonical spelling: decodes escapes, however deeply nested, and folds letter case. Pure,
 * and linear in the size of the text.
 */
import {
  afterHash,
  ampersand,
  backslash,
  type Escape,
  escapeAt,
  escapedFlag,
  inDecimal,
  letterU,
  letterX,
  mayEndEscape,
  nothing,
  numberAfter,
  numbered,
  percent,
  semicolon
} from "./escapes.ts"

/** A unit that was a byte of a character. */
const byteFlag = 1

/** A unit with a backslash before it that was an escape itself, so that it is not a part of this one. */
const afterBackslashFlag = 4

/** ASCII in small letters, and base64's two alphabets as one. */
const ascii = Uint8Array.from({ length: 0x80 }, (_, unit) => {
  if (unit >= 0x41 && unit <= 0x5a) return unit + 0x20
  if (unit === 0x2b) return 0x2d
  return unit === 0x2f ? 0x5f : unit
})

/**
 * The UTF-16 units of a text with its escapes decoded, and the position of each in the original, if that was requested.
 */
export interface Canonical {
  readonly units: Uint16Array
  readonly starts: Uint32Array
  readonly ends: Uint32Array
}

/** How many bytes of a UTF-8 sequence follow its first one. */
const continuations = (first: number): number =>
  first < 0xc2 || first > 0xf4 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3

/**
 * Decodes the UTF-8 sequence that begins at a byte and has `more` bytes after it. Returns its code point, or -1 if it is
 * not one. Only bytes that were escaped count: a letter is never part of a sequence.
 */
const joined = (units: Uint16Array, flags: Uint8Array, at: number, more: number): number => {
  if (more === 0 || (flags[at]! & byteFlag) === 0 || at + more >= units.length) return -1
  let code = units[at]! & (0x3f >> more)
  for (let next = at + 1; next <= at + more; next++) {
    const unit = units[next]!
    if (unit > 0xbf || (flags[next]! & byteFlag) === 0) return -1
    code = code * 64 + (unit & 0x3f)
  }
  return code <= 0x10_ffff ? code : -1
}

/** Zero-width characters, which break a text where nobody sees it. */
const isInvisible = (code: number): boolean =>
  code === 0xad || (code >= 0x200b && code <= 0x200d) || code === 0x2060 || code === 0xfeff

/** The full-width forms of ASCII as ASCII. */
const narrow = (code: number): number => (code >= 0xff01 && code <= 0xff5e ? ascii[code - 0xfee0]! : code)

/**
 * A character without its case. The result may be longer: the capital form of `ß` is `SS`. It is changed to lower, upper
 * and lower case again, because some characters differ in only one of the two.
 */
const folded = (code: number): string => String.fromCodePoint(narrow(code)).toLowerCase().toUpperCase().toLowerCase()

/** A cache of {@link folded} for units that become one unit; 0 where nothing is cached. */
const foldedUnits = new Uint16Array(0x1_0000)

/** The most UTF-16 units by which one unit can grow when its case is removed. */
const mostAdded = 2

/**
 * Decodes escaped UTF-8, removes the case of characters beyond ASCII, of which there are `foreign`, and drops those without
 * width.
 */
const withoutCase = (text: Canonical, flags: Uint8Array, foreign: number): Canonical => {
  const { length } = text.units
  const most = length + foreign * mostAdded
  const isLocated = text.starts.length > 0
  const units = new Uint16Array(most)
  const starts = new Uint32Array(isLocated ? most : 0)
  const ends = new Uint32Array(isLocated ? most : 0)
  let size = 0
  for (let at = 0; at < length; at++) {
    const unit = text.units[at]!
    const first = at
    const from = size
    if (unit < 0x80) units[size++] = unit
    else {
      const more = continuations(unit)
      const character = joined(text.units, flags, at, more)
      const low = text.units[at + 1] ?? 0
      const isPair = unit >= 0xd800 && unit < 0xdc00 && low >= 0xdc00 && low < 0xe000
      const code = character >= 0 ? character : isPair ? (unit - 0xd800) * 0x400 + (low - 0xdc00) + 0x1_0000 : unit
      at += character >= 0 ? more : isPair ? 1 : 0
      if (isInvisible(code)) continue
      const one = code <= 0xffff ? foldedUnits[code]! : 0
      if (one !== 0) units[size++] = one
      else {
        const all = folded(code)
        for (let step = 0; step < all.length; step++) units[size++] = all.charCodeAt(step)
        if (all.length === 1) foldedUnits[code] = all.charCodeAt(0)
      }
    }
    if (isLocated) {
      starts.fill(text.starts[first]!, from, size)
      ends.fill(text.ends[at]!, from, size)
    }
  }
  return { units: units.subarray(0, size), starts, ends }
}

/** The positions of units, if they are not requested. */
const unlocated = new Uint32Array(0)

/** A unit that is still to be appended, and where it stands in the text. */
interface Unit {
  readonly unit: number
  readonly start: number
  readonly end: number
  readonly flags: number
}

/** The units so far. Every unit that is appended may complete an escape, and is then replaced by what that stands for. */
class Decoder {
  readonly isLocated: boolean
  readonly units: Uint16Array
  readonly flags: Uint8Array
  /** How much of a number in HTML ends at each unit. */
  readonly numbers: Uint8Array
  readonly starts: Uint32Array
  readonly ends: Uint32Array
  size = 0
  /** How many units may be beyond ASCII. */
  foreign = 0
  /** Where the run of backslashes before the next unit begins. */
  before = -1
  /** Whether one of these backslashes was an escape. */
  isAfterEscape = false

  constructor(most: number, isLocated: boolean) {
    this.isLocated = isLocated
    this.units = new Uint16Array(most)
    this.flags = new Uint8Array(most)
    this.numbers = new Uint8Array(most)
    this.starts = isLocated ? new Uint32Array(most) : unlocated
    this.ends = isLocated ? new Uint32Array(most) : unlocated
  }

  /** Appends a unit as it is. */
  put(unit: number, start: number, end: number, flags: number): void {
    const at = this.size++
    if (this.isLocated) {
      this.starts[at] = start
      this.ends[at] = end
    }
    this.units[at] = unit
    this.flags[at] = flags
    const before = at === 0 ? nothing : this.numbers[at - 1]!
    this.numbers[at] = before === nothing && unit !== ampersand ? nothing : numberAfter(before, unit)
  }

  /** Whether the last unit is a digit of a number in HTML. */
  isInNumber(): boolean {
    return this.size > 0 && this.numbers[this.size - 1]! >= inDecimal
  }

  /** Whether a number in HTML ends before this unit. An escape may stand for its next digit. */
  endsNumber({ flags, unit }: Unit): boolean {
    if (!this.isInNumber() || unit === percent) return false
    const number = this.numbers[this.size - 1]!
    if ((flags & escapedFlag) !== 0 && (unit === letterU || unit === letterX)) return false
    return numberAfter(number, unit) !== number
  }

  /** Removes so many units, and gives those of the character that they stand for, last one first. */
  replaced({ code, isByte, length }: Escape, end: number): Array<Unit> {
    this.size -= length
    const start = this.isLocated ? this.starts[this.size]! : end
    if (code === backslash) {
      this.before = start
      this.isAfterEscape = true
      return []
    }
    if (code >= 0x80) this.foreign += 2
    const isEscaped = (this.flags[this.size]! & afterBackslashFlag) !== 0
    const flags = (isByte ? byteFlag : 0) + (isEscaped ? escapedFlag + afterBackslashFlag : 0)
    const halves = code <= 0xffff ? [code] : [0xdc00 + (code & 0x3ff), 0xd800 + ((code - 0x1_0000) >> 10)]
    return halves.map((unit) => ({ unit: unit < 0x80 ? ascii[unit]! : unit, start, end, flags }))
  }

  /** Removes the number in HTML at the end, and gives its character. A semicolon after it belongs to it. */
  number(end: number): Array<Unit> {
    let from = this.size
    while (this.numbers[from - 1] !== afterHash) from--
    return this.replaced(
      { length: this.size - from + 2, code: numbered(this.units, from, this.size), isByte: false },
      end
    )
  }

  lastEnd(): number {
    return this.isLocated ? this.ends[this.size - 1]! : 0
  }

  /** Decodes the escape that the last unit completes, if it does. */
  complete(end: number): void {
    const escape = escapeAt(this.units, this.flags, this.size)
    if (escape !== undefined) this.append(...this.replaced(escape, end))
  }

  /** Appends units, the last one first, and decodes what they complete, until they complete nothing. */
  append(...left: Array<Unit>): void {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      if (this.endsNumber(next)) {
        if (next.unit === semicolon) left.push(...this.number(next.end))
        else left.push(next, ...this.number(this.lastEnd()))
        continue
      }
      this.put(next.unit, next.start, next.end, next.flags)
      const escape = mayEndEscape(this.units, this.size) ? escapeAt(this.units, this.flags, this.size) : undefined
      if (escape !== undefined) left.push(...this.replaced(escape, next.end))
    }
  }

  /** The text ends, and a number at its end with it. */
  finish(): void {
    while (this.isInNumber()) this.append(...this.number(this.lastEnd()))
  }
}

/**
 * Drops backslashes, decodes JSON's, URLs', HTML's and JavaScript's escapes until none is left, joins the bytes of a
 * character, drops zero-width characters, and folds letter case. A secret is treated the same way, so that both end up
 * in the same form. The original position of each unit is recorded only on request, because this takes six times the memory.
 */
export const canonical = (text: string, isLocated = false): Canonical => {
  const decoder = new Decoder(text.length, isLocated)
  const { units } = decoder
  for (let at = 0; at < text.length; at++) {
    const given = text.charCodeAt(at)
    if (given === backslash) {
      if (decoder.before < 0) decoder.before = at
      continue
    }
    const isEscaped = decoder.before >= 0
    const start = isEscaped ? decoder.before : at
    decoder.before = -1
    if (given >= 0x80) decoder.foreign++
    const unit = given < 0x80 ? ascii[given]! : given
    const flags = isEscaped ? escapedFlag + (decoder.isAfterEscape ? afterBackslashFlag : 0) : 0
    decoder.isAfterEscape = false
    if (decoder.isInNumber()) decoder.append({ unit, start, end: at + 1, flags })
    else {
      decoder.put(unit, start, at + 1, flags)
      if (mayEndEscape(units, decoder.size)) decoder.complete(at + 1)
    }
  }
  decoder.finish()
  const { ends, flags, foreign, size, starts } = decoder
  const decoded: Canonical = { units: units.subarray(0, size), starts, ends }
  return foreign === 0 ? decoded : withoutCase(decoded, flags, foreign)
}
