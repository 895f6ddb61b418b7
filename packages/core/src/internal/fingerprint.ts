/** A name for an input: the same for the same input, and the input cannot be read off it. */
import type { Encoded } from "../Operation.ts"
import { sha256 } from "../Sha256.ts"

/** Keys in one order, files by name, type and size. */
const canonical = (_: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value

/** SHA-256 of an encoded input, hexadecimal. */
// oxlint-disable-next-line effecttsgo/prefer-schema-over-json -- it is never read again, and its keys are sorted here.
export const fingerprint = (encoded: Encoded): string => sha256(JSON.stringify(encoded, canonical))
