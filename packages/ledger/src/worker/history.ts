/** Follows payouts in the service's history: finds what may have been sent, and the end of what was accepted. */
import type { CustodyClient } from "@effect-custody/core/CustodyClient"
import type { RequestInvalid } from "@effect-custody/core/SdkError"
import { trim } from "@effect-custody/core/unstable/Text"
import type { Transaction } from "@effect-custody/transactions"
import * as Transactions from "@effect-custody/transactions/Transactions"
import * as HistorySearch from "@effect-custody/transactions/unstable/HistorySearch"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { SqlError } from "effect/sql/SqlError"
import * as Follow from "../database/follow.ts"
import type { Move } from "../database/settle.ts"
import * as Pace from "../history/pace.ts"
import { readBackward, readForward } from "../history/readHistory.ts"
import { stepAfterSearch, stepAfterStatus } from "../model/historyOutcome.ts"
import type { Ledger } from "../payouts/ledger.ts"
import { takeSteps } from "./metrics.ts"
import { inputOf } from "./sendInput.ts"

/** The maximum number of payouts that are read one by one in a pass. */
const maxSingle = 50

/** The maximum number of payouts that a pass searches for. */
const maxSearched = 200

type ReadError = Transactions.StreamError | Transactions.GetError | SqlError

const noteOf = ({ note }: Transaction): string | undefined => (note && trim(note)) || undefined

/** The types of rows that are no payment to an external address. */
const isOther = ({ type }: Transaction): boolean =>
  ["INCOMING", "SWAP", "ALLOWANCE"].includes(type?.toUpperCase() ?? "")

/** What is known of the notes in the history, so that it is written once. */
interface Echo {
  known: "unseen" | "shown" | "hidden"
}

/** Notes whether the transactions of a page show their notes. */
const noteEcho = Effect.fnUntraced(function* (
  { database }: Ledger,
  echo: Echo,
  shows: ReadonlyArray<boolean>
): Effect.fn.Return<void, SqlError> {
  const now = shows.includes(false) ? "hidden" : shows.includes(true) ? "shown" : "unseen"
  if (now === "unseen" || now === echo.known || echo.known === "hidden") return
  yield* Follow.noteEcho(database, now === "shown")
  echo.known = now
})

/** Takes the steps that the rows of a page show. Returns the payouts that have a row, in the state before these steps. */
const followPage = Effect.fnUntraced(function* (
  ledger: Ledger,
  echo: Echo,
  rows: ReadonlyArray<Transaction>
): Effect.fn.Return<ReadonlyArray<Follow.Followed>, SqlError> {
  const { database } = ledger
  const ids = rows.map(({ id }) => id)
  const payouts = yield* Follow.findByHistory(
    database,
    rows.flatMap((row) => noteOf(row) ?? []),
    ids
  )
  const byNote = new Map(payouts.map((payout) => [payout.note, payout]))
  const byId = new Map(payouts.flatMap((one) => (one.transactionId === null ? [] : [[one.transactionId, one]])))
  const moves: Array<Move> = []
  const shows: Array<boolean> = []
  const shown: Array<Follow.Followed> = []
  for (const row of rows) {
    const note = noteOf(row)
    const own = byId.get(row.id)
    const noted = note === undefined ? undefined : byNote.get(note)
    const step = stepAfterStatus(row.status)
    if (own !== undefined) {
      const { attempt, reference, state } = own
      shown.push(own)
      shows.push(note === own.note)
      if (state === "accepted" && step !== undefined) moves.push({ reference, attempt, step, detail: row.status })
    } else if (noted !== undefined && noted.attempt > 0 && Transactions.matches(inputOf(noted), row)) {
      const { attempt, reference } = noted
      shown.push(noted)
      // With a transaction of its own, the payout was paid twice: the move becomes an event that says so.
      moves.push({ reference, attempt, step: "found", transactionId: row.id })
      if (noted.transactionId === null && step !== undefined) {
        moves.push({ reference, attempt, step, detail: row.status })
      }
    }
  }
  yield* takeSteps(ledger, moves)
  yield* noteEcho(ledger, echo, shows)
  return shown
})

