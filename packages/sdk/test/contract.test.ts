import { assert, describe, it } from "@effect/vitest"
import * as Operation from "@effect-custody/core/Operation"
import * as Sdk from "@effect-custody/sdk"

/** All, written by hand: name, method, path, provenance, safety class. */
const table = [
  ["authentication.generateTokens", "POST", "/auth/generate-tokens", "specified", "session"],
  ["authentication.refreshToken", "POST", "/auth/refresh-token", "specified", "session"],
  ["clients.create", "POST", "/clients/create", "assumed", "keyed"],
  ["clients.createMany", "POST", "/clients/create-many", "assumed", "keyed"],
  ["clients.list", "GET", "/clients", "assumed", "read"],
  ["clients.get", "GET", "/clients/:externalId", "assumed", "read"],
  ["wallets.list", "GET", "/wallets/client-wallets", "assumed", "read"],
  ["wallets.get", "GET", "/wallets/:walletId", "assumed", "read"],
  ["wallets.balance", "GET", "/wallets/:walletId/balance", "assumed", "read"],
  ["wallets.transactionCount", "GET", "/wallets/:walletId/transaction-count", "assumed", "read"],
  ["vaults.details", "GET", "/vaults/details", "specified", "read"],
  ["vaults.configuration", "GET", "/vaults/configuration", "assumed", "read"],
  ["vaults.assets", "GET", "/vaults/assets", "assumed", "read"],
  ["vaults.networks", "GET", "/vaults/networks", "assumed", "read"],
  ["vaults.networkSettings", "GET", "/vaults/network-settings", "assumed", "read"],
  ["vaults.approvals", "GET", "/vaults/approvals", "assumed", "read"],
  ["vaults.approval", "GET", "/vaults/approvals/:approvalId", "assumed", "read"],
  ["vaults.paymentPolicies", "GET", "/vaults/payment-policies", "assumed", "read"],
  ["vaults.gasStationCategories", "GET", "/vaults/gas-station-categories", "assumed", "read"],
  ["transactions.send", "POST", "/transactions/send", "assumed", "write"],
  ["transactions.transfer", "POST", "/transactions/transfer", "assumed", "write"],
  ["transactions.list", "GET", "/transactions", "assumed", "read"],
  ["transactions.get", "GET", "/transactions/:transactionId", "assumed", "read"],
  ["transactions.status", "GET", "/transactions/:transactionId/status", "assumed", "read"],
  ["assets.list", "GET", "/assets", "assumed", "read"],
  ["assets.prices", "GET", "/assets/prices", "assumed", "read"],
  ["tokens.get", "GET", "/tokens/:tokenId", "assumed", "read"],
  ["tokens.networks", "GET", "/tokens/networks", "assumed", "read"],
  ["tokens.create", "POST", "/tokens/create", "assumed", "write"],
  ["tokens.mint", "POST", "/tokens/:tokenId/mint", "assumed", "write"],
  ["tokens.burn", "POST", "/tokens/:tokenId/burn", "assumed", "write"],
  ["tokens.metadata", "GET", "/tokens/:tokenId/metadata", "assumed", "read"],
  ["tokens.updateMetadata", "PUT", "/tokens/:tokenId/metadata", "assumed", "write"],
  ["nfts.get", "GET", "/nfts/:nftId", "assumed", "read"],
  ["nfts.networks", "GET", "/nfts/networks", "assumed", "read"],
  ["nfts.create", "POST", "/nfts/create", "assumed", "write"],
  ["nfts.transfer", "POST", "/nfts/:nftId/transfer", "assumed", "write"],
  ["nfts.transfers", "GET", "/nfts/:nftId/transfers", "assumed", "read"],
  ["paymentOrders.create", "POST", "/payment-vault-orders", "assumed", "write"],
  ["paymentOrders.selectAsset", "POST", "/payment-vault-orders/:orderId/asset", "assumed", "write"],
  ["paymentOrders.get", "GET", "/payment-vault-orders/:orderId", "assumed", "read"],
  ["paymentOrders.list", "GET", "/payment-vault-orders", "assumed", "read"],
  ["paymentOrders.cancel", "POST", "/payment-vault-orders/:orderId/cancel", "assumed", "write"],
  ["fiatGateway.createPaymentLink", "POST", "/fiat-gateway/payment-links", "assumed", "write"],
  ["fiatGateway.getPaymentLink", "GET", "/fiat-gateway/payment-links/:linkId", "assumed", "read"],
  ["fiatGateway.listPaymentLinks", "GET", "/fiat-gateway/payment-links", "assumed", "read"],
  ["fiatGateway.refund", "POST", "/fiat-gateway/transactions/:transactionId/refund", "assumed", "write"]
]

