/** A name for an API key that does not give it away. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

/** SHA-256 of the key, hexadecimal. */
export const keyFingerprint = (apiKey: Redacted.Redacted): Effect.Effect<string> =>
  Effect.map(
    Effect.promise(() => globalThis.crypto.subtle.digest("SHA-256", new TextEncoder().encode(Redacted.value(apiKey)))),
    (digest) => Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("")
  )
