/**
 * JSON whose text does not depend on the order in which the keys of its objects were set.
 *
 * @stability unstable
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"

/** Sorts the keys of an object. A file is represented by its name, type and size. */
const sortKeys = (_: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value

/**
 * Computes the SHA-256 of a value's canonical JSON, in hexadecimal. Synchronous, unlike Web Crypto, because making an
 * error must not wait: a deadline or an interruption could come meanwhile.
 */
export const hash = (value: unknown): string =>
  // oxlint-disable-next-line effecttsgo/prefer-schema-over-json -- it is never read again, and its keys are sorted here.
  bytesToHex(sha256(utf8ToBytes(JSON.stringify(value, sortKeys))))
