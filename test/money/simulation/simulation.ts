/**
 * Plays one schedule in virtual time: a few logical writes through the whole SDK, over an unreliable network, to the
 * emulator. Then compares the results of the callers with the emulator's ledger.
 */
import { TokenStore } from "@effect-custody/authentication"
import {
  type ConfigurationInvalid,
  type CustodyClient,
  onUncertain,
  type OutcomeUnknown,
  RetryPolicy,
  TokenService
} from "@effect-custody/core"
import { CustodyEmulator, type QuirksInput } from "@effect-custody/emulator"
import { Custody, Transactions } from "@effect-custody/sdk"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Random from "effect/Random"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import { TestClock } from "effect/testing"
import { type LedgerFixture, ledgerFixture, maxWrites } from "../../support/worlds/ledgerFixture.ts"
import * as History from "./history.ts"
import * as Network from "./network.ts"
import { random, type Source as Dice } from "../../support/random.ts"
import { isEntryOf, formatMark, type Means, type Write, writes } from "../../support/worlds/writes.ts"

/** The result that the caller of a logical write received. */
export type Result =
  /** It succeeded. */
  | "done"
  /** It may have happened, by its error or by the hook after an interruption. */
  | "unknown"
  /** It did not happen, by any other error or by an interruption without a report. */
  | "notDone"
  /** No result: the caller has ended, alone or with its process. */
  | "nothing"

export type Reconciled = Transactions.Reconciliation["_tag"]

export interface Account {
  readonly name: string
  readonly operation: string
  readonly safety: Write["safety"]
  readonly result: Result
  readonly by: string
  /** The number of its entries in the ledger. */
  readonly carriedOut: number
  /** `true` if the network finally leaves open whether the write was carried out. */
  readonly isInDoubt: boolean
  /** The number of its requests that were sent in doubt. */
  readonly sentInDoubt: number
  /** The later result of `reconcile`, if it was called and could read the history. */
  readonly reconciled: Reconciled | undefined
  /** `true` if `reconcile` showed only transactions of others. */
  readonly isOfOthers: boolean
}

export interface Report {
  readonly seed: number
  readonly accounts: ReadonlyArray<Account>
  /** The number of ledger entries without a logical write. */
  readonly strangers: number
  readonly requests: number
  readonly history: ReadonlyArray<string>
}

/** `true` if a caller that still waits must receive an unknown outcome. */
export const isUncertain = ({ carriedOut, isInDoubt, safety, result }: Account): boolean =>
  result !== "done" && result !== "nothing" && (carriedOut > 0 || (isInDoubt && safety === "write"))

/** Finds the mistake in an account, if there is one. */
export const findMistake = (account: Account): string | undefined => {
  const { carriedOut, isOfOthers, reconciled, result, safety, sentInDoubt } = account
  if (reconciled === "NotFoundSoFar" && carriedOut > 0) return "not found by reconcile, and it is there"
  if (reconciled === "Found" && isOfOthers) return "found by reconcile, and it is another's"
  if (reconciled === "SeveralCandidates" && isOfOthers && carriedOut > 0)
    return "no candidate of reconcile, and it is there"
  // A person checks candidates. Only `Found` is certain.
  if (reconciled === "Found" && carriedOut === 0) return "found by reconcile, and it is not there"
  if (carriedOut > 1) return `carried out ${carriedOut} times`
  if (result === "done" && carriedOut === 0) return "told to be done, and it is not"
  if (result === "notDone" && carriedOut > 0) return "told not to be done, and it is"
  if (isUncertain(account) && result !== "unknown") return "told not to be done, which is not certain"
  // A creation under its caller's key is looked up first, and may be sent again.
  if (safety === "write" && sentInDoubt > 0) return "sent again in doubt"
  return undefined
}

/** `true` if a result shows transactions, and none of them has the sent note. */
const showsOnlyOthers = (
  result: Transactions.Reconciliation,
  sent: string | undefined,
  notes: ReadonlyMap<string, string>
): boolean => {
  if (result._tag === "NotFoundSoFar") return false
  const shown = result._tag === "Found" ? [result] : result.candidates
  return shown.every(({ transaction }) => notes.get(transaction.id) !== sent)
}

