/** One hostile answer, in a process of its own: prints how the call ended, and the memory that it took. */
import { TokenStore } from "@effect-custody/authentication"
import { type CustodyClient, Environment, RetryPolicy } from "@effect-custody/core"
import { NodeCustody } from "@effect-custody/node"
import { Custody, Transactions, Vaults } from "@effect-custody/sdk"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Fs from "node:fs"

const [transport = "", name = "", port = "0"] = process.argv.slice(2)

const layer = Custody.layer({
  environment: Environment.emulator(`http://127.0.0.1:${port}/api/integration`),
  apiKey: Redacted.make("one-time-api-key"),
  retry: RetryPolicy.none,
  limits: { attemptTimeout: Duration.seconds(20) },
  timing: { requestTimeout: Duration.seconds(20) },
  diagnostics: "bodies"
}).pipe(
  Layer.provide([transport === "fetch" ? FetchHttpClient.layer : NodeCustody.layerHttpClient(), TokenStore.layerMemory])
)

const tagOf = (exit: Exit.Exit<unknown, unknown>): string => {
  if (Exit.isSuccess(exit)) return "Succeeded"
  const error = Cause.squash(exit.cause)
  return Predicate.hasProperty(error, "_tag")
    ? String(error._tag)
    : `untyped: ${Cause.pretty(exit.cause).slice(0, 200)}`
}

/** The resident memory and its peak, in MB. Linux forgets the peak on request. */
const memory = () => {
  const status = Fs.readFileSync("/proc/self/status", "utf8")
  const of = (field: string) => Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)![1]) / 1024
  return { now: of("VmRSS"), peak: of("VmHWM") }
}

const call: Effect.Effect<unknown, unknown, CustodyClient> = name.includes("rows")
  ? Transactions.list()
  : Vaults.details()
globalThis.gc?.()
Fs.writeFileSync("/proc/self/clear_refs", "5")
const before = memory().now
const ended = tagOf(await Effect.runPromiseExit(Effect.provide(call, layer)))
console.log(JSON.stringify({ ended, megabytes: Math.max(0, Math.round(memory().peak - before)) }))
process.exit(0)
