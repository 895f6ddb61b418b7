/**
 * `pnpm kills --store sqlite --processes 8 --kills 2000 --seed S`: runs real processes on one store, kills them with
 * SIGKILL and freezes them with SIGSTOP until the number of kills is reached. Prints the account. Exits with 1 if a claim
 * does not hold. `--history FILE` writes the messages, kills and freezes of every worker. `--bug NAME` plants a bug of
 * `../simulation/bugs.ts`, and the account must show it.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Runtime from "effect/Runtime"
import { writeFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { brokenClaims, formatTable } from "./accounts.ts"
import { run } from "./run.ts"

const { values } = parseArgs({
  options: {
    store: { type: "string", default: "sqlite" },
    processes: { type: "string", default: "8" },
    kills: { type: "string", default: "100" },
    sessions: { type: "string", default: "16" },
    seed: { type: "string", default: `${Date.now() % 1_000_000}` },
    history: { type: "string" },
    bug: { type: "string" }
  }
})

const refuse = (reason: string): never => {
  console.error(reason)
  return process.exit(2)
}

const readInteger = (name: "processes" | "kills" | "sessions" | "seed", min: number): number => {
  const number = Number(values[name])
  return Number.isSafeInteger(number) && number >= min
    ? number
    : refuse(`--${name} must be a whole number, ${min} at least`)
}

const stores = ["sqlite", "postgres", "redis"] as const

const settings = {
  store: stores.find((store) => store === values.store) ?? refuse(`--store must be one of: ${stores.join(", ")}`),
  // One process is killed, and another takes over.
  processes: readInteger("processes", 2),
  kills: readInteger("kills", 1),
  sessions: readInteger("sessions", 1),
  seed: readInteger("seed", 0),
  leaseMillis: 10_000,
  requestMillis: 5_000,
  frozenSenders: 0.036,
  bug: values.bug
}

const main = Effect.gen(function* () {
  const began = yield* Clock.currentTimeMillis
  const minutes = Effect.map(Clock.currentTimeMillis, (now) => `${((now - began) / 60_000).toFixed(1)} min`)
  const { account, history, losses, otherErrors, refreshes } = yield* run(settings, (kills) =>
    kills % 100 === 0 ? Effect.flatMap(minutes, (after) => Console.log(`${kills} kills after ${after}`)) : Effect.void
  )
  yield* Console.log(`${settings.store}, ${settings.processes} processes, seed ${settings.seed}, ${yield* minutes}`)
  yield* Console.log(formatTable(account))
  for (const [tag, times] of otherErrors) yield* Console.log(`reads with another error: ${times} ${tag}`)
  if (values.history !== undefined) writeFileSync(values.history, JSON.stringify({ history, losses, refreshes }))
  const failures = brokenClaims(account)
  for (const failure of failures) yield* Console.log(`does not hold: ${failure}`)
  return failures.length === 0 ? 0 : 1
})

const teardown: Runtime.Teardown = (exit, onExit) =>
  Exit.isSuccess(exit) ? onExit(Number(exit.value)) : Runtime.defaultTeardown(exit, onExit)

NodeRuntime.runMain(main, { teardown })
