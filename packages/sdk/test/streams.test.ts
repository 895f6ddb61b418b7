/** Each list has a stream, which keeps its filters from page to page. */
import type { CustodyClient } from "@effect-custody/core"
import {
  Assets,
  Clients,
  FiatGateway,
  Nfts,
  PaymentOrders,
  Tokens,
  Transactions,
  Vaults,
  Wallets
} from "@effect-custody/sdk"
import { assert, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { page, scriptedClient } from "../../../test/support/clients/scriptedClient.ts"

const row = { id: 1, externalId: "a", address: "0xabc", status: "PENDING", symbol: "A", decimals: 8 }

it.effect.each<readonly [url: string, rows: Stream.Stream<unknown, unknown, CustodyClient>]>([
  ["/assets?search=usdc", Assets.stream({ search: "usdc" })],
  ["/clients?limit=2", Clients.stream({ limit: 2 })],
  ["/fiat-gateway/payment-links?clientId=alice", FiatGateway.streamPaymentLinks({ clientId: "alice" })],
  ["/nfts/networks?", Nfts.streamNetworks()],
  ["/nfts/5/transfers?", Nfts.streamTransfers({ nftId: "5" })],
  ["/payment-vault-orders?status=PENDING", PaymentOrders.stream({ status: "PENDING" })],
  ["/tokens/networks?", Tokens.streamNetworks()],
  ["/transactions?status=COMPLETED", Transactions.stream({ status: "COMPLETED" })],
  ["/vaults/approvals?", Vaults.streamApprovals()],
  ["/vaults/assets?", Vaults.streamAssets()],
  ["/vaults/gas-station-categories?", Vaults.streamGasStationCategories()],
  ["/vaults/network-settings?", Vaults.streamNetworkSettings()],
  ["/vaults/networks?", Vaults.streamNetworks()],
  ["/vaults/payment-policies?", Vaults.streamPaymentPolicies()],
  ["/wallets/client-wallets?clientId=alice", Wallets.stream({ clientId: "alice" })]
])("the stream of %s keeps its filter on the second page", ([url, rows]) => {
  const { layer, sent } = scriptedClient(page([row], { hasNextPage: true }), page([{ ...row, id: 2, externalId: "b" }]))
  return Effect.gen(function* () {
    assert.strictEqual(yield* Stream.runCount(rows), 2)
    const [path, filter = ""] = url.split("?")
    assert.deepStrictEqual(
      sent.map(({ url }) => url),
      [1, 2].map((number) => [`${path}?page=${number}`, ...(filter === "" ? [] : [filter])].join("&"))
    )
  }).pipe(Effect.provide(layer))
})
