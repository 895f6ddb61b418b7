/**
 * One schedule: a few logical writes through the whole SDK, over a network that a seed makes unreliable, to the emulator,
 * in virtual time; then what the callers were told is held against the emulator's ledger.
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
import { type Estate, estate, plotCount } from "../../support/worlds/ledgerFixture.ts"
import * as History from "./history.ts"
import * as Network from "./network.ts"
import { random, type Source as Dice } from "../../support/random.ts"
import { isEntryOf, markOf, type Means, type Write, writes } from "../../support/worlds/writes.ts"

/** What a caller was told about its logical write. */
export type Told =
  /** It succeeded. */
  | "done"
  /** It may have happened: by its error, or by the hook after an interruption. */
  | "unknown"
  /** It did not happen: by any other error, or by an interruption without a report. */
  | "notDone"
  /** Nothing: the caller is gone, alone or with its process. */
  | "nothing"

export type Reconciled = Transactions.Reconciliation["_tag"]

export interface Account {
  readonly name: string
  readonly operation: string
  readonly safety: Write["safety"]
  readonly told: Told
  readonly by: string
  /** How often the ledger shows it. */
  readonly carriedOut: number
  /** Whether the network, in the end, leaves open if it was carried out. */
  readonly isInDoubt: boolean
  /** How many of its requests were sent while that was open. */
  readonly sentInDoubt: number
  /** What the history showed about it afterwards, if it was asked and could answer. */
  readonly reconciled: Reconciled | undefined
  /** Whether it showed transactions, and not the one that was carried out. */
  readonly isAnothers: boolean
}

export interface Report {
  readonly seed: number
  readonly accounts: ReadonlyArray<Account>
  /** Entries of the ledger that nobody asked for. */
  readonly strangers: number
  readonly requests: number
  readonly history: ReadonlyArray<string>
}

/** Whether a caller that is still there has to be told that the outcome is unknown. */
export const isUncertain = ({ carriedOut, isInDoubt, safety, told }: Account): boolean =>
  told !== "done" && told !== "nothing" && (carriedOut > 0 || (isInDoubt && safety === "write"))

/** What is wrong with an account, if anything is. */
export const wrong = (account: Account): string | undefined => {
  const { carriedOut, isAnothers, reconciled, safety, sentInDoubt, told } = account
  if (reconciled === "NotFoundSoFar" && carriedOut > 0) return "not found by reconcile, and it is there"
  if (reconciled === "Found" && isAnothers) return "found by reconcile, and it is another's"
  if (reconciled === "SeveralCandidates" && isAnothers && carriedOut > 0)
    return "no candidate of reconcile, and it is there"
  // A person looks at candidates. Only `Found` is certain.
  if (reconciled === "Found" && carriedOut === 0) return "found by reconcile, and it is not there"
  if (carriedOut > 1) return `carried out ${carriedOut} times`
  if (told === "done" && carriedOut === 0) return "told to be done, and it is not"
  if (told === "notDone" && carriedOut > 0) return "told not to be done, and it is"
  if (isUncertain(account) && told !== "unknown") return "told not to be done, which nobody can say"
  // What is created under its caller's key is looked up first, and may be sent again.
  if (safety === "write" && sentInDoubt > 0) return "sent again in doubt"
  return undefined
}

/** Whether a result shows transactions, and none with the note that was sent. */
const isOfOthers = (
  result: Transactions.Reconciliation,
  sent: string | undefined,
  notes: ReadonlyMap<string, string>
): boolean => {
  if (result._tag === "NotFoundSoFar") return false
  const shown = result._tag === "Found" ? [result] : result.candidates
  return shown.every(({ transaction }) => notes.get(transaction.id) !== sent)
}

/** What is put between the SDK and the network: nothing, or a bug. */
export type Meddling = (client: HttpClient.HttpClient) => HttpClient.HttpClient

const asItIs: Meddling = (client) => client

const policyOf = (random: Dice): RetryPolicy.RetryPolicy =>
  RetryPolicy.make({
    read: { attempts: 1 + random.below(4) },
    keyed: { attempts: 1 + random.below(4) },
    write: { attempts: 1 + random.below(4), deadline: Duration.seconds(20 + random.below(200)) },
    budget: { floor: random.below(20) }
  })

/** How the service behaves where the specification leaves it open. */
const quirksOf = (random: Dice): QuirksInput => ({
  errorBodies: random.pick(["Specified", "Bare", "WithoutSummary", "PlainFields", "ObjectFields"]),
  createdClientsUnderOwnName: random.chance(0.5),
  amountsAsNumbers: random.chance(0.5),
  idsAsNumbers: random.chance(0.5),
  writtenDates: random.chance(0.5),
  oldAccessTokenOutlivesRotation: random.chance(0.5),
  invalidAccessTokenCode: random.pick(["E40001", "E01401"]),
  tokenExpiredCode: random.pick(["E40003", "E01403"])
})

const quiet = Logger.layer([])

