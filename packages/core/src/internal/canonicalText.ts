/**
 * Brings a text into one canonical spelling: decodes escapes, however deeply nested, and folds letter case. Pure,
 * and linear in the size of the text.
 */

/** HTML's names of the characters that tokens and JSON contain beside letters and digits. */
const entities = new Map(
  Object.entries({
    amp: "&",
    apos: "'",
    ast: "*",
    bsol: "\\",
    colon: ":",
    comma: ",",
    commat: "@",
    dollar: "$",
    equals: "=",
    excl: "!",
    grave: "`",
    gt: ">",
    hat: "^",
    hyphen: "-",
    lbrace: "{",
    lbrack: "[",
    lcub: "{",
    lowbar: "_",
    lpar: "(",
    lsqb: "[",
    lt: "<",
    num: "#",
    percnt: "%",
    period: ".",
    plus: "+",
    quest: "?",
    quot: '"',
    rbrace: "}",
    rbrack: "]",
    rcub: "}",
    rpar: ")",
    rsqb: "]",
    semi: ";",
    sol: "/",
    tilde: "~",
    verbar: "|",
    vert: "|"
  })
)

/** The names of U+00A0 to U+00BF, and of U+00DF to U+00FF, which are those of the capital letters too. */
const latin: ReadonlyArray<readonly [first: number, names: string]> = [
  [
    0xa0,
    "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest"
  ],
  [
    0xdf,
    "szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml"
  ]
]
for (const [first, names] of latin) {
  for (const [at, name] of names.split(" ").entries()) entities.set(name, String.fromCharCode(first + at))
}

/** The longest entity between `&` and `;`, such as `#x0000002b`. */
const longestEntity = 10

const backslash = 0x5c
const percent = 0x25
const ampersand = 0x26
const semicolon = 0x3b
const letterU = 0x75

/** ASCII in small letters, and base64's two alphabets as one. */
const ascii = Uint8Array.from({ length: 0x80 }, (_, unit) => {
  if (unit >= 0x41 && unit <= 0x5a) return unit + 0x20
  if (unit === 0x2b) return 0x2d
  return unit === 0x2f ? 0x5f : unit
})

/** The digits of hexadecimal numbers by their units, folded; -1 for any other unit. */
const hexDigits = Int8Array.from({ length: 0x80 }, (_, unit) => "0123456789abcdef".indexOf(String.fromCharCode(unit)))

const hexDigit = (unit: number): number => (unit < 0x80 ? hexDigits[unit]! : -1)

/** The value of these units as hexadecimal digits, or -1 if one is not a digit. */
const hexNumber = (units: Uint16Array, from: number, to: number): number => {
  let value = 0
  for (let at = from; at < to; at++) {
    const digit = hexDigit(units[at]!)
    if (digit < 0) return -1
    value = value * 16 + digit
  }
  return value
}

/** The character of an entity's inside, such as `amp`, `#43` or `#x2b`, or -1. */
const entityCode = (inside: string): number => {
  if (inside[0] !== "#") return entities.get(inside)?.charCodeAt(0) ?? -1
  const isHex = inside[1] === "x"
  const digits = inside.slice(isHex ? 2 : 1)
  const value = (isHex ? /^[0-9a-f]+$/ : /^[0-9]+$/).test(digits) ? Number.parseInt(digits, isHex ? 16 : 10) : -1
  return value <= 0x10_ffff ? value : -1
}

/** Whether the last unit can be the end of an escape. Most cannot. */
const mayEndEscape = (units: Uint16Array, size: number): boolean => {
  const last = units[size - 1]!
  if (last === semicolon) return true
  if (hexDigit(last) < 0) return false
  return (size >= 3 && units[size - 3] === percent) || (size >= 5 && units[size - 5] === letterU)
}

/** An escape: how many units it takes, the character that it stands for, and whether that is only a byte of one. */
interface Escape {
  readonly length: number
  readonly code: number
  readonly isByte: boolean
}

