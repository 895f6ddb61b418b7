/** A name for an input that says nothing about it. */
import * as Effect from "effect/Effect"
import type { Encoded } from "./request.ts"

/** Keys in one order, files by name and size. */
const canonical = (_: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value

/** SHA-256 of an encoded input, hexadecimal. */
export const fingerprint = (encoded: Encoded): Effect.Effect<string> =>
  Effect.map(
    Effect.promise(() =>
      // oxlint-disable-next-line effecttsgo/prefer-schema-over-json -- it is never read again, and its keys are sorted here.
      globalThis.crypto.subtle.digest("SHA-256", new TextEncoder().encode(JSON.stringify(encoded, canonical)))
    ),
    (digest) => Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("")
  )
