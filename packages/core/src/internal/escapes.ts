/** The escapes of JSON, URLs, HTML and JavaScript, in units whose letters are small. Pure. */
import { digitOf, numberIn } from "./digits.ts"
import { namedCharacter } from "./htmlNames.ts"

/** The longest name between `&` and `;`. */
const longestName = 10

/** The most digits in the braces of `\u{…}`. */
const mostInBraces = 8

export const backslash = 0x5c
export const percent = 0x25
export const ampersand = 0x26
export const semicolon = 0x3b
export const letterU = 0x75
export const letterX = 0x78
const hash = 0x23
const openingBrace = 0x7b
const closingBrace = 0x7d

/** A unit with a backslash before it. */
export const escapedFlag = 2

/** How far a number in HTML has been read: not begun, `&`, `&#`, `&#x`, or some of its digits. */
export const nothing = 0
const afterAmpersand = 1
export const afterHash = 2
const afterX = 3
export const inDecimal = 4
const inHex = 5

/** How far it has been read one unit later. */
export const numberAfter = (before: number, unit: number): number => {
  if (unit === ampersand) return afterAmpersand
  if (before === nothing) return nothing
  if (before === afterAmpersand) return unit === hash ? afterHash : nothing
  if (before === afterHash && unit === letterX) return afterX
  const digit = digitOf(unit)
  if (digit < 0) return nothing
  if (before === afterX || before === inHex) return inHex
  return digit < 10 ? inDecimal : nothing
}

/** The character of HTML's number in these units, without `&#`. One that does not exist is shown as U+FFFD. */
export const numbered = (units: Uint16Array, from: number, to: number): number => {
  const base = units[from] === letterX ? 16 : 10
  let value = 0
  for (let at = base === 16 ? from + 1 : from; at < to; at++) {
    value = Math.min(value * base + digitOf(units[at]!), 0x11_0000)
  }
  return value > 0x10_ffff ? 0xfffd : value
}

/** Whether the last unit can be the end of an escape. Most cannot. */
export const mayEndEscape = (units: Uint16Array, size: number): boolean => {
  const last = units[size - 1]!
  if (last === semicolon || last === closingBrace) return true
  if (digitOf(last) < 0) return false
  const mark = size >= 3 ? units[size - 3] : 0
  return mark === percent || mark === letterX || (size >= 5 && units[size - 5] === letterU)
}

/** An escape: how many units it takes, the character that it stands for, and whether that is only a byte of one. */
export interface Escape {
  readonly length: number
  readonly code: number
  readonly isByte: boolean
}

/** `&name;`, which ends at the last unit. */
const nameAt = (units: Uint16Array, size: number): Escape | undefined => {
  for (let length = 2; length <= longestName + 2 && length <= size; length++) {
    if (units[size - length] !== ampersand) continue
    const code = namedCharacter(String.fromCharCode(...units.subarray(size - length + 1, size - 1)))
    return code < 0 ? undefined : { length, code, isByte: false }
  }
  return undefined
}

/** `\u{…}`, which ends at the last unit. */
const bracesAt = (units: Uint16Array, size: number): Escape | undefined => {
  for (let length = 4; length <= mostInBraces + 3 && length <= size; length++) {
    const from = size - length
    if (units[from + 1] !== openingBrace) continue
    const code = units[from] === letterU ? numberIn(16, units, from + 2, size - 1) : -1
    return code < 0 || code > 0x10_ffff ? undefined : { length, code, isByte: false }
  }
  return undefined
}

/** The escape that ends at the last unit. Of the backslash before it, only a flag is left. */
export const escapeAt = (units: Uint16Array, flags: Uint8Array, size: number): Escape | undefined => {
  if (units[size - 1] === semicolon) return nameAt(units, size)
  if (units[size - 1] === closingBrace) return bracesAt(units, size)
  // Without its backslash, `x41` or `u0041` is a piece of many a token.
  const isX = size >= 3 && units[size - 3] === letterX && (flags[size - 3]! & escapedFlag) !== 0
  if (isX || (size >= 3 && units[size - 3] === percent)) {
    const code = numberIn(16, units, size - 2, size)
    if (code >= 0) return { length: 3, code, isByte: code >= 0x80 }
  }
  if (size >= 5 && units[size - 5] === letterU && (flags[size - 5]! & escapedFlag) !== 0) {
    const code = numberIn(16, units, size - 4, size)
    if (code >= 0) return { length: 5, code, isByte: false }
  }
  return undefined
}
