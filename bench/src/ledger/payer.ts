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
import { clients, type Cost, type Given, warmUp } from "./given.ts"

const given: Given = JSON.parse(process.argv[2] ?? "{}")
const { concurrency } = given

const custody = Custody.layer({
  environment: Environment.emulator(given.baseUrl),
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

const used = () => {
  const { system, user } = process.cpuUsage()
  return user + system
}

/** Makes the payments. Returns the CPU time of sending alone. */
const loop = (batch: string, count: number) =>
  Effect.gen(function* () {
    const begun = used()
    const send = ({ reference, ...order }: ReturnType<typeof orders>[number]) =>
      Transactions.send({ ...order, note: reference })
    yield* Effect.forEach(orders(batch, count), send, { concurrency, discard: true })
    return used() - begun
  })

/** Submits payouts, and sends and follows them until the service has finished all. Returns the CPU time of sending. */
const ledger = (batch: string, count: number) =>
  Effect.gen(function* () {
    const all = orders(batch, count)
    for (let from = 0; from < count; from += 10_000) {
      yield* Payouts.submit({ batch, by: "bench", orders: all.slice(from, from + 10_000) })
    }
    const begun = used()
    const until = (isOver: (states: Payouts.Progress["states"]) => boolean) =>
      Effect.sleep("200 millis").pipe(
        Effect.andThen(Payouts.progress(batch)),
        Effect.repeat({ until: ({ states }) => isOver(states) })
      )
    const watch = Effect.gen(function* () {
      yield* until(({ ready = 0, sending = 0 }) => ready + sending === 0)
      const sending = used() - begun
      yield* until(({ paid }) => paid === count)
      return sending
    })
    return yield* Effect.raceFirst(Payouts.run, watch)
  })

const database = given.store.startsWith("postgres:")
  ? PgClient.layer({ url: Redacted.make(given.store), maxConnections: 4 })
  : LedgerSqlite.layer({ filename: given.store })

const cost = <E, R>(pay: (batch: string, count: number) => Effect.Effect<number, E, R>) =>
  Effect.gen(function* () {
    yield* pay("warm-up", warmUp)
    const [begun, atFirst] = [performance.now(), used()]
    const sending = (yield* pay("paid", given.payouts)) / given.payouts
    const cpu = (used() - atFirst) / given.payouts
    const seconds = (performance.now() - begun) / 1_000
    yield* Console.log(JSON.stringify({ cpu, sending, seconds } satisfies Cost))
  })

const withLedger = Layer.merge(custody, Payouts.layer({ inFlight: concurrency }).pipe(Layer.provide(database)))

await Effect.runPromise(
  given.store === ""
    ? cost(loop).pipe(Effect.provide(custody), Effect.orDie)
    : cost(ledger).pipe(Effect.provide(withLedger), Effect.orDie)
)
