/**
 * Plays one schedule in virtual time: payouts, several processes of the real ledger on one database that die and stand
 * still, an unreliable network, an odd history, and a person who decides by what the ledger shows. Then compares the ledger
 * with the emulator's.
 */
import { TokenStore } from "@effect-custody/authentication"
import { Amount, ClientKnowledge, CustodyClient, TokenService } from "@effect-custody/core"
import { CustodyEmulator } from "@effect-custody/emulator"
import { Payouts } from "@effect-custody/ledger"
import * as LedgerSqlite from "@effect-custody/ledger/LedgerSqlite"
import { Custody } from "@effect-custody/sdk"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Random from "effect/Random"
import * as Scope from "effect/Scope"
import { TestClock } from "effect/testing"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { random, type Source } from "../../support/random.ts"
import { clientOf, drawShowing, type World } from "./network.ts"
import { databaseOf, endedWith, makeProcess, type Mishaps } from "./process.ts"

export interface Report {
  readonly seed: number
  readonly mistakes: ReadonlyArray<string>
  readonly states: Readonly<Record<string, number>>
  /** The number of payouts that a person decided about. */
  readonly decided: number
  readonly deaths: number
  readonly history: ReadonlyArray<string>
}

const quiet = Logger.layer([])

const memory = Fs.existsSync("/dev/shm") ? "/dev/shm" : Os.tmpdir()

const settings = {
  inFlight: 2,
  pollInterval: "20 seconds",
  validity: "30 seconds",
  undecidedAfter: "4 minutes",
  window: "2 hours"
} as const

/** Runs work that needs real turns of the event loop, and advances the time until it ends. */
const settled = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(work)
    while (fiber.pollUnsafe() === undefined) {
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      yield* TestClock.adjust("10 millis")
    }
    return yield* Fiber.join(fiber)
  })

const orders = (dice: Source, { note }: World["showing"]): ReadonlyArray<Payouts.ReferencedOrder> => {
  const twins = dice.chance(note === "hidden" ? 0.8 : 0.3)
  const [least, choices] = twins ? [2, 3] : [1, 4]
  return Array.from({ length: least + dice.below(choices) }, (_, at) => ({
    reference: `payout-${at}`,
    clientId: "alice",
    assetId: "usdc",
    to: twins ? "0xtwin" : dice.chance(0.1) ? `0xrejected${at}` : `0x${at}`,
    amount: Amount.fromStringUnsafe(twins ? "1" : `${1 + at}`)
  }))
}

