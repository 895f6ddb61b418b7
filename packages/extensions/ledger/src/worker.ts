/**
 * A worker: claims payouts, sends each within its intent, and writes down what is certain. Beside this loop it follows what
 * was sent, looks for undecided payouts again, looks at first payouts, and shows what is open.
 */
import { CustodyClient } from "@effect-custody/core/CustodyClient"
import * as Instrumentation from "@effect-custody/core/siblings/Instrumentation"
import * as Outcome from "@effect-custody/core/Outcome"
import * as RetryPolicy from "@effect-custody/core/RetryPolicy"
import * as Sender from "@effect-custody/core/siblings/Sender"
import * as HistoryNeeds from "@effect-custody/transactions/siblings/HistoryNeeds"
import * as Transactions from "@effect-custody/transactions/Transactions"
import * as Clock from "effect/Clock"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Headers from "effect/http/Headers"
import * as HttpTraceContext from "effect/http/HttpTraceContext"
import * as Metric from "effect/Metric"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { SqlError } from "effect/sql/SqlError"
import * as Claim from "./claim.ts"
import * as Compare from "./compare.ts"
import {
  dropLease,
  explain,
  follower,
  isOutOfNumbers,
  noteChange,
  outsideTransactions,
  quietly,
  reporting,
  type RowError
} from "./database.ts"
import { afterSend, isLasting, type LastingError } from "./evidence.ts"
import * as FirstPayout from "./firstPayout.ts"
import * as Follow from "./follow.ts"
import { findWriter, keepTimes, type Ledger, writer } from "./ledger.ts"
import { LedgerError, LedgerStopped } from "./LedgerError.ts"
import { gauge, metrics, named, report } from "./metrics.ts"
import { Alarm } from "./Payout.ts"
import { type Claimed, inputOf } from "./payoutRows.ts"
import { countOpen, findAlarms } from "./read.ts"
import { type Move, takeSteps } from "./settle.ts"

type Stopping = LastingError | LedgerError | LedgerStopped

/** Sends and follows payouts, until it is interrupted or stopped. */
export const run = (ledger: Ledger): Effect.Effect<never, Stopping, CustodyClient> =>
  Effect.gen(function* () {
    const { database, settings } = ledger
    const { pollInterval } = settings
    yield* outsideTransactions(database, "run")
    yield* reporting("run")(checkWriter(ledger))
    yield* checkContract
    yield* reporting("run")(keepTimes(ledger))
    const { fingerprint, isEmulated } = yield* CustodyClient.contractOf(moneyPath)
    const contract = isEmulated || settings.risksWrongPayouts ? undefined : fingerprint
    const compare = untilDone(
      Compare.compare(ledger, isEmulated),
      "the comparison of the ledger with the history failed, and is repeated; " +
        "this worker sends nothing new until it succeeds"
    )
    const stopped = yield* Deferred.make<never, Stopping>()
    const start = (part: Effect.Effect<never, Stopping, CustodyClient>) =>
      Effect.forkScoped(Effect.catch(part, (error) => Deferred.fail(stopped, error)))
    yield* Effect.addFinalizer(() => Effect.ignore(dropLease(database, follower, settings.worker)))
    const follow = Follow.makeFollower(ledger, isEmulated)
    yield* start(repeated(follow, "the look-up of payouts failed, and is repeated", pollInterval))
    const lookAgain = Follow.makeLookAgain(ledger, isEmulated)
    yield* start(repeated(lookAgain, "the look-up of undecided payouts failed, and is repeated", Follow.lookAgainEvery))
    if (contract !== undefined) {
      const look = FirstPayout.look(ledger, contract, compare)
      yield* start(repeated(look, "the look at the first payout failed, and is repeated", pollInterval))
    }
    yield* Effect.forkScoped(
      Effect.forever(Effect.andThen(Effect.ignore(quietly(showOpen(ledger))), Effect.sleep("10 seconds")))
    )
    return yield* Effect.raceFirst(sendAll(ledger, contract, compare), Deferred.await(stopped))
  }).pipe(
    Effect.scoped,
    Effect.tapErrorTag("LedgerStopped", ({ message }) =>
      // No worker renews the metrics from here on.
      Effect.andThen(Effect.ignore(showOpen(ledger)), report("payouts.stopped", message))
    )
  )

const nothing: Claim.Claims = { payouts: [], hasChanged: false }

