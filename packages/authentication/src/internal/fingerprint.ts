/** The SHA-256 of an API key, which identifies it without revealing it. */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Redacted from "effect/Redacted"

export const fingerprintOf = (apiKey: Redacted.Redacted): string =>
  bytesToHex(sha256(utf8ToBytes(Redacted.value(apiKey))))

/** Whether the marks say that an API key was sent, or was about to be. */
export const isMarked = (marks: ReadonlyArray<string>, fingerprint: string): boolean =>
  marks.some((mark) => mark.startsWith(fingerprint))
