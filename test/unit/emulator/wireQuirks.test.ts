import { Amount } from "@effect-custody/core"
import { assert, describe, it } from "@effect/vitest"
import { CustodyEmulator, Fault, type Options } from "@effect-custody/emulator"
import { Assets, Clients, Transactions, Wallets } from "@effect-custody/sdk"
import { BigDecimal, Effect, Stream } from "effect"
import { send, session } from "./support.ts"

type Quirks = NonNullable<Options["quirks"]>

/** As any HTTP client sees it. */
const raw = (quirks: Quirks) => Effect.provide(CustodyEmulator.layerHttpClientWith({ quirks }))

/** As the SDK reads it. */
const sdk = (quirks: Quirks) => Effect.provide(CustodyEmulator.layerWith({ quirks }))

/** Requests in one session. */
const caller = Effect.map(
  session(),
  ({ accessToken }) =>
    (path: string, body?: unknown) =>
      send(path, { token: accessToken, ...(body === undefined ? {} : { body }) })
)

describe("habits of such services", () => {
  it.effect("created clients can come under a name of their own", () =>
    Effect.gen(function* () {
      const call = yield* caller
      const one = yield* call("/clients/create", { id: "alice" })
      assert.deepStrictEqual(Object.keys(one.json), ["message", "client", "status"])
      assert.strictEqual(one.json.client.externalId, "alice")
      const many = yield* call("/clients/create-many", { ids: ["bob"] })
      assert.deepStrictEqual(Object.keys(many.json), ["message", "clients", "status"])
      assert.deepStrictEqual(Object.keys((yield* call("/clients/alice")).json), ["message", "data", "status"])
    }).pipe(raw({ createdClientsUnderOwnName: true }))
  )

  it.effect("errors can come without code and errors", () =>
    Effect.gen(function* () {
      const call = yield* caller
      assert.strictEqual((yield* call("/clients/nobody")).text, `{"status":404,"message":"No such client"}`)
      assert.strictEqual((yield* call("/clients/create", {})).text, `{"status":422,"message":"Validation failed"}`)
      // What the specification shows whole stays as it is.
      assert.strictEqual((yield* send("/vaults/details")).json.code, "E40001")
    }).pipe(raw({ errorBodies: "Bare" }))
  )

  it.effect("without a code, it is not certain that a client does not exist", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Clients.find({ externalId: "nobody" }))
      assert.strictEqual(error._tag, "UnexpectedResponse")
    }).pipe(sdk({ errorBodies: "Bare" }))
  )

  const message = "Validation failed (E50001 is the emulator's own code, not the specification's)"
  const forms = [
    { form: "Specified", errors: { message, id: ["should not be empty"] } },
    { form: "WithoutSummary", errors: { id: ["should not be empty"] } },
    { form: "PlainFields", errors: { message, id: "should not be empty" } },
    {
      form: "ObjectFields",
      errors: { message, id: [{ field: "id", text: "should not be empty" }] }
    }
  ] as const
  for (const { errors, form } of forms) {
    it.effect(`fields of errors can be told as ${form}`, () =>
      Effect.gen(function* () {
        const { json } = yield* (yield* caller)("/clients/create", { id: "" })
        assert.deepStrictEqual([json.code, json.errors], ["E50001", errors])
      }).pipe(raw({ errorBodies: form }))
    )
  }

  const precise = "123456789012345678.000000000000000001"

  it.effect("amounts can be numbers, with every digit", () =>
    Effect.gen(function* () {
      const { fund } = yield* CustodyEmulator
      const call = yield* caller
      yield* call("/clients/create", { id: "alice" })
      yield* fund({ clientId: "alice", assetId: "eth", amount: precise })
      const { text } = yield* call("/wallets/client-wallets?assetId=eth")
      assert.include(text, `"balance":${precise},"pendingBalance":0,`)
    }).pipe(raw({ amountsAsNumbers: true }))
  )

  it.effect("amounts that are numbers reach the SDK's user exactly, and a changed answer keeps them", () =>
    Effect.gen(function* () {
      const { faults, fund } = yield* CustodyEmulator
      yield* Clients.create({ id: "alice" })
      yield* fund({ clientId: "alice", assetId: "eth", amount: precise })
      const balance = Effect.map(Wallets.list({ assetId: "eth" }), ({ items }) => items[0]?.balance)
      for (const fault of [undefined, Fault.edited({ message: "Edited" })]) {
        if (fault !== undefined) yield* faults.next("wallets.list", fault)
        assert.strictEqual(Amount.format((yield* balance)!), precise)
      }
    }).pipe(sdk({ amountsAsNumbers: true }))
  )

  it.effect("counts can be strings", () =>
    Effect.gen(function* () {
      const call = yield* caller
      yield* call("/clients/create", { id: "alice" })
      const { json } = yield* call("/wallets/client-wallets?limit=2")
      assert.deepInclude(json.meta, { totalItems: "3", itemsPerPage: "2", hasNextPage: true })
      assert.strictEqual(json.data[0].transactionCount, "0")
      assert.strictEqual((yield* call("/assets")).json.data[0].decimals, "8")
    }).pipe(raw({ countsAsStrings: true }))
  )

  it.effect("identifiers can be numbers, but not those that callers and networks have", () =>
    Effect.gen(function* () {
      const call = yield* caller
      const { json } = yield* call("/clients/create", { id: "7" })
      assert.isNumber(json.data.id)
      assert.strictEqual(json.data.externalId, "7")
      const { data } = (yield* call("/wallets/client-wallets")).json
      assert.isNumber(data[0].id)
      assert.deepStrictEqual([data[0].clientId, data[0].assetId, data[0].networkId], ["7", "btc", "bitcoin"])
      assert.strictEqual((yield* call(`/wallets/${data[0].id}`)).status, 200)
    }).pipe(raw({ idsAsNumbers: true }))
  )

  it.effect("dates can be written out", () =>
    Effect.gen(function* () {
      const { json } = yield* (yield* caller)("/clients/create", { id: "alice" })
      assert.strictEqual(json.data.createdAt, "1 January, 1970 00:00:00")
    }).pipe(raw({ writtenDates: true }))
  )

  it.effect("lists can come without meta, and a stream still ends", () =>
    Effect.gen(function* () {
      const ids = Array.from({ length: 20 }, (_, n) => `client-${n}`)
      yield* Clients.createMany({ ids })
      assert.isUndefined((yield* Clients.list()).meta)
      const clients = yield* Stream.runCollect(Clients.stream())
      assert.deepStrictEqual(
        clients.map(({ externalId }) => externalId as string),
        ids
      )
    }).pipe(sdk({ listsWithoutMeta: true }))
  )

  it.effect("with all of them at once the SDK's user sees what was seen without", () =>
    Effect.gen(function* () {
      const day = Effect.gen(function* () {
        const { fund } = yield* CustodyEmulator
        yield* Clients.createMany({ ids: ["alice", "bob"] }).pipe(Effect.catch(() => Effect.void))
        yield* fund({ clientId: "alice", assetId: "usdc", amount: "10.5" })
        const transfer = { fromClientId: "alice", toClientId: "bob", assetId: "usdc", amount: Amount.of("0.5") }
        const moved = yield* Transactions.transfer(transfer)
        const { items } = yield* Wallets.list({ clientId: "bob", assetId: "usdc" })
        const count = yield* Wallets.transactionCount({ walletId: items[0]!.id })
        const prices = yield* Assets.prices({ assetIds: ["usdc"] })
        return [
          moved.id,
          moved.amount && BigDecimal.format(moved.amount),
          items[0]?.balance && BigDecimal.format(items[0].balance),
          count.transactionCount,
          prices[0]?.price && BigDecimal.format(prices[0].price)
        ]
      })
      const all: Quirks = {
        errorBodies: "Bare",
        amountsAsNumbers: true,
        countsAsStrings: true,
        idsAsNumbers: true,
        listsWithoutMeta: true,
        writtenDates: true
      }
      assert.deepStrictEqual(yield* Effect.provide(day, CustodyEmulator.layerWith({ quirks: all })), yield* day)
    }).pipe(sdk({}))
  )
})
