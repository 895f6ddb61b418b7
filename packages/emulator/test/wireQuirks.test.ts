import { Amount } from "@effect-custody/core"
import { assert, describe, it } from "@effect/vitest"
import { CustodyEmulator, Fault, type Options } from "@effect-custody/emulator"
import { Clients, Wallets } from "@effect-custody/sdk"
import { Effect, Stream } from "effect"
import { send, session } from "./support.ts"

type Quirks = NonNullable<Options["quirks"]>

/** The answer as an HTTP client receives it. */
const raw = (quirks: Quirks) => Effect.provide(CustodyEmulator.layerHttpClientWith({ quirks }))

/** Requests in one session. */
const caller = Effect.map(
  session(),
  ({ accessToken }) =>
    (path: string, body?: unknown) =>
      send(path, { token: accessToken, ...(body === undefined ? {} : { body }) })
)

const precise = "123456789012345678.000000000000000001"
const none = "Validation failed (E50001 is the emulator's own code, not the specification's)"

describe("quirks of answers", () => {
  it.effect("put created clients under a name of their own", () =>
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

  it.effect.each([
    ["Specified", { message: none, id: ["should not be empty"] }],
    ["WithoutSummary", { id: ["should not be empty"] }],
    ["PlainFields", { message: none, id: "should not be empty" }],
    ["ObjectFields", { message: none, id: [{ field: "id", text: "should not be empty" }] }],
    ["Bare", undefined]
  ] as const)("format errors as %s, but errors of tokens as specified", ([form, errors]) =>
    Effect.gen(function* () {
      const { json } = yield* (yield* caller)("/clients/create", { id: "" })
      assert.deepStrictEqual([json.status, json.errors], [422, errors])
      assert.strictEqual((yield* send("/vaults/details")).json.code, "E40001")
    }).pipe(raw({ errorBodies: form }))
  )

  it.effect("change the type of counts and identifiers, but not of the ids of callers and networks", () =>
    Effect.gen(function* () {
      const call = yield* caller
      const { json } = yield* call("/clients/create", { id: "7" })
      assert.deepStrictEqual([typeof json.data.id, json.data.externalId], ["number", "7"])
      const { data, meta } = (yield* call("/wallets/client-wallets?limit=2")).json
      assert.deepInclude(meta, { totalItems: "3", itemsPerPage: "2", hasNextPage: true })
      assert.deepInclude(data[0], { clientId: "7", assetId: "btc", networkId: "bitcoin", transactionCount: "0" })
      assert.isNumber(data[0].id)
      assert.strictEqual((yield* call(`/wallets/${data[0].id}`)).status, 200)
    }).pipe(raw({ countsAsStrings: true, idsAsNumbers: true }))
  )

  it.effect("write amounts as numbers with every digit, and dates in words", () =>
    Effect.gen(function* () {
      const { fund } = yield* CustodyEmulator
      const call = yield* caller
      const { json } = yield* call("/clients/create", { id: "alice" })
      assert.strictEqual(json.data.createdAt, "1 January, 1970 00:00:00")
      yield* fund({ clientId: "alice", assetId: "eth", amount: precise })
      const { text } = yield* call("/wallets/client-wallets?assetId=eth")
      assert.include(text, `"balance":${precise},"pendingBalance":0,`)
    }).pipe(raw({ amountsAsNumbers: true, writtenDates: true }))
  )

  it.effect("leave every digit readable for the SDK, also in an edited answer, and a stream ends", () =>
    Effect.gen(function* () {
      const { faults, fund } = yield* CustodyEmulator
      yield* fund({ clientId: "alice", assetId: "eth", amount: precise })
      const balance = Effect.map(Wallets.list({ assetId: "eth" }), ({ items }) => items[0]?.balance)
      for (const fault of [undefined, Fault.edited({ message: "Edited" })]) {
        if (fault !== undefined) yield* faults.next("wallets.list", fault)
        assert.strictEqual(Amount.format((yield* balance)!), precise)
      }
      assert.isUndefined((yield* Wallets.list()).meta)
      assert.lengthOf(yield* Stream.runCollect(Wallets.stream()), 3)
      // Without a code, no answer proves that a client does not exist.
      assert.strictEqual((yield* Effect.flip(Clients.find({ externalId: "nobody" })))._tag, "UnexpectedResponse")
    }).pipe(
      Effect.provide(
        CustodyEmulator.layerWith({
          quirks: {
            errorBodies: "Bare",
            amountsAsNumbers: true,
            countsAsStrings: true,
            idsAsNumbers: true,
            listsWithoutMeta: true,
            writtenDates: true
          }
        })
      )
    )
  )
})