/** A layer between the SDK and the network, which may be a bug. */
export type Middleware = (client: HttpClient.HttpClient) => HttpClient.HttpClient

const unchanged: Middleware = (client) => client

const drawPolicy = (random: Dice): RetryPolicy.RetryPolicy =>
  RetryPolicy.makeUnsafe({
    read: { attempts: 1 + random.below(4) },
    keyed: { attempts: 1 + random.below(4) },
    write: { attempts: 1 + random.below(4), deadline: Duration.seconds(20 + random.below(200)) },
    budget: { floor: random.below(20) }
  })

/** Draws the behavior that the specification leaves open. */
const drawQuirks = (random: Dice): QuirksInput => ({
  bareErrors: random.chance(0.5),
  oldAccessTokenOutlivesRotation: random.chance(0.5),
  invalidAccessTokenCode: random.pick(["E40001", "E01401"]),
  tokenExpiredCode: random.pick(["E40003", "E01403"])
})

const quiet = Logger.layer([])

/** Operations that are chosen more often, because more can happen to them after doubt. */
const keyed = writes.filter(({ safety }) => safety === "keyed")
const reconciled = writes.filter(({ reconcileInput }) => reconcileInput !== undefined)

/** Makes the clock of a process whose time of day differs. */
const skew = (clock: Clock.Clock, by: number): Clock.Clock => ({
  currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + by,
  currentTimeMillis: Effect.map(clock.currentTimeMillis, (millis) => millis + by),
  currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe() + BigInt(by) * 1_000_000n,
  currentTimeNanos: Effect.map(clock.currentTimeNanos, (nanos) => nanos + BigInt(by) * 1_000_000n),
  monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
  monotonicTimeNanos: clock.monotonicTimeNanos,
  sleep: (duration) => clock.sleep(duration)
})

/** Calls once in one of the ways of a caller, and returns the result that the caller receives. */
const callOnce = (write: Write, means: Means, random: Dice, doubts: Map<string, OutcomeUnknown>) =>
  Effect.gen(function* () {
    const way = random.weighted({ plain: 6, within: 2, timeout: 2, killed: 1 })
    const patience = Duration.millis(5 + random.below(random.pick([20, 1_000, 60_000])))
    let isReported = false
    const call = write.call(means).pipe(
      Effect.provideService(onUncertain, (error) =>
        Effect.sync(() => {
          isReported = true
          doubts.set(means[write.identifiedBy], error)
        })
      ),
      Effect.tapErrorTag("OutcomeUnknown", (error) =>
        Effect.sync(() => void doubts.set(means[write.identifiedBy], error as unknown as OutcomeUnknown))
      )
    )
    yield* Effect.sleep(random.below(2_000))
    // Some callers retry blindly. The caller of a creation under its own key looks it up instead.
    const retries = write.safety === "write" && random.chance(0.3) ? 1 + random.below(3) : 0
    const pause = Duration.millis(random.below(random.pick([1, 1_000, 30_000])))
    const retried = <A, E, R>(once: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      retries === 0 ? once : Effect.retry(once, { schedule: Schedule.spaced(pause), times: retries })
    const exit = yield* {
      plain: () => Effect.exit(retried(call)),
      within: () => Effect.exit(retried(call.pipe(RetryPolicy.within(patience)))),
      timeout: () => Effect.exit(retried(Effect.timeout(call, patience))),
      killed: () => Effect.exit(Effect.timeoutOption(retried(call), patience))
    }[way]()
    const end = (result: Result, by: string) => ({
      result,
      by: `${way}${retries > 0 ? `, retried ${retries} times` : ""}: ${by}`
    })
    if (Exit.isSuccess(exit)) {
      return way === "killed" && isNone(exit.value) ? end("nothing", "gone") : end("done", "success")
    }
    const error = Cause.findErrorOption(exit.cause)
    const by = error._tag === "Some" ? error.value._tag : Cause.pretty(exit.cause)
    if (by === "TimeoutError")
      return end(isReported ? "unknown" : "notDone", `timeout, ${isReported ? "reported" : "not reported"}`)
    return end(by === "OutcomeUnknown" ? "unknown" : "notDone", by)
  })

const isNone = (u: unknown): boolean => typeof u === "object" && u !== null && "_tag" in u && u._tag === "None"

interface LogicalWrite {
  readonly write: Write
  readonly means: Means
  readonly sender: Network.Sender
  readonly run: Effect.Effect<Pick<Account, "result" | "by">, never, CustodyClient>
}

/** Draws a logical write of a schedule. A crash of its process ends it at any point. */
const drawLogicalWrite = (
  means: Means,
  random: Dice,
  crash: Latch.Latch,
  doubts: Map<string, OutcomeUnknown>
): LogicalWrite => {
  const write = random.pick({ keyed, reconciled, writes }[random.weighted({ keyed: 2, reconciled: 3, writes: 5 })])
  const sender: Network.Sender = { name: means[write.identifiedBy], isInDoubt: false, sentInDoubt: 0 }
  const run = callOnce(write, means, random, doubts).pipe(
    Effect.provideService(Network.Sender, sender),
    Effect.raceFirst(Effect.as(crash.await, { result: "nothing", by: "crashed" } as const))
  )
  return { write, means, sender, run }
}

type Client = Context.Context<CustodyClient | TokenService>

/** Starts a client, and advances the time until the client is ready. */
const start = <A, E, R>(client: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(client)
    while (fiber.pollUnsafe() === undefined) {
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      yield* TestClock.adjust("10 millis")
    }
    return yield* Fiber.join(fiber)
  })

