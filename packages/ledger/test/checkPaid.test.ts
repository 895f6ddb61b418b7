import { Amount } from "@effect-custody/core"
import { Transaction } from "@effect-custody/transactions"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { differences } from "../src/payouts/checkPaid.ts"

describe("the transaction of a decision", () => {
  it("a difference in client, asset, amount or type is named, and what the service does not show is none", () => {
    const payout = { clientId: "alice", assetId: "usdc", amount: Amount.of("12.50") }
    const shown = (fields: Partial<typeof Transaction.Encoded>) =>
      differences(payout, Schema.decodeSync(Transaction)({ id: "t", status: "COMPLETED", ...fields }))
    assert.deepStrictEqual(shown({}), [])
    assert.deepStrictEqual(shown({ clientId: "Alice", assetId: "USDC", amount: "-12.5", to: "0xabc" }), [])
    assert.deepStrictEqual(shown({ clientId: "bob", assetId: "eth", amount: "12.51", type: "INCOMING" }), [
      "its amount is 12.51, and not 12.50",
      "its client is bob, and not alice",
      "its type is INCOMING, and not OUTGOING",
      "its asset is eth, and not usdc"
    ])
  })
})
