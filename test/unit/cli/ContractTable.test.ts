import { CustodyApi } from "@effect-custody/sdk"
import { counts, miscounted, table } from "@effect-custody/cli/ContractTable"
import { assert, describe, it } from "@effect/vitest"

describe("the contract table", () => {
  it("has the specification's counts: 2, 4, 4, 9, 5, 2, 7, 5, 5, 4", () => {
    assert.deepStrictEqual(Object.values(counts), [2, 4, 4, 9, 5, 2, 7, 5, 5, 4])
    assert.deepStrictEqual(miscounted(CustodyApi.operations), [])
  })

  it("objects to an operation too few, and to a category that the specification does not have", () => {
    const { operations } = CustodyApi
    assert.deepStrictEqual(miscounted(operations.slice(1)), ["authentication: 1 found, but the specification counts 2"])
    assert.deepStrictEqual(miscounted([...operations, { ...operations[0]!, category: "reports" }]), [
      "reports: 1 found, but the specification counts 0"
    ])
  })

  it("is of the wire as it is confirmed, and leaves what is specified so unless it differs", () => {
    const line = (name: string, operations: NonNullable<Parameters<typeof table>[0]["operations"]>) =>
      table({ operations })
        .find((text) => text.startsWith(`${name} `))!
        .split(/ {2,}/)
        .slice(1)
    assert.deepStrictEqual(line("wallets.get", {}), ["GET", "/wallets/:walletId", "assumed"])
    assert.deepStrictEqual(line("wallets.get", { "wallets.get": {} }), ["GET", "/wallets/:walletId", "confirmed"])
    assert.deepStrictEqual(line("vaults.details", { "vaults.details": true }), ["GET", "/vaults/details", "specified"])
    assert.deepStrictEqual(
      line("vaults.details", { "vaults.details": { payload: "vault", response: { id: "vault_id" } } }),
      ["GET", "/vaults/details", "confirmed with differences", "payload in vault, id ← vault_id"]
    )
    assert.deepStrictEqual(line("tokens.mint", { "tokens.mint": { method: "PUT", path: "/m/:tokenId" } }), [
      "PUT",
      "/m/:tokenId",
      "confirmed with differences"
    ])
  })
})
