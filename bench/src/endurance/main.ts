/**
 * A long run of the ledger on PostgreSQL: three workers pay, the service loses one answer in fifty, a worker is killed every
 * minute, and the database fails over twice. Prints the cost of a payout as the tables grow, and how long a person or a
 * program then waits for the ledger's answers. Exits with 1 if a payout was paid twice, not paid or lost.
 *
 * `pnpm bench endurance [--payouts N]`. It needs Linux.
 */
import { TokenStore } from "@effect-custody/authentication"
import { Environment } from "@effect-custody/core"
import { Fault } from "@effect-custody/emulator"
import { Payouts, TieOut } from "@effect-custody/ledger"
import { NodeCustody } from "@effect-custody/node"
import { Custody } from "@effect-custody/sdk"
import * as Console from "effect/Console"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { parseArgs } from "node:util"
import { makePerson } from "../../../test/payouts/kills/person.ts"
import { judge, makeStage } from "../../../test/payouts/kills/stage.ts"
import { query } from "../../../test/support/servers/postgres.ts"
import { table } from "../../../tools/docs/tables.ts"
import { memoryOf, meter } from "./processes.ts"

const { values } = parseArgs({ options: { payouts: { type: "string", default: "300000" } } })
const payouts = Number(values.payouts)

const killInterval = 60_000
/** How many payouts are submitted at once. */
const portion = Math.ceil(payouts / 3)
/** A row of the table after each of these parts of the payouts. */
const parts = [1 / 30, 1 / 6, 2 / 6, 3 / 6, 4 / 6, 5 / 6, 1].map((part) => Math.floor(payouts * part))

const timed = Effect.fnUntraced(function* <A, E, R>(name: string, effect: Effect.Effect<A, E, R>) {
  const began = performance.now()
  const result = yield* effect
  yield* Console.log(`| ${name} | ${((performance.now() - began) / 1_000).toFixed(2)} |`)
  return result
})

const open = ["ready", "sending", "unknown", "undecided", "accepted"] as const

/** Pays all payouts, and prints a row of the table for each part of them. */
const pay = Effect.fnUntraced(function* (stage: Effect.Success<ReturnType<typeof makeStage>>) {
  const { crash, inLedger, submit, workers } = stage
  const person = makePerson(stage)
  const meters = meter()
  let [submitted, kills, crashes, row, memory] = [portion, 0, 0, 0, 0]
  let before = { at: performance.now(), paid: 0, ...meters.used() }
  let killedAt = before.at
  const head = [
    "payouts",
    "a second",
    "µs of CPU of the workers, each",
    "of the database, each",
    "memory of a worker, MB"
  ]
  yield* Console.log(table(head, [], 0))
  while (true) {
    // To count all payouts costs the database more the more there are, and is no cost of a payout.
    yield* Effect.sleep("15 seconds")
    meters.sample(workers.pids())
    memory = Math.max(memory, ...workers.pids().map(memoryOf))
    const { states } = yield* inLedger(Payouts.progress())
    const paid = states.paid ?? 0
    if (paid >= parts[row]!) {
      const now = { at: performance.now(), paid, ...meters.used() }
      const count = paid - before.paid
      const each = (part: "workers" | "database") => ((now[part] - before[part]) / count).toFixed(0)
      const speed = ((count * 1_000) / (now.at - before.at)).toFixed(0)
      yield* Console.log(`| ${paid} | ${speed} | ${each("workers")} | ${each("database")} | ${memory} |`)
      row = parts.findLastIndex((part) => paid >= part) + 1
      before = now
      memory = 0
    }
    if (submitted >= payouts && open.every((state) => (states[state] ?? 0) === 0)) break
    if (submitted < payouts && (states.ready ?? 0) < portion / 2) {
      yield* submit(submitted + portion, submitted)
      submitted += portion
    }
    yield* person.look
    yield* workers.startEnded
    if (performance.now() - killedAt > killInterval) {
      yield* workers.kill(kills++ % workers.free().length)
      killedAt = performance.now()
    }
    if (crashes < 4 && paid / payouts > (crashes + 1) / 5) {
      // A restart and a failover take turns.
      yield* crash
      crashes++
    }
  }
  yield* Console.log(
    `\n${kills} kills, ${crashes} crashes of the database; a person: ${JSON.stringify(person.decisions())}`
  )
})

/** Asks what people and programs ask, and prints how long each answer takes. */
const ask = Effect.fnUntraced(function* ({ emulator, inLedger, store }: Effect.Success<ReturnType<typeof makeStage>>) {
  const custody = Custody.layer({
    environment: Environment.emulator(emulator.baseUrl),
    apiKey: yield* emulator.issueApiKey()
  }).pipe(Layer.provide([TokenStore.layerMemory, NodeCustody.layerHttpClient()]))
  yield* Console.log("\n| answer | seconds |\n|---|---:|")
  yield* timed("status", inLedger(Payouts.progress()))
  yield* timed("list, a page", inLedger(Payouts.list({ state: "paid" })))
  const now = yield* DateTime.now
  const period = { from: DateTime.subtract(now, { days: 1 }), to: now }
  const report = yield* timed("tie-out of a day", inLedger(Effect.provide(TieOut.run(period), custody)))
  yield* Console.log(`\nThe tie-out compared ${report.payouts} payouts: ${report.rows.length} differences.`)
  const sizes = yield* query(
    store,
    (sql) => sql<{ readonly name: string; readonly size: string }>`
      SELECT relname AS name, pg_size_pretty(pg_total_relation_size(oid)) AS size FROM pg_class
      WHERE relname IN ('payouts', 'payout_events')`
  )
  for (const { name, size } of sizes) yield* Console.log(`Table ${name} with its indexes: ${size}`)
})

const main = Effect.gen(function* () {
  const stage = yield* makeStage({
    store: "pair",
    how: "ledger",
    payouts,
    first: 0,
    workers: 3,
    // Without them, each look-up of a payment that may not have been made reads the whole history at least twice.
    proven: ["clientId", "from"],
    validity: 30_000,
    attemptTimeout: 10_000,
    disturb: ({ faults }) =>
      faults.next("transactions.send", Fault.sometimes({ probability: 0.02, seed: 1 }, Fault.answerLost()), {
        times: Infinity
      })
  })
  const began = performance.now()
  yield* stage.submit(portion)
  yield* Console.log(`Submitted ${portion} payouts in ${((performance.now() - began) / 1_000).toFixed(1)} s.\n`)
  yield* pay(stage)
  yield* ask(stage)
  const { lost, notPaid, states, twice } = yield* judge(stage)
  yield* Console.log(`\n${JSON.stringify(states)}: ${twice} paid twice, ${notPaid} not paid, ${lost} lost`)
  if (twice + notPaid + lost > 0) process.exitCode = 1
})

await Effect.runPromise(Effect.scoped(main))
