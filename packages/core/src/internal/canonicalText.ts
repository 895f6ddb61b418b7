/**
 * Brings a text into one canonical spelling: decodes escapes, however deeply nested, and folds letters to lower case. Pure,
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

const hexDigit = (unit: number): number => {
  if (unit >= 0x30 && unit <= 0x39) return unit - 0x30
  const lower = unit | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}

/** The value of these code units as hexadecimal digits, or -1 if one is not a digit. */
const hexNumber = (units: Uint16Array, from: number, to: number): number => {
  let value = 0
  for (let at = from; at < to; at++) {
    const digit = hexDigit(units[at]!)
    if (digit < 0) return -1
    value = value * 16 + digit
  }
  return value
}

/** The character of an entity's inside, such as `amp`, `#43` or `#x2B`, or -1. */
const entityUnit = (inside: string): number => {
  if (inside[0] !== "#") return entities.get(inside.toLowerCase())?.charCodeAt(0) ?? -1
  const isHex = inside[1] === "x" || inside[1] === "X"
  const digits = inside.slice(isHex ? 2 : 1)
  const value = (isHex ? /^[0-9a-f]+$/i : /^[0-9]+$/).test(digits) ? Number.parseInt(digits, isHex ? 16 : 10) : -1
  return value <= 0xffff ? value : -1
}

/** The UTF-16 units of a text with its escapes decoded, and where each of them stood in the original. */
export interface Canonical {
  readonly units: Uint16Array
  readonly starts: Uint32Array
  readonly ends: Uint32Array
}

/** Whether the last unit can be the end of an escape. Most cannot. */
const mayEndEscape = (units: Uint16Array, size: number): boolean =>
  units[size - 1] === semicolon ||
  (size >= 3 && units[size - 3] === percent) ||
  (size >= 5 && (units[size - 5]! | 0x20) === 0x75)

/** How an escape that ends at the last unit is spelt: how many units it takes, and the unit that it stands for. */
const escapeAt = (units: Uint16Array, size: number): { readonly length: number; readonly unit: number } | undefined => {
  const last = units[size - 1]!
  if (last === semicolon) {
    for (let length = 2; length <= longestEntity + 2 && length <= size; length++) {
      if (units[size - length] !== ampersand) continue
      const unit = entityUnit(String.fromCharCode(...units.subarray(size - length + 1, size - 1)))
      return unit < 0 ? undefined : { length, unit }
    }
    return undefined
  }
  if (hexDigit(last) < 0) return undefined
  if (size >= 3 && units[size - 3] === percent) {
    const unit = hexNumber(units, size - 2, size)
    if (unit >= 0) return { length: 3, unit }
  }
  // The backslash before it is gone by now, with all others.
  if (size >= 5 && (units[size - 5]! | 0x20) === 0x75) {
    const unit = hexNumber(units, size - 4, size)
    if (unit >= 0) return { length: 5, unit }
  }
  return undefined
}

/** How many units of a UTF-8 sequence follow its first one. */
const continuations = (first: number): number =>
  first >= 0xc2 && first <= 0xdf ? 1 : first >= 0xe0 && first <= 0xef ? 2 : 0

/** The character of a UTF-8 sequence whose bytes stand as units, or -1. */
const utf8Unit = (units: Uint16Array, at: number, more: number, size: number): number => {
  if (at + more >= size) return -1
  let value = units[at]! & (more === 1 ? 0x1f : 0x0f)
  for (let next = at + 1; next <= at + more; next++) {
    const unit = units[next]!
    if (unit < 0x80 || unit > 0xbf) return -1
    value = value * 64 + (unit & 0x3f)
  }
  return value
}

/** Letters in lower case, and base64's two alphabets as one. */
const folded = (unit: number): number => {
  if (unit >= 0x41 && unit <= 0x5a) return unit + 0x20
  if (unit === 0x2b) return 0x2d
  if (unit === 0x2f) return 0x5f
  if (unit < 0x80) return unit
  const lower = String.fromCharCode(unit).toLowerCase()
  return lower.length === 1 ? lower.charCodeAt(0) : unit
}

/**
 * Drops backslashes, decodes JSON's, URLs' and HTML's escapes until none is left, joins the bytes of a character, and
 * folds letters to lower case. The same happens to a secret, so that the two meet whatever they contain.
 */
export const canonical = (text: string): Canonical => {
  const units = new Uint16Array(text.length)
  const starts = new Uint32Array(text.length)
  const ends = new Uint32Array(text.length)
  let size = 0
  /** Where the run of backslashes before the next unit begins. */
  let before = -1
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === backslash) {
      if (before < 0) before = at
      continue
    }
    units[size] = unit
    starts[size] = before < 0 ? at : before
    ends[size] = at + 1
    size++
    before = -1
    while (mayEndEscape(units, size)) {
      const escape = escapeAt(units, size)
      if (escape === undefined) break
      size -= escape.length
      if (escape.unit === backslash) {
        before = starts[size]!
        break
      }
      units[size] = escape.unit
      ends[size] = at + 1
      size++
    }
  }
  let kept = 0
  for (let at = 0; at < size; at++) {
    const unit = units[at]!
    const start = starts[at]!
    const more = continuations(unit)
    const joined = more === 0 ? -1 : utf8Unit(units, at, more, size)
    if (joined >= 0) at += more
    units[kept] = folded(joined >= 0 ? joined : unit)
    starts[kept] = start
    ends[kept] = ends[at]!
    kept++
  }
  return { units: units.subarray(0, kept), starts, ends }
}
