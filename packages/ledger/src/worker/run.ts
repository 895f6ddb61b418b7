/** A worker: sends payouts, and follows them. */
import { ClientKnowledge } from "@effect-custody/core/ClientKnowledge"
import type { CustodyClient } from "@effect-custody/core/CustodyClient"
import * as OperatorLog from "@effect-custody/core/OperatorLog"
import * as SendProgress from "@effect-custody/core/SendProgress"
import * as Span from "@effect-custody/core/Span"
import * as Transactions from "@effect-custody/transactions/Transactions"
import * as HistoryNeeds from "@effect-custody/transactions/HistoryNeeds"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { explain, outsideTransactions, reporting } from "../database/database.ts"
import { noteChange } from "../database/identity.ts"
import { findWriter, writer } from "../database/migrations.ts"
import type { Ledger } from "../payouts/ledger.ts"
import { LedgerError, LedgerStopped } from "../payouts/LedgerError.ts"
import { findAlarms } from "../payouts/read.ts"
import { isLasting, type LastingError } from "../payouts/sendOutcome.ts"
import * as Comparison from "./compareBeforeSending.ts"
import * as FirstPayout from "./firstPayout.ts"
import * as History from "./follow.ts"
import { lookAgain, lookAgainEvery } from "./lookAgain.ts"
import * as Sender from "./sender.ts"
import * as Waiting from "./waiting.ts"
import { showOpen } from "./showOpen.ts"

/** While the service or the database fails. */
const whileFailing = Schedule.min([Schedule.exponential("200 millis"), Schedule.spaced("5 seconds")]).pipe(
  Schedule.jittered
)

type Stopping = LastingError | LedgerError

const isStopping = <E extends { readonly _tag: string }>(error: E): error is Extract<E, Stopping> =>
  error._tag === "LedgerError" || isLasting(error)

/** Repeats work until it succeeds, or fails in a way that a person has to mend. */
const untilDone = <A, E extends { readonly _tag: string; readonly message: string }, R>(
  work: Effect.Effect<A, E, R>,
  warning: string
): Effect.Effect<A, Extract<E, Stopping>, R> =>
  work.pipe(
    Effect.tapError((error) => Effect.logWarning(`${warning}: ${explain(error)}`)),
    Effect.retry({ while: (error) => !isStopping(error), schedule: whileFailing }),
    Effect.mapError((error) => error as Extract<E, Stopping>)
  )

const maxPause = Duration.seconds(10)

/** A worker spends a fifth of its time on passes, or more if a pass takes longer than {@link maxPause} allows for. */
const pauseAfter = (length: Duration.Duration, pollInterval: number): Duration.Duration =>
  Duration.max(Duration.millis(pollInterval), Duration.min(Duration.times(length, 4), maxPause))

/** Fails if a newer version of this code has changed what the rows mean. */
const checkWriter = Effect.fnUntraced(function* ({ database }: Ledger): Effect.fn.Return<void, LedgerError> {
  const needed = yield* reporting("run")(findWriter(database))
  if (needed > writer) {
    const reason = `it needs version ${needed} of the ledger's code, and this is version ${writer}`
    return yield* new LedgerError({ operation: "run", reason })
  }
})

const failIfAlarmed = Effect.fnUntraced(function* ({
  database
}: Ledger): Effect.fn.Return<void, LedgerError | LedgerStopped> {
  const payouts = yield* reporting("run")(findAlarms(database))
  if (payouts.length > 0) return yield* new LedgerStopped({ payouts })
})

const cannotExpire = new LedgerError({
  operation: "run",
  reason:
    "the HTTP client cannot give up a request at its first byte, so that a process that slept would send too late: " +
    "provide NodeCustody.layerHttpClient"
})

/** The endpoints that a payout travels by. */
const moneyPath = [Transactions.send, Transactions.list, Transactions.get]

/** Fails if payouts cannot be sent or followed under the contract. */
const checkContract = Effect.gen(function* () {
  const { factsOf } = yield* ClientKnowledge
  const facts = new Map(
    yield* Effect.forEach(moneyPath, (one) => Effect.map(factsOf(one), (of) => [one.operation as string, of] as const))
  )
  const lacking = HistoryNeeds.objections(Transactions, ({ operation }) => facts.get(operation)!)
  if (lacking.length > 0) return yield* new LedgerError({ operation: "run", reason: lacking.join("; ") })
})

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

/** Sends and follows payouts, until it is interrupted or stopped. */
export const run = (ledger: Ledger): Effect.Effect<never, LedgerError | LedgerStopped | LastingError, CustodyClient> =>
  Effect.gen(function* () {
    const { committed, database, settings } = ledger
    yield* outsideTransactions(database, "run")
    yield* checkWriter(ledger)
    yield* checkContract
    yield* reporting("run")(Waiting.keepUndecidedAfter(database, settings.undecidedAfter))
    const { fingerprint, isEmulated } = yield* ClientKnowledge.use(({ contractOf }) => contractOf(moneyPath))
    const contract = isEmulated || settings.risksWrongPayouts ? undefined : fingerprint
    const known = History.makeKnown()
    let mustCompare = true
    let asksFirst = false
    const asked = () => {
      asksFirst = true
      return true
    }
    const compare = untilDone(
      Comparison.compare(ledger, known, isEmulated),
      "the comparison of the ledger with the history failed, and is repeated; " +
        "this worker sends nothing new until it succeeds"
    ).pipe(Effect.provideService(SendProgress.MayStart, asked))
    const compareFirst = Effect.gen(function* () {
      yield* compare
      if (!asksFirst) return yield* cannotExpire
      mustCompare = false
      yield* failIfAlarmed(ledger)
    })

    const stopped = yield* Deferred.make<never, Stopping>()
    const start = (part: Effect.Effect<never, Stopping, CustodyClient>) =>
      Effect.forkScoped(Effect.catch(part, (error) => Deferred.fail(stopped, error)))
    const follow = Effect.suspend(History.makeFollower(ledger, known)).pipe(Span.around("payouts.follow"))
    yield* start(repeated(follow, "the look-up of payouts failed, and is repeated", settings.pollInterval))
    yield* start(
      repeated(lookAgain(ledger), "the look-up of undecided payouts failed, and is repeated", lookAgainEvery)
    )
    if (contract !== undefined) {
      const look = FirstPayout.look(ledger, contract, compare)
      yield* start(repeated(look, "the look at the first payout failed, and is repeated", settings.pollInterval))
    }
    yield* Effect.forkScoped(
      Effect.forever(Effect.andThen(Effect.ignore(showOpen(ledger)), Effect.sleep("10 seconds")))
    )
    const send = Sender.run(ledger, {
      contract,
      beforeClaim: Effect.suspend(() => (mustCompare ? compareFirst : Effect.void)),
      onFailure: ({ reason }) =>
        Effect.sync(() => {
          // A database that does not say which one it is may be another one now.
          if (database.identity === undefined && reason._tag !== "UniqueViolation") mustCompare = true
        }),
      onChange: Effect.suspend(() => {
        committed.clear()
        Object.assign(known, History.makeKnown())
        mustCompare = true
        return Effect.ignore(noteChange(database))
      }),
      onIdle: failIfAlarmed(ledger)
    })
    return yield* Effect.raceFirst(send, Deferred.await(stopped))
  }).pipe(
    Effect.scoped,
    Effect.tapErrorTag("LedgerStopped", ({ message }) =>
      // No worker renews the metrics from here on.
      Effect.andThen(Effect.ignore(showOpen(ledger)), OperatorLog.report("payouts.stopped", message))
    )
  )