/** Operations that are chosen more often than others, because more can happen to them after doubt. */
const keyed = writes.filter(({ safety }) => safety === "keyed")
const reconciled = writes.filter(({ asked }) => asked !== undefined)

/** The clock of a process whose time of day differs. */
const skewed = (clock: Clock.Clock, by: number): Clock.Clock => ({
  currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + by,
  currentTimeMillis: Effect.map(clock.currentTimeMillis, (millis) => millis + by),
  currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe() + BigInt(by) * 1_000_000n,
  currentTimeNanos: Effect.map(clock.currentTimeNanos, (nanos) => nanos + BigInt(by) * 1_000_000n),
  monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
  monotonicTimeNanos: clock.monotonicTimeNanos,
  sleep: (duration) => clock.sleep(duration)
})

/** Calls once, in one of the ways that a caller may, and says what it was told. */
const told = (write: Write, means: Means, random: Dice, doubts: Map<string, OutcomeUnknown>) =>
  Effect.gen(function* () {
    const way = random.weighted({ plain: 6, within: 2, timeout: 2, killed: 1 })
    const patience = Duration.millis(5 + random.below(random.pick([20, 1_000, 60_000])))
    let isTold = false
    const call = write.call(means).pipe(
      Effect.provideService(onUncertain, (error) =>
        Effect.sync(() => {
          isTold = true
          doubts.set(means[write.named], error)
        })
      ),
      Effect.tapErrorTag("OutcomeUnknown", (error) =>
        Effect.sync(() => void doubts.set(means[write.named], error as unknown as OutcomeUnknown))
      )
    )
    yield* Effect.sleep(random.below(2_000))
    // Some callers retry blindly. A creation by a key of its own is not asked for again: its caller looks it up.
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
    const told = (what: Told, by: string) => ({
      told: what,
      by: `${way}${retries > 0 ? `, retried ${retries} times` : ""}: ${by}`
    })
    if (Exit.isSuccess(exit)) {
      return way === "killed" && isNone(exit.value) ? told("nothing", "gone") : told("done", "success")
    }
    const error = Cause.findErrorOption(exit.cause)
    const by = error._tag === "Some" ? error.value._tag : Cause.pretty(exit.cause)
    if (by === "TimeoutError")
      return told(isTold ? "unknown" : "notDone", `timeout, ${isTold ? "told" : "nothing told"}`)
    return told(by === "OutcomeUnknown" ? "unknown" : "notDone", by)
  })

const isNone = (u: unknown): boolean => typeof u === "object" && u !== null && "_tag" in u && u._tag === "None"

interface LogicalWrite {
  readonly write: Write
  readonly means: Means
  readonly sender: Network.Sender
  readonly run: Effect.Effect<Pick<Account, "told" | "by">, never, CustodyClient>
}

/** A logical write of a schedule. The crash of its process ends it, whatever it is at. */
const logicalWrite = (
  means: Means,
  random: Dice,
  crash: Latch.Latch,
  doubts: Map<string, OutcomeUnknown>
): LogicalWrite => {
  const write = random.pick({ keyed, reconciled, writes }[random.weighted({ keyed: 2, reconciled: 3, writes: 5 })])
  const sender: Network.Sender = { name: means[write.named], isInDoubt: false, sentInDoubt: 0 }
  const run = told(write, means, random, doubts).pipe(
    Effect.provideService(Network.Sender, sender),
    Effect.raceFirst(Effect.as(crash.await, { told: "nothing", by: "crashed" } as const))
  )
  return { write, means, sender, run }
}

type Client = Context.Context<CustodyClient | TokenService>

/** Starts a client, and lets time pass until it is ready. */
const started = <A, E, R>(client: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(client)
    while (fiber.pollUnsafe() === undefined) {
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      yield* TestClock.adjust("10 millis")
    }
    return yield* Fiber.join(fiber)
  })

/** Runs logical writes at the same time, in a process of their own, and lets time pass until all have ended. */
const played = (logical: ReadonlyArray<LogicalWrite>, client: Client, clock: Clock.Clock) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forEach(logical, ({ run }) => run, { concurrency: "unbounded" }).pipe(
      Effect.provideContext(client),
      Effect.provideService(Clock.Clock, clock),
      Effect.forkChild
    )
    // In small steps: in one long one, what is only slow to be scheduled would seem to have been late.
    for (let step = 0; fiber.pollUnsafe() === undefined && step < 1_000; step++) yield* TestClock.adjust("4 seconds")
    return yield* Fiber.join(fiber)
  })

/** Closes a scope, whose finalizers may need time. */
const closed = (scope: Scope.Closeable) =>
  Effect.gen(function* () {
    const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
    for (let minute = 0; closing.pollUnsafe() === undefined && minute < 10; minute++)
      yield* TestClock.adjust("1 minute")
  })

