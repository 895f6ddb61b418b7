/**
 * What the ledger adds to a payment: the CPU time of the process that pays, with `Payouts` on SQLite and on PostgreSQL,
 * as a multiple of `Transactions.send` in a loop with the same concurrency. The ledger also submits the payouts, and
 * follows each until the service has finished it. The processes take turns, each against an emulator of its own.
 *
 * `pnpm bench ledger [--payouts N] [--concurrency N] [--rounds N] [--only loop,sqlite,postgres]`
 */
import { CustodyEmulator } from "@effect-custody/emulator"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { execFile } from "node:child_process"
import * as Path from "node:path"
import { parseArgs } from "node:util"
import { emptyDatabase, postgresServer } from "../../../test/support/servers/postgres.ts"
import { temporaryDirectory } from "../../../test/support/servers/sqlitePlace.ts"
import { table } from "../../../tools/docs/tables.ts"
import { quantile } from "../support/statistics.ts"
import { clients, type Cost, type Given, warmUp } from "./given.ts"

const { values } = parseArgs({
  options: {
    payouts: { type: "string", default: "10000" },
    concurrency: { type: "string", default: "32" },
    rounds: { type: "string", default: "3" },
    only: { type: "string", default: "loop,sqlite,postgres" }
  }
})
const payouts = Number(values.payouts)
const concurrency = Number(values.concurrency)

const run = (given: Given) =>
  Effect.callback<Cost>((resume) => {
    const file = Path.join(import.meta.dirname, "payer.ts")
    execFile(process.execPath, [file, JSON.stringify(given)], (error, output) =>
      resume(error === null ? Effect.sync(() => JSON.parse(output) as Cost) : Effect.die(error))
    )
  })

const stores = {
  loop: Effect.succeed(""),
  sqlite: Effect.map(temporaryDirectory, (directory) => Path.join(directory, "ledger.db")),
  postgres: Effect.flatMap(postgresServer, emptyDatabase)
}

const names = values.only.split(",").filter((name) => name in stores) as ReadonlyArray<keyof typeof stores>

const measure = Effect.fnUntraced(
  function* (name: keyof typeof stores) {
    const emulator = yield* CustodyEmulator
    for (let client = 0; client < clients; client++) {
      yield* emulator.fund({ clientId: `c-${client}`, assetId: "usdc", amount: "1000000" })
    }
    const apiKey = Redacted.value(yield* emulator.issueApiKey())
    const cost = yield* run({ baseUrl: emulator.baseUrl, apiKey, payouts, concurrency, store: yield* stores[name] })
    const made = (yield* emulator.ledger).filter(({ operation }) => operation === "transactions.send").length
    if (made !== payouts + warmUp) return yield* Effect.die(new Error(`${name}: ${made} payments were made`))
    return cost
  },
  Effect.provide(CustodyEmulator.layerServer(), { local: true })
)

const main = Effect.gen(function* () {
  const costs = new Map(names.map((name) => [name, [] as Array<Cost>]))
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) costs.get(name)!.push(yield* measure(name))
  }
  const median = (name: keyof typeof stores, part: keyof Cost) =>
    quantile(
      (costs.get(name) ?? []).map((cost) => cost[part]),
      0.5
    )
  const columns = (name: keyof typeof stores, part: "cpu" | "sending") => [
    median(name, part).toFixed(0),
    (median(name, part) / median("loop", "cpu")).toFixed(2)
  ]
  yield* Console.log(`${payouts} payouts, ${concurrency} at a time, ${values.rounds} rounds\n`)
  const head = ["", "µs of CPU to send a payout", "times loop", "and to submit and follow it", "times loop", "seconds"]
  const rows = names.map((name) => [
    name,
    ...columns(name, "sending"),
    ...columns(name, "cpu"),
    median(name, "seconds").toFixed(1)
  ])
  yield* Console.log(table(head, rows, 1))
})

await Effect.runPromise(Effect.scoped(main))
