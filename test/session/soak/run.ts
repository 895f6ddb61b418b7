/**
 * Runs a deployment: processes that share the sessions of one store, and call a service all the time. Processes end by
 * SIGTERM and SIGKILL and start again, and the store restarts and fails over.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import { randomBytes } from "node:crypto"
import * as Path from "node:path"
import { random as randomOf } from "../../support/random.ts"
import { makeAccount, type Loss } from "../kills/accounts.ts"
import { startEmulator } from "../kills/emulator.ts"
import type { Entry } from "../kills/history.ts"
import { clock, type Phase, type Start } from "../kills/protocol.ts"
import { makeRecordChecks } from "../kills/recordChecks.ts"
import { identityOf } from "../kills/sessions.ts"
import { until, Worker } from "../kills/workerProcess.ts"
import { stores } from "./stores.ts"
import { readUsage, type Usage } from "./usage.ts"

export interface Settings {
  readonly store: keyof typeof stores
  readonly minutes: number
  readonly processes: number
  readonly sessions: number
  readonly seed: number
}

const tokenLifetime = "4 seconds"
const latency = "20 millis"
/** The default of the SDK. */
const leaseMillis = 10_000
/** The time in which every process serves every session again after the last event. */
const maxRecoverySeconds = 120
/** The time between two events in milliseconds. */
interface Pause {
  readonly min: number
  readonly max: number
}
const processPause: Pause = { min: 2_000, max: 5_000 }
const storePause: Pause = { min: 6_000, max: 12_000 }
/** The phases in which half of the kills happen. */
const phases: ReadonlyArray<Phase> = ["claimed", "sends", "sends", "stored"]

/** What befalls the processes, and the store, in turn. */
const processEvents = ["SIGTERM", "SIGKILL"] as const
const storeEvents = ["restart", "failover"] as const
type EventName = (typeof processEvents)[number] | (typeof storeEvents)[number]

const isEnd = (tag: string) => tag === "SessionLost" || tag === "NoSession"