/** The loop: compares if the database may be another one, claims, and starts to send what it has claimed. */
const sendAll = Effect.fnUntraced(function* (
  ledger: Ledger,
  contract: string | undefined,
  compare: Effect.Effect<boolean, LastingError | LedgerError, CustodyClient>
): Effect.fn.Return<never, Stopping, CustodyClient | Scope.Scope> {
  const { committed, database, settings } = ledger
  const { pollInterval, sendWithin, worker } = settings
  const clock = yield* Clock.Clock
  const senders = yield* makeSenders(ledger)
  let isCompared = false
  /** `true` once the HTTP client has asked whether it may still send. */
  let asks = false
  const compareAsking = Effect.provideService(compare, Sender.MayStart, () => (asks = true))

  /** Claims payouts, and starts to send them. Uninterruptible, so that no claim is forgotten. */
  const claimAndStart = Effect.uninterruptibleMask(
    Effect.fnUntraced(function* (restore) {
      const claim = SecureRandom.uuidV4Unsafe()
      const mayStart = validFrom(clock, sendWithin)
      const options = { who: worker, claim, limit: senders.free(), sendWithin, committed, contract }
      const claimed = yield* Effect.result(quietly(Claim.claim(database, options)))
      if (Result.isSuccess(claimed)) {
        yield* senders.start(claimed.success.payouts, claim, mayStart)
        return claimed.success
      }
      const { failure } = claimed
      // If this is interrupted, the intents expire, and the payouts are looked for.
      yield* restore(untilWritten(Claim.release(database, worker, claim)))
      if (failure._tag === "LedgerError") return yield* failure
      if (isOutOfNumbers(failure)) return yield* reporting("run")(failure)
      // Another worker has claimed a twin.
      if (failure.reason._tag === "UniqueViolation") return nothing
      // A database that does not say which one it is may be another one now.
      if (!database.isNamed) isCompared = false
      return yield* failure
    })
  )

  const once = Effect.gen(function* () {
    yield* senders.awaitFree
    if (!isCompared) {
      const hasRead = yield* compareAsking
      if (hasRead && !asks) return yield* cannotExpire
      // Without a read, another worker has compared it meanwhile, and a client that was never seen to ask is tried again.
      if (!asks) return
      isCompared = true
      yield* failIfAlarmed(ledger)
    }
    const { hasChanged, payouts } = yield* claimAndStart
    if (hasChanged) {
      committed.clear()
      isCompared = false
      yield* noteChange(database)
    } else if (payouts.length > 0) return
    yield* quietly(Effect.andThen(failIfAlarmed(ledger), checkWriter(ledger)))
    yield* Effect.sleep(Duration.millis(pollInterval))
  })
  const warning = "the claim of payouts failed, and is repeated; this worker sends nothing new until it succeeds"
  return yield* Effect.raceFirst(Effect.forever(untilDone(once, warning)), senders.stopped)
})

// Before the first payout.

/** Fails if a newer version of this code has changed what the rows mean. */
const checkWriter = Effect.fnUntraced(function* ({ database }: Ledger): Effect.fn.Return<void, SqlError | LedgerError> {
  const needed = yield* findWriter(database)
  if (needed > writer) {
    const reason = `it needs version ${needed} of the ledger's code, and this is version ${writer}`
    return yield* new LedgerError({ operation: "run", reason })
  }
})

/** The endpoints that a payout travels by. */
const moneyPath = [Transactions.send, Transactions.list, Transactions.get] as const

/** Fails if payouts cannot be sent or followed under the contract. */
const checkContract = Effect.gen(function* () {
  const facts = new Map(
    yield* Effect.forEach(moneyPath, (one) =>
      Effect.map(CustodyClient.factsOf(one), (of) => [one.operation as string, of] as const)
    )
  )
  const lacking = HistoryNeeds.objections(Transactions, ({ operation }) => facts.get(operation)!)
  if (lacking.length > 0) return yield* new LedgerError({ operation: "run", reason: lacking.join("; ") })
})

const cannotExpire = new LedgerError({
  operation: "run",
  reason:
    "the HTTP client cannot give up a request at its first byte, so that a process that slept would send too late: " +
    "run the worker on Node with NodeCustody.layerHttpClient; a process on another runtime may submit and read"
})

const failIfAlarmed = Effect.fnUntraced(function* ({
  database
}: Ledger): Effect.fn.Return<void, RowError | LedgerStopped> {
  const payouts = yield* findAlarms(database)
  if (payouts.length > 0) return yield* new LedgerStopped({ payouts })
})

