/** What an answer may have beside its payload: none of it hides what was done. */
import { Amount, RetryPolicy } from "@effect-custody/core"
import { Clients, PaymentOrders, Transactions } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import * as Stream from "effect/Stream"
import { sentBy } from "../../support/clients/reports.ts"
import { answered, layer, script, sent } from "../../support/clients/scripted.ts"
import { answer } from "../../support/clients/stubHttp.ts"

const payout = { clientId: "alice", assetId: "usdc", to: "0xabc", amount: Amount.of("12.50") }
const data = { id: "t-1", status: "PENDING" }

describe("a payout that was made", () => {
  const envelopes: ReadonlyArray<readonly [name: string, envelope: object]> = [
    ["message: null", { message: null, data, status: 201 }],
    ["status in digits", { message: "Sent", data, status: "201" }],
    ["no message and no status", { data }],
    ["a message that is an object", { message: { en: "Sent" }, data, status: null }],
    ["a meta of its own", { message: "Sent", data, meta: [1, 2], status: 201 }]
  ]
  it.effect.each(envelopes)("succeeds with %s", ([, envelope]) =>
    Effect.gen(function* () {
      yield* script(answered(201, envelope))
      assert.strictEqual(String((yield* Transactions.send(payout)).id), "t-1")
    }).pipe(Effect.provide(layer()))
  )

  const unread: ReadonlyArray<readonly [name: string, body: unknown, status: number, shown: object]> = [
    [
      "no id",
      { data: { status: "PENDING", hash: "0x1" } },
      201,
      { issue: "data.id is missing", payload: { status: "PENDING", hash: "0x1" } }
    ],
    [
      "its id elsewhere",
      { transaction: { id: 4711, state: "queued" } },
      201,
      { issue: "data is missing", payload: { id: "4711" } }
    ],
    ["a bare body", { id: "t-1", clientId: "alice", note: "x" }, 200, { payload: { id: "t-1", clientId: "alice" } }],
    ["null as its payload", { message: "Sent", data: null, status: 201 }, 201, { payload: {} }],
    [
      "an error beside its id",
      { success: false, data: { id: "t-1" } },
      200,
      { issue: "its envelope reports an error: success", payload: { id: "t-1" } }
    ],
    [
      "an error in its payload",
      { data: { id: "t-1", success: false, error: "Insufficient balance" }, status: 200 },
      200,
      { issue: "its payload reports an error: success", payload: { id: "t-1" } }
    ],
    [
      "the specification's error as its payload",
      { data: { id: "t-1", status: 400, code: "E40000", message: "Bad request", errors: { message: "Bad request" } } },
      201,
      { issue: "its payload reports an error: code", payload: { id: "t-1", status: "400" } }
    ],
    ["no body", "", 204, { payload: {} }],
    ["a page", "<html>id</html>", 200, { payload: {} }]
  ]
  it.effect.each(unread)(
    "is unknown with %s: the error says what did not fit, and what can be read",
    ([, body, status, shown]) =>
      Effect.gen(function* () {
        yield* script(answered(status, body))
        const error = yield* Effect.flip(Transactions.send(payout))
        assert.deepInclude<object>(error, { _tag: "OutcomeUnknown", status, ...shown })
        assert.notInclude(JSON.stringify(error), "html")
        assert.lengthOf(yield* sent, 1)
      }).pipe(Effect.provide(layer()))
  )

  it.effect("is unknown after a 502: the error carries the status, and no payload", () =>
    Effect.gen(function* () {
      yield* script(answered(502, { data: { id: "t-1" } }))
      const error = yield* Effect.flip(Transactions.send(payout))
      assert.deepInclude<object>(error, { _tag: "OutcomeUnknown", status: 502 })
      assert.notProperty(error, "payload")
    }).pipe(Effect.provide(layer()))
  )

  it.effect("does not repeat the token in the error", () =>
    Effect.gen(function* () {
      const respond = () => answer(201, { data: { clientId: "alice", walletId: "w access-0" } })
      const { exit } = yield* sentBy(Effect.flip(Transactions.send(payout)), { respond })
      assert(exit._tag === "Success", String(exit))
      assert.deepInclude<object>(exit.value, { payload: { clientId: "alice", walletId: "<redacted>" } })
    })
  )
})

describe("clients that were made", () => {
  it.effect("are in doubt if one of them is said to have failed", () =>
    Effect.gen(function* () {
      const data = [{ externalId: "a" }, { externalId: "b", success: false, error: "limit of clients reached" }]
      yield* script(
        answered(200, { message: "Created", data, status: 200 }),
        answered(200, { data: { externalId: "a" } }),
        answered(404, { status: 404, code: "E40400", message: "No", errors: { message: "No" } })
      )
      const error = yield* Effect.flip(Clients.createMany({ ids: ["a", "b"] }))
      assert.strictEqual(error._tag, "OutcomeUnknown")
      assert.lengthOf(yield* sent, 3)
    }).pipe(Effect.provide(layer()))
  )
})

