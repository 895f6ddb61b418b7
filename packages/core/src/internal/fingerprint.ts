/** Identifies an input by a hash: equal inputs have equal fingerprints, and no input can be derived from its own. */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import type { Encoded } from "../unstable/Operation.ts"

/** Keys in one order, files by name, type and size. */
const canonical = (_: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value

/**
 * SHA-256 of an encoded input, hexadecimal. It is synchronous, unlike Web Crypto's: an error that is being made must not
 * wait, because a deadline can pass or an interruption can come meanwhile.
 */
export const fingerprint = (encoded: Encoded): string =>
  // oxlint-disable-next-line effecttsgo/prefer-schema-over-json -- it is never read again, and its keys are sorted here.
  bytesToHex(sha256(utf8ToBytes(JSON.stringify(encoded, canonical))))