/** Runs logical writes at the same time in one process, and advances the time until all have ended. */
const play = (logical: ReadonlyArray<LogicalWrite>, client: Client, clock: Clock.Clock) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forEach(logical, ({ run }) => run, { concurrency: "unbounded" }).pipe(
      Effect.provideContext(client),
      Effect.provideService(Clock.Clock, clock),
      Effect.forkChild
    )
    // In one long step, a fiber that is only scheduled late would seem to have exceeded its time limit.
    for (let step = 0; fiber.pollUnsafe() === undefined && step < 1_000; step++) yield* TestClock.adjust("4 seconds")
    return yield* Fiber.join(fiber)
  })

/** Closes a scope, and advances the time for its finalizers. */
const close = (scope: Scope.Closeable) =>
  Effect.gen(function* () {
    const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
    for (let minute = 0; closing.pollUnsafe() === undefined && minute < 10; minute++)
      yield* TestClock.adjust("1 minute")
  })

/** Starts an emulator that continues from the snapshot of the fixture. */
const startEmulator = ({ snapshot }: LedgerFixture, dice: Dice, world: Scope.Scope) =>
  Layer.buildWithScope(
    CustodyEmulator.layerHttpClientWith({
      snapshot,
      tokenLifetime: Duration.seconds(dice.pick([900, 900, 60, 15])),
      quirks: dice.chance(0.3) ? drawQuirks(dice) : {}
    }),
    world
  )

