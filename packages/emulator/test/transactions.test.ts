import { Amount } from "@effect-custody/core"
import { assert, describe, it } from "@effect/vitest"
import { CustodyEmulator } from "@effect-custody/emulator"
import { Clients, Transactions, Wallets } from "@effect-custody/sdk"
import { Arbitrary, BigDecimal, DateTime, Effect, Schema } from "effect"
import { TestClock } from "effect/testing"

const inProcess = Effect.provide(CustodyEmulator.layer)

const usdc = (text: string) => Amount.fromStringUnsafe(text)

/** The spendable amount of a client's asset, and the amount in flight. */
const holdings = Effect.fnUntraced(function* (clientId: string, assetId = "usdc") {
  const { items } = yield* Wallets.list({ clientId, assetId })
  const [wallet] = items
  if (wallet === undefined) return ["0", "0"]
  const { balance, pendingBalance } = yield* Wallets.balance({ walletId: wallet.id, assetId })
  return [balance, pendingBalance ?? balance].map(Amount.format)
})

const funded = Effect.fnUntraced(function* (amount = "100") {
  const emulator = yield* CustodyEmulator
  yield* Clients.createMany({ externalIds: ["alice", "bob"] })
  yield* emulator.fund({ clientId: "alice", assetId: "usdc", amount })
  return emulator
})

const sendTo = (to: string, amount = "12.50") =>
  Transactions.send({ clientId: "alice", assetId: "usdc", to, amount: usdc(amount), note: "invoice 7" })

describe("a send", () => {
  it.effect("is pending, then broadcasting, then completed, as the clock goes on", () =>
    Effect.gen(function* () {
      yield* funded()
      const { id, status } = yield* sendTo("0xabc")
      const look = Effect.map(Transactions.status({ transactionId: id }), (seen) => [
        seen.status,
        seen.updatedAt?.toJSON()
      ])
      assert.strictEqual(status, "PENDING")
      assert.deepStrictEqual(yield* look, ["PENDING", "1970-01-01T00:00:00.000Z"])
      yield* TestClock.adjust("999 millis")
      assert.deepStrictEqual(yield* look, ["PENDING", "1970-01-01T00:00:00.000Z"])
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(yield* look, ["BROADCASTING", "1970-01-01T00:00:01.000Z"])
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(yield* look, ["COMPLETED", "1970-01-01T00:00:05.000Z"])
    }).pipe(inProcess)
  )

  it.effect("returns its amount when it ends as REJECTED or ERROR", () =>
    Effect.gen(function* () {
      const emulator = yield* funded()
      const rejected = yield* sendTo("an address that is rejected")
      const failed = yield* sendTo("an address in error")
      yield* emulator.failNext({ end: "ERROR", times: 1 })
      const planned = yield* sendTo("0xabc")
      assert.deepStrictEqual(yield* holdings("alice"), ["62.50", "37.50"])
      yield* TestClock.adjust("1 second")
      const readStatus = ({ id }: typeof rejected) =>
        Effect.map(Transactions.get({ transactionId: id }), (seen) => [seen.status, seen.hash === undefined])
      assert.deepStrictEqual(yield* readStatus(rejected), ["REJECTED", true])
      assert.deepStrictEqual(yield* readStatus(failed), ["BROADCASTING", false])
      assert.deepStrictEqual(yield* holdings("alice"), ["75.00", "25.00"])
      yield* TestClock.adjust("4 seconds")
      assert.deepStrictEqual(yield* readStatus(failed), ["ERROR", false])
      assert.deepStrictEqual(yield* readStatus(planned), ["ERROR", false])
      assert.deepStrictEqual(yield* holdings("alice"), ["100.00", "0.00"])
    }).pipe(inProcess)
  )

  it.effect("of more than the balance is refused, and moves nothing", () =>
    Effect.gen(function* () {
      const emulator = yield* funded()
      const error = yield* Effect.flip(sendTo("0xabc", "100.000000001"))
      assert.deepInclude(error, { _tag: "OtherApiError", status: 400, code: "E53003" })
      assert.deepStrictEqual(yield* holdings("alice"), ["100", "0"])
      assert.deepStrictEqual(
        (yield* emulator.ledger).map(({ operation }) => operation),
        ["clients.createMany"]
      )
      assert.strictEqual((yield* sendTo("0xabc", "100")).status, "PENDING")
    }).pipe(inProcess)
  )

  it.effect("with a missing client or asset is refused with a code of its own", () =>
    Effect.gen(function* () {
      yield* funded()
      const send = (input: Partial<Parameters<typeof Transactions.send>[0]>) =>
        Effect.flip(Transactions.send({ clientId: "alice", assetId: "usdc", to: "0xabc", amount: usdc("1"), ...input }))
      assert.deepInclude(yield* send({ clientId: "carol" }), { _tag: "NotFound", code: "E53001" })
      assert.deepInclude(yield* send({ assetId: "doge" }), { _tag: "NotFound", code: "E53002" })
      const elsewhere = yield* send({ networkId: "bitcoin" })
      assert.strictEqual(elsewhere._tag, "ValidationFailed")
      assert.deepStrictEqual(elsewhere._tag === "ValidationFailed" ? elsewhere.fields : {}, {
        networkId: ["must be ethereum, the network of usdc"]
      })
      const huge = yield* send({ amount: Amount.fromStringUnsafe(`1${"0".repeat(200)}`) })
      assert.strictEqual(huge._tag, "ValidationFailed")
    }).pipe(inProcess)
  )

  it.effect("to an address of the vault arrives in its wallet", () =>
    Effect.gen(function* () {
      yield* funded()
      const { items } = yield* Wallets.list({ clientId: "bob", networkId: "ethereum" })
      yield* sendTo(items[0]!.address)
      assert.deepStrictEqual(yield* holdings("bob"), ["0", "0"])
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(yield* holdings("bob"), ["12.50", "0"])
      const history = yield* Transactions.list({ clientId: "bob" })
      assert.deepStrictEqual(
        history.items.map(({ createdAt, type }) => [type, createdAt?.toJSON()]),
        [["INCOMING", "1970-01-01T00:00:05.000Z"]]
      )
    }).pipe(inProcess)
  )

  it.effect("takes the emulator's durations", () =>
    Effect.gen(function* () {
      const emulator = yield* funded()
      const { status } = yield* sendTo("0xabc")
      assert.strictEqual(status, "COMPLETED")
      yield* emulator.setDurations({ pendingFor: "1 hour" })
      const { id } = yield* sendTo("0xabc")
      yield* TestClock.adjust("59 minutes")
      assert.strictEqual((yield* Transactions.status({ transactionId: id })).status, "PENDING")
      const refused = yield* Effect.flip(emulator.setDurations({ pendingFor: "-1 seconds" as never }))
      assert.match(refused.message, /pendingFor/)
    }).pipe(Effect.provide(CustodyEmulator.layerWith({ durations: { pendingFor: 0, broadcastingFor: 0 } })))
  )
})

