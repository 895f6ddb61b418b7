/** Keys and tokens that look random and are derived from a seed and a serial number: equal runs issue equal secrets. */
import { sha512 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

/** How many characters follow the prefix. */
const length = 40

/** A secret with a prefix, by which a search finds it. */
export const seededSecret = (prefix: string, seed: number, serial: number): string => {
  const bytes = sha512(utf8ToBytes(JSON.stringify([prefix, seed, serial]))).subarray(0, length)
  return `${prefix}_${Array.from(bytes, (byte) => alphabet[byte % alphabet.length]).join("")}`
}
