/** The backend with an emulator, a client `alice` who has 100 USDC, and a caller who has the token. */
import { CustodyEmulator, Fault } from "@effect-custody/emulator"
import { LedgerSqlite, Payouts } from "@effect-custody/ledger"
import { Clients, Telemetry } from "@effect-custody/sdk"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert } from "@effect/vitest"
import { type Duration, Effect, Layer, Redacted, References } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import type * as SqlClient from "effect/sql/SqlClient"
import { Patience, Worker } from "../src/payouts.ts"
import * as Server from "../src/server.ts"
import { Stopping } from "../src/Stopping.ts"

export const token = "the token of ann"
const callers = new Map([
  ["ann", Redacted.make(token)],
  ["bob", Redacted.make("the token of bob")]
])

/** Its transactions end at once. */
const Emulator = CustodyEmulator.layerWith({ durations: { pendingFor: 0, broadcastingFor: "50 millis" } })

/** Makes an empty database. */
export type Database = Layer.Layer<SqlClient.SqlClient, unknown>

export const inMemory: Database = LedgerSqlite.layer({ filename: ":memory:" })

const Ledger = Payouts.layer({ pollInterval: "10 millis", sendWithin: "1 second", undecidedAfter: "1 second" })

/** A ledger and a backend that wait for a slow machine. */
const patient = [Payouts.layer({ pollInterval: "10 millis" }), Layer.succeed(Patience, "1 minute")] as const

/** What a backend is, over whatever pays. */
const over = (grace: Duration.Input) =>
  Server.layer({ callers, allowedHosts: ["payouts.example"] }).pipe(
    Layer.provideMerge(NodeHttpServer.layerTest),
    Layer.provide(Worker.layer("200 millis")),
    Layer.provideMerge([Emulator, Stopping.layer(grace)]),
    Layer.provide(Telemetry.layer()),
    Layer.provideMerge(Layer.succeed(References.MinimumLogLevel, "None"))
  )

/** A backend whose answers wait for `grace` after its end has begun. */
export const backend = (grace: Duration.Input = "1 second", database = inMemory, isPatient = false) =>
  over(grace).pipe(
    Layer.provideMerge(isPatient ? Layer.mergeAll(...patient) : Ledger),
    Layer.provideMerge(Layer.fresh(database))
  )

/** The HTTP side alone, over payouts without a database. */
export const withPayouts = <A, E, R>(test: Effect.Effect<A, E, R>, payouts = Payouts.layerTest()) =>
  Effect.provide(test, Layer.provideMerge(over("1 second"), payouts), { local: true })

export const fundAlice = Effect.gen(function* () {
  yield* Clients.create({ externalId: "alice" })
  yield* (yield* CustodyEmulator).fund({ clientId: "alice", assetId: "usdc", amount: "100" })
})

export const order = {
  clientId: "alice",
  assetId: "usdc",
  to: "0x52908400098527886E0F7030069857D2E4169EE7",
  amount: "12.50"
}

export const answer = Effect.fnUntraced(function* (request: HttpClientRequest.HttpClientRequest, by = "ann") {
  const response = yield* HttpClient.execute(HttpClientRequest.bearerToken(request, callers.get(by)!))
  const body: any = yield* Effect.orElseSucceed(response.json, () => undefined)
  return { status: response.status, body }
})

export const pay = (payoutId: string, body: object = order) =>
  answer(HttpClientRequest.put(`/payouts/${payoutId}`).pipe(HttpClientRequest.bodyJsonUnsafe(body)))

export const find = (payoutId: string) => answer(HttpClientRequest.get(`/payouts/${payoutId}`))

export const approve = (payoutId: string, by: string) =>
  answer(HttpClientRequest.put(`/payouts/${payoutId}/approval`), by)

export const list = (query: string) => answer(HttpClientRequest.get(`/payouts?${query}`))

/** Asks until the payout is in a state. */
export const untilState = (payoutId: string, state: string): Effect.Effect<void, unknown, HttpClient.HttpClient> =>
  Effect.flatMap(find(payoutId), ({ body }) =>
    body?.state === state ? Effect.void : Effect.andThen(Effect.sleep("50 millis"), untilState(payoutId, state))
  )

/** How often the service has sent money, by its own ledger. */
export const sends = Effect.gen(function* () {
  const writes = yield* (yield* CustodyEmulator).ledger
  return writes.filter(({ operation }) => operation === "transactions.send").length
})

/** A backend of its own for each test. */
export const inWorld = <A, E, R>(test: Effect.Effect<A, E, R>, database?: Database, isPatient = false) =>
  Effect.andThen(fundAlice, test).pipe(Effect.provide(backend("1 second", database, isPatient), { local: true }))

/** Ten orders of one payout at the same time, and one more. */
export const onceFor = (database: Database) =>
  inWorld(
    Effect.gen(function* () {
      const { faults } = yield* CustodyEmulator
      yield* faults.next("transactions.send", Fault.delayed({ request: "300 millis" }))
      const answers = yield* Effect.all(
        Array.from({ length: 10 }, () => pay("p-1")),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(new Set(answers.map(({ status }) => status)), new Set([201]))
      assert.strictEqual((yield* pay("p-1")).status, 201)
      yield* untilState("p-1", "paid")
      assert.strictEqual(yield* sends, 1)
    }),
    database,
    true
  )
