/**
 * The SDK does its job over a real socket: it exchanges an API key, reads the vault, lives through expiry under load,
 * and keeps its session although its process is killed.
 *
 * With `CUSTODY_BASE_URL` and `CUSTODY_API_KEY` set it runs against that service instead, without the tricks that only
 * an emulator can play.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Config, Console, Effect, FileSystem, Option, Path, Schema, Stream } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import * as Emulator from "./emulator.ts"
import { decodeReport, type Report } from "./report.ts"
import { table } from "./table.ts"

class DemoFailed extends Schema.TaggedError<DemoFailed>()("DemoFailed", { message: Schema.String }) {}

const expect = (holds: boolean, message: string) => (holds ? Effect.void : Effect.fail(new DemoFailed({ message })))

/** Runs the worker once. Returns what it reported, and how it ended. */
const live = Effect.fn("live")(function* (life: "first" | "second" | "read", env: Record<string, string>) {
  const path = yield* Path.Path
  const script = path.join(import.meta.dirname, "worker.ts")
  const worker = yield* ChildProcess.make(process.execPath, [script, life], {
    env,
    extendEnv: false,
    stderr: "inherit"
  })
  const reports = yield* worker.stdout.pipe(
    Stream.decodeText(),
    Stream.splitLines,
    Stream.mapEffect((line) => decodeReport(line)),
    Stream.runCollect
  )
  const ended = yield* Effect.result(worker.exitCode)
  const survived = ended._tag === "Success" && ended.success === ChildProcessSpawner.ExitCode(0)
  return { reports, survived }
}, Effect.scoped)

const wavesOf = (reports: ReadonlyArray<Report>) => reports.filter((report) => report._tag === "Wave")

const onEmulator = Effect.fn("onEmulator")(function* (sessionFile: string) {
  const emulator = yield* Emulator.start
  yield* Console.log(`\nThe emulator is process ${emulator.pid}, at ${emulator.baseUrl}`)
  const env = {
    CUSTODY_BASE_URL: emulator.baseUrl,
    CUSTODY_ENVIRONMENT: "emulator",
    CUSTODY_SESSION_FILE: sessionFile,
    EMULATOR_CONTROL: emulator.control
  }

  const first = yield* live("first", { ...env, CUSTODY_API_KEY: emulator.apiKey })
  const afterFirst = yield* Emulator.counts(emulator.control)
  const second = yield* live("second", env)
  const afterSecond = yield* Emulator.counts(emulator.control)

  const read = first.reports.find((report) => report._tag === "Read")
  const [wave] = wavesOf(first.reports)
  const [lastWave] = wavesOf(second.reports)
  yield* expect(read !== undefined && wave !== undefined, "the first life did not get to its first wave")
  yield* expect(!first.survived, "the first life was not killed")
  yield* expect(lastWave !== undefined && second.survived, "the second life did not come through")
  if (read === undefined || wave === undefined || lastWave === undefined) return

  const told = (counts: Emulator.Counts, status: number) => counts.byOperation["vaults.details"]?.[status] ?? 0
  yield* Console.log(`
1. A one-time API key was exchanged for a session, and the vault "${read.vault}" was read.
2. The tokens expired, and ${wave.calls} calls went out at once: ${wave.succeeded} succeeded.
3. The tokens expired again, and in the middle of the next ${wave.calls} calls the process killed itself (SIGKILL).
4. A new process, with the session file and no API key, let the tokens expire a third time
   and made ${lastWave.calls} calls: ${lastWave.succeeded} succeeded.

What the service counted:
`)
  const row = (name: string, calls: number, unrejected: number, before: Emulator.Counts, after: Emulator.Counts) => {
    const answered = told(after, 200) - told(before, 200)
    const rejected = told(after, 498) - told(before, 498)
    const refreshes = after.refreshes - before.refreshes
    return [name, calls, rejected, refreshes, answered - unrejected, after.refreshes]
  }
  yield* Console.log(
    table(
      ["", "calls", "rejected (498)", "refreshes", "then answered", "generation"],
      [
        row("first life, killed", 1 + 2 * wave.calls, 1, Emulator.nothing, afterFirst),
        row("second life", lastWave.calls, 0, afterFirst, afterSecond)
      ]
    )
  )
  yield* Console.log(`
A call whose token had expired is rejected with a 498. The SDK refreshes the session once for all of them, and sends
each again: "then answered" counts those that the service answered with the new token.

One refresh per expiry, whatever happened in between.
`)

  yield* expect(wave.succeeded === wave.calls, `${wave.calls - wave.succeeded} calls of the first wave failed`)
  yield* expect(lastWave.succeeded === lastWave.calls, `${lastWave.calls - lastWave.succeeded} calls failed at the end`)
  yield* expect(afterFirst.refreshes === 2, `2 expiries in the first life, but ${afterFirst.refreshes} refreshes`)
  yield* expect(lastWave.generation === 3, `the session is of generation ${lastWave.generation}, not 3`)
  yield* expect(afterSecond.refreshes === 3, `3 expiries in all, but ${afterSecond.refreshes} refreshes`)
})

const onService = Effect.fn("onService")(function* (baseUrl: string, apiKey: string, sessionFile: string) {
  const env = { CUSTODY_BASE_URL: baseUrl, CUSTODY_SESSION_FILE: sessionFile }
  const first = yield* live("read", { ...env, CUSTODY_API_KEY: apiKey })
  yield* expect(first.survived, "the vault could not be read with the API key")
  const second = yield* live("read", env)
  yield* expect(second.survived, "the vault could not be read again from the stored session")
  yield* Console.log(`
1. A one-time API key was exchanged for a session at ${baseUrl}, and the vault was read.
2. A new process, with the session file and no API key, read it again.
`)
})

const demo = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const sessionFile = path.join(yield* fs.makeTempDirectoryScoped({ prefix: "effect-custody-" }), "session.db")
  const service = yield* Config.option(
    Config.all({ baseUrl: Config.NonEmptyString("CUSTODY_BASE_URL"), apiKey: Config.NonEmptyString("CUSTODY_API_KEY") })
  )
  yield* Option.match(service, {
    onNone: () => onEmulator(sessionFile),
    onSome: ({ apiKey, baseUrl }) => onService(baseUrl, apiKey, sessionFile)
  })
})

demo.pipe(Effect.scoped, Effect.provide(NodeServices.layer), NodeRuntime.runMain)