export const run = Effect.fnUntraced(function* (
  { minutes, processes, seed, sessions, store }: Settings,
  progress: (event: string) => Effect.Effect<void>
) {
  const random = randomOf(seed)
  const target = yield* stores[store]
  const emulator = yield* startEmulator({ tokenLifetime, durations: { latency }, seed })
  const start: Start = {
    store: target.place,
    key: randomBytes(32).toString("base64"),
    baseUrl: emulator.baseUrl,
    leaseMillis,
    requestMillis: undefined,
    bug: undefined
  }
  const recordChecks = yield* makeRecordChecks(start, 60)

  const history: Array<Entry> = []
  const losses: Array<Loss> = []
  const everyWorker: Array<Worker> = []
  const slots = new Map<number, Worker>()
  /** The sessions that are served, with their API keys. */
  const current = new Map<string, string>()
  const events = new Map<EventName, number>()
  let vaults = 0
  let failedStarts = 0

  yield* Effect.addFinalizer(() =>
    Effect.forEach(slots.values(), (worker) => (worker.isAlive ? worker.kill() : Effect.void), { discard: true })
  )

  const instruct = (worker: Worker, identity: string) =>
    worker.instruct({ identity, apiKey: current.get(identity)!, round: 0 })

  const beginSession = Effect.gen(function* () {
    const vaultId = ++vaults
    const identity = identityOf(vaultId)
    current.set(identity, yield* emulator.issueApiKey(vaultId))
    for (const worker of slots.values()) if (worker.isAlive && worker.isReady) instruct(worker, identity)
  })

  /** Starts a process until it is ready. Its start fails while the store does. */
  const boot = Effect.fnUntraced(function* (slot: number) {
    for (;;) {
      const name = `${slot}.${everyWorker.length}`
      const worker = new Worker(name, start, history, Path.join(import.meta.dirname, "worker.ts"))
      everyWorker.push(worker)
      slots.set(slot, worker)
      yield* until(
        () => `${name} is ready`,
        () => worker.isReady || !worker.isAlive,
        300
      )
      if (worker.isAlive) break
      if (!/TokenStoreError|RedisError|SqlError/.test(worker.logLines.join())) {
        return yield* Effect.die(new Error(`a process ended: ${worker.logLines.join("; ")}`))
      }
      failedStarts++
      yield* Effect.sleep("1 second")
    }
    for (const identity of current.keys()) instruct(slots.get(slot)!, identity)
  })

  /** Replaces each session that a process found lost. */
  const replaceLost = Effect.gen(function* () {
    const ended = everyWorker.flatMap(({ calls }) =>
      calls.filter(({ identity, tag }) => isEnd(tag) && current.has(identity))
    )
    for (const [identity, all] of Map.groupBy(ended, (call) => call.identity)) {
      current.delete(identity)
      const generation = (yield* recordChecks.read(identity))?.generation ?? -1
      const served = (yield* emulator.sessions).find(({ vaultId }) => identityOf(vaultId) === identity)
      losses.push({ identity, generation, served: served?.generation ?? -1, at: all[0]!.at })
      yield* beginSession
    }
  })

  /** Never the first process: its memory shows a leak. */
  const randomWorker = () => {
    const slot = 1 + Math.floor(random.next() * (processes - 1))
    return [slot, slots.get(slot)!] as const
  }

  const perform: Record<EventName, Effect.Effect<void>> = {
    SIGTERM: Effect.gen(function* () {
      const [slot, worker] = randomWorker()
      yield* worker.terminate()
      yield* boot(slot)
    }),
    SIGKILL: Effect.gen(function* () {
      const [slot, worker] = randomWorker()
      if (random.chance(0.5)) {
        yield* worker.awaitPhase(phases[Math.floor(random.next() * phases.length)]!, 5_000)
        yield* Effect.sleep(random.next() * 30)
      }
      yield* worker.kill()
      yield* boot(slot)
    }),
    restart: target.restart,
    failover: target.failover ?? Effect.void
  }

  yield* Effect.forEach(Array.from({ length: processes }), (_, slot) => boot(slot), { concurrency: 2 })
  for (let count = 0; count < sessions; count++) yield* beginSession
  const listening = yield* Effect.forkScoped(Effect.repeat(emulator.listen, Schedule.spaced("2 seconds")))
  const replacing = yield* Effect.forkScoped(Effect.repeat(replaceLost, Schedule.spaced("200 millis")))

  /** Waits until every process has served every session after a time. */
  const awaitService = (after: number) => {
    const unserved = () =>
      [...current.keys()].flatMap((identity) =>
        [...slots.values()]
          .filter(
            ({ calls }) => !calls.some((call) => call.identity === identity && call.began > after && call.tag === "ok")
          )
          .map(({ name }) => `${identity} at ${name}`)
      )
    return until(
      () => `every process serves every session; not ${unserved().join(", ")}`,
      () => unserved().length === 0,
      maxRecoverySeconds
    )
  }

  yield* awaitService(0)
  const usages: Array<Usage> = []
  const measure = Effect.sync(() => {
    const usage = readUsage(slots.get(0)!.child.pid!)
    if (usage !== undefined) usages.push(usage)
  })
  const began = clock()
  const end = began + minutes * 60_000
  yield* measure
  yield* Effect.forkScoped(Effect.andThen(Effect.sleep(minutes * 30_000), measure))
  const performInTurn = Effect.fnUntraced(function* (names: ReadonlyArray<EventName>, pause: Pause) {
    for (let count = 0; ; count++) {
      const name = names[count % names.length]!
      yield* Effect.sleep(pause.min + random.next() * (pause.max - pause.min))
      if (clock() >= end) return
      const at = clock()
      yield* perform[name]
      yield* progress(`${((at - began) / 1000).toFixed(0)} s: ${name}, ${((clock() - at) / 1000).toFixed(1)} s`)
      events.set(name, (events.get(name) ?? 0) + 1)
    }
  })
  yield* Effect.all(
    [
      performInTurn(processEvents, processPause),
      performInTurn(target.failover === undefined ? ["restart"] : storeEvents, storePause)
    ],
    { concurrency: "unbounded" }
  )

  const settledAt = clock()
  yield* awaitService(settledAt)
  const recoveryMillis = clock() - settledAt
  yield* measure
  yield* Fiber.interrupt(replacing)
  yield* Effect.forEach(slots.values(), (worker) => worker.terminate(), { concurrency: "unbounded", discard: true })
  yield* Effect.forEach(current.keys(), recordChecks.read, { discard: true })
  yield* Fiber.interrupt(listening)

  const { keysRefused, rotations } = yield* emulator.counts
  const account = makeAccount({
    leaseMillis,
    history,
    refreshes: yield* emulator.refreshes(identityOf),
    rotations,
    keysRefused,
    losses,
    recordChecks: recordChecks.count(),
    torn: recordChecks.torn
  })
  const calls = everyWorker.flatMap((worker) => worker.calls)
  const showUsages = (what: keyof Usage) => usages.map((usage) => usage[what]).join(", ")
  const rows: ReadonlyArray<readonly [name: string, value: string]> = [
    ["events", [...events].map(([name, count]) => `${count} ${name}`).join(", ")],
    ["starts that failed with the store", `${failedStarts}`],
    ["calls", `${calls.length}`],
    ...[...Map.groupBy(calls, ({ tag }) => tag)].map(([tag, all]) => [`  with ${tag}`, `${all.length}`] as const),
    ["memory of the first process in MB, at the start, half-time and the end", showUsages("megabytes")],
    ["  open files", showUsages("files")],
    ["served again after the last event", Duration.format(Duration.millis(Math.round(recoveryMillis)))]
  ]
  return { account, rows }
}, Effect.scoped)