// The payouts that are being sent.

/**
 * Whether an intent that was committed after now is still valid. Two clocks, because one may be set back, and the other
 * stands still while the host sleeps.
 */
const validFrom = (clock: Clock.Clock, sendWithin: number): (() => boolean) => {
  const wall = clock.currentTimeMillisUnsafe()
  const steady = clock.monotonicTimeNanosUnsafe()
  return () => {
    const now = clock.currentTimeMillisUnsafe()
    const passed = Number(clock.monotonicTimeNanosUnsafe() - steady) / 1e6
    return now >= wall && Math.max(now - wall, passed) < sendWithin
  }
}

interface Sent {
  readonly move: Omit<Move, "claim">
  /** The error that stops the worker. */
  readonly stop?: LastingError | undefined
}

/** Sends one payout, while its intent is valid. */
const send = (
  payout: Claimed,
  { pollInterval, sendWithin, tracesReferences }: Ledger["settings"],
  mayStart: () => boolean
): Effect.Effect<Sent, never, CustodyClient> => {
  const { attempt, reference, trace } = payout
  return Transactions.send(inputOf(payout)).pipe(
    RetryPolicy.within(Duration.millis(sendWithin)),
    Effect.provideService(Sender.MayStart, mayStart),
    // The ledger remembers it. The client has to send the payout again if a person says that it was not paid.
    Effect.tapErrorTag("OutcomeUnknown", Outcome.resolved),
    Outcome.of,
    Effect.map((outcome): Sent => {
      const { stop, ...step } = afterSend(outcome, attempt, pollInterval)
      return { move: { reference, attempt, ...step }, stop }
    }),
    // A defect says nothing about the payout.
    Effect.catchCause(() => Effect.succeed<Sent>({ move: { reference, attempt, step: "lost", detail: "a defect" } })),
    tracesReferences
      ? (sending) =>
          Instrumentation.around("payouts.send", { "custody.reference": reference })(
            Effect.andThen(linkSubmission(trace), sending)
          )
      : identity
  )
}

/** Links the current span to the one that submitted the payout. */
const linkSubmission = (trace: string | null): Effect.Effect<void> =>
  Effect.ignore(
    Effect.gen(function* () {
      const submitted = yield* Effect.fromOption(
        HttpTraceContext.w3c(Headers.fromInput({ traceparent: trace ?? undefined }))
      )
      const span = yield* Effect.currentSpan
      span.addLinks([{ span: submitted, attributes: {} }])
    })
  )

/** How long a result waits for others, so that one write takes them all. */
const writeDelay = Duration.millis(5)

/** The senders of a worker. At the end of the scope, what is being sent is finished and written. */
const makeSenders = Effect.fnUntraced(function* (ledger: Ledger) {
  const { settings } = ledger
  const { inFlight, sendWithin } = settings
  const client = yield* Effect.context<CustodyClient>()
  /** To write or claim several payouts costs the database little more than to write or claim one. */
  const enough = Math.max(1, Math.floor(inFlight / 2))
  const results = yield* Queue.unbounded<Move>()
  const stopped = yield* Deferred.make<never, LastingError>()
  let busy = 0
  let freed = Deferred.makeUnsafe<void>()

  const write = Effect.fnUntraced(function* (moves: ReadonlyArray<Move>) {
    yield* untilWritten(takeSteps(ledger, moves))
    busy -= moves.length
    yield* Deferred.succeed(freed, undefined)
  })
  const writer = yield* Stream.fromQueue(results).pipe(
    Stream.groupedWithin(enough, writeDelay),
    Stream.runForEach(write),
    Effect.forkDetach
  )
  yield* Effect.addFinalizer(() =>
    Effect.repeat(Effect.void, { while: () => busy > 0, schedule: Schedule.spaced("20 millis") }).pipe(
      // What is not written by then shows up as an expired intent.
      Effect.timeoutOption(Duration.millis(2 * sendWithin)),
      Effect.andThen(Effect.sync(() => writer.interruptUnsafe()))
    )
  )

  const startOne = (payout: Claimed, claim: string, mayStart: () => boolean) =>
    send(payout, settings, mayStart).pipe(
      payout.isFirst === true ? FirstPayout.keepRequest(ledger, payout.reference) : identity,
      Effect.provideContext(client),
      Effect.flatMap(({ move, stop }) =>
        Effect.andThen(
          stop === undefined ? Effect.void : Deferred.fail(stopped, stop),
          Queue.offer(results, { ...move, claim })
        )
      ),
      Effect.uninterruptible,
      Effect.forkDetach
    )
  return {
    /** How many payouts may be claimed now. */
    free: () => inFlight - busy,
    /** Waits until it is worth a claim. */
    awaitFree: Effect.gen(function* () {
      while (inFlight - busy < enough) {
        freed = Deferred.makeUnsafe<void>()
        if (inFlight - busy < enough) yield* Deferred.await(freed)
      }
    }),
    start: (payouts: ReadonlyArray<Claimed>, claim: string, mayStart: () => boolean) => {
      busy += payouts.length
      return Effect.forEach(payouts, (payout) => startOne(payout, claim, mayStart), { discard: true })
    },
    /** Fails with the error that stops the worker. */
    stopped: Deferred.await(stopped)
  }
})

