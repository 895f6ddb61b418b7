/**
 * Plays one schedule in virtual time: payouts, several processes of the real ledger on one database that die and stand
 * still, an unreliable network, an odd history, and a person who decides by what the ledger shows. In some schedules the
 * contract is a real service's, and in some the database goes back to a copy. Then compares the ledger with the
 * emulator's. In some schedules, what has ended is archived, and everything is submitted again.
 */
import { TokenStore } from "@effect-custody/authentication"
import { CustodyClient, TokenService } from "@effect-custody/core"
import { CustodyEmulator } from "@effect-custody/emulator"
import { Payouts } from "@effect-custody/ledger"
import * as LedgerSqlite from "@effect-custody/ledger/LedgerSqlite"
import { Custody } from "@effect-custody/sdk"
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Deferred from "effect/Deferred"
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
import { copy, restore } from "./copies.ts"
import { withContract } from "../../support/worlds/ledgerWorld.ts"
import { clientOf, drawShowing, maxDelay, type World } from "./network.ts"
import { decide, makePerson } from "./person.ts"
import { drawOrders, drawSetting } from "./setting.ts"
import { depositsFor, drawOddity, lasts, oddMistake } from "./oddity.ts"
import { databaseOf, endedWith, makeProcess, type Mishaps, type Process } from "./process.ts"

export interface Report {
  readonly seed: number
  readonly mistakes: ReadonlyArray<string>
  readonly states: Readonly<Record<string, number>>
  /** The number of payouts that a person decided about. */
  readonly decided: number
  /** The number of first payouts that a person confirmed, and of payouts that were suspected to be paid. */
  readonly confirmed: number
  readonly suspected: number
  /** The number of alarms. */
  readonly alarms: number
  readonly deaths: number
  /** `true` if the database went back to a copy. */
  readonly hasGoneBack: boolean
  /** The number of payouts of which the copy forgot an attempt. */
  readonly forgotten: number
  /** The number of payouts that were archived. */
  readonly archived: number
  readonly history: ReadonlyArray<string>
}

const quiet = Logger.layer([])

const memory = Fs.existsSync("/dev/shm") ? "/dev/shm" : Os.tmpdir()

