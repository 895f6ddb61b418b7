/**
 * One schedule: a few logical writes through the whole SDK to a service that keeps a ledger, over a network that a seed
 * makes unreliable, in virtual time; then what the callers were told is held against the ledger.
 */
import { TokenStore } from "@effect-custody/authentication"
import { type CustodyClient, Environment, onUncertain, RetryPolicy, TokenService } from "@effect-custody/core"
import { Custody } from "@effect-custody/sdk"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { TestClock } from "effect/testing"
import { ledgerService } from "./ledgerService.ts"
import { type Random as Dice, random } from "./random.ts"
import { markOf, type Write, writes } from "./writes.ts"

/** What a caller was told of its logical write. */
export type Told =
  /** It succeeded. */
  | "done"
  /** It may have happened: by its error, or by the hook after an interruption. */
  | "unknown"
  /** It did not happen: by any other error, or by an interruption that nothing was said of. */
  | "notDone"
  /** Nothing: its process is gone. */
  | "nothing"

export interface Account {
  readonly mark: string
  readonly operation: string
  readonly told: Told
  readonly by: string
  readonly carriedOut: number
}

export interface Report {
  readonly seed: number
  readonly accounts: ReadonlyArray<Account>
  readonly requests: number
  readonly history: ReadonlyArray<string>
}

