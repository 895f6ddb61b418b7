import { CustodyApi } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { endpoints, decodeInput, toJson } from "../src/service/endpoints.ts"

const read = (name: string, fields: Readonly<Record<string, unknown>>) => decodeInput(endpoints.get(name)!, fields)

describe("endpoints", () => {
  it("endpoints has a function for every operation of the API", () => {
    assert.deepStrictEqual(
      [...endpoints.keys()].toSorted(),
      CustodyApi.operations.map(({ operation }) => operation).toSorted()
    )
  })

  it.each([
    ["transactions.list", { clientId: "alice", limit: "5" }, { clientId: "alice", limit: 5 }],
    ["transactions.list", { limit: 5 }, { limit: 5 }],
    ["clients.createMany", { externalIds: ["a", "b"] }, { externalIds: ["a", "b"] }],
    ["fiatGateway.refund", { transactionId: "t1", amount: "12.50" }, { transactionId: "t1", amount: "12.50" }],
    ["vaults.details", {}, {}]
  ] as const)("decodeInput for %s accepts %j", (name, fields, expected) => {
    assert.deepStrictEqual(toJson(Result.getOrThrow(read(name, fields))), expected)
  })

  it.each([
    ["wallets.get", {}, "walletId"],
    ["wallets.get", { wallet: "w1" }, "wallets.get has no wallet: it takes walletId"],
    ["vaults.details", { id: "1" }, "vaults.details has no id: it takes no field"],
    ["transactions.list", { limit: "many" }, "limit"],
    ["transactions.send", { clientId: "a", assetId: "usdc", to: "0x2", amount: "-1" }, "amount"]
  ] as const)("decodeInput for %s refuses %j", (name, fields, message) => {
    assert.include(Result.getOrThrow(Result.flip(read(name, fields))), message)
  })
})