const { CustodyApi, Authentication, Clients, Wallets, Vaults, Transactions } = Sdk
const { Assets, Tokens, Nfts, PaymentOrders, FiatGateway } = Sdk

/** The namespaces of the SDK, in the order of the table. */
const namespaces: ReadonlyArray<Readonly<Record<string, unknown>>> = [
  Authentication,
  Clients,
  Wallets,
  Vaults,
  Transactions,
  Assets,
  Tokens,
  Nfts,
  PaymentOrders,
  FiatGateway
]

interface AnyEndpoint extends Operation.Any {}

const isEndpoint = (u: unknown): u is AnyEndpoint => typeof u === "function" && Operation.TypeId in u

const byName = (a: ReadonlyArray<unknown>, b: ReadonlyArray<unknown>) => (String(a[0]) < String(b[0]) ? -1 : 1)

describe("the operations", () => {
  it("the operations have the methods, paths, provenance and safety classes of the table", () => {
    const rows = CustodyApi.operations.map(({ operation, provenance, route, safety }) => [
      operation,
      route.method,
      route.path,
      provenance,
      safety
    ])
    assert.deepStrictEqual(rows, table)
  })

  it("each operation is a function of its namespace, with the name, provenance and safety class of the table", () => {
    const rows = namespaces.flatMap((namespace) =>
      Object.entries(namespace).flatMap(([name, endpoint]) => {
        if (!isEndpoint(endpoint)) return []
        assert.isTrue(endpoint.operation.endsWith(`.${name}`), name)
        const { method, path } = endpoint.route
        return [[endpoint.operation, method, path, endpoint.provenance, endpoint.safety]]
      })
    )
    assert.deepStrictEqual(rows.toSorted(byName), table.toSorted(byName))
  })

  it("exactly the operations that read are GETs", () => {
    for (const { operation, route, safety } of CustodyApi.operations) {
      assert.strictEqual(route.method === "GET", safety === "read", operation)
    }
  })

  it("each operation that changes something names the operation that would show the change, if there is one", () => {
    const lookUps = namespaces
      .flatMap((namespace) => Object.values(namespace).filter(isEndpoint))
      .flatMap(({ lookUp, operation, safety }) =>
        safety === "write" || safety === "keyed" ? [[operation, lookUp?.().operation]] : []
      )
    assert.deepStrictEqual(lookUps.toSorted(byName), [
      ["clients.create", "clients.get"],
      ["clients.createMany", "clients.list"],
      ["fiatGateway.createPaymentLink", "fiatGateway.listPaymentLinks"],
      ["fiatGateway.refund", "transactions.get"],
      ["nfts.create", undefined],
      ["nfts.transfer", "nfts.transfers"],
      ["paymentOrders.cancel", "paymentOrders.get"],
      ["paymentOrders.create", "paymentOrders.list"],
      ["paymentOrders.selectAsset", "paymentOrders.get"],
      ["tokens.burn", "tokens.get"],
      ["tokens.create", "vaults.assets"],
      ["tokens.mint", "tokens.get"],
      ["tokens.updateMetadata", "tokens.metadata"],
      ["transactions.send", "transactions.list"],
      ["transactions.transfer", "transactions.list"]
    ])
  })
})