describe("a search for a payout", () => {
  const failures: ReadonlyArray<object> = [
    { status: false, message: "database timeout", data: [] },
    { success: 0, message: "database timeout", data: [] },
    { isSuccess: false, message: "database timeout", data: [] },
    { status: 200, data: [], errorMessage: "database timeout" }
  ]
  it.effect.each(failures)("does not take %j for an empty history", (body) =>
    Effect.gen(function* () {
      yield* script(answered(200, body))
      const since = DateTime.makeUnsafe(Date.UTC(2026, 10, 1))
      const error = yield* Effect.flip(Transactions.find(payout, { since }))
      assert.include(error.message, "that cannot be read")
    }).pipe(Effect.provide(layer({ retry: RetryPolicy.none })))
  )
})

describe("a field that is not as assumed", () => {
  it.effect("is not in the typed part, and stands under extra as it came", () =>
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

describe("a field that is dropped", () => {
  const logged = (level: "Debug" | "Info") =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const logger = Logger.make(({ message }) => void lines.push(String(message)))
      const odd = { id: "t-1", status: "PENDING", note: 7, amount: { secret: true } }
      yield* script(answered(200, { data: [odd, { ...odd, amount: "1" }], meta: {} }))
      yield* Transactions.list().pipe(
        Effect.provideService(References.MinimumLogLevel, level),
        Effect.provide(Logger.layer([logger]))
      )
      return lines
    }).pipe(Effect.provide(layer()))

  it.effect("is reported in a debug log by its name, with how often, and not its value", () =>
    Effect.gen(function* () {
      const [line = "", ...others] = yield* logged("Debug")
      assert.include(line, "transactions.list: amount (1), note (2).")
      assert.notInclude(line, "secret")
      assert.deepStrictEqual(others, [])
      assert.deepStrictEqual(yield* logged("Info"), [])
    })
  )
})

describe("a change that promises nothing in return", () => {
  const answers: ReadonlyArray<readonly [name: string, status: number, body: unknown]> = [
    ["data: null", 200, { message: "Cancelled", data: null, status: 200 }],
    ["data: null and a message that is no text", 201, { message: null, data: null, status: "201" }]
  ]
  it.effect.each(answers)("is done with %s", ([, status, body]) =>
    Effect.gen(function* () {
      yield* script(answered(status, body))
      assert.deepStrictEqual<object>(yield* PaymentOrders.cancel({ orderId: "o-1" }), { extra: {} })
    }).pipe(Effect.provide(layer()))
  )

  it.effect("is unknown with a page in place of an answer, or one that does not speak of a payload", () =>
    Effect.gen(function* () {
      for (const [status, body] of [
        [200, "<html></html>"],
        [200, { message: "Cancelled", status: 200 }],
        // Nor one that only looks like the payload: its seed 3452.
        [201, { data: null }],
        // A proxy says it as well, of a request that the service has refused: the money simulation's seed 174.
        [204, ""]
      ] as const) {
        yield* script(answered(status, body))
        assert.strictEqual((yield* Effect.flip(PaymentOrders.cancel({ orderId: "o-1" })))._tag, "OutcomeUnknown")
      }
    }).pipe(Effect.provide(layer()))
  )
})

describe("a list", () => {
  const clients = [{ externalId: "alice" }, { externalId: "bob" }]
  const lists: ReadonlyArray<readonly [name: string, body: object]> = [
    ["data", { data: clients, meta: { hasNextPage: false } }],
    ["data.items", { data: { items: clients, meta: { hasNextPage: false } } }],
    ["data.items, with the counts beside them", { data: { items: clients, totalPages: 1 } }],
    ["an odd meta", { data: clients, meta: { hasNextPage: false, totalItems: "many", currentPage: 1.5, more: {} } }]
  ]
  it.effect.each(lists)("is read under %s", ([, body]) =>
    Effect.gen(function* () {
      yield* script(answered(200, body))
      assert.lengthOf(yield* Stream.runCollect(Clients.stream()), 2)
      assert.lengthOf(yield* sent, 1)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("is read under a meta that says nothing", () =>
    Effect.gen(function* () {
      for (const meta of [null, [], "none", { hasNextPage: "maybe" }]) {
        yield* script(answered(200, { data: clients, meta }), answered(200, { data: [], meta }))
        assert.lengthOf(yield* Stream.runCollect(Clients.stream()), 2)
      }
    }).pipe(Effect.provide(layer()))
  )

  it.effect("is no list as the payload of another shape", () =>
    Effect.gen(function* () {
      yield* script(answered(200, { data: { rows: clients } }))
      assert.strictEqual((yield* Effect.flip(Clients.list()))._tag, "UnexpectedResponse")
    }).pipe(Effect.provide(layer({ retry: RetryPolicy.none })))
  )
})
