/** Sends payouts: claims them, sends each within its intent, and writes down what is certain. */
import type { CustodyClient } from "@effect-custody/core/CustodyClient"
import * as Outcome from "@effect-custody/core/Outcome"
import * as RetryPolicy from "@effect-custody/core/RetryPolicy"
import * as SendProgress from "@effect-custody/core/SendProgress"
import * as Transactions from "@effect-custody/transactions/Transactions"
import * as Clock from "effect/Clock"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import type { SqlError } from "effect/sql/SqlError"
import * as Stream from "effect/Stream"
import { type Claimed, inputOf } from "../payouts/followed.ts"
import type { Ledger } from "../payouts/ledger.ts"
import type { LedgerError } from "../payouts/LedgerError.ts"
import { afterSend, type LastingError } from "../payouts/sendOutcome.ts"
import { type Move, takeSteps } from "../payouts/writeState.ts"
import * as Claim from "./claim.ts"
import { keepRequest } from "./firstPayout.ts"

/** While the database fails: what is known in this process only is written again and again. */
const whileDown = Schedule.min([Schedule.exponential("50 millis"), Schedule.spaced("2 seconds")])

/** Repeats a write until the database takes it. */
const untilWritten = <A, E>(write: Effect.Effect<A, E>): Effect.Effect<A> =>
  Effect.catch(Effect.retry(write, whileDown), () => Effect.never)

/** How long a result waits for others, so that one write takes them all. */
const writeDelay = Duration.millis(5)

/**
 * Whether an intent that was committed after now is still valid. Two clocks, because one may be set back, and the other
 * stands still while the host sleeps.
 */
const validFrom = (clock: Clock.Clock, validity: number): (() => boolean) => {
  const wall = clock.currentTimeMillisUnsafe()
  const steady = clock.monotonicTimeNanosUnsafe()
  return () => {
    const now = clock.currentTimeMillisUnsafe()
    const passed = Number(clock.monotonicTimeNanosUnsafe() - steady) / 1e6
    return now >= wall && Math.max(now - wall, passed) < validity
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
  { pollInterval, validity }: Ledger["settings"],
  mayStart: () => boolean
): Effect.Effect<Sent, never, CustodyClient> => {
  const { attempt, reference } = payout
  return Transactions.send(inputOf(payout)).pipe(
    RetryPolicy.within(Duration.millis(validity)),
    Effect.provideService(SendProgress.MayStart, mayStart),
    // The ledger remembers it. The client has to send the payout again if a person says that it was not paid.
    Effect.tapErrorTag("OutcomeUnknown", Outcome.resolved),
    Outcome.of,
    Effect.map((outcome): Sent => {
      const { stop, ...step } = afterSend(outcome, attempt, pollInterval)
      return { move: { reference, attempt, ...step }, stop }
    }),
    // A defect says nothing about the payout.
    Effect.catchCause(() => Effect.succeed<Sent>({ move: { reference, attempt, step: "lost", detail: "a defect" } }))
  )
}

interface Hooks<E> {
  /** The contract whose first payout of an asset goes alone; `undefined` if none has to. */
  readonly contract: string | undefined
  /** Runs before each claim. */
  readonly beforeClaim: Effect.Effect<void, E, CustodyClient>
  /** Runs when a claim has failed. */
  readonly onFailure: (error: SqlError) => Effect.Effect<void>
  /** Runs when the database is another one than at the last comparison. */
  readonly onChange: Effect.Effect<void>
  /** Runs when there was nothing to claim. */
  readonly onIdle: Effect.Effect<void, E>
}

/** Sends what is due, until it is interrupted or stopped. What is being sent then is finished and written first. */
export const run = Effect.fnUntraced(function* <E>(
  ledger: Ledger,
  hooks: Hooks<E>
): Effect.fn.Return<never, E | LastingError | LedgerError, CustodyClient | Scope.Scope> {
  const { database, settings } = ledger
  const { inFlight, pollInterval, validity, worker } = settings
  const { contract } = hooks
  const clock = yield* Clock.Clock
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
    Effect.gen(function* () {
      while (busy > 0) yield* Effect.sleep("20 millis")
    }).pipe(
      // What is not written by then shows up as an expired intent.
      Effect.timeoutOption(Duration.millis(2 * validity)),
      Effect.andThen(Effect.sync(() => writer.interruptUnsafe()))
    )
  )

  const start = (payout: Claimed, claim: string, mayStart: () => boolean) =>
    (payout.isFirst === true ? keepRequest(ledger, payout.reference) : identity)(send(payout, settings, mayStart)).pipe(
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

  /** Claims payouts, and starts to send them. Uninterruptible, so that no claim is forgotten. */
  const claimAndStart = Effect.uninterruptibleMask(
    Effect.fnUntraced(function* (restore) {
      const claim = SecureRandom.uuidV4Unsafe()
      const mayStart = validFrom(clock, validity)
      const options = { who: worker, claim, limit: inFlight - busy, validity, committed: ledger.committed, contract }
      const claimed = yield* Effect.result(Claim.claim(database, options))
      if (Result.isFailure(claimed)) {
        const { failure } = claimed
        if (failure._tag === "SqlError") yield* hooks.onFailure(failure)
        // If this is interrupted, the intents expire, and the payouts are looked for.
        yield* restore(untilWritten(Claim.release(database, worker, claim)))
        return failure._tag === "SqlError" ? 0 : yield* failure
      }
      const { hasChanged, payouts } = claimed.success
      if (hasChanged) yield* hooks.onChange
      busy += payouts.length
      for (const payout of payouts) yield* start(payout, claim, mayStart)
      return payouts.length
    })
  )

  const loop = Effect.gen(function* () {
    while (inFlight - busy < enough) {
      freed = Deferred.makeUnsafe<void>()
      if (inFlight - busy < enough) yield* Deferred.await(freed)
    }
    yield* hooks.beforeClaim
    if ((yield* claimAndStart) > 0) return
    yield* hooks.onIdle
    yield* Effect.sleep(Duration.millis(pollInterval))
  })
  return yield* Effect.raceFirst(Effect.forever(loop), Deferred.await(stopped))
})