/** Reads the transactions of accepted payouts that the list does not show. */
const followSingly = Effect.fnUntraced(function* (
  ledger: Ledger,
  pace: Pace.Pace,
  began: number
): Effect.fn.Return<void, ReadError, CustodyClient> {
  for (const { attempt, reference, transactionId } of yield* Follow.findUnseen(ledger.database, began, maxSingle)) {
    const read = Pace.read(pace, Transactions.get({ transactionId: transactionId ?? "" }))
    const found = yield* Effect.catchTag(Effect.asSome(read), "NotFound", () => Effect.succeedNone)
    if (Option.isNone(found)) continue
    const { status } = found.value
    const step = stepAfterStatus(status)
    if (step !== undefined) yield* takeSteps(ledger, [{ reference, attempt, step, detail: status }])
  }
})

/**
 * Searches the whole history, once for all, for payouts that should have appeared by now. What it does not show, a person
 * decides.
 */
const decideOverdue = Effect.fnUntraced(function* (
  ledger: Ledger,
  pace: Pace.Pace,
  holdLease: Effect.Effect<unknown, SqlError>,
  began: number
): Effect.fn.Return<void, ReadError | RequestInvalid, CustodyClient> {
  const { database, settings } = ledger
  const payouts = yield* Follow.findOverdue(database, began, settings.undecidedAfter, maxSearched)
  if (payouts.length === 0) return
  const list: HistorySearch.List = {
    endpoint: Transactions.list,
    read: (query) => Effect.tap(Pace.list(pace)(query), Effect.ignore(holdLease))
  }
  const payments = payouts.map((payout) => ({ wanted: inputOf(payout), since: DateTime.makeUnsafe(payout.intentAt) }))
  const results = yield* HistorySearch.findEach(list, payments, { window: Duration.millis(settings.window) })
  const candidates = results.flatMap((found) => (found._tag === "SeveralCandidates" ? found.candidates : []))
  const ids = new Set(candidates.map(({ transaction }) => transaction.id))
  const owners = yield* Follow.findOwners(database, [...ids])
  const moves = payouts.map(({ attempt, reference }, at): Move => {
    const isTaken = (id: string) => owners.has(id) && owners.get(id) !== reference
    return { reference, attempt, ...stepAfterSearch(results[at]!, isTaken) }
  })
  yield* takeSteps(ledger, moves)
})

/** Makes the follower: each run of it is one pass over the history, if anything waits and no other worker follows. */
export const makeFollower = (ledger: Ledger) => {
  const { database, settings } = ledger
  const echo: Echo = { known: "unseen" }
  const pace = Pace.makePace()
  const takeLease = Effect.suspend(() => Follow.holdLease(database, settings.worker, pace.pause))
  return Effect.fnUntraced(function* (): Effect.fn.Return<void, ReadError | RequestInvalid, CustodyClient> {
    // Many pages may be read in a second.
    const holdLease = yield* Effect.cachedWithTTL(takeLease, "1 second")
    if (!(yield* holdLease)) return
    yield* Follow.expire(database, settings.worker)
    const waiting = yield* Follow.findWaiting(database)
    const { began, oldest } = waiting
    if (oldest === undefined) return
    // What waits is usually new. Whatever the pages do not show, is read singly or searched for.
    const seen = new Set<string>()
    yield* readBackward(Pace.list(pace), oldest - settings.window, (rows) =>
      Effect.gen(function* () {
        yield* holdLease
        for (const payout of yield* followPage(ledger, echo, rows)) {
          if (Follow.isWaiting(payout, waiting)) seen.add(payout.reference)
        }
        return seen.size < waiting.count
      })
    )
    yield* Follow.postpone(database, began, seen, settings.pollInterval)
    yield* followSingly(ledger, pace, began)
    yield* decideOverdue(ledger, pace, holdLease, began)
    yield* Follow.reschedule(database, began, settings)
  })
}

/**
 * Compares the ledger with the history before anything is sent. What the history shows since the ledger's last event, and
 * this ledger has not sent, must not be sent again.
 */
export const compare = Effect.fnUntraced(function* (
  ledger: Ledger
): Effect.fn.Return<void, Transactions.StreamError | SqlError, CustodyClient> {
  const { database, settings } = ledger
  const last = yield* Follow.lastEvent(database)
  yield* readForward(
    Pace.list(Pace.makePace()),
    last - settings.window,
    Effect.fnUntraced(function* (rows) {
      const foreign = rows.flatMap((row): ReadonlyArray<Follow.Foreign> => {
        const note = noteOf(row)
        return note === undefined || isOther(row) ? [] : [{ note, transactionId: row.id }]
      })
      if (foreign.length > 0) yield* Follow.noteForeign(database, foreign)
      // A payout that waits for another attempt may have been paid, too.
      yield* followPage(ledger, { known: "hidden" }, rows)
    })
  )
})
