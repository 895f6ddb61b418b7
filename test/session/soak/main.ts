/**
 * `pnpm soak --minutes 20 --store postgres|redis|sqlite --seed S`: four processes call an emulator with shared sessions
 * whose tokens live for four seconds, while processes are ended and killed, and the store restarts and fails over. Prints
 * the account. Exits with 1 if a session was lost that a client could have kept, or another claim does not hold.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Runtime from "effect/Runtime"
import { parseArgs } from "node:util"
import { brokenClaims, formatTable } from "../kills/accounts.ts"
import { run } from "./run.ts"
import { stores } from "./stores.ts"

const { values } = parseArgs({
  options: {
    store: { type: "string", default: "sqlite" },
    minutes: { type: "string", default: "20" },
    seed: { type: "string", default: `${Date.now() % 1_000_000}` }
  }
})

const isStore = (name: string): name is keyof typeof stores => name in stores
const store = values.store
const minutes = Number(values.minutes)
const seed = Number(values.seed)
if (!isStore(store) || !(minutes > 0) || !Number.isSafeInteger(seed)) {
  console.error(`usage: pnpm soak --store ${Object.keys(stores).join("|")} --minutes M --seed S`)
  process.exit(2)
}

const main = Effect.gen(function* () {
  const { account, rows } = yield* run({ store, minutes, seed, processes: 4, sessions: 4 }, Console.log)
  yield* Console.log(`${store}, 4 processes, 4 sessions, ${minutes} min, seed ${seed}`)
  const width = Math.max(...rows.map(([name]) => name.length))
  yield* Console.log(rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join("\n"))
  yield* Console.log(formatTable(account))
  const failures = brokenClaims(account)
  for (const failure of failures) yield* Console.log(`does not hold: ${failure}`)
  return failures.length === 0 ? 0 : 1
})

const teardown: Runtime.Teardown = (exit, onExit) =>
  Exit.isSuccess(exit) ? onExit(Number(exit.value)) : Runtime.defaultTeardown(exit, onExit)

NodeRuntime.runMain(main, { teardown })
