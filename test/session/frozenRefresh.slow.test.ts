/** A process is frozen, or told to end, while the answer to its refresh arrives. */
import { TokenStore } from "@effect-custody/authentication"
import { TokenStoreSqlite } from "@effect-custody/node"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import * as Path from "node:path"
import { createInterface } from "node:readline"
import { apiKey, details, refreshed, refusal, serverWithSession } from "../support/clients/wireClient.ts"
import { type Answer, header } from "../support/servers/wireServer.ts"
import { temporaryDirectory } from "../support/servers/sqlitePlace.ts"

const sleep = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

/** Freezes a process, and waits until the system has stopped it. */
const freeze = async (pid: number): Promise<void> => {
  process.kill(pid, "SIGSTOP")
  while (!/\) T /.test(readFileSync(`/proc/${pid}/stat`, "utf8"))) await sleep(1)
}

/** A service whose first access token has expired, and that answers a refresh so; and processes with a session of it. */
const makeWorld = Effect.fnUntraced(function* (answerTo: () => Promise<unknown>) {
  const directory = yield* temporaryDirectory
  const file = Path.join(directory, "session.db")
  const world = { refreshes: 0 }
  const refresh: Answer = (response) => void answerTo().then(() => refreshed(1)(response))
  const server = yield* serverWithSession((request) => {
    if (request.target.endsWith("/auth/refresh-token")) {
      world.refreshes++
      return refresh
    }
    return header(request, "x-access-token")[0] === "access-1" ? details : refusal(498, "E01403", "expired")
  })
  /** Starts a process, and gives what it says. */
  const start = Effect.fnUntraced(function* (...options: ReadonlyArray<string>) {
    const worker = Path.join(import.meta.dirname, "../support/worlds/sessionWorker.ts")
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, [worker, file, server.baseUrl, apiKey, ...options], {
          stdio: ["pipe", "pipe", "inherit"]
        })
      ),
      (started) => Effect.sync(() => started.kill("SIGKILL"))
    )
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const next = Effect.promise(async (): Promise<string> => {
      for (;;) {
        const { done, value } = await lines.next()
        if (done === true) return "it has ended"
        if (value.startsWith("{")) return JSON.parse(value).said
      }
    })
    assert.strictEqual(yield* next, "ready")
    const call = Effect.andThen(
      Effect.sync(() => child.stdin.write("call\n")),
      next
    )
    return { child, call }
  })
  return { file, start, world }
})

describe.skipIf(process.platform !== "linux")("a process that refreshes", () => {
  it.live.each(["in its socket", "not yet sent"])(
    "a process that is frozen past its time limit with the answer %s keeps the session, and sends nothing twice",
    (place) =>
      Effect.gen(function* () {
        let pid = 0
        const { start, world } = yield* makeWorld(async () => {
          await freeze(pid)
          const thaws = sleep(3_000).then(() => process.kill(pid, "SIGCONT"))
          if (place === "not yet sent") await thaws.then(() => sleep(200))
        })
        const { call, child } = yield* start("1000")
        pid = child.pid!
        assert.strictEqual(yield* call, "ok")
        assert.strictEqual(world.refreshes, 1)
      }),
    120_000
  )

  it.live(
    "a process that settles before it is frozen has stored its refresh, although its call had given up",
    () =>
      Effect.gen(function* () {
        const { start, world } = yield* makeWorld(() => sleep(2_000))
        const one = yield* start("", "1000")
        assert.include(["RefreshUnavailable", "TransportError"], yield* one.call)
        yield* Effect.promise(() => freeze(one.child.pid!))
        const other = yield* start()
        assert.strictEqual(yield* other.call, "ok")
        assert.strictEqual(world.refreshes, 1)
      }),
    120_000
  )

  it.live(
    "a process that gets SIGTERM during a rotation stores the answer before it ends",
    () =>
      Effect.gen(function* () {
        let tell = () => {}
        const { file, start } = yield* makeWorld(() => (tell(), sleep(1_500)))
        const { call, child } = yield* start()
        tell = () => void child.kill("SIGTERM")
        const ended = once(child, "exit")
        yield* Effect.forkChild(call)
        yield* Effect.promise(() => ended)
        const stored = yield* TokenStore.use((store) => store.load("default")).pipe(
          Effect.provide(Layer.fresh(TokenStoreSqlite.layer({ filename: file })))
        )
        const { intent, lease, session } = Option.getOrThrow(stored).record
        assert.deepStrictEqual([session?.generation, lease, intent], [1, undefined, undefined])
      }),
    120_000
  )
})