// Repetitions.

/** While the service or the database fails: the pause grows, and the log says of each failure that its work is repeated. */
const whileFailing = Schedule.min([Schedule.exponential("200 millis"), Schedule.spaced("30 seconds")]).pipe(
  Schedule.jittered
)

const warn = (warning: string) => (error: { readonly message: string }) =>
  named("payouts.repeated")(Effect.logWarning(`${warning}: ${explain(error)}`))

/** Repeats a write until the database takes it: what it says is known in this process only. */
const untilWritten = <A, E extends { readonly message: string }>(write: Effect.Effect<A, E>): Effect.Effect<A> =>
  write.pipe(
    Effect.tapError(warn("what this worker knows of payouts could not be written, and the write is repeated")),
    Effect.retry(whileFailing),
    Effect.catch(() => Effect.never)
  )

const isStopping = <E extends { readonly _tag: string }>(error: E): error is Extract<E, Stopping> =>
  error._tag === "LedgerError" || error._tag === "LedgerStopped" || isLasting(error)

/** Repeats work until it succeeds, or fails in a way that a person has to mend. */
const untilDone = <A, E extends { readonly _tag: string; readonly message: string }, R>(
  work: Effect.Effect<A, E, R>,
  warning: string
): Effect.Effect<A, Extract<E, Stopping>, R> =>
  work.pipe(
    Effect.tapError((error) => (isStopping(error) ? Effect.void : warn(warning)(error))),
    Effect.retry({ while: (error) => !isStopping(error), schedule: whileFailing }),
    Effect.mapError((error) => error as Extract<E, Stopping>)
  )

const maxPause = Duration.seconds(10)

/** A worker spends a fifth of its time on passes, or more if a pass takes longer than {@link maxPause} allows for. */
const pauseAfter = (length: Duration.Duration, pollInterval: number): Duration.Duration =>
  Duration.max(Duration.millis(pollInterval), Duration.min(Duration.times(length, 4), maxPause))

/** A part of a worker that is repeated until the worker ends, or fails in a way that a person has to mend. */
const repeated = <E extends { readonly _tag: string; readonly message: string }, R>(
  pass: Effect.Effect<void, E, R>,
  warning: string,
  pollInterval: number
) =>
  untilDone(pass, warning).pipe(
    Effect.timed,
    Effect.flatMap(([length]) => Effect.sleep(pauseAfter(length, pollInterval))),
    Effect.forever
  )

// What is open, in Effect's metrics.

const openStates = ["held", "ready", "sending", "unknown", "undecided", "mismatched", "accepted"] as const

/** Shows the payouts of the ledger that have not ended, and what it waits for a person for. */
const showOpen = Effect.fnUntraced(function* ({ database }: Ledger): Effect.fn.Return<void, RowError> {
  const { oldestUnknownAt, states } = yield* countOpen(database)
  const now = yield* Clock.currentTimeMillis
  for (const state of openStates) yield* Metric.update(gauge(metrics.payouts, { state }), states[state] ?? 0)
  const age = oldestUnknownAt === undefined ? 0 : Math.max(0, (now - oldestUnknownAt) / 1000)
  yield* Metric.update(gauge(metrics.oldestUnknown), age)
  const found = yield* findAlarms(database)
  for (const alarm of Alarm.literals) {
    yield* Metric.update(gauge(metrics.alarms, { alarm }), found.filter((one) => one.alarm === alarm).length)
  }
  yield* Metric.update(gauge(metrics.unconfirmed), (yield* FirstPayout.findAwaited(database)).length)
})
