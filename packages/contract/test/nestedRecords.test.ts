/** A contract places the fields of nested records, and an unreadable field is reported with its place. */
import { ServiceContract } from "@effect-custody/contract"
import { Amount, RetryPolicy } from "@effect-custody/core"
import * as AnswerReport from "@effect-custody/core/AnswerReport"
import { CustodyEmulator } from "@effect-custody/emulator"
import { Clients, CustodyApi, Transactions, Wallets } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import { answered, layer, script } from "../../../test/support/clients/scriptedTransport.ts"

const contract = ServiceContract.layer(
  {
    defaults: {
      casing: "snake_case",
      payload: "result",
      amounts: { minor: 2 },
      response: {
        asset: "holding.of"
      }
    },
    operations: {
      "transactions.send": { response: { id: "payout_id" } },
      "wallets.get": { response: { asset: "holding.of" } }
    }
  },
  CustodyApi
)

const id = { id: "w-1", address: "0x1" }
const asset = { id: "usdc", symbol: "USDC", type: "TOKEN", network: { id: "eth", name: "Ethereum", tier: 1 } }
const wallets = (...holdings: ReadonlyArray<unknown>) =>
  answered(200, { result: holdings.map((of) => ({ ...id, colour: "red", balance: "1.5", holding: { of } })) })

const list = Effect.map(Wallets.list(), ({ items }) => items)

describe("a record within a record", () => {
  it.effect("is read from the contract's places, and keeps all other fields", () =>
    Effect.gen(function* () {
      yield* script(wallets(asset))
      const [wallet] = yield* list
      assert.deepStrictEqual<object | undefined>(wallet?.asset, {
        id: "usdc",
        symbol: "USDC",
        type: "TOKEN",
        network: { id: "eth", name: "Ethereum", extra: { tier: 1 } },
        extra: {}
      })
    }).pipe(Effect.provide(Layer.provideMerge(layer(), contract)))
  )

  const odd = { ...asset, symbol: 7, network: { id: "eth", name: { de: "x" } } }

  it.effect("keeps an unreadable field, and logs its name and place at level debug", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      yield* script(wallets(odd, asset, odd))
      const [wallet] = yield* list.pipe(
        Effect.provideService(References.MinimumLogLevel, "Debug"),
        Effect.provide(Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))]))
      )
      assert.deepStrictEqual(wallet?.asset?.extra, { symbol: 7 })
      assert.deepStrictEqual(wallet?.extra, { balance: "1.5", colour: "red" })
      assert.include(
        lines.join(),
        "wallets.list: balance (3), asset.symbol at holding.of.symbol (2), " +
          "asset.network.name at holding.of.network.name (2)."
      )
    }).pipe(Effect.provide(Layer.provideMerge(layer(), contract)))
  )

  it.effect("is compared with the contract field by field", () =>
    Effect.gen(function* () {
      yield* script(wallets(odd, { id: "dai", network: { id: "eth" }, shade: 1 }))
      const { wire } = yield* ServiceContract.ServiceContract
      const report = AnswerReport.make(Wallets.list, wire(Wallets.list), yield* Wallets.list())
      assert.deepStrictEqual(report.unused, ["colour", "holding.of.shade"])
      assert.deepStrictEqual(
        report.dropped.map(({ name, place, records }) => [name, place, records]),
        [
          ["balance", "balance", 2],
          ["asset.symbol", "holding.of.symbol", 1],
          ["asset.network.name", "holding.of.network.name", 1]
        ]
      )
      const missing = report.missing.map(({ place }) => place)
      assert.includeMembers(missing, ["holding.of.contract_address", "client_id"])
      assert.notIncludeMembers(missing, ["holding.of.symbol", "holding.of.network.name"])
    }).pipe(Effect.provide(Layer.provideMerge(layer(), contract)))
  )

  it.effect("is written by the emulator at the contract's places", () =>
    Effect.gen(function* () {
      yield* Clients.create({ externalId: "alice" })
      const { items } = yield* Wallets.list({ clientId: "alice" })
      const { received } = yield* CustodyEmulator
      const [answer] = (yield* received).slice(-1)
      assert.isNotEmpty(items)
      assert.isString(items[0]?.asset?.network?.name)
      assert.deepStrictEqual([answer?.operation, items[0]?.asset?.extra], ["wallets.list", {}])
    }).pipe(Effect.provide(Layer.provideMerge(CustodyEmulator.layer, contract)))
  )
})

describe("an answer that cannot be read", () => {
  it.effect("is reported with its place in the service's documentation", () =>
    Effect.gen(function* () {
      yield* script(answered(201, { result: { status: "PENDING" } }))
      const sent = yield* Effect.flip(
        Transactions.send({ clientId: "a", assetId: "usdc", to: "0x1", amount: Amount.of("1") })
      )
      assert.deepInclude<object>(sent, { _tag: "OutcomeUnknown", issue: "result.payout_id is missing" })
      yield* script(answered(200, { result: [id, { id: "w-2" }] }))
      const read = yield* Effect.flip(Wallets.list())
      assert.deepInclude<object>(read, { _tag: "UnexpectedResponse", reason: "result.1.address is missing" })
    }).pipe(
      Effect.provideService(RetryPolicy.RetryPolicy, RetryPolicy.none),
      Effect.provide(Layer.provideMerge(layer(), contract))
    )
  )
})

it.effect.each<readonly [violations: unknown, errors: object, message: string]>([
  [{ dest: ["is missing"] }, { to: ["is missing"] }, "HTTP 422: No; to is missing"],
  [["dest is missing"], { 0: "dest is missing" }, "HTTP 422: No; 0 dest is missing"],
  [[{ field: "dest", text: "is missing" }], { 0: { field: "dest", text: "is missing" } }, "HTTP 422: No"]
])("an error keeps the messages %j of the service", ([violations, errors, message]) =>
  Effect.gen(function* () {
    yield* script(answered(422, { title: "No", violations }))
    const to = { clientId: "a", assetId: "usdc", to: "0x1", amount: Amount.of("1") }
    const error = yield* Effect.flip(Transactions.send(to))
    assert.deepInclude<object>(error, { _tag: "ValidationFailed", errors })
    assert.isTrue(error.message.endsWith(message), error.message)
  }).pipe(
    Effect.provide(
      Layer.provideMerge(
        layer(),
        ServiceContract.layer(
          {
            defaults: { errors: { message: "title", fields: "violations" } },
            operations: { "transactions.send": { fields: { to: "dest" } } }
          },
          CustodyApi
        )
      )
    )
  )
)
