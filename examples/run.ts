/**
 * `pnpm example <name>`: an example with what it needs around it, for as long as it runs. That is an emulator with a
 * client who has money, a directory for its files and, for the examples of several processes, a database. With
 * `CUSTODY_BASE_URL` or `CUSTODY_HOST` set, the example gets the environment as it is, and nothing else.
 */
import { CustodyEmulator, Fault } from "@effect-custody/emulator"
import { NodeCustody } from "@effect-custody/node"
import { Clients, Custody, TokenStore } from "@effect-custody/sdk"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Config, Console, Effect, Exit, FileSystem, Layer, Option, Path, Redacted, Runtime } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { postgresServer } from "../test/support/servers/postgres.ts"

/** An emulator, with the environment that leads a program to it. */
const emulated = Effect.fn("emulated")(function* (name: string) {
  const emulator = yield* CustodyEmulator
  const apiKey = yield* emulator.issueApiKey()
  yield* Clients.create({ externalId: "alice" }).pipe(
    Effect.provide(
      Custody.layer({ environment: emulator.environment, apiKey: yield* emulator.issueApiKey() }).pipe(
        Layer.provide([TokenStore.layerMemory, NodeCustody.layerHttpClient()])
      )
    )
  )
  yield* emulator.fund({ clientId: "alice", assetId: "usdc", amount: "1000" })
  // Slow enough to see a runner die between two payments.
  if (name === "payroll")
    yield* emulator.faults.next("transactions.send", Fault.delayed({ answer: "500 millis" }), { times: 12 })
  return {
    CUSTODY_BASE_URL: emulator.baseUrl,
    CUSTODY_ENVIRONMENT: "emulator",
    CUSTODY_API_KEY: Redacted.value(apiKey),
    EMULATOR_CONTROL: new URL("/emulator", emulator.baseUrl).href
  }
})

/** What is around an example, until the scope is closed. */
const around = Effect.fn("around")(function* (name: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const directory = yield* fs.makeTempDirectoryScoped({ prefix: "effect-custody-" })
  const server = yield* Layer.build(CustodyEmulator.layerServer())
  return {
    ...(yield* Effect.provideContext(emulated(name), server)),
    CUSTODY_SESSION_FILE: path.join(directory, "session.db"),
    PAYOUTS_FILE: path.join(directory, "payouts.db"),
    ...(["token-rotation", "payroll"].includes(name) ? { DATABASE_URL: yield* postgresServer } : {})
  }
})

/** Whether there is a service to run the example against. */
const isConfigured = Config.map(
  Config.all([Config.option(Config.String("CUSTODY_BASE_URL")), Config.option(Config.String("CUSTODY_HOST"))]),
  (given) => given.some(Option.isSome)
)

const run = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const [, , name = ""] = process.argv
  const entries = yield* fs.readDirectory(import.meta.dirname)
  const names = yield* Effect.filter(entries, (entry) =>
    // What is no folder fails.
    Effect.orElseSucceed(fs.exists(path.join(import.meta.dirname, entry, "main.ts")), () => false)
  )
  if (!names.includes(name)) {
    yield* Console.error(`usage: pnpm example ${names.toSorted().join(" | ")}`)
    return ChildProcessSpawner.ExitCode(2)
  }
  const example = yield* ChildProcess.make(process.execPath, [path.join(import.meta.dirname, name, "main.ts")], {
    env: (yield* isConfigured) ? {} : yield* around(name),
    extendEnv: true,
    stdin: "inherit",
    stdout: "inherit",
    stderr: "inherit"
  })
  return yield* example.exitCode
})

run.pipe(
  Effect.scoped,
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain({
    // It ends as the example did.
    teardown: (exit, onExit) =>
      Exit.isSuccess(exit) ? onExit(Number(exit.value)) : Runtime.defaultTeardown(exit, onExit)
  })
)