/** The escape that ends at the last unit. */
const escapeAt = (units: Uint16Array, size: number): Escape | undefined => {
  if (units[size - 1] === semicolon) {
    for (let length = 2; length <= longestEntity + 2 && length <= size; length++) {
      if (units[size - length] !== ampersand) continue
      const code = entityCode(String.fromCharCode(...units.subarray(size - length + 1, size - 1)))
      return code < 0 ? undefined : { length, code, isByte: false }
    }
    return undefined
  }
  if (size >= 3 && units[size - 3] === percent) {
    const code = hexNumber(units, size - 2, size)
    if (code >= 0) return { length: 3, code, isByte: code >= 0x80 }
  }
  // The backslash before it is gone by now, with all others.
  if (size >= 5 && units[size - 5] === letterU) {
    const code = hexNumber(units, size - 4, size)
    if (code >= 0) return { length: 5, code, isByte: false }
  }
  return undefined
}

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
 * not one. Only bytes that were percent-encoded count: a letter is never part of a sequence.
 */
const joined = (units: Uint16Array, isByte: Uint8Array, at: number, more: number): number => {
  if (more === 0 || isByte[at] === 0 || at + more >= units.length) return -1
  let code = units[at]! & (0x3f >> more)
  for (let next = at + 1; next <= at + more; next++) {
    const unit = units[next]!
    if (unit > 0xbf || isByte[next] === 0) return -1
    code = code * 64 + (unit & 0x3f)
  }
  return code <= 0x10_ffff ? code : -1
}

/**
 * A character without its case. The result may be longer: the capital form of `ß` is `SS`. It is changed to lower, upper
 * and lower case again, because some characters differ in only one of the two.
 */
const folded = (code: number): string => String.fromCodePoint(code).toLowerCase().toUpperCase().toLowerCase()

/** A cache of {@link folded} for units that become one unit; 0 where nothing is cached. */
const foldedUnits = new Uint16Array(0x1_0000)

/** The most UTF-16 units by which one unit can grow when its case is removed. */
const mostAdded = 2

/** Decodes percent-encoded UTF-8 and removes the case of characters beyond ASCII, of which there are `foreign`. */
const withoutCase = (text: Canonical, isByte: Uint8Array, foreign: number): Canonical => {
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
      const character = joined(text.units, isByte, at, more)
      const low = text.units[at + 1] ?? 0
      const isPair = unit >= 0xd800 && unit < 0xdc00 && low >= 0xdc00 && low < 0xe000
      const code = character >= 0 ? character : isPair ? (unit - 0xd800) * 0x400 + (low - 0xdc00) + 0x1_0000 : unit
      at += character >= 0 ? more : isPair ? 1 : 0
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

/**
 * Drops backslashes, decodes JSON's, URLs' and HTML's escapes until none is left, joins the bytes of a character, and
 * folds letter case. A secret is treated the same way, so that both end up in the same form. The original position of
 * each unit is recorded only on request, because this takes six times the memory.
 */
export const canonical = (text: string, isLocated = false): Canonical => {
  const units = new Uint16Array(text.length)
  const isByte = new Uint8Array(text.length)
  const starts = isLocated ? new Uint32Array(text.length) : unlocated
  const ends = isLocated ? new Uint32Array(text.length) : unlocated
  let foreign = 0
  let size = 0
  /** Where the run of backslashes before the next unit begins. */
  let before = -1
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === backslash) {
      if (before < 0) before = at
      continue
    }
    if (isLocated) {
      starts[size] = before < 0 ? at : before
      ends[size] = at + 1
    }
    before = -1
    if (unit >= 0x80) foreign++
    units[size] = unit < 0x80 ? ascii[unit]! : unit
    isByte[size++] = 0
    while (mayEndEscape(units, size)) {
      const escape = escapeAt(units, size)
      if (escape === undefined) break
      const { code } = escape
      size -= escape.length
      const start = isLocated ? starts[size]! : at
      if (code === backslash) {
        before = start
        break
      }
      if (code >= 0x80) foreign += 2
      for (const half of code <= 0xffff ? [code] : [0xd800 + ((code - 0x1_0000) >> 10), 0xdc00 + (code & 0x3ff)]) {
        if (isLocated) {
          starts[size] = start
          ends[size] = at + 1
        }
        units[size] = half < 0x80 ? ascii[half]! : half
        isByte[size++] = escape.isByte ? 1 : 0
      }
    }
  }
  const decoded: Canonical = { units: units.subarray(0, size), starts, ends }
  return foreign === 0 ? decoded : withoutCase(decoded, isByte, foreign)
}
