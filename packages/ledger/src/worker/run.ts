/** A worker: sends payouts, and follows them. */
import type { CustodyClient } from "@effect-custody/core/CustodyClient"
import * as SendProgress from "@effect-custody/core/unstable/SendProgress"
import * as Span from "@effect-custody/core/unstable/Span"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { outsideTransactions, reporting } from "../database/database.ts"
import * as Follow from "../database/follow.ts"
import { findWriter, writer } from "../database/migrations.ts"
import { LedgerBehind, LedgerError } from "../model/LedgerError.ts"
import { isLasting, type LastingError } from "../model/sendOutcome.ts"
import type { Ledger } from "../payouts/ledger.ts"
import * as History from "./history.ts"
import * as Metrics from "./metrics.ts"
import * as Sender from "./sender.ts"

/** While the service or the database fails. */
const whileFailing = Schedule.min([Schedule.exponential("200 millis"), Schedule.spaced("5 seconds")]).pipe(
  Schedule.jittered
)

/** Repeats work until it succeeds, or fails in a way that a person has to mend. */
const untilDone = <A, E extends { readonly _tag: string; readonly message: string }, R>(
  work: Effect.Effect<A, E, R>,
  warning: string
): Effect.Effect<A, Extract<E, LastingError>, R> =>
  work.pipe(
    Effect.tapError((error) => Effect.logWarning(`${warning}: ${error.message}`)),
    Effect.retry({ while: (error) => !isLasting(error), schedule: whileFailing }),
    Effect.mapError((error) => error as Extract<E, LastingError>)
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

const failIfBehind = Effect.fnUntraced(function* ({
  database
}: Ledger): Effect.fn.Return<void, LedgerError | LedgerBehind> {
  const payouts = yield* reporting("run")(Follow.findBehind(database))
  if (payouts.length > 0) return yield* new LedgerBehind({ payouts })
})

const cannotExpire = new LedgerError({
  operation: "run",
  reason:
    "the HTTP client cannot give up a request at its first byte, so that a process that slept would send too late: " +
    "provide NodeCustody.layerHttpClient"
})

/** Sends and follows payouts, until it is interrupted or stopped. */
export const run = (ledger: Ledger): Effect.Effect<never, LedgerError | LedgerBehind | LastingError, CustodyClient> =>
  Effect.gen(function* () {
    const { database, settings } = ledger
    yield* outsideTransactions(database, "run")
    yield* checkWriter(ledger)
    let mustCompare = true
    let asksFirst = false
    const asked = () => {
      asksFirst = true
      return true
    }
    const compare = Effect.gen(function* () {
      yield* untilDone(
        History.compare(ledger),
        "the comparison of the ledger with the history failed, and is repeated; " +
          "this worker sends nothing new until it succeeds"
      )
      if (!asksFirst) return yield* cannotExpire
      mustCompare = false
      yield* failIfBehind(ledger)
    }).pipe(Effect.provideService(SendProgress.MayStart, asked))

    const stopped = yield* Deferred.make<never, LastingError>()
    const pass = History.makeFollower(ledger)
    const follow = untilDone(
      Effect.suspend(pass).pipe(Span.around("payouts.follow")),
      "the look-up of payouts failed, and is repeated"
    ).pipe(
      Effect.timed,
      Effect.flatMap(([length]) => Effect.sleep(pauseAfter(length, settings.pollInterval))),
      Effect.forever,
      Effect.catch((error: LastingError) => Deferred.fail(stopped, error))
    )
    yield* Effect.forkScoped(follow)
    yield* Effect.forkScoped(
      Effect.forever(Effect.andThen(Effect.ignore(Metrics.showOpen(ledger)), Effect.sleep("10 seconds")))
    )
    const send = Sender.run(ledger, {
      beforeClaim: Effect.suspend(() => (mustCompare ? compare : Effect.void)),
      onLostDatabase: Effect.sync(() => {
        mustCompare = true
      }),
      onIdle: failIfBehind(ledger)
    })
    return yield* Effect.raceFirst(send, Deferred.await(stopped))
  }).pipe(Effect.scoped)
