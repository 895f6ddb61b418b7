import { Amount } from "@effect-custody/core"
import { Transaction } from "@effect-custody/transactions"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Comparison from "@effect-custody/transactions/Comparison"

const order = { clientId: "alice", assetId: "usdc", networkId: "polygon", to: "0xabc", amount: Amount.of("12.50") }

const compare = (fields: Partial<typeof Transaction.Encoded>): string =>
  Comparison.describe(
    Comparison.contradictions(order, Schema.decodeSync(Transaction)({ id: "t", status: "COMPLETED", ...fields }))
  )

describe("the transaction of an order", () => {
  it("what it does not show is no difference, and neither is another spelling, a sign or a fee", () => {
    assert.strictEqual(compare({}), "")
    assert.strictEqual(compare({ clientId: "Alice", assetId: "USDC", amount: "-12.5", to: "0xABC" }), "")
    assert.strictEqual(compare({ amount: "12.6", fee: "0.1" }), "")
    assert.strictEqual(compare({ status: "PENDING", amount: "0" }), "")
  })

  it("each other field is named with what was ordered and what is shown", () => {
    assert.strictEqual(
      compare({
        clientId: "bob",
        assetId: "eth",
        networkId: "ethereum",
        to: "0xdef",
        amount: "12.51",
        type: "INCOMING"
      }),
      "amount: 12.50 here, 12.51 there; recipient: 0xabc here, 0xdef there; client: alice here, bob there; " +
        "type: OUTGOING here, INCOMING there; asset: usdc here, eth there; network: polygon here, ethereum there"
    )
    assert.strictEqual(compare({ amount: "12.7", fee: "0.1" }), "amount: 12.50 here, 12.7 there")
    assert.strictEqual(compare({ amount: "0" }), "amount: 12.50 here, 0 there")
  })
})
