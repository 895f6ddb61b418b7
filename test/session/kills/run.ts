/** Runs workers over one store and one emulator, and kills and freezes them until the number of kills is reached. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import { randomBytes } from "node:crypto"
import { emptyDatabase, postgresServer } from "../../support/servers/postgres.ts"
import { redisServer } from "../../support/servers/redis.ts"
import { random as randomOf } from "../../support/random.ts"
import { inside, temporaryDirectory } from "../../support/servers/sqlitePlace.ts"
import { type Account, makeAccount } from "./accounts.ts"
import { startEmulator } from "./emulator.ts"
import type { Entry } from "./history.ts"
import { isSpared, nextHit, type Settings } from "./chaosSchedule.ts"
import { makeRecordChecks } from "./recordChecks.ts"
import { clock, type Start } from "./protocol.ts"
import { identityOf, makeSessions } from "./sessions.ts"
import { until, Worker } from "./workerProcess.ts"

const lifetimeMillis = 1_200
/** The latency of the service. A holder that is killed in this time loses its answer. */
const latencyMillis = 20

const stores = {
  sqlite: Effect.map(temporaryDirectory, (directory) => ({
    _tag: "sqlite" as const,
    path: `${directory}/session.db`
  })),
  postgres: Effect.map(Effect.flatMap(postgresServer, emptyDatabase), (url) => ({ _tag: "postgres" as const, url })),
  redis: Effect.map(redisServer(), ({ url }) => ({ _tag: "redis" as const, url }))
}

/** The limit for starting a worker that cannot open its store. */
const maxStarts = 5

/** The damage that SQLite reports about its own file. */
const readDamage = (place: Start["store"]): ReadonlyArray<string> => {
  if (place._tag !== "sqlite") return []
  const rows = inside(place.path, (database) => database.prepare("PRAGMA integrity_check").all())
  return rows.map((row) => String(row["integrity_check"])).filter((line) => line !== "ok")
}

export const run = Effect.fnUntraced(function* (
  settings: Settings,
  progress: (kills: number) => Effect.Effect<void> = () => Effect.void
) {
  const { bug, frozenSenders, kills, leaseMillis, processes, requestMillis, seed } = settings
  const random = randomOf(seed)
  const place = yield* stores[settings.store]
  const emulator = yield* startEmulator({
    tokenLifetime: Duration.millis(lifetimeMillis),
    durations: { latency: Duration.millis(latencyMillis) },
    seed
  })
  const start: Start = {
    store: place,
    key: randomBytes(32).toString("base64"),
    baseUrl: emulator.baseUrl,
    leaseMillis,
    requestMillis,
    bug
  }
  const recordChecks = yield* makeRecordChecks(start)

  const began = clock()
  const history: Array<Entry> = []
  const workers = new Map<number, Worker>()
  let killCount = 0
  let isEnding = false
  const sessions = makeSessions({
    emulator,
    recordChecks,
    random,
    lifetimeMillis,
    workers: () => [...workers.values()],
    isEnding: () => isEnding
  })
  yield* Effect.addFinalizer(() =>
    Effect.forEach(workers.values(), (worker) => (worker.isAlive ? worker.kill() : Effect.void), { discard: true })
  )

  /** Starts a worker. Starts it again if a frozen worker keeps the store locked. */
  const boot = Effect.fnUntraced(function* (slot: number, life: number) {
    for (let attempt = 1; ; attempt++) {
      const worker = new Worker(`${slot}.${life}`, start, history)
      workers.set(slot, worker)
      yield* until(
        () => `${worker.name} is ready`,
        () => worker.isReady || !worker.isAlive,
        120
      )
      if (worker.isAlive) {
        sessions.join(worker)
        return worker
      }
      const reason = worker.logLines.join("; ")
      if (attempt === maxStarts || !reason.includes("TokenStoreError")) {
        return yield* Effect.die(new Error(`a worker ended: ${reason}`))
      }
      history.push({ what: "failed", operation: "open", reason, worker: worker.name, at: clock() })
      yield* Effect.sleep("1 second")
    }
  })

  /** Runs the lives of one slot in turn until the number of kills is reached. */
  const runSlot = Effect.fnUntraced(function* (slot: number) {
    let worker = yield* boot(slot, 0)
    yield* until(
      () => "every session has begun",
      () => sessions.begun.size >= settings.sessions,
      120
    )
    for (let life = 1; killCount < kills;) {
      if (isSpared(slot, processes, clock() - began, leaseMillis)) {
        yield* Effect.sleep("200 millis")
        continue
      }
      const freezeMillis = yield* nextHit(worker, random, { frozenSenders, leaseMillis, requestMillis })
      if (freezeMillis !== undefined) {
        yield* worker.freeze(freezeMillis)
        sessions.join(worker)
      } else if (killCount < kills) {
        const kill = ++killCount
        yield* worker.kill()
        yield* progress(kill)
        yield* sessions.checkRecords
        worker = yield* boot(slot, life++)
      }
    }
  })

  const slots = Array.from({ length: processes }, (_, slot) => slot)
  const sequences = Array.from({ length: settings.sessions }, () => sessions.runInTurn)
  const listening = yield* Effect.forkScoped(Effect.repeat(emulator.listen, Schedule.spaced("2 seconds")))
  const living = yield* Effect.forkScoped(Effect.all(sequences, { concurrency: "unbounded", discard: true }))
  yield* Effect.raceFirst(
    Effect.forEach(slots, runSlot, { concurrency: "unbounded", discard: true }),
    Effect.andThen(Fiber.join(living), Effect.never)
  )
  isEnding = true
  yield* Fiber.join(living)
  yield* sessions.readLate
  yield* Fiber.interrupt(listening)
  const refreshes = yield* emulator.refreshes(identityOf)
  const { keysRefused, rotations } = yield* emulator.counts
  const account: Account = makeAccount({
    leaseMillis,
    history,
    refreshes,
    rotations,
    keysRefused,
    losses: sessions.losses,
    recordChecks: recordChecks.count(),
    torn: [...recordChecks.torn, ...readDamage(place)]
  })
  return { account, history, refreshes, losses: sessions.losses, otherErrors: sessions.otherErrors }
}, Effect.scoped)
