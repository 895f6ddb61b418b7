/** The SHA-256 of an API key, which identifies it without revealing it. */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Redacted from "effect/Redacted"

export const fingerprintOf = (apiKey: Redacted.Redacted): string =>
  bytesToHex(sha256(utf8ToBytes(Redacted.value(apiKey))))
