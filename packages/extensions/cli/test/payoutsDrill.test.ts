import { assert, describe, it } from "@effect/vitest"
import { judge } from "../src/payouts/drill.ts"

const payment = (reference: string, transactionId: string) => ({ reference, transactionId })

describe("the judge of a drill", () => {
  it("a payout that the service has paid by two transactions was sent twice", () => {
    const payments = [payment("p-1", "9001"), payment("p-2", "9002"), payment("p-1", "9003")]
    assert.deepStrictEqual(judge(["p-1", "p-2"], payments, payments), { twice: 1, lost: 0 })
  })

  it("a payout is lost if the service has not paid it, or if the ledger does not know by which transaction", () => {
    const payments = [payment("p-1", "9001"), payment("p-2", "9002"), payment("p-3", "9003")]
    const known = [payment("p-1", "9001"), payment("p-2", "9000"), payment("p-4", "9004")]
    assert.deepStrictEqual(judge(["p-1", "p-2", "p-3", "p-4"], payments, known), { twice: 0, lost: 3 })
  })
})
