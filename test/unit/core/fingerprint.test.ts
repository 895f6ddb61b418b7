import { assert, describe, it } from "@effect/vitest"
import * as Crypto from "node:crypto"
import { sha256 } from "../../../packages/core/src/Sha256.ts"

describe("SHA-256", () => {
  it("agrees with another implementation on texts of every length up to 300, and on a long one", () => {
    const texts = [
      ...Array.from({ length: 300 }, (_, length) => "aé€😀"[length % 4]!.repeat(length)),
      "x".repeat(100_000)
    ]
    for (const text of texts) {
      assert.strictEqual(sha256(text), Crypto.createHash("sha256").update(text.toWellFormed()).digest("hex"))
    }
  })
})
