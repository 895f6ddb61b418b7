/** Digits in the UTF-16 units of a text in lower case. Pure. */

/** The digit of each unit; -1 for any other unit. */
const digits = Int8Array.from({ length: 0x80 }, (_, unit) => "0123456789abcdef".indexOf(String.fromCharCode(unit)))

/** The value of a hexadecimal digit, or -1. */
export const digitOf = (unit: number): number => (unit < 0x80 ? digits[unit]! : -1)

/** The number that these units write in a base, or -1 if one of them is not a digit of that base. */
export const numberIn = (base: 10 | 16, units: Uint16Array, from: number, to: number): number => {
  let value = 0
  for (let at = from; at < to; at++) {
    const digit = digitOf(units[at]!)
    if (digit < 0 || digit >= base) return -1
    value = value * base + digit
  }
  return value
}
