/**
 * `node test/simulation/ledger/kills/main.ts --store NAME --payouts N --workers N --kills N --terms N --freezes N --validity
 * SECONDS --crashes N --lag MILLISECONDS --idle --contracts 2`: real processes pay over an unreliable service. They are
 * killed with SIGKILL, ended with SIGTERM, and frozen with SIGSTOP for a third longer than an intent is valid. A PostgreSQL
 * `pair` crashes; the standby of an `async-pair` takes over, and has lost what was committed during the last `--lag`.
 * `--idle`: a few payouts are submitted at a time. `--contracts 2`: every second worker has another contract with the
 * service. Exits with 1 if a payout was paid twice, not paid or lost, or, without a lag, undecided although it was paid. `--how
 * retry|activity|queue` pays without the ledger, and must fail.
 *
 * `--control`: one process is killed after the service has paid, and before it learns so; once with the ledger and once in
 * each other way. Exits with 1 unless only the ledger pays once.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { parseArgs } from "node:util"
import { attack } from "./attack.ts"
import { killAfterPayment } from "./control.ts"
import { ways } from "./settings.ts"
import { stores } from "./stage.ts"

const { values } = parseArgs({
  options: {
    store: { type: "string", default: "sqlite" },
    how: { type: "string", default: "ledger" },
    payouts: { type: "string", default: "5000" },
    workers: { type: "string", default: "3" },
    kills: { type: "string", default: "200" },
    terms: { type: "string", default: "10" },
    freezes: { type: "string", default: "10" },
    validity: { type: "string", default: "5" },
    crashes: { type: "string", default: "0" },
    lag: { type: "string", default: "500" },
    idle: { type: "boolean", default: false },
    contracts: { type: "string", default: "1" },
    control: { type: "boolean", default: false }
  }
})

const oneOf = <A extends string>(name: string, value: string, all: ReadonlyArray<A>): A => {
  const found = all.find((one) => one === value)
  if (found !== undefined) return found
  console.error(`--${name} must be one of: ${all.join(", ")}`)
  return process.exit(2)
}

const store = oneOf("store", values.store, stores)

const control = Effect.gen(function* () {
  for (const how of ways) {
    const { notPaid, states, twice } = yield* killAfterPayment({ store, how })
    yield* Console.log(JSON.stringify({ store, how, states, twice, notPaid }))
    if (twice !== (how === "ledger" ? 0 : 1)) process.exitCode = 1
  }
})

const main = Effect.gen(function* () {
  const outcome = yield* attack({
    store,
    how: oneOf("how", values.how, ways),
    payouts: Number(values.payouts),
    workers: Number(values.workers),
    validity: Number(values.validity) * 1_000,
    kills: Number(values.kills),
    terms: Number(values.terms),
    freezes: Number(values.freezes),
    crashes: Number(values.crashes),
    lag: Number(values.lag),
    idle: values.idle,
    contracts: values.contracts === "2" ? 2 : 1
  })
  yield* Console.log(JSON.stringify({ ...values, ...outcome }))
  // Only a database that has lost commits may leave a payout undecided that the service has paid, and shows.
  const overlooked = store.startsWith("async") ? 0 : outcome.decidedPaid
  if (outcome.twice + outcome.notPaid + outcome.lost + overlooked > 0) process.exitCode = 1
})

NodeRuntime.runMain(values.control ? control : main)
