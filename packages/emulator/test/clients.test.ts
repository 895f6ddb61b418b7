import { Amount } from "@effect-custody/core"
import { assert, describe, it } from "@effect/vitest"
import { CustodyEmulator } from "@effect-custody/emulator"
import { Assets, Clients, Transactions, Vaults, Wallets } from "@effect-custody/sdk"
import { Effect, Option, Stream } from "effect"
import { send, session } from "./support.ts"

const inProcess = Effect.provide(CustodyEmulator.layer)

const listed = Effect.map(Clients.stream().pipe(Stream.runCollect), (clients) =>
  clients.map(({ externalId }) => externalId as string)
)

describe("clients", () => {
  it.effect("get a wallet on each of the vault's networks", () =>
    Effect.gen(function* () {
      yield* Clients.create({ externalId: "alice" })
      const networks = yield* Vaults.networks()
      const wallets = yield* Wallets.list({ clientId: "alice" })
      assert.deepStrictEqual(
        wallets.items.map(({ networkId }) => networkId),
        networks.items.map(({ id }) => id)
      )
      assert.strictEqual(new Set(wallets.items.map(({ address }) => address)).size, networks.items.length)
    }).pipe(inProcess)
  )

  it.effect("exist once: a duplicate is refused with the code of a validation error, and so is its whole list", () =>
    Effect.gen(function* () {
      const { ledger } = yield* CustodyEmulator
      yield* Clients.create({ externalId: "bob" })
      const duplicate = yield* Effect.flip(Clients.create({ externalId: "bob" }))
      assert.deepInclude(duplicate, { _tag: "OtherApiError", status: 400, code: "E50001" })
      const refused = yield* Effect.flip(Clients.createMany({ externalIds: ["alice", "bob", "carol"] }))
      assert.deepInclude(refused, { _tag: "OtherApiError", status: 400, code: "E50002" })
      assert.lengthOf(yield* ledger, 1)
      yield* Clients.createMany({ externalIds: ["alice", "carol"] })
      assert.deepStrictEqual(yield* listed, ["bob", "alice", "carol"])
    }).pipe(inProcess)
  )

  it.effect("are found by their caller's identifier, whatever its characters", () =>
    Effect.gen(function* () {
      const ids = ["a/b", "ä?ö#&=", "%2F", "client 7", "😀".repeat(127), "__proto__", "x".repeat(255)]
      yield* Clients.createMany({ externalIds: ids })
      for (const externalId of ids) {
        assert.strictEqual((yield* Clients.get({ externalId })).externalId as string, externalId)
        assert.strictEqual((yield* Wallets.list({ clientId: externalId })).items.length, 3)
      }
      assert.isTrue(Option.isNone(yield* Clients.find({ externalId: "nobody" })))
      assert.deepInclude(yield* Effect.flip(Clients.get({ externalId: "nobody" })), {
        _tag: "NotFound",
        code: "E50003"
      })
    }).pipe(inProcess)
  )

  it.effect("come page by page, sorted and searched", () =>
    Effect.gen(function* () {
      const ids = Array.from({ length: 25 }, (_, n) => `client-${n}`)
      yield* Clients.createMany({ externalIds: ids })
      assert.deepStrictEqual(yield* listed, ids)
      const { counts } = yield* CustodyEmulator
      assert.strictEqual((yield* counts).byOperation["clients.list"]?.[200], 3)
      const page = yield* Clients.list({ search: "CLIENT-2", sortKey: "externalId", order: "desc", limit: 2, page: 2 })
      assert.deepStrictEqual(
        page.items.map(({ externalId }) => externalId as string),
        ["client-22", "client-21"]
      )
      assert.deepInclude(page.meta, { totalItems: 6, totalPages: 3, currentPage: 2, hasNextPage: true })
    }).pipe(inProcess)
  )

  it.effect("of one vault do not exist in another vault", () =>
    Effect.gen(function* () {
      const create = (token: string) => send("/clients/create", { token, body: { externalId: "alice" } })
      const first = yield* session()
      const second = yield* session({ vaultId: 2 })
      assert.strictEqual((yield* create(first.accessToken)).status, 201)
      assert.strictEqual((yield* create(second.accessToken)).status, 201)
      const { json } = yield* send("/wallets/client-wallets", { token: second.accessToken })
      assert.strictEqual(json.data.items.length, 3)
      const path = `/wallets/${json.data.items[0].id}`
      assert.strictEqual((yield* send(path, { token: second.accessToken })).status, 200)
      assert.strictEqual((yield* send(path, { token: first.accessToken })).json.code, "E51001")
    }).pipe(Effect.provide(CustodyEmulator.layerHttpClient))
  )
})

