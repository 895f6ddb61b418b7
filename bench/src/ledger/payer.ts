/** A process that makes payments: each with `Transactions.send`, or all of them with a ledger. Prints their cost as JSON. */
import { TokenStore } from "@effect-custody/authentication"
import { Amount, Environment } from "@effect-custody/core"
import { LedgerSqlite, Payouts } from "@effect-custody/ledger"
import { NodeCustody } from "@effect-custody/node"
import { Custody, Transactions } from "@effect-custody/sdk"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { clients, concurrency, type Cost, type Given, warmUp } from "./given.ts"

const given: Given = JSON.parse(process.argv[2] ?? "{}")

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void

/** The heap in use after a garbage collection, in MB. */
const heap = () => {
  collect()
  return Math.round(process.memoryUsage().heapUsed / 1e6)
}

const custody = Custody.layer({
  environment: Environment.local(given.baseUrl),
  apiKey: Redacted.make(given.apiKey)
}).pipe(Layer.provide([TokenStore.layerMemory, NodeCustody.layerHttpClient()]))

const orders = (batch: string, count: number) =>
  Array.from({ length: count }, (_, index) => ({
    reference: `${batch}-${index}`,
    clientId: `c-${index % clients}`,
    assetId: "usdc",
    to: `0x${index}`,
    amount: Amount.of("1")
  }))

const loop = (batch: string, count: number) =>
  Effect.forEach(orders(batch, count), ({ reference, ...order }) => Transactions.send({ ...order, note: reference }), {
    concurrency,
    discard: true
  })

/** Submits payouts, and sends and follows them until the service has finished all. */
const ledger = (batch: string, count: number) =>
  Effect.gen(function* () {
    const all = orders(batch, count)
    for (let from = 0; from < count; from += 10_000) {
      yield* Payouts.submit({ batch, by: "bench", orders: all.slice(from, from + 10_000) })
    }
    const isDone = Effect.map(Payouts.progress(batch), ({ states }) => states.paid === count)
    const done = Effect.sleep("200 millis").pipe(Effect.andThen(isDone), Effect.repeat({ until: (is) => is }))
    yield* Effect.raceFirst(Payouts.run, done)
  })

const database = given.store.startsWith("postgres:")
  ? PgClient.layer({ url: Redacted.make(given.store), maxConnections: 4 })
  : LedgerSqlite.layer({ filename: given.store })

const cost = <E, R>(pay: (batch: string, count: number) => Effect.Effect<unknown, E, R>) =>
  Effect.gen(function* () {
    yield* pay("warm-up", warmUp)
    const before = heap()
    const { system, user } = process.cpuUsage()
    const begun = performance.now()
    yield* pay("paid", given.payouts)
    const used = process.cpuUsage()
    const seconds = (performance.now() - begun) / 1_000
    const cpu = (used.user - user + used.system - system) / given.payouts
    yield* Console.log(JSON.stringify({ cpu, seconds, heap: [before, heap()] } satisfies Cost))
  })

const withLedger = Layer.merge(custody, Payouts.layer({ inFlight: concurrency }).pipe(Layer.provide(database)))

await Effect.runPromise(
  given.store === ""
    ? cost(loop).pipe(Effect.provide(custody), Effect.orDie)
    : cost(ledger).pipe(Effect.provide(withLedger), Effect.orDie)
)
