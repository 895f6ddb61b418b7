import { Amount, Endpoint } from "@effect-custody/core"
import { Transactions } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as Crypto from "node:crypto"

const fingerprintOf = (note: string): string =>
  Result.getOrThrow(
    Endpoint.fingerprint(Transactions.send, {
      clientId: "alice",
      assetId: "usdc",
      to: "0xabc",
      amount: Amount.of("12.50"),
      note
    })
  )

/** The text that is hashed, written out by hand: the keys in alphabetical order. */
const canonical = (note: string): string =>
  `{"body":{"_tag":"Json","fields":{"amount":"12.50","assetId":"usdc","clientId":"alice","note":${JSON.stringify(note)},"to":"0xabc"}},"params":{},"query":{}}`

describe("Endpoint.fingerprint", () => {
  it("a fingerprint is the SHA-256 of the canonical input, and agrees with Node's on notes of every length up to 300", () => {
    const notes = Array.from({ length: 300 }, (_, length) => "aé€😀"[length % 4]!.repeat(length))
    for (const note of [...notes, "x".repeat(100_000)]) {
      assert.strictEqual(fingerprintOf(note), Crypto.createHash("sha256").update(canonical(note)).digest("hex"))
    }
  })
})
