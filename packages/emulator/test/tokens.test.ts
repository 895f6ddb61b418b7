import { Amount, Upload } from "@effect-custody/core"
import { assert, describe, it } from "@effect/vitest"
import { CustodyEmulator } from "@effect-custody/emulator"
import { Assets, Clients, Nfts, Tokens, Transactions, Vaults, Wallets } from "@effect-custody/sdk"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

const inProcess = Effect.provide(CustodyEmulator.layer)

const amount = Amount.fromStringUnsafe

const findWallet = Effect.fnUntraced(function* (clientId: string, networkId = "ethereum") {
  const { items } = yield* Wallets.list({ clientId, networkId })
  return items[0]!.id
})

const bond = Effect.fnUntraced(function* (initialSupply?: string) {
  yield* Clients.createMany({ externalIds: ["alice", "bob"] })
  return yield* Tokens.create({
    type: "SECURITY",
    name: "Acme Bond",
    symbol: "ACME",
    networkId: "ethereum",
    ...(initialSupply === undefined ? {} : { initialSupply: amount(initialSupply) })
  })
})

const readSupply = (tokenId: string) =>
  Effect.map(Tokens.get({ tokenId }), ({ supply }) => (supply === undefined ? undefined : Amount.format(supply)))

const readBalance = Effect.fnUntraced(function* (clientId: string, assetId: string) {
  const { items } = yield* Wallets.list({ clientId, assetId })
  const [wallet] = items
  return wallet?.balance === undefined ? "0" : Amount.format(wallet.balance)
})

/** The total of the bond in the vault, including amounts in flight. */
const held = Effect.map(Vaults.assets({ search: "ACME" }), ({ items }) => Amount.format(items[0]!.balance!))

describe("a token", () => {
  it.effect("is an asset of the vault as soon as it is created", () =>
    Effect.gen(function* () {
      const { id, decimals } = yield* bond("1000")
      assert.strictEqual(decimals, 18)
      assert.strictEqual(yield* held, "1000")
      assert.strictEqual((yield* Assets.list({ search: "ACME" })).items[0]?.id as string, id)
    }).pipe(inProcess)
  )

  it.effect("is fungible or a security, as it was created", () =>
    Effect.gen(function* () {
      for (const type of ["FUNGIBLE", "SECURITY"] as const) {
        const { id: tokenId } = yield* Tokens.create({ type, name: "A", symbol: "A", networkId: "ethereum" })
        assert.strictEqual((yield* Tokens.get({ tokenId })).type, type)
      }
      const other = yield* Effect.flip(Tokens.create({ type: "STABLE", name: "A", symbol: "A", networkId: "ethereum" }))
      assert.deepStrictEqual(other._tag === "ValidationFailed" ? other.fields : other, {
        type: ["must be one of the following values: FUNGIBLE, SECURITY"]
      })
    }).pipe(inProcess)
  )

  it.effect("has the supply that was minted and not burned, and its owners hold it", () =>
    Effect.gen(function* () {
      const { id: tokenId } = yield* bond("1000")
      const alice = yield* findWallet("alice")
      const minted = yield* Tokens.mint({ tokenId, amount: amount("250.5"), toWalletId: alice, note: "series B" })
      assert.strictEqual(minted.supply && Amount.format(minted.supply), "1250.5")
      assert.strictEqual(yield* readSupply(tokenId), "1250.5")
      assert.strictEqual(yield* readBalance("alice", tokenId), "250.5")
      yield* Tokens.burn({ tokenId, amount: amount("50"), fromWalletId: alice })
      yield* Tokens.burn({ tokenId, amount: amount("1000") })
      assert.strictEqual(yield* readSupply(tokenId), "200.5")
      assert.strictEqual(yield* readBalance("alice", tokenId), "200.5")
      const transaction = yield* Transactions.get({ transactionId: minted.transactionId! })
      assert.deepStrictEqual(
        [transaction.type, transaction.note, transaction.status],
        ["INCOMING", "series B", "COMPLETED"]
      )
    }).pipe(inProcess)
  )

  it.effect("keeps its supply when a part is sent out of the vault", () =>
    Effect.gen(function* () {
      const tokenId: string = (yield* bond()).id
      yield* Tokens.mint({ tokenId, amount: amount("5"), toWalletId: yield* findWallet("alice") })
      yield* Transactions.send({ clientId: "alice", assetId: tokenId, to: "0xabc", amount: amount("2") })
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual([yield* readSupply(tokenId), yield* held], ["5", "3"])
    }).pipe(inProcess)
  )

  it.effect("burns no more than its supply, even if a wallet was funded with more", () =>
    Effect.gen(function* () {
      const emulator = yield* CustodyEmulator
      const tokenId: string = (yield* bond("1")).id
      yield* emulator.fund({ clientId: "alice", assetId: tokenId, amount: "4" })
      const burn = Tokens.burn({ tokenId, amount: amount("1"), fromWalletId: yield* findWallet("alice") })
      yield* burn
      assert.deepInclude(yield* Effect.flip(burn), { status: 400, code: "E55005" })
      assert.deepStrictEqual([yield* readSupply(tokenId), yield* held], ["0", "4"])
    }).pipe(inProcess)
  )

  it.effect("has exactly the metadata of the last update", () =>
    Effect.gen(function* () {
      const { id: tokenId } = yield* bond()
      assert.deepEqual<unknown>(yield* Tokens.metadata({ tokenId }), { name: "Acme Bond", extra: {} })
      const metadata = { description: "A bond", rates: [1.5, null, { from: "2030" }] }
      yield* Tokens.updateMetadata({ tokenId, metadata })
      assert.deepEqual<unknown>(yield* Tokens.metadata({ tokenId }), {
        description: "A bond",
        extra: { rates: metadata.rates }
      })
      const wrong = yield* Effect.flip(Tokens.updateMetadata({ tokenId, metadata: { name: 5 } }))
      assert.deepStrictEqual(wrong._tag === "ValidationFailed" ? wrong.fields : {}, {
        "metadata.name": ["must be a string"]
      })
    }).pipe(inProcess)
  )

  it.effect("is refused with a code of its own if it, its wallet, its network or its balance is missing", () =>
    Effect.gen(function* () {
      const { id: tokenId } = yield* bond("10")
      const one = { amount: amount("1") }
      const fromWalletId = yield* findWallet("alice")
      const toWalletId = yield* findWallet("alice", "polygon")
      const refused = [
        ["E55001", yield* Effect.flip(Tokens.get({ tokenId: "none" }))],
        ["E55001", yield* Effect.flip(Tokens.burn({ tokenId: "none", ...one }))],
        ["E55001", yield* Effect.flip(Tokens.updateMetadata({ tokenId: "none", metadata: {} }))],
        ["E55002", yield* Effect.flip(Tokens.mint({ tokenId, ...one, toWalletId: "none" }))],
        [
          "E55003",
          yield* Effect.flip(Tokens.create({ type: "SECURITY", name: "A", symbol: "A", networkId: "bitcoin" }))
        ],
        ["E55004", yield* Effect.flip(Tokens.mint({ tokenId, ...one, toWalletId }))],
        ["E55005", yield* Effect.flip(Tokens.burn({ tokenId, ...one, fromWalletId }))],
        ["E55005", yield* Effect.flip(Tokens.burn({ tokenId, amount: amount("10.1") }))]
      ] as const
      for (const [code, error] of refused) assert.deepInclude(error, { code })
      assert.strictEqual(yield* readSupply(tokenId), "10")
    }).pipe(inProcess)
  )
})