/** What is wrong with an account, if anything is. */
export const wrong = ({ carriedOut, told }: Account): string | undefined => {
  if (carriedOut > 1) return `carried out ${carriedOut} times`
  if (told === "done" && carriedOut === 0) return "told to be done, and it is not"
  if (told === "notDone" && carriedOut > 0) return "told not to be done, and it is"
  return undefined
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

const quiet = Logger.layer([])

/** Calls once, in one of the ways that a caller may, and says what it was told. */
const told = (write: Write, mark: string, random: Dice) =>
  Effect.gen(function* () {
    const way = random.weighted({ plain: 6, within: 2, timeout: 2, crash: 1 })
    const patience = Duration.millis(5 + random.below(random.pick([20, 1_000, 60_000])))
    let isTold = false
    const call = write.call(mark).pipe(
      Effect.provideService(onUncertain, () =>
        Effect.sync(() => {
          isTold = true
        })
      )
    )
    yield* Effect.sleep(random.below(2_000))
    const exit = yield* {
      plain: () => Effect.exit(call),
      within: () => Effect.exit(call.pipe(RetryPolicy.within(patience))),
      timeout: () => Effect.exit(Effect.timeout(call, patience)),
      crash: () => Effect.exit(Effect.timeoutOption(call, patience))
    }[way]()
    const told = (what: Told, by: string) => ({ told: what, by: `${way}: ${by}` })
    if (Exit.isSuccess(exit)) {
      return way === "crash" && isNone(exit.value) ? told("nothing", "killed") : told("done", "success")
    }
    const error = Cause.findErrorOption(exit.cause)
    const by = error._tag === "Some" ? error.value._tag : Cause.pretty(exit.cause)
    if (by === "TimeoutError")
      return told(isTold ? "unknown" : "notDone", `timeout, ${isTold ? "told" : "nothing told"}`)
    return told(by === "OutcomeUnknown" ? "unknown" : "notDone", by)
  })

const isNone = (u: unknown): boolean => typeof u === "object" && u !== null && "_tag" in u && u._tag === "None"

/** The client, with its session begun. */
const started = (client: Effect.Effect<Context.Context<CustodyClient | TokenService>, Custody.LayerError>) =>
  Effect.gen(function* () {
    const fiber = yield* client.pipe(
      Effect.tap((context) => Context.get(context, TokenService).current),
      Effect.forkChild
    )
    while (fiber.pollUnsafe() === undefined) {
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      yield* TestClock.adjust("10 millis")
    }
    return yield* Fiber.join(fiber)
  })

/** Plays one schedule. Needs a `TestClock` of its own. */
export const simulate = (seed: number, meddling: Meddling = asItIs): Effect.Effect<Report> =>
  Effect.gen(function* () {
    const dice = random(seed)
    const world = yield* Scope.make()
    const { client, ledger } = ledgerService(random(seed ^ 0x5bd1e995), world)
    const live = Custody.layer({
      environment: Environment.local("http://localhost/api/integration"),
      apiKey: Redacted.make("one-time key"),
      retry: policyOf(dice)
    }).pipe(
      Layer.provide([Layer.succeed(HttpClient.HttpClient, meddling(client)), TokenStore.layerMemory]),
      Layer.fresh
    )
    const programs = Array.from({ length: 1 + dice.below(3) }, (_, at) => {
      const write = dice.pick(writes)
      const mark = markOf(seed * 10 + at)
      return Effect.map(told(write, mark, random(dice.below(2 ** 31))), (what) => ({
        ...what,
        mark,
        operation: write.operation
      }))
    })
    const context = yield* started(Layer.buildWithScope(live, world))
    const fiber = yield* Effect.forkChild(
      Effect.all(programs, { concurrency: "unbounded" }).pipe(Effect.provideContext(context))
    )
    // In small steps: in one long one, what is only slow to be scheduled would seem to have been late.
    for (let step = 0; fiber.pollUnsafe() === undefined && step < 1_000; step++) yield* TestClock.adjust("4 seconds")
    const accounts = yield* Fiber.join(fiber)
    // What is still on its way arrives.
    yield* TestClock.adjust("5 minutes")
    const closing = yield* Effect.forkChild(Scope.close(world, Exit.void))
    for (let minute = 0; closing.pollUnsafe() === undefined && minute < 10; minute++)
      yield* TestClock.adjust("1 minute")
    return {
      seed,
      accounts: accounts.map((account) => ({ ...account, carriedOut: ledger.carriedOut.get(account.mark) ?? 0 })),
      requests: ledger.requests(),
      history: ledger.history
    }
  }).pipe(Effect.orDie, Effect.provide(quiet), Effect.withTracerEnabled(false), Random.withSeed(`money ${seed}`))

/** Many schedules, added up. */
export interface Sum {
  schedules: number
  writes: number
  requests: number
  carriedOut: number
  /** Uncertain ends, and how many of them were told. */
  uncertain: number
  uncertainTold: number
  /** By what was told. */
  told: Record<Told, number>
  /** Everything that must not be, with its seed. */
  wrong: Array<string>
  operations: Set<string>
}

export const nothingYet = (): Sum => ({
  schedules: 0,
  writes: 0,
  requests: 0,
  carriedOut: 0,
  uncertain: 0,
  uncertainTold: 0,
  told: { done: 0, unknown: 0, notDone: 0, nothing: 0 },
  wrong: [],
  operations: new Set()
})

export const add = (sum: Sum, report: Report): void => {
  sum.schedules++
  sum.requests += report.requests
  for (const account of report.accounts) {
    sum.writes++
    sum.carriedOut += account.carriedOut
    sum.told[account.told]++
    sum.operations.add(account.operation)
    // It was carried out, its caller is there, and got no success: that end is uncertain.
    if (account.carriedOut > 0 && account.told !== "done" && account.told !== "nothing") {
      sum.uncertain++
      if (account.told === "unknown") sum.uncertainTold++
    }
    const what = wrong(account)
    if (what !== undefined) {
      sum.wrong.push(
        `seed ${report.seed}: ${account.operation} was ${what} (${account.by}): ${report.history.join(" · ")}`
      )
    }
  }
}

/** The sums of several parts. */
export const merge = (parts: ReadonlyArray<Sum>): Sum => {
  const whole = nothingYet()
  for (const part of parts) {
    whole.schedules += part.schedules
    whole.writes += part.writes
    whole.requests += part.requests
    whole.carriedOut += part.carriedOut
    whole.uncertain += part.uncertain
    whole.uncertainTold += part.uncertainTold
    whole.told.done += part.told.done
    whole.told.unknown += part.told.unknown
    whole.told.notDone += part.told.notDone
    whole.told.nothing += part.told.nothing
    whole.wrong.push(...part.wrong)
    for (const operation of part.operations) whole.operations.add(operation)
  }
  return whole
}