/** An emulator that continues from the snapshot of the estate. */
const emulatorOf = ({ snapshot }: Estate, dice: Dice, world: Scope.Scope) =>
  Layer.buildWithScope(
    CustodyEmulator.layerHttpClientWith({
      snapshot,
      tokenLifetime: Duration.seconds(dice.pick([900, 900, 60, 15])),
      quirks: dice.chance(0.3) ? quirksOf(dice) : {}
    }),
    world
  )

/** Plays one schedule, under a contract if the meddling uses one. Needs a `TestClock` of its own. */
export const simulate = (
  seed: number,
  meddling: Meddling = asItIs,
  contract?: Layer.Layer<never, ConfigurationInvalid>
): Effect.Effect<Report> =>
  Effect.gen(function* () {
    const dice = random(seed)
    const land = yield* estate
    const world = yield* Scope.make()
    const behind = yield* emulatorOf(land, dice, world)
    const emulator = Context.get(behind, CustodyEmulator)
    const service = Context.get(behind, HttpClient.HttpClient)
    const clock = yield* Clock.Clock
    const clocks = random(seed ^ 0x2545f491)
    // The time of day of the callers' process: it differs by less than the window of an hour.
    const skew = clocks.chance(0.5) ? 0 : Math.floor((clocks.next() - 0.5) * 1.9 * 3_600_000)
    const here = skewed(clock, skew)
    const network = Network.unreliable({
      service,
      emulator,
      random: random(seed ^ 0x5bd1e995),
      scope: world,
      clock
    })
    // Under a contract, the history is shown as that says.
    const past = { clock, earlierBy: 2 * 3_600_000, notes: new Map<string, string>() }
    const wire =
      contract === undefined ? History.shown(network.client, random(seed ^ 0x3c6ef372), past) : network.client
    const { environment } = emulator
    const store = yield* Layer.buildWithScope(Layer.fresh(TokenStore.layerMemory), world)
    const limits = { attemptTimeout: Duration.seconds(dice.pick([30, 2])) }
    const live = Custody.layer({ environment, apiKey: land.apiKey, retry: policyOf(dice), limits }).pipe(
      Layer.provide(Layer.succeed(HttpClient.HttpClient, meddling(wire))),
      Layer.provide(Layer.succeedContext(store)),
      Layer.provide(contract ?? Layer.empty),
      Layer.fresh
    )
    const logicalAt = (at: number, crash: Latch.Latch) => {
      const means = { ...land, ...land.plots[at]!, mark: markOf(seed * 10 + at) }
      return logicalWrite(means, random(dice.below(2 ** 31)), crash, doubts)
    }
    const doubts = new Map<string, OutcomeUnknown>()
    const crash = Latch.makeUnsafe(false)
    const logical = Array.from({ length: 1 + dice.below(plotCount - 1) }, (_, at) => logicalAt(at, crash))
    const crashesAt = dice.chance(0.1) ? dice.below(30_000) : undefined

    const process = yield* Scope.make()
    const client = yield* Layer.buildWithScope(live, process).pipe(
      // With its session begun.
      Effect.tap((context) => Context.get(context, TokenService).current),
      started
    )
    if (crashesAt !== undefined) yield* Effect.forkIn(Effect.delay(crash.open, crashesAt), world)
    const ends = [...(yield* played(logical, client, here))]
    yield* closed(process)

    if (crashesAt !== undefined) {
      // Another process goes on from what is in the store.
      const heir = yield* Scope.make()
      const last = logicalAt(plotCount - 1, Latch.makeUnsafe(false))
      const client = yield* started(Layer.buildWithScope(live, heir))
      ends.push(...(yield* played([last], client, here)))
      logical.push(last)
      yield* closed(heir)
    }
    // What is still on its way arrives.
    yield* TestClock.adjust("5 minutes")
    // Then the history is asked for what is in doubt.
    const window = seed % 2 === 0 ? {} : { window: "1 hour" as const }
    yield* network.calm
    const asking = yield* Scope.make()
    const asked = yield* Effect.forEach(logical, ({ means, write }) => {
      const error = doubts.get(means[write.named])
      const input = write.asked?.(means)
      if (error === undefined || input === undefined) return Effect.undefined
      return started(Layer.buildWithScope(live, asking)).pipe(
        Effect.flatMap((client) =>
          started(
            Transactions.reconcile(error, input, window).pipe(
              Effect.provideContext(client),
              Effect.provideService(Clock.Clock, here)
            )
          )
        ),
        // A session that was lost on the way has no history to show.
        Effect.match({ onFailure: () => undefined, onSuccess: (result) => result })
      )
    })
    yield* closed(asking)
    yield* closed(world)
    const ledger = yield* emulator.ledgerAfter(land.snapshot.writes.length)
    const accounts = logical.map(({ means, sender, write }, at): Account => ({
      ...ends[at]!,
      reconciled: asked[at]?._tag,
      // Under a contract, the history shows nothing of somebody else.
      isAnothers:
        contract === undefined &&
        asked[at] !== undefined &&
        isOfOthers(asked[at], write.asked?.(means).note, past.notes),
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