/** Plays one schedule, with or without a contract. Needs a `TestClock` of its own. */
export const simulate = (
  seed: number,
  middleware: Middleware = unchanged,
  contract?: Layer.Layer<never, ConfigurationInvalid>
): Effect.Effect<Report> =>
  Effect.gen(function* () {
    const dice = random(seed)
    const fixture = yield* ledgerFixture
    const world = yield* Scope.make()
    const behind = yield* startEmulator(fixture, dice, world)
    const emulator = Context.get(behind, CustodyEmulator)
    const service = Context.get(behind, HttpClient.HttpClient)
    const clock = yield* Clock.Clock
    const clocks = random(seed ^ 0x2545f491)
    // The time of day of the callers' process differs by less than an hour.
    const difference = clocks.chance(0.5) ? 0 : Math.floor((clocks.next() - 0.5) * 1.9 * 3_600_000)
    const here = skew(clock, difference)
    const network = Network.unreliable({
      service,
      emulator,
      random: random(seed ^ 0x5bd1e995),
      scope: world,
      clock
    })
    // Under a contract, the history is shown as the contract says.
    const past = { clock, earlierBy: 2 * 3_600_000, notes: new Map<string, string>() }
    const wire =
      contract === undefined ? History.distort(network.client, random(seed ^ 0x3c6ef372), past) : network.client
    const { environment } = emulator
    const store = yield* Layer.buildWithScope(Layer.fresh(TokenStore.layerMemory), world)
    const limits = { attemptTimeout: Duration.seconds(dice.pick([30, 2])) }
    const live = Custody.layer({ environment, apiKey: fixture.apiKey, retry: drawPolicy(dice), limits }).pipe(
      Layer.provide(Layer.succeed(HttpClient.HttpClient, middleware(wire))),
      Layer.provide(Layer.succeedContext(store)),
      Layer.provide(contract ?? Layer.empty),
      Layer.fresh
    )
    const logicalAt = (at: number, crash: Latch.Latch) => {
      const means = { ...fixture, ...fixture.ownRecords[at]!, mark: formatMark(seed * 10 + at) }
      return drawLogicalWrite(means, random(dice.below(2 ** 31)), crash, doubts)
    }
    const doubts = new Map<string, OutcomeUnknown>()
    const crash = Latch.makeUnsafe(false)
    const logical = Array.from({ length: 1 + dice.below(maxWrites - 1) }, (_, at) => logicalAt(at, crash))
    const crashesAt = dice.chance(0.1) ? dice.below(30_000) : undefined

    const process = yield* Scope.make()
    const client = yield* Layer.buildWithScope(live, process).pipe(
      // Its session begins.
      Effect.tap((context) => Context.get(context, TokenService).current),
      start
    )
    if (crashesAt !== undefined) yield* Effect.forkIn(Effect.delay(crash.open, crashesAt), world)
    const ends = [...(yield* play(logical, client, here))]
    yield* close(process)

    if (crashesAt !== undefined) {
      // Another process continues from the store.
      const heir = yield* Scope.make()
      const last = logicalAt(maxWrites - 1, Latch.makeUnsafe(false))
      const client = yield* start(Layer.buildWithScope(live, heir))
      ends.push(...(yield* play([last], client, here)))
      logical.push(last)
      yield* close(heir)
    }
    // Delayed requests arrive.
    yield* TestClock.adjust("5 minutes")
    // Then the writes in doubt are reconciled.
    const clockSkew = seed % 2 === 0 ? {} : { clockSkew: "1 hour" as const }
    yield* network.calm
    const reconciling = yield* Scope.make()
    const reconciliations = yield* Effect.forEach(logical, ({ means, write }) => {
      const error = doubts.get(means[write.identifiedBy])
      const input = write.reconcileInput?.(means)
      if (error === undefined || input === undefined) return Effect.undefined
      return start(Layer.buildWithScope(live, reconciling)).pipe(
        Effect.flatMap((client) =>
          start(
            Transactions.reconcile(error, input, clockSkew).pipe(
              Effect.provideContext(client),
              Effect.provideService(Clock.Clock, here)
            )
          )
        ),
        // A lost session can read no history.
        Effect.match({ onFailure: () => undefined, onSuccess: (result) => result })
      )
    })
    yield* close(reconciling)
    yield* close(world)
    const ledger = (yield* emulator.ledger).slice(fixture.snapshot.writes.length)
    const accounts = logical.map(({ means, sender, write }, at): Account => ({
      ...ends[at]!,
      reconciled: reconciliations[at]?._tag,
      // Under a contract, the history shows no transaction of others.
      isOfOthers:
        contract === undefined &&
        reconciliations[at] !== undefined &&
        showsOnlyOthers(reconciliations[at], write.reconcileInput?.(means).note, past.notes),
      name: sender.name,
      isInDoubt: sender.isInDoubt,
      sentInDoubt: sender.sentInDoubt,
      operation: write.operation,
      safety: write.safety,
      carriedOut: ledger.filter((entry) => isEntryOf(write, means, entry)).length
    }))
    return {
      seed,
      accounts,
      strangers: ledger.length - accounts.reduce((sum, { carriedOut }) => sum + carriedOut, 0),
      requests: network.history.length,
      history: network.history
    }
  }).pipe(Effect.orDie, Effect.provide(quiet), Effect.withTracerEnabled(false), Random.withSeed(`money ${seed}`))
