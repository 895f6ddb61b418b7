/** Compares secrets, and identifies an API key by its SHA-256, which does not reveal the key. */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

/** A one-time API key, with its SHA-256. The record keeps only the SHA-256. */
export interface Key {
  readonly apiKey: Redacted.Redacted
  readonly fingerprint: string
}

export const fingerprintKey = (apiKey: Redacted.Redacted): string =>
  bytesToHex(sha256(utf8ToBytes(Redacted.value(apiKey))))

export const withFingerprint = (apiKey: Redacted.Redacted): Key => ({ apiKey, fingerprint: fingerprintKey(apiKey) })

/** Makes the mark that says that a process is about to send an API key. */
export const markKey = (fingerprint: string, owner: string): string => `${fingerprint} ${owner}`

/** `true` if a mark says that the API key was sent, or was about to be. */
export const isMarked = (marks: ReadonlyArray<string>, fingerprint: string): boolean =>
  marks.some((mark) => mark.startsWith(fingerprint))

/** `true` for a `Redacted` string. `Redacted.make(process.env.X!)` holds no string if the variable is not set. */
export const isSecret = Schema.is(Schema.Redacted(Schema.String))

export const sameSecret = (a: Redacted.Redacted | undefined, b: Redacted.Redacted | undefined): boolean =>
  a !== undefined && b !== undefined && Redacted.value(a) === Redacted.value(b)