describe("an NFT", () => {
  const deed = Effect.fnUntraced(function* () {
    yield* Clients.createMany({ externalIds: ["alice", "bob"] })
    const alice = yield* findWallet("alice")
    const bob = yield* findWallet("bob")
    const file = Upload.fromBytes({ name: "deed.txt", contentType: "text/plain", bytes: new Uint8Array(9) })
    const { id: nftId } = yield* Nfts.create({ name: "Deed", networkId: "ethereum", walletId: alice, file })
    return { alice, bob, nftId }
  })

  const readOwner = (nftId: string) => Effect.map(Nfts.get({ nftId }), ({ walletId }) => walletId)

  it.effect("changes hands, and its history lists the transfers", () =>
    Effect.gen(function* () {
      const { alice, bob, nftId } = yield* deed()
      assert.strictEqual(yield* readOwner(nftId), alice)
      const there = yield* Nfts.transfer({ nftId, fromWalletId: alice, toWalletId: bob })
      assert.strictEqual(yield* readOwner(nftId), bob)
      const back = yield* Nfts.transfer({ nftId, fromWalletId: bob, toWalletId: alice })
      assert.strictEqual(yield* readOwner(nftId), alice)
      const { items } = yield* Nfts.transfers({ nftId, order: "desc" })
      assert.deepStrictEqual(
        items.map(({ id, status }) => [id, status]),
        [
          [back.id, "COMPLETED"],
          [there.id, "COMPLETED"]
        ]
      )
      assert.strictEqual((yield* Transactions.get({ transactionId: there.id })).type, "INTERNAL_TRANSFER")
    }).pipe(inProcess)
  )

  it.effect("stays in its wallet until its transfer completes, and cannot be transferred twice", () =>
    Effect.gen(function* () {
      const { alice, bob, nftId } = yield* deed()
      yield* (yield* CustodyEmulator).setDurations({ transferringFor: "1 minute" })
      const { status } = yield* Nfts.transfer({ nftId, fromWalletId: alice, toWalletId: bob })
      assert.strictEqual(status, "PENDING")
      assert.strictEqual(yield* readOwner(nftId), alice)
      const again = yield* Effect.flip(Nfts.transfer({ nftId, fromWalletId: alice, toWalletId: bob }))
      assert.deepInclude(again, { status: 400, code: "E56006" })
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* readOwner(nftId), bob)
      assert.strictEqual((yield* Nfts.transfers({ nftId })).items[0]?.status, "COMPLETED")
    }).pipe(inProcess)
  )

  it.effect("is transferred only by its owner, and on its own network", () =>
    Effect.gen(function* () {
      const { alice, bob, nftId } = yield* deed()
      const transfer = (fromWalletId: string, toWalletId: string) =>
        Effect.flip(Nfts.transfer({ nftId, fromWalletId, toWalletId }))
      assert.deepInclude(yield* transfer(bob, alice), { status: 400, code: "E56005" })
      assert.deepInclude(yield* transfer(alice, yield* findWallet("bob", "bitcoin")), { status: 400, code: "E56004" })
      assert.deepInclude(yield* transfer(alice, "none"), { _tag: "NotFound", code: "E56002" })
      assert.deepInclude(yield* transfer(alice, alice), { _tag: "ValidationFailed" })
      assert.deepInclude(yield* Effect.flip(Nfts.get({ nftId: "none" })), { _tag: "NotFound", code: "E56001" })
      assert.strictEqual(yield* readOwner(nftId), alice)
    }).pipe(inProcess)
  )
})