describe("wallets", () => {
  it.effect("are filtered by client, asset and network", () =>
    Effect.gen(function* () {
      const { fund } = yield* CustodyEmulator
      yield* Clients.createMany({ externalIds: ["alice", "bob"] })
      yield* fund({ clientId: "alice", assetId: "usdc", amount: "5" })
      const count = (query: Parameters<typeof Wallets.list>[0]) =>
        Effect.map(Wallets.list(query), ({ meta }) => meta?.totalItems)
      assert.strictEqual(yield* count({}), 6)
      assert.strictEqual(yield* count({ assetId: "usdc" }), 1)
      assert.strictEqual(yield* count({ clientId: "bob", networkId: "ethereum" }), 1)
      assert.strictEqual(yield* count({ clientId: "nobody" }), 0)
    }).pipe(inProcess)
  )

  it.effect("are one address for each client and network, with a balance for each asset", () =>
    Effect.gen(function* () {
      const { fund } = yield* CustodyEmulator
      yield* Clients.create({ externalId: "alice" })
      for (const assetId of ["eth", "usdc", "usdt"]) yield* fund({ clientId: "alice", assetId, amount: "5" })
      const { items } = yield* Wallets.list({ clientId: "alice", networkId: "ethereum" })
      assert.lengthOf(items, 1)
      const [{ balances, id: walletId }] = items as unknown as [(typeof items)[number]]
      assert.deepStrictEqual(
        balances?.map(({ assetId, balance }) => [assetId as string, Amount.format(balance)]),
        [
          ["eth", "5"],
          ["usdc", "5"],
          ["usdt", "5"]
        ]
      )
      const [usdc] = (yield* Wallets.list({ clientId: "alice", assetId: "usdc" })).items
      assert.deepStrictEqual([usdc?.id, usdc?.assetId as string], [walletId, "usdc"])
      const elsewhere = yield* Effect.flip(Wallets.balance({ walletId, assetId: "btc" }))
      assert.strictEqual(elsewhere._tag, "ValidationFailed")
    }).pipe(inProcess)
  )

  it.effect("have their balance and the number of their transactions", () =>
    Effect.gen(function* () {
      const { fund } = yield* CustodyEmulator
      yield* Clients.create({ externalId: "alice" })
      yield* fund({ clientId: "alice", assetId: "btc", amount: "0.1" })
      yield* fund({ clientId: "alice", assetId: "btc", amount: "0.2" })
      const { items } = yield* Wallets.list({ clientId: "alice", assetId: "btc" })
      const walletId = items[0]!.id
      const { balance } = yield* Wallets.balance({ walletId, assetId: "btc" })
      assert.strictEqual(Amount.format(balance), "0.3")
      assert.strictEqual((yield* Wallets.transactionCount({ walletId })).transactionCount, 2)
      const incoming = yield* Transactions.list({ clientId: "alice", type: "INCOMING", status: "COMPLETED" })
      assert.strictEqual(incoming.items.length, 2)
      const none = { walletId: "none" }
      assert.deepInclude(yield* Effect.flip(Wallets.get(none)), { _tag: "NotFound", code: "E51001" })
    }).pipe(inProcess)
  )
})

describe("the vault", () => {
  it.effect("is segregated or consolidated, as an option says", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* Effect.provide(Vaults.details(), CustodyEmulator.layer)).type, "SEGREGATED")
      const consolidated = CustodyEmulator.layerWith({ vaultType: "CONSOLIDATED" })
      assert.strictEqual((yield* Effect.provide(Vaults.details(), consolidated)).type, "CONSOLIDATED")
    })
  )

  it.effect("reports the total of its wallets, including amounts in flight", () =>
    Effect.gen(function* () {
      const { fund } = yield* CustodyEmulator
      yield* Clients.createMany({ externalIds: ["alice", "bob"] })
      yield* fund({ clientId: "alice", assetId: "usdc", amount: "5" })
      yield* fund({ clientId: "bob", assetId: "usdc", amount: "7.5" })
      yield* Transactions.send({ clientId: "bob", assetId: "usdc", to: "0xabc", amount: Amount.of("1") })
      const { items } = yield* Vaults.assets({ search: "usdc", sortKey: "balance", order: "desc", limit: 1 })
      assert.strictEqual(items[0]?.balance && Amount.format(items[0].balance), "12.5")
    }).pipe(inProcess)
  )

  it.effect("has a price for each of its assets, and a configuration", () =>
    Effect.gen(function* () {
      const all = yield* Assets.prices({ limit: 4 })
      assert.strictEqual(all.size, (yield* Assets.list()).meta?.totalItems)
      assert.strictEqual(Amount.format(all.get("eth")!), "3200")
      const configured = yield* Stream.runCollect(Assets.streamConfiguration({ limit: 4 }))
      assert.deepStrictEqual(
        configured.map(({ assetId }) => assetId as string),
        [...all.keys()]
      )
    }).pipe(inProcess)
  )
})
