/** A run: workers over one store and one emulator, killed and frozen until enough of them are dead. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import { randomBytes } from "node:crypto"
import { emptyDatabase, postgresServer } from "../../support/servers/postgres.ts"
import { random as randomOf } from "../../support/random.ts"
import { inside, temporaryDirectory } from "../../support/servers/sqlitePlace.ts"
import { type Account, accountOf } from "./accounts.ts"
import { startEmulator } from "./emulator.ts"
import type { Entry } from "./history.ts"
import { blow, isSpared, type Settings } from "./chaosSchedule.ts"
import { makeLooks } from "./recordChecks.ts"
import { clock, type Start } from "./protocol.ts"
import { identityOf, makeSessions } from "./sessions.ts"
import { until, Worker } from "./workerProcess.ts"

const lifetimeMillis = 1_200
/** How long each answer of the service takes. If the holder is killed in that time, the answer is lost. */
const latencyMillis = 20

const placeOf = {
  sqlite: Effect.map(temporaryDirectory, (directory) => ({
    _tag: "sqlite" as const,
    path: `${directory}/session.db`
  })),
  postgres: Effect.map(Effect.flatMap(postgresServer, emptyDatabase), (url) => ({ _tag: "postgres" as const, url }))
}

/** How often a worker is started that cannot open its store. */
const startsAtMost = 5

/** What SQLite itself reports about its file. */
const damages = (place: Start["store"]): ReadonlyArray<string> => {
  if (place._tag === "postgres") return []
  const said = inside(place.path, (database) => database.prepare("PRAGMA integrity_check").all())
  return said.map((row) => String(row["integrity_check"])).filter((line) => line !== "ok")
}

export const run = Effect.fnUntraced(function* (
  settings: Settings,
  progress: (kills: number) => Effect.Effect<void> = () => Effect.void
) {
  const { bug, frozenSenders, kills, leaseMillis, processes, requestMillis, seed } = settings
  const random = randomOf(seed)
  const place = yield* placeOf[settings.store]
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
  const looks = yield* makeLooks(start)

  const began = clock()
  const history: Array<Entry> = []
  const workers = new Map<number, Worker>()
  let given = 0
  let isEnding = false
  const sessions = makeSessions({
    emulator,
    looks,
    random,
    lifetimeMillis,
    workers: () => [...workers.values()],
    isEnding: () => isEnding
  })
  yield* Effect.addFinalizer(() =>
    Effect.forEach(workers.values(), (worker) => (worker.isAlive ? worker.kill() : Effect.void), { discard: true })
  )

  /** A worker that cannot open its store, as while a frozen one keeps it locked, is started again. */
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
      const reason = worker.complaints.join("; ")
      if (attempt === startsAtMost || !reason.includes("TokenStoreError")) {
        return yield* Effect.die(new Error(`a worker ended: ${reason}`))
      }
      history.push({ what: "failed", operation: "open", reason, worker: worker.name, at: clock() })
      yield* Effect.sleep("1 second")
    }
  })

  /** One life after the other, until enough have ended. */
  const hunted = Effect.fnUntraced(function* (slot: number) {
    let worker = yield* boot(slot, 0)
    yield* until(
      () => "every session has begun",
      () => sessions.begun.size >= settings.sessions,
      120
    )
    for (let life = 1; given < kills;) {
      if (isSpared(slot, processes, clock() - began, leaseMillis)) {
        yield* Effect.sleep("200 millis")
        continue
      }
      const millis = yield* blow(worker, random, { frozenSenders, leaseMillis, requestMillis })
      if (millis !== undefined) {
        yield* worker.freeze(millis)
        sessions.join(worker)
      } else if (given < kills) {
        const kill = ++given
        yield* worker.kill()
        yield* progress(kill)
        yield* sessions.look
        worker = yield* boot(slot, life++)
      }
    }
  })

  const slots = Array.from({ length: processes }, (_, slot) => slot)
  const places = Array.from({ length: settings.sessions }, () => sessions.place)
  const listening = yield* Effect.forkScoped(Effect.repeat(emulator.listen, Schedule.spaced("2 seconds")))
  const living = yield* Effect.forkScoped(Effect.all(places, { concurrency: "unbounded", discard: true }))
  yield* Effect.raceFirst(
    Effect.forEach(slots, hunted, { concurrency: "unbounded", discard: true }),
    Effect.andThen(Fiber.join(living), Effect.never)
  )
  isEnding = true
  yield* Fiber.join(living)
  yield* sessions.readLate
  yield* Fiber.interrupt(listening)
  const refreshes = yield* emulator.refreshes(identityOf)
  const { keysRefused, rotations } = yield* emulator.counts
  const account: Account = accountOf({
    leaseMillis,
    history,
    refreshes,
    rotations,
    keysRefused,
    losses: sessions.losses,
    looks: looks.count(),
    torn: [...looks.torn, ...damages(place)]
  })
  return { account, history, refreshes, losses: sessions.losses, otherEnds: sessions.otherEnds }
}, Effect.scoped)
