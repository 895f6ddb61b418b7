import { TokenStore } from "@effect-custody/authentication"
import { CustodyEmulator, Fault, type Options } from "@effect-custody/emulator"
import { TokenStoreSqlite } from "@effect-custody/node"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as Path from "node:path"
import { createInterface } from "node:readline"
import type { Said } from "../support/worlds/sessionWorker.ts"

/** How many processes expire together. */
const together = 6
/** After so many milliseconds a wait is taken to hang. No claim depends on how long the processes take. */
const hangsAfter = 240_000

class WorkerProcess {
  readonly said: Array<Said> = []
  /** What it logs: why it could not start, or go on. */
  readonly complaints: Array<string> = []
  readonly child: ChildProcess
  constructor(...args: ReadonlyArray<string>) {
    this.child = spawn(
      process.execPath,
      [Path.join(import.meta.dirname, "../support/worlds/sessionWorker.ts"), ...args],
      {
        stdio: ["pipe", "pipe", "inherit"]
      }
    )
    createInterface({ input: this.child.stdout! }).on("line", (line) => {
      if (line.startsWith("{")) this.said.push(JSON.parse(line))
      else this.complaints.push(line)
    })
  }
  count(what: Said["what"], tag?: string): number {
    return this.said.filter((said) => said.what === what && (tag === undefined || said.tag === tag)).length
  }
  read(): void {
    this.child.stdin!.write("read\n")
  }
}

/** Waits for something that a process of its own does. */
const until = (what: string, holds: () => boolean | Promise<boolean>) =>
  Effect.promise(async () => {
    const end = performance.now() + hangsAfter
    while (!(await holds())) {
      if (performance.now() > end) throw new Error(`it waits in vain: ${what}`)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  })

const makeWorld = Effect.fnUntraced(function* (options: Options = {}) {
  const directory = mkdtempSync(Path.join(tmpdir(), "custody-session-"))
  yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(directory, { recursive: true, force: true })))
  const file = Path.join(directory, "session.db")
  const emulator = Context.get(yield* Layer.build(Layer.fresh(CustodyEmulator.layerServer(options))), CustodyEmulator)
  const apiKey = Redacted.value(yield* emulator.issueApiKey())
  const spawned: Array<WorkerProcess> = []
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const { child } of spawned) child.kill("SIGKILL")
    })
  )
  const boot = Effect.gen(function* () {
    const worker = new WorkerProcess(file, emulator.baseUrl, apiKey)
    spawned.push(worker)
    const isReady = () => {
      if (worker.child.exitCode === null) return worker.count("ready") === 1
      throw new Error(`a process ended before it was ready: ${worker.complaints.join("; ")}`)
    }
    yield* until("it is ready", isReady)
    return worker
  })
  const started = Effect.fnUntraced(function* (count: number) {
    const workers = yield* Effect.all(
      Array.from({ length: count }, () => boot),
      { concurrency: 4 }
    )
    for (const worker of workers) worker.read()
    yield* until("all have read", () => workers.every((worker) => worker.count("read", "ok") === 1))
    return workers
  })
  const record = Effect.scoped(
    Effect.gen(function* () {
      const store = Context.get(yield* Layer.build(Layer.fresh(TokenStoreSqlite.layer({ filename: file }))), TokenStore)
      return Option.getOrThrow(yield* store.load("default")).record
    })
  )
  /** Waits until the service has received so many refreshes. */
  const refreshes = (count: number) =>
    Effect.gen(function* () {
      while ((yield* emulator.counts).refreshes < count) yield* Effect.sleep("5 millis")
    })
  return { emulator, started, record, refreshes }
})

describe("a session shared by real processes", { concurrent: true }, () => {
  it.live(`${together} processes with one key exchange it once, and refresh once after a common expiry`, () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const workers = yield* world.started(together)
      yield* world.emulator.expireTokens
      for (const worker of workers) worker.read()
      yield* until("all have read", () => workers.every((worker) => worker.count("read", "ok") === 2))
      const counts = yield* world.emulator.counts
      assert.deepInclude(counts, { refreshes: 1, rotations: 1 })
      assert.deepEqual(counts.byOperation["authentication.generateTokens"], { "201": 1 })
    })
  )

  it.live("a process reports a lost answer after another was killed between rotation and write", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const [holder, other] = yield* world.started(2)
      yield* world.emulator.expireTokens
      yield* world.emulator.faults.next("authentication.refreshToken", Fault.silence())
      holder!.read()
      yield* world.refreshes(1)
      holder!.child.kill("SIGKILL")
      other!.read()
      yield* until("the other knows", () => other!.count("read", "SessionLost") === 1)
      const { end } = yield* world.record
      assert.isTrue(end?._tag === "Lost" && end.answerLostAt !== undefined)
    })
  )

  it.live("a process that gets SIGTERM during a rotation stores the answer before it ends", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const [holder] = yield* world.started(1)
      yield* world.emulator.expireTokens
      yield* world.emulator.faults.next("authentication.refreshToken", Fault.delayed({ answer: "1500 millis" }))
      holder!.read()
      yield* world.refreshes(1)
      const ended = once(holder!.child, "exit")
      holder!.child.kill("SIGTERM")
      yield* Effect.promise(() => ended)
      const record = yield* world.record
      assert.strictEqual(record.session?.generation, 1)
      assert.isUndefined(record.lease)
      assert.isUndefined(record.intent)
    })
  )
})