/** Plays one schedule. Needs a `TestClock` of its own. */
export const simulate = (seed: number): Effect.Effect<Report> =>
  Effect.gen(function* () {
    const dice = random(seed)
    const scope = yield* Scope.make()
    const clock = yield* Clock.Clock
    yield* TestClock.setTime(1_700_000_000_000)
    const behind = yield* Layer.buildWithScope(
      CustodyEmulator.layerHttpClientWith({ tokenLifetime: Duration.days(30) }),
      scope
    )
    const emulator = Context.get(behind, CustodyEmulator)
    yield* emulator.fund({ clientId: "alice", assetId: "usdc", amount: dice.chance(0.1) ? "3" : "1000" })
    const world: World = {
      service: Context.get(behind, HttpClient.HttpClient),
      emulator,
      random: random(seed ^ 0x5bd1e995),
      scope,
      clock,
      showing: drawShowing(random(seed ^ 0x3c6ef372)),
      history: [],
      isCalm: false
    }
    const directory = Fs.mkdtempSync(Path.join(memory, "custody-ledger-"))
    yield* Scope.addFinalizer(
      scope,
      Effect.sync(() => Fs.rmSync(directory, { recursive: true, force: true }))
    )
    const filename = Path.join(directory, "ledger.db")
    const ledgerOf = (database: ReturnType<typeof databaseOf>, worker: string) =>
      Layer.fresh(Payouts.layer({ ...settings, worker }).pipe(Layer.provide(database)))

    // The person's own process does not fail.
    const person = yield* settled(Layer.buildWithScope(ledgerOf(LedgerSqlite.layer({ filename }), "person"), scope))
    const given = orders(dice, world.showing)
    const held = dice.chance(0.1)
    yield* Payouts.submit({ batch: "b", by: "ada", orders: given, held }).pipe(Effect.provideContext(person))
    const approve = Effect.flatMap(Payouts.review("b"), (review) => Payouts.approve("b", { ...review, by: "bob" }))
    if (held) yield* Effect.provideContext(approve, person)

    const faulty = dice.pick([0.02, 0.05, 0.15])
    const mishaps: Mishaps = {
      death: faulty,
      freeze: faulty,
      lastThaw: 0,
      deathsLeft: dice.below(6),
      freezesLeft: dice.below(4)
    }
    const failing = () => (world.isCalm ? 0 : faulty / 2)
    let deaths = 0
    /** A slot of a worker: a new process follows a dead one. */
    const makeSlot = Effect.fnUntraced(function* (at: number) {
      const draws = random(seed * 31 + at)
      let current = makeProcess(`worker-${at}`, draws, { ...mishaps, deathsLeft: 0, freezesLeft: 0 }, () => 0)
      const custody = Custody.layer({
        environment: emulator.environment,
        apiKey: yield* emulator.issueApiKey(),
        limits: { attemptTimeout: Duration.seconds(20) }
      }).pipe(
        Layer.provide(Layer.fresh(TokenStore.layerMemory)),
        Layer.provide(
          Layer.succeed(
            HttpClient.HttpClient,
            clientOf(world, () => current)
          )
        ),
        Layer.fresh
      )
      // The session has a simulation of its own.
      const context = yield* Layer.buildWithScope(custody, scope)
      yield* Context.get(context, TokenService).current
      const client = Context.pick(CustodyClient, ClientKnowledge)(context)
      const renew = Effect.gen(function* () {
        const name = `worker-${at}-${deaths}`
        const died = Promise.withResolvers<void>()
        const connection = yield* Scope.make()
        current = makeProcess(name, draws, mishaps, () => clock.currentTimeMillisUnsafe())
        current.onDeath = () => {
          deaths++
          world.history.push(`${clock.currentTimeMillisUnsafe()} ms: ${name} died`)
          died.resolve()
        }
        const ledger = yield* Layer.buildWithScope(
          ledgerOf(databaseOf(filename, current, draws, failing), name),
          connection
        )
        const worker = yield* Payouts.run.pipe(
          Effect.provideContext(Context.merge(ledger, client)),
          endedWith(current),
          Effect.forkIn(scope)
        )
        const ended = yield* Effect.raceFirst(
          Effect.exit(Fiber.join(worker)),
          Effect.promise(() => died.promise)
        )
        if (ended !== undefined && Exit.isFailure(ended)) {
          world.history.push(`${clock.currentTimeMillisUnsafe()} ms: ${name} stopped: ${String(ended.cause)}`)
        }
        // SQLite rolls back what the process has not committed. Nothing of it runs on: what it waits for never comes.
        yield* Scope.close(connection, Exit.void)
        yield* Effect.sleep(draws.pick([1_000, 10_000, 60_000]))
      })
      return { renew }
    })
    const slots = dice.pick([1, 2, 2, 3])
    for (let at = 0; at < slots; at++) {
      const { renew } = yield* settled(makeSlot(at))
      yield* Effect.forkIn(Effect.forever(renew), scope)
    }

    let decided = 0
    /** A person trusts the ledger when it shows nothing, and looks at what it shows. */
    const decide = Effect.gen(function* () {
      const undecided = yield* Payouts.list({ state: "undecided" })
      const paid = new Set((yield* Payouts.list()).map(({ transactionId }) => transactionId))
      const sends = (yield* emulator.ledger).filter(({ operation }) => operation === "transactions.send")
      for (const { detail, reference } of undecided) {
        const shown = sends.find(({ id }) => id !== undefined && !paid.has(id) && detail?.includes(`${id} `))
        const own = sends.find(({ id, marker }) => marker === reference && !paid.has(id ?? ""))
        const seen = detail?.includes("may be it") === true
        // Without notes, any of the candidates may be the one.
        const found = !seen ? undefined : world.showing.note === "hidden" ? shown : own
        decided++
        const outcome =
          found?.id === undefined
            ? ({ notPaid: true, unchecked: true } as const)
            : { paid: found.id, unchecked: true as const }
        world.history.push(
          `${clock.currentTimeMillisUnsafe()} ms: ada decides ${reference} ${JSON.stringify(outcome)}: ${detail}`
        )
        yield* Effect.ignore(Payouts.decide(reference, outcome, { by: "ada", reason: "looked" }))
        if (found?.id !== undefined) paid.add(found.id)
      }
      for (const { reference } of yield* Payouts.list({ state: "refused" })) {
        if (dice.chance(0.2)) yield* Effect.ignore(Payouts.retry(reference, { by: "ada", reason: "funded" }))
      }
    }).pipe(Effect.provideContext(person))

    const open = ["ready", "sending", "unknown", "undecided", "accepted"] as const
    const isOpen = (state: string) => open.some((one) => one === state)
    const counts = Effect.map(Effect.provideContext(Payouts.progress(), person), ({ states }) => states)
    // Mishaps end after half an hour, then everything comes to its end.
    let isOver = false
    for (let step = 0; step < 500 && !isOver; step++) {
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      yield* TestClock.adjust("20 seconds")
      if (step === 45) world.isCalm = true
      if (step % 3 === 0) {
        yield* decide
        const states = yield* counts
        isOver = open.every((state) => (states[state] ?? 0) === 0)
      }
    }
    // What is still on its way arrives, and who stands still goes on.
    const end = Math.max(clock.currentTimeMillisUnsafe(), mishaps.lastThaw) + 120_000
    while (clock.currentTimeMillisUnsafe() < end) {
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      yield* TestClock.adjust("20 seconds")
    }
    const rows = yield* Effect.provideContext(Payouts.list(), person)
    const writes = (yield* emulator.ledger).filter(({ operation }) => operation === "transactions.send")
    const mistakes = rows.flatMap(({ reference, state }) => {
      const paid = writes.filter(({ marker }) => marker === reference).length
      if (paid > 1) return [`${reference} was paid ${paid} times`]
      if (isOpen(state)) return [`${reference} has not ended: ${state}`]
      if (paid === 1 && !["paid", "failed"].includes(state)) return [`${reference} was paid, and is ${state}`]
      // Without notes, nothing tells twins apart.
      if (paid === 0 && state === "paid" && world.showing.note !== "hidden") return [`${reference} was not paid`]
      return []
    })
    const states = yield* counts
    yield* Effect.forkDetach(Scope.close(scope, Exit.void))
    Fs.rmSync(directory, { recursive: true, force: true })
    return { seed, mistakes, states, decided, deaths, history: world.history }
  }).pipe(Effect.orDie, Effect.provide(quiet), Effect.withTracerEnabled(false), Random.withSeed(`ledger ${seed}`))
