import { assert, describe, it } from "@effect/vitest"
import { Amount } from "@effect-custody/core"
import { Wallets } from "@effect-custody/wallets"
import { Effect, Stream } from "effect"
import { page, scriptedClient, tagOf } from "../../support/clients/scriptedClient.ts"

describe("Wallets", () => {
  it.effect("list filters by client, asset and network", () => {
    const { layer, sent } = scriptedClient(
      page([
        {
          id: 1,
          address: "0xabc",
          balance: 0.9,
          pendingBalance: "0",
          transactionCount: "0",
          asset: { id: 5, symbol: "USDC", network: { id: 3, name: "Ethereum", type: "PUBLIC" } },
          client: { external_id: "alice" }
        }
      ])
    )
    return Effect.gen(function* () {
      const { items } = yield* Wallets.list({ clientId: "alice", assetId: "usdc", networkId: "ethereum" })
      const [wallet] = items
      assert.strictEqual(String(wallet?.id), "1")
      assert.strictEqual(Amount.format(wallet!.balance!), "0.9")
      assert.strictEqual(Amount.format(wallet!.pendingBalance!), "0")
      assert.strictEqual(wallet?.transactionCount, 0)
      assert.strictEqual(String(wallet?.asset?.network?.id), "3")
      assert.deepStrictEqual(wallet?.extra["client"], { external_id: "alice" })
      assert.deepStrictEqual(sent, [
        {
          method: "GET",
          url: "/wallets/client-wallets?clientId=alice&assetId=usdc&networkId=ethereum",
          body: undefined
        }
      ])
    }).pipe(Effect.provide(layer))
  })

  it.effect("stream keeps the filters from page to page", () => {
    const wallet = (id: number) => ({ id, address: "0xabc" })
    const { layer, sent } = scriptedClient(
      page([wallet(1)], { hasNextPage: true }),
      page([wallet(2)], { hasNextPage: false })
    )
    return Effect.gen(function* () {
      assert.strictEqual(yield* Wallets.stream({ clientId: "alice" }).pipe(Stream.runCount), 2)
      assert.deepStrictEqual(
        sent.map(({ url }) => url),
        ["/wallets/client-wallets?page=1&clientId=alice", "/wallets/client-wallets?page=2&clientId=alice"]
      )
    }).pipe(Effect.provide(layer))
  })

  it.effect("get, balance and transactionCount name the wallet in the path", () => {
    const { layer, sent } = scriptedClient(
      { data: { id: "w-1", address: "0xabc" } },
      { data: { balance: "115792089237316195423570985008687907853269984665640564039457.584007913129639935" } },
      { data: { transactionCount: "17" } }
    )
    return Effect.gen(function* () {
      const wallet = yield* Wallets.get({ walletId: "w-1" })
      assert.strictEqual(wallet.address, "0xabc")
      const { balance } = yield* Wallets.balance({ walletId: wallet.id })
      assert.strictEqual(
        Amount.format(balance),
        "115792089237316195423570985008687907853269984665640564039457.584007913129639935"
      )
      const { transactionCount } = yield* Wallets.transactionCount({ walletId: wallet.id })
      assert.strictEqual(transactionCount, 17)
      assert.deepStrictEqual(
        sent.map(({ method, url }) => `${method} ${url}`),
        ["GET /wallets/w-1", "GET /wallets/w-1/balance", "GET /wallets/w-1/transaction-count"]
      )
    }).pipe(Effect.provide(layer))
  })

  it.effect("a balance that is not an amount is no balance", () => {
    const { layer } = scriptedClient({ data: { balance: "much" } })
    return Effect.gen(function* () {
      const balance = Wallets.balance({ walletId: "w-1" })
      assert.strictEqual(yield* tagOf(balance), "UnexpectedResponse")
    }).pipe(Effect.provide(layer))
  })
})