const settings = {
  inFlight: 2,
  pollInterval: "20 seconds",
  sendWithin: "30 seconds",
  undecidedAfter: "4 minutes",
  clockSkew: "2 hours"
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

/** The contract of a real service, to which nobody has confirmed anything. */
const realContract = { fingerprint: "a real contract", isEmulated: false }

const clientFor = (client: Context.Context<CustodyClient>, isReal: boolean): Context.Context<CustodyClient> =>
  isReal ? withContract(client, realContract) : client

const turn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

/** Lets time pass, in steps as long as the poll interval. */
const pass = Effect.fnUntraced(function* (millis: number) {
  for (let left = millis; left > 0; left -= 20_000) {
    yield* turn
    yield* TestClock.adjust(Math.min(left, 20_000))
  }
})

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
    const showing = drawShowing(random(seed ^ 0x3c6ef372))
    const oddity = drawOddity(random(seed ^ 0x27d4eb2f), showing)
    const given = drawOrders(dice, showing)
    const world: World = {
      service: Context.get(behind, HttpClient.HttpClient),
      emulator,
      random: random(seed ^ 0x5bd1e995),
      scope,
      clock,
      showing,
      oddity,
      deposits: depositsFor(oddity, given, clock.currentTimeMillisUnsafe()),
      history: [],
      isCalm: false
    }
    const directory = Fs.mkdtempSync(Path.join(memory, "custody-ledger-"))
    yield* Scope.addFinalizer(
      scope,
      Effect.sync(() => Fs.rmSync(directory, { recursive: true, force: true }))
    )
    const filename = Path.join(directory, "ledger.db")
    // Where an end may change, workers look at it for long.
    const archives = oddity === "none" && random(seed ^ 0x2545f491).chance(0.4)
    const finalAfter = archives ? "2 minutes" : "1 day"
    const ledgerOf = (database: ReturnType<typeof databaseOf>, worker: string) =>
      Layer.fresh(Payouts.layer({ ...settings, finalAfter, worker }).pipe(Layer.provide(database)))

    const { back, isReal, ...setting } = drawSetting(random(seed ^ 0x1b873593), world.showing)
    // Whoever repeats what was refused looks first.
    const looks = setting.looks || oddity === "lies"

    // The person's own process does not fail.
    const openDesk = Effect.gen(function* () {
      const connection = yield* Scope.make()
      const layer = ledgerOf(LedgerSqlite.layer({ filename }), "person")
      return { ledger: yield* settled(Layer.buildWithScope(layer, connection)), connection }
    })
    let desk = yield* openDesk
    let archived = 0
    const atDesk = <A, E>(work: Effect.Effect<A, E, Payouts.Payouts>) =>
      Effect.suspend(() => Effect.provideContext(work, desk.ledger))
    const held = dice.chance(0.1)
    const all = { batch: "b", by: "ada", orders: given }
    const submitEach = Effect.forEach(given, (one) =>
      Payouts.submit({ batch: one.reference, by: "ada", orders: [one] })
    )
    const submit = held ? Payouts.hold(all) : archives ? Effect.as(submitEach, 0) : Payouts.submit(all)
    yield* atDesk(submit)
    const archive = Effect.gen(function* () {
      if (!archives) return
      archived += yield* Payouts.archive({ before: DateTime.makeUnsafe(clock.currentTimeMillisUnsafe()) })
      yield* submit
    })
    const approve = Effect.flatMap(Payouts.review("b"), (review) => Payouts.approve("b", { ...review, by: "bob" }))
    if (held) yield* atDesk(approve)
    const backup = Path.join(directory, "backup.db")
    if (back?.step === 0) copy(filename, backup)

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
    /** The processes that have the database open. */
    const running = new Set<Process>()
    /** Until it is over, no process starts. */
    let outage = Deferred.makeUnsafe<void>()
    Deferred.doneUnsafe(outage, Effect.void)
    const makeClient = Effect.fnUntraced(function* (process: () => Process, over: World) {
      const custody = Custody.layer({
        environment: emulator.environment,
        apiKey: yield* emulator.issueApiKey(),
        limits: { attemptTimeout: Duration.seconds(20) }
      }).pipe(
        Layer.provide(Layer.fresh(TokenStore.layerMemory)),
        Layer.provide(Layer.succeed(HttpClient.HttpClient, clientOf(over, process))),
        Layer.fresh
      )
      // The session has a simulation of its own.
      const context = yield* Layer.buildWithScope(custody, scope)
      yield* Context.get(context, TokenService).current
      return clientFor(Context.pick(CustodyClient)(context), isReal)
    })
    const spare = (name: string, draws: Source) =>
      makeProcess(name, draws, { ...mishaps, deathsLeft: 0, freezesLeft: 0 }, () => 0)
    /** A slot of a worker: a new process follows a dead one. */
    const makeSlot = Effect.fnUntraced(function* (at: number) {
      const draws = random(seed * 31 + at)
      let current = spare(`worker-${at}`, draws)
      const client = yield* makeClient(() => current, world)
      const renew = Effect.gen(function* () {
        yield* Deferred.await(outage)
        const name = `worker-${at}-${deaths}`
        const died = Promise.withResolvers<void>()
        const connection = yield* Scope.make()
        current = makeProcess(name, draws, mishaps, () => clock.currentTimeMillisUnsafe())
        const mine = current
        running.add(mine)
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
        running.delete(mine)
        yield* Effect.sleep(draws.pick([1_000, 10_000, 60_000]))
      })
      return { renew }
    })
    const slots = dice.pick([1, 2, 2, 3])
    for (let at = 0; at < slots; at++) {
      const { renew } = yield* settled(makeSlot(at))
      yield* Effect.forkIn(Effect.forever(renew), scope)
    }

    const calm = spare("ada", random(seed))
    const client = looks ? yield* settled(makeClient(() => calm, { ...world, isCalm: true })) : undefined
    const person = makePerson()
    const find = Effect.map(
      Effect.forEach(given, ({ reference }) => Payouts.get(reference)),
      Arr.getSomes
    )
    let hasGoneBack = false
    let forgotten: ReadonlyArray<string> = []

    /** The payouts that the copy forgets, and that the history does not show when the workers start again. */
    let excused: ReadonlyArray<string> = []
    /** Ends all processes, puts a copy in the place of the file, and starts again. */
    const goBack = Effect.fnUntraced(function* (from: string, waits: boolean) {
      outage = Deferred.makeUnsafe<void>()
      for (const process of running) process.kill()
      while (running.size > 0) yield* turn
      yield* Scope.close(desk.connection, Exit.void)
      forgotten = restore(from, filename)
      hasGoneBack = true
      world.history.push(`${clock.currentTimeMillisUnsafe()} ms: the database goes back: ${forgotten.join()}`)
      // The history has to show what was sent before.
      if (waits) yield* pass(maxDelay + world.showing.lag + 30_000)
      const shown = (yield* emulator.ledger).filter(
        ({ at }) => DateTime.toEpochMillis(at) + world.showing.lag <= clock.currentTimeMillisUnsafe()
      )
      excused = forgotten.filter((reference) => !shown.some(({ marker }) => marker === reference))
      desk = yield* openDesk
      yield* Deferred.succeed(outage, undefined)
    })

    const open = ["ready", "sending", "unknown", "undecided", "mismatched", "accepted"] as const
    const isOpen = (state: string) => open.some((one) => one === state)
    const counts = Effect.map(atDesk(Payouts.progress()), ({ states }) => states)
    // Mishaps end after half an hour, then everything comes to its end.
    let isOver = false
    const begun = clock.currentTimeMillisUnsafe()
    for (let step = 0; step < 500 && !isOver; step++) {
      if (step === back?.step) {
        if (step > 0) copy(filename, backup)
        yield* pass(back.age)
        yield* goBack(backup, back.waits)
      }
      yield* pass(20_000)
      if (step === 45) world.isCalm = true
      if (step % 3 === 0) {
        yield* settled(atDesk(decide(person, { world, dice, client, hasGoneBack, find })))
        yield* settled(atDesk(archive))
        const states = yield* counts
        isOver =
          open.every((state) => (states[state] ?? 0) === 0) && clock.currentTimeMillisUnsafe() - begun >= lasts[oddity]
      }
    }
    // What is still on its way arrives, and who stands still goes on.
    yield* pass(Math.max(0, mishaps.lastThaw - clock.currentTimeMillisUnsafe()) + 120_000)
    yield* settled(atDesk(archive))
    if (archives) yield* pass(300_000)
    const rows = yield* atDesk(find)
    const writes = (yield* emulator.ledger).filter(({ operation }) => operation === "transactions.send")
    const mistakes = rows.flatMap((payout) => {
      const { reference, state } = payout
      const sent = writes.filter(({ marker }) => marker === reference)
      const paid = sent.length
      if (paid > 1 && !excused.includes(reference)) return [`${reference} was paid ${paid} times`]
      if (isOpen(state)) return [`${reference} has not ended: ${state}`]
      const isBelieved = oddity === "lies" && state === "refused"
      if (paid === 1 && !isBelieved && !["paid", "failed"].includes(state))
        return [`${reference} was paid, and is ${state}`]
      // Without notes, nothing tells twins apart.
      if (paid === 0 && state === "paid" && world.showing.note !== "hidden") return [`${reference} was not paid`]
      const [only, ...more] = sent
      if (only === undefined || more.length > 0) return []
      const given = { sentAt: DateTime.toEpochMillis(only.at), wasAsked: person.asked.has(reference) }
      return oddMistake(world, payout, given) ?? []
    })
    const states = Object.fromEntries(
      Array.from(
        Map.groupBy(rows, ({ state }) => state),
        ([state, { length }]) => [state, length]
      )
    )
    yield* Effect.forkDetach(Scope.close(scope, Exit.void))
    Fs.rmSync(directory, { recursive: true, force: true })
    return {
      seed,
      mistakes: [...mistakes, ...person.complaints],
      states,
      decided: person.decided,
      confirmed: person.confirmed,
      suspected: person.suspected.size,
      alarms: person.alarms.size,
      deaths,
      hasGoneBack,
      forgotten: forgotten.length,
      archived,
      history: world.history
    }
  }).pipe(Effect.orDie, Effect.provide(quiet), Effect.withTracerEnabled(false), Random.withSeed(`ledger ${seed}`))
