/** What an answer may have beside its payload: none of it hides what was done. */
import { Amount, RetryPolicy } from "@effect-custody/core"
import { Clients, Transactions } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { sentBy } from "../../../test/support/clients/reportsApi.ts"
import { answered, layer, script, sent } from "../../../test/support/clients/scriptedTransport.ts"
import { answer } from "../../../test/support/clients/stubHttp.ts"

const payout = { clientId: "alice", assetId: "usdc", to: "0xabc", amount: Amount.of("12.50") }
const data = { id: "t-1", status: "PENDING" }

describe("a payout", () => {
  const envelopes: ReadonlyArray<readonly [name: string, envelope: object]> = [
    ["message: null", { message: null, data, status: 201 }],
    ["status in digits", { message: "Sent", data, status: "201" }],
    ["no message and no status", { data }],
    ["a message that is an object", { message: { en: "Sent" }, data, status: null }],
    ["a meta of its own", { message: "Sent", data, meta: [1, 2], status: 201 }]
  ]
  it.effect.each(envelopes)("a payout succeeds with %s", ([, envelope]) =>
    Effect.gen(function* () {
      yield* script(answered(201, envelope))
      assert.strictEqual(String((yield* Transactions.send(payout)).id), "t-1")
    }).pipe(Effect.provide(layer()))
  )

  const unread: ReadonlyArray<readonly [body: unknown, status: number, shown: object]> = [
    [
      { data: { status: "PENDING", hash: "0x1" } },
      201,
      { issue: "data.id is missing", payload: { status: "PENDING", hash: "0x1" } }
    ],
    [{ transaction: { id: 4711 } }, 201, { issue: "data is missing", payload: { id: "4711" } }],
    [{ id: "t-1", clientId: "alice", note: "x" }, 200, { payload: { id: "t-1", clientId: "alice" } }],
    [{ message: "Sent", data: null, status: 201 }, 201, { payload: {} }],
    [
      { success: false, data: { id: "t-1" } },
      200,
      { issue: "its envelope reports an error: success", payload: { id: "t-1" } }
    ],
    [
      { data: { id: "t-1", success: false, error: "Insufficient balance" }, status: 200 },
      200,
      { issue: "its payload reports an error: success", payload: { id: "t-1" } }
    ],
    ["", 204, { payload: {} }],
    ["<html>id</html>", 200, { payload: {} }]
  ]
  it.effect.each(unread)(
    "a payout is unknown with %j, and the error has the mistake and the readable fields",
    ([body, ...to]) =>
      Effect.gen(function* () {
        const [status, shown] = to
        yield* script(answered(status, body))
        const error = yield* Effect.flip(Transactions.send(payout))
        assert.deepInclude<object>(error, { _tag: "OutcomeUnknown", status, ...shown })
        assert.notInclude(JSON.stringify(error), "html")
        assert.lengthOf(yield* sent, 1)
      }).pipe(Effect.provide(layer()))
  )

  it.effect("a payout is unknown after a 502, and the error has the status and no payload", () =>
    Effect.gen(function* () {
      yield* script(answered(502, { data: { id: "t-1" } }))
      const error = yield* Effect.flip(Transactions.send(payout))
      assert.deepInclude<object>(error, { _tag: "OutcomeUnknown", status: 502 })
      assert.notProperty(error, "payload")
    }).pipe(Effect.provide(layer()))
  )

  it.effect("the error of a payout does not repeat the token", () =>
    Effect.gen(function* () {
      const respond = () => answer(201, { data: { clientId: "alice", walletId: "w access-0" } })
      const { exit } = yield* sentBy(Effect.flip(Transactions.send(payout)), { respond })
      assert(exit._tag === "Success", String(exit))
      assert.deepInclude<object>(exit.value, { payload: { clientId: "alice", walletId: "<redacted>" } })
    })
  )
})

it.effect("the creation of many clients is in doubt if the answer reports the failure of one", () =>
  Effect.gen(function* () {
    const data = [{ externalId: "a" }, { externalId: "b", success: false, error: "limit of clients reached" }]
    yield* script(
      answered(200, { message: "Created", data, status: 200 }),
      answered(200, { data: { externalId: "a" } }),
      answered(404, { status: 404, code: "E40400", message: "No", errors: { message: "No" } })
    )
    const error = yield* Effect.flip(Clients.createMany({ externalIds: ["a", "b"] }))
    assert.strictEqual(error._tag, "OutcomeUnknown")
    assert.lengthOf(yield* sent, 3)
  }).pipe(Effect.provide(layer()))
)

it.effect("a search for a payout takes no error beside an empty list for an empty history", () =>
  Effect.gen(function* () {
    for (const said of [{ status: false }, { status: "FAILED" }, { success: false }, { code: "E50000" }]) {
      yield* script(answered(200, { ...said, message: "database timeout", data: [] }))
      const since = DateTime.makeUnsafe(0)
      const error = yield* Effect.flip(Transactions.find(payout, { since }))
      assert.include(error.message, "that cannot be read")
    }
  }).pipe(Effect.provide(layer({ retry: RetryPolicy.none })))
)

describe("a field of another type than assumed", () => {
  it.effect("a field of another type than assumed is left out of the record, and kept unchanged under extra", () =>
    Effect.gen(function* () {
      const sent = { id: "t-1", status: "PENDING", note: 7, to: null, createdAt: { at: "noon" }, more: true }
      const read = { id: "t-1", status: "PENDING", extra: { note: 7, createdAt: { at: "noon" }, more: true } }
      yield* script(
        answered(201, { data: sent }),
        answered(200, { message: null, data: { items: [sent, { id: "t-2", status: "PENDING" }] } })
      )
      assert.deepStrictEqual<object>(yield* Transactions.send(payout), read)
      const { items } = yield* Transactions.list()
      assert.deepStrictEqual<object>(items, [read, { id: "t-2", status: "PENDING", extra: {} }])
    }).pipe(Effect.provide(layer()))
  )
})

describe("a list", () => {
  const clients = [{ externalId: "alice" }, { externalId: "bob" }]
  const lists: ReadonlyArray<object> = [
    { data: clients, meta: { hasNextPage: false } },
    { data: { items: clients, meta: { hasNextPage: false } } },
    { data: { items: clients, totalPages: 1 } },
    { data: clients, meta: { hasNextPage: false, totalItems: "many", currentPage: 1.5, more: {} } }
  ]
  it.effect.each(lists)("a list is read with the counts of its answer: %j", (body) =>
    Effect.gen(function* () {
      yield* script(answered(200, body))
      assert.lengthOf(yield* Stream.runCollect(Clients.stream()), 2)
      assert.lengthOf(yield* sent, 1)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("a list is read if its meta has no known field", () =>
    Effect.gen(function* () {
      for (const meta of [null, [], "none", { hasNextPage: "maybe" }]) {
        yield* script(answered(200, { data: clients, meta }), answered(200, { data: [], meta }))
        assert.lengthOf(yield* Stream.runCollect(Clients.stream()), 2)
      }
    }).pipe(Effect.provide(layer()))
  )

  it.effect("rows under an unknown key are no list", () =>
    Effect.gen(function* () {
      yield* script(answered(200, { data: { rows: clients } }))
      assert.strictEqual((yield* Effect.flip(Clients.list()))._tag, "UnexpectedResponse")
    }).pipe(Effect.provide(layer({ retry: RetryPolicy.none })))
  )
})
