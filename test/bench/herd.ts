/**
 * `pnpm bench:herd [calls]`: so many calls at one expiry, on the default settings, against a service in a process of its
 * own. Prints failures, time, what a waiting call holds beside a bare fiber, and the refreshes that were sent; exits
 * with 1 if a call failed, more than one refresh was sent, or a waiting call holds more than 4 kB.
 */
import { Environment } from "@effect-custody/core"
import { NodeCustody } from "@effect-custody/node"
import { Vaults } from "@effect-custody/sdk"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import { fork } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as Path from "node:path"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

const calls = Number(process.argv[2] ?? 100_000)
if (!Number.isSafeInteger(calls) || calls < 1) {
  console.error("the number of calls must be a positive whole number")
  process.exit(2)
}

/** What a waiting call may hold beside its fiber, in bytes. */
const bar = 4_096

interface Said {
  readonly baseUrl: string
  readonly received: { readonly refreshes: number; readonly accepted: number; readonly expired: number }
}

setFlagsFromString("--expose-gc")
const collectGarbage: () => void = runInNewContext("gc")

const server = fork(Path.join(import.meta.dirname, "herdServer.ts"), [String(calls)])
const said = (): Promise<Said> =>
  new Promise((resolve) => server.once("message", (message) => resolve(message as Said)))
const { baseUrl } = await said()
const asked = (what: "expire" | "answer" | "count") => {
  const answer = said()
  server.send(what)
  return answer
}

const heap = () => {
  collectGarbage()
  return process.memoryUsage().heapUsed
}
/** What a fiber holds that waits for something and knows nothing, in bytes. */
const bareFiber = Effect.gen(function* () {
  const before = heap()
  const one = Effect.ignore(Effect.never)
  const all = Effect.all(
    Array.from({ length: calls }, () => one),
    { concurrency: "unbounded", discard: true }
  )
  const waiting = yield* Effect.forkChild(all, { startImmediately: true })
  yield* Effect.sleep("500 millis")
  const bytes = (heap() - before) / calls
  yield* Fiber.interrupt(waiting)
  return bytes
})
const inKilobytes = (bytes: number) => `${(bytes / 1024).toFixed(1)} kB`
const inMegabytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(0)} MB`

const directory = mkdtempSync(Path.join(tmpdir(), "custody-herd-"))
const client = NodeCustody.layer({
  environment: Environment.local(baseUrl),
  apiKey: Redacted.make("one-time-key"),
  sessionFile: Path.join(directory, "session.db")
})

const herd = Effect.gen(function* () {
  const bare = yield* bareFiber
  yield* Vaults.details()
  yield* Effect.promise(() => asked("expire"))
  const before = heap()
  let highest = 0
  let waiting = Number.NaN
  const failures = new Map<string, number>()
  const began = performance.now()
  let seconds = 0
  const watching = yield* Effect.forkChild(
    Effect.forever(
      Effect.andThen(
        Effect.sleep("50 millis"),
        Effect.sync(() => {
          highest = Math.max(highest, process.memoryUsage().rss)
        })
      )
    )
  )
  // All calls wait for the refresh: its answer comes when that was measured.
  yield* Effect.forkChild(
    Effect.promise(async () => {
      await said()
      await new Promise((resolve) => setTimeout(resolve, 500))
      waiting = (heap() - before) / calls
      seconds = (performance.now() - began) / 1_000
      await asked("answer")
    })
  )
  const one = Effect.match(Vaults.details(), {
    onFailure: ({ _tag, message }) => {
      const name = `${_tag}: ${message}`
      failures.set(name, (failures.get(name) ?? 0) + 1)
    },
    onSuccess: () => {}
  })
  yield* Effect.all(
    Array.from({ length: calls }, () => one),
    { concurrency: "unbounded", discard: true }
  )
  const all = (performance.now() - began) / 1_000
  yield* Effect.sync(() => watching.interruptUnsafe())
  const { received } = yield* Effect.promise(() => asked("count"))
  const failed = [...failures.values()].reduce((sum, times) => sum + times, 0)
  return {
    isWell: failed === 0 && received.refreshes === 1 && waiting - bare <= bar,
    lines: [
      `${calls} calls at one expiry: ${failed} failed, in ${all.toFixed(1)} s; all of them waited for the refresh after ${seconds.toFixed(1)} s`,
      `refreshes sent: ${received.refreshes}; calls refused as expired: ${received.expired}, accepted: ${received.accepted}`,
      `a waiting call holds ${inKilobytes(waiting - bare)} of heap beside its fiber, which holds ${inKilobytes(bare)}; at most ${inMegabytes(highest)} of memory in all`,
      ...[...failures].map(([name, times]) => `failed: ${times} ${name}`)
    ]
  }
})

const { isWell, lines } = await Effect.runPromise(Effect.provide(herd, client))
for (const line of lines) console.log(line)
process.exitCode = isWell ? 0 : 1
server.disconnect()
rmSync(directory, { recursive: true })