describe("a transfer", () => {
  it.effect("is in the history of both clients, and completed at once", () =>
    Effect.gen(function* () {
      yield* funded()
      const { id, status } = yield* Transactions.transfer({
        fromClientId: "alice",
        toClientId: "bob",
        assetId: "usdc",
        amount: usdc("40.25")
      })
      assert.strictEqual(status, "COMPLETED")
      assert.deepStrictEqual(yield* holdings("alice"), ["59.75", "0.00"])
      assert.deepStrictEqual(yield* holdings("bob"), ["40.25", "0"])
      for (const clientId of ["alice", "bob"]) {
        const { items } = yield* Transactions.list({ clientId, type: "INTERNAL_TRANSFER" })
        assert.deepStrictEqual(
          items.map((transaction) => transaction.id),
          [id]
        )
      }
    }).pipe(inProcess)
  )

  const people = ["alice", "bob", "carol"]
  const Move = Schema.Struct({
    from: Schema.Literals(people),
    to: Schema.Literals(people),
    units: Schema.BigInt.pipe(Schema.check(Schema.isBetweenBigInt({ minimum: 1n, maximum: 10n ** 24n }))),
    scale: Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 24 })))
  })

  it.effect.prop(
    "conserves the sum, to the last digit, whatever is moved",
    [Arbitrary.array(Arbitrary.schema(Move), { maxLength: 20 })],
    ([moves]) =>
      Effect.gen(function* () {
        const emulator = yield* CustodyEmulator
        yield* Clients.createMany({ externalIds: people })
        for (const clientId of people)
          yield* emulator.fund({ clientId, assetId: "eth", amount: "1000.000000000000000001" })
        for (const { from, scale, to, units } of moves) {
          yield* Effect.result(
            Transactions.transfer({
              fromClientId: from,
              toClientId: to,
              assetId: "eth",
              amount: Amount.fromBigDecimalUnsafe(BigDecimal.make(units, scale))
            })
          )
        }
        const { items } = yield* Wallets.list({ assetId: "eth" })
        const balances = items.map(({ balance }) => balance ?? BigDecimal.fromBigInt(0n))
        assert.isTrue(
          BigDecimal.equals(BigDecimal.sumAll(balances), BigDecimal.fromStringUnsafe("3000.000000000000000003"))
        )
        assert.isFalse(balances.some(BigDecimal.isNegative))
      }).pipe(inProcess)
  )
})

