/** Incremental SHA-256 in any runtime. */
import { sha256 } from "@noble/hashes/sha2.js"

interface Sha256 {
  readonly update: (bytes: Uint8Array) => unknown
  readonly digest: () => Uint8Array
}

const node = globalThis.process?.getBuiltinModule?.("node:crypto")

/** Uses Node's own hash where there is one: it is fifteen times as fast. */
export const makeSha256 = (): Sha256 => node?.createHash("sha256") ?? sha256.create()
