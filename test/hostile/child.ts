/** One hostile answer or input, in a process of its own: prints how it ended, its time on a CPU, and the memory it took. */
import { TokenStore } from "@effect-custody/authentication"
import { type CustodyClient, Environment, RetryPolicy } from "@effect-custody/core"
import { CustodyEmulator } from "@effect-custody/emulator"
import { NodeCustody } from "@effect-custody/node"
import { Custody, Transactions, Vaults } from "@effect-custody/sdk"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Fs from "node:fs"
import { inputs } from "./inputs.ts"

const [what = "", name = "", port = "0"] = process.argv.slice(2)

const layer = Custody.layer({
  environment: Environment.local(`http://127.0.0.1:${port}/api/integration`),
  apiKey: Redacted.make("one-time-api-key"),
  retry: RetryPolicy.none,
  limits: { attemptTimeout: Duration.seconds(20) },
  diagnostics: "bodies"
}).pipe(
  Layer.provide([what === "fetch" ? FetchHttpClient.layer : NodeCustody.layerHttpClient(), TokenStore.layerMemory])
)

const tagOf = (exit: Exit.Exit<unknown, unknown>): string => {
  if (Exit.isSuccess(exit)) return "Succeeded"
  const [reason] = exit.cause.reasons
  if (reason?._tag !== "Fail") return `untyped: ${Cause.pretty(exit.cause).slice(0, 200)}`
  const error = reason.error as { readonly _tag?: string; readonly reason?: unknown }
  return error._tag ?? `untyped: ${Cause.pretty(exit.cause).slice(0, 200)}`
}

/** The resident memory and its peak, in MB. Linux forgets the peak on request. */
const memory = () => {
  const status = Fs.readFileSync("/proc/self/status", "utf8")
  const of = (field: string) => Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)![1]) / 1024
  return { now: of("VmRSS"), peak: of("VmHWM") }
}

/** Measures from here on: the time on a CPU, and the memory that is added to what the loaded program has. */
const begin = () => {
  globalThis.gc?.()
  Fs.writeFileSync("/proc/self/clear_refs", "5")
  const before = memory().now
  const spent = process.cpuUsage()
  return (ended: string) => {
    const { system, user } = process.cpuUsage(spent)
    const millis = Math.round((user + system) / 1_000)
    console.log(JSON.stringify({ ended, millis, megabytes: Math.max(0, Math.round(memory().peak - before)) }))
  }
}

const run = async () => {
  if (what === "emulator") {
    const emulator = Effect.gen(function* () {
      const { baseUrl } = yield* CustodyEmulator
      process.stdout.write(`${baseUrl}\n`)
      const told = begin()
      yield* Effect.promise(() => new Promise((resolve) => process.stdin.once("data", resolve)))
      told("Succeeded")
    })
    return Effect.runPromise(Effect.provide(emulator, CustodyEmulator.layerServer()))
  }
  const call: Effect.Effect<unknown, unknown, CustodyClient> =
    what === "input" ? inputs[name]!() : name.includes("rows") ? Transactions.list() : Vaults.details()
  const told = begin()
  told(tagOf(await Effect.runPromiseExit(Effect.provide(call, layer))))
}
await run()
process.exit(0)