describe("the history", () => {
  it.effect("shows swaps and allowances that a control has added, by their type, and no balance changes", () =>
    Effect.gen(function* () {
      const { addTransaction } = yield* funded()
      for (const type of ["SWAP", "ALLOWANCE"] as const) {
        const added = { type, clientId: "alice", assetId: "usdc", amount: "7.5" }
        const { transactionId } = yield* addTransaction(added)
        const { items } = yield* Transactions.list({ clientId: "alice", type })
        assert.deepStrictEqual(
          items.map(({ amount, id, status }) => [id as string, status, amount && Amount.format(amount)]),
          [[transactionId, "COMPLETED", "7.5"]]
        )
      }
      assert.deepStrictEqual(yield* holdings("alice"), ["100", "0"])
    }).pipe(inProcess)
  )

  it.effect("is filtered by client, asset, network, type, status and time", () =>
    Effect.gen(function* () {
      const emulator = yield* funded()
      yield* emulator.fund({ clientId: "bob", assetId: "btc", amount: "1" })
      yield* TestClock.adjust("1 minute")
      yield* sendTo("0xabc")
      yield* sendTo("rejected")
      yield* TestClock.adjust("1 minute")
      yield* sendTo("0xdef")
      const at = (millis: number) => DateTime.makeUnsafe(millis)
      type Query = NonNullable<Parameters<typeof Transactions.list>[0]>
      const counts: ReadonlyArray<readonly [Query, number]> = [
        [{}, 5],
        [{ clientId: "alice" }, 4],
        [{ clientId: "nobody" }, 0],
        [{ assetId: "btc" }, 1],
        [{ networkId: "ethereum" }, 4],
        [{ type: "INCOMING" }, 2],
        [{ type: "OUTGOING", status: "COMPLETED" }, 1],
        [{ status: "PENDING" }, 1],
        [{ from: at(60_000) }, 3],
        [{ to: at(59_999) }, 2],
        [{ from: at(60_000), to: at(60_000), search: "ABC" }, 1]
      ]
      for (const [query, count] of counts) {
        assert.lengthOf((yield* Transactions.list(query)).items, count, JSON.stringify(query))
      }
      for (const query of [{ status: "DONE" }, { sortKey: "colour" }]) {
        assert.strictEqual((yield* Effect.flip(Transactions.list(query)))._tag, "ValidationFailed")
      }
    }).pipe(inProcess)
  )

  it.effect("is sorted by amount as a number, and comes page by page", () =>
    Effect.gen(function* () {
      yield* funded("1000")
      for (const amount of ["9", "10", "1.5", "100"]) yield* sendTo("0xabc", amount)
      const page = yield* Transactions.list({ type: "OUTGOING", sortKey: "amount", order: "desc", limit: 3, page: 1 })
      assert.deepStrictEqual(
        page.items.map(({ amount }) => amount && Amount.format(amount)),
        ["100", "10", "9"]
      )
      const beyond = yield* Transactions.list({ page: 100 })
      assert.deepStrictEqual([beyond.items.length, beyond.meta?.hasNextPage], [0, false])
    }).pipe(inProcess)
  )
})

describe("the ledger", () => {
  it.effect("has each write once, with the caller's name for it", () =>
    Effect.gen(function* () {
      const emulator = yield* funded()
      yield* Effect.result(Clients.create({ externalId: "alice" }))
      yield* TestClock.adjust("1 second")
      const { id } = yield* sendTo("0xabc")
      yield* Transactions.list()
      const writes = yield* emulator.ledger
      assert.deepStrictEqual(
        writes.map(({ operation }) => operation),
        ["clients.createMany", "transactions.send"]
      )
      const input = { clientId: "alice", assetId: "usdc", to: "0xabc", amount: "12.50", note: "invoice 7" }
      const sent = { sequence: 2, vaultId: 1, operation: "transactions.send", marker: "invoice 7", id, input }
      assert.deepStrictEqual(writes[1], { ...sent, at: DateTime.makeUnsafe(1_000) })
    }).pipe(inProcess)
  )
})
