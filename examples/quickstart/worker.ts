/**
 * A program that uses the SDK. The demo runs it twice: the first process gets an API key and is killed in the middle of
 * its calls; the second one has only the session file.
 */
import { NodeCustody } from "@effect-custody/node"
import { TokenService, Vaults } from "@effect-custody/sdk"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Config, Console, Effect, Option, Ref } from "effect"
import { HttpClient } from "effect/http"
import { encodeReport, type Report } from "./report.ts"

const calls = 200
/** How many calls of the last wave succeed before the process kills itself. */
const lastSuccesses = 50

const say = (report: Report) => Effect.flatMap(Effect.orDie(encodeReport(report)), Console.log)

const generation = Effect.map(
  TokenService.use(({ status }) => status),
  (status) => Option.getOrElse(status.generation, () => -1)
)

/** Two hundred calls at once; how many of them succeeded. */
const wave = Effect.fn("wave")(function* (onSuccess: Effect.Effect<void> = Effect.void) {
  const one = Vaults.details().pipe(
    Effect.tap(onSuccess),
    Effect.as(1),
    Effect.catch((error) => Effect.as(Console.error(`a call failed: ${error.message}`), 0))
  )
  const results = yield* Effect.all(
    Array.from({ length: calls }, () => one),
    { concurrency: "unbounded" }
  )
  return { calls, succeeded: results.reduce<number>((sum, one) => sum + one, 0), generation: yield* generation }
})

/** Only an emulator can be told to let its tokens expire. */
const expireTokens = Effect.gen(function* () {
  const control = yield* Config.NonEmptyString("EMULATOR_CONTROL")
  yield* HttpClient.post(`${control}/expire`).pipe(Effect.provide(NodeCustody.layerHttpClient()))
})

const firstLife = Effect.gen(function* () {
  const vault = yield* Vaults.details()
  yield* say({ _tag: "Read", vault: vault.name ?? String(vault.id ?? "without a name"), generation: yield* generation })

  yield* expireTokens
  yield* say({ _tag: "Wave", ...(yield* wave()) })

  yield* expireTokens
  const successes = yield* Ref.make(0)
  yield* wave(
    Effect.flatMap(
      Ref.updateAndGet(successes, (n) => n + 1),
      (n) => (n === lastSuccesses ? Effect.sync(() => process.kill(process.pid, "SIGKILL")) : Effect.void)
    )
  )
})

const secondLife = Effect.gen(function* () {
  yield* expireTokens
  yield* say({ _tag: "Wave", ...(yield* wave()) })
})

/** What can be shown on a service that is not an emulator: a read, by a process that has a key or a stored session. */
const onlyRead = Effect.gen(function* () {
  const vault = yield* Vaults.details()
  yield* say({ _tag: "Read", vault: vault.name ?? String(vault.id ?? "without a name"), generation: yield* generation })
})

const lives = { first: firstLife, second: secondLife, read: onlyRead }
const life = process.argv[2]

if (life === "first" || life === "second" || life === "read") {
  lives[life].pipe(Effect.provide(NodeCustody.layerConfig()), NodeRuntime.runMain)
} else {
  console.error("usage: worker.ts first | second | read")
  process.exitCode = 2
}
