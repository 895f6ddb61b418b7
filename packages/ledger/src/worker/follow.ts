/** Follows payouts in the service's history: finds what may have been sent, and the end of what was accepted. */
import type { CustodyClient } from "@effect-custody/core/CustodyClient"
import type { RequestInvalid } from "@effect-custody/core/SdkError"
import { trim } from "@effect-custody/core/Text"
import type { Transaction } from "@effect-custody/transactions"
import * as Transactions from "@effect-custody/transactions/Transactions"
import * as Comparison from "@effect-custody/transactions/Comparison"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { SqlError } from "effect/sql/SqlError"
import { follower, holdLease } from "../database/leases.ts"
import type { RowError } from "../database/rows.ts"
import { stepAfterStatus } from "../history/historyOutcome.ts"
import * as Pace from "../history/pace.ts"
import { readBackward } from "../history/readHistory.ts"
import * as Followed from "../payouts/followed.ts"
import type { Ledger } from "../payouts/ledger.ts"
import { type Move, takeSteps } from "../payouts/writeState.ts"
import { handToPerson } from "./handToPerson.ts"
import * as Waiting from "./waiting.ts"

/** The maximum number of payouts that are read one by one in a pass. */
const maxSingle = 50

type ReadError = Transactions.StreamError | Transactions.GetError | RowError

export const noteOf = ({ note }: Transaction): string | undefined => (note && trim(note)) || undefined

/** `false` for the types of rows that are no payment to an external address. */
export const isPayment = ({ type }: Transaction): boolean =>
  !["INCOMING", "SWAP", "ALLOWANCE"].includes(type?.toUpperCase() ?? "")

/** What is known of the history, so that it is written once: of one database. */
export interface Known {
  notes: "unseen" | "shown" | "hidden"
  /** How late it has shown a payout at most, in milliseconds. */
  lag: number | undefined
}

export const makeKnown = (notes: Known["notes"] = "unseen"): Known => ({ notes, lag: undefined })

/** Notes whether the transactions of a page show their notes. */
const learnNotes = Effect.fnUntraced(function* (
  { database }: Ledger,
  known: Known,
  shows: ReadonlyArray<boolean>
): Effect.fn.Return<void, SqlError> {
  const now = shows.includes(false) ? "hidden" : shows.includes(true) ? "shown" : "unseen"
  if (now === "unseen" || now === known.notes || known.notes === "hidden") return
  yield* Waiting.noteEcho(database, now === "shown")
  known.notes = now
})

/** How long after its last miss a payout may have been shown, in milliseconds. */
const sinceMiss = 600_000

/**
 * How late the history has shown a payout, in milliseconds: not before the last pass that missed it. A worker may have
 * rested since; while it does not, the next pass comes after a quarter of the payout's age.
 */
const lagOf = ({ intentAt, missedAt }: Followed.Followed, shownAt: number): number =>
  missedAt === null || intentAt === null ? 0 : Math.min(shownAt - intentAt, 1.5 * (missedAt - intentAt) + sinceMiss)

/** Notes how late the history shows payouts that waited for it. */
export const learnLag = Effect.fnUntraced(function* (
  { database }: Ledger,
  known: Known,
  shownAt: number,
  payouts: ReadonlyArray<Followed.Followed>
): Effect.fn.Return<void, SqlError> {
  const waited = payouts.filter(({ state }) => state === "sending" || state === "accepted" || state === "unknown")
  if (waited.length === 0) return
  const lag = Math.max(...waited.map((payout) => lagOf(payout, shownAt)))
  if (known.lag !== undefined && lag <= known.lag) return
  yield* Waiting.noteLag(database, lag)
  known.lag = lag
})

type Judged = { readonly moves: ReadonlyArray<Move>; readonly isShown: boolean }

/** The steps of a payout whose transaction a row is. */
const judgeOwn = (payout: Followed.Followed, row: Transaction): Judged => {
  const { attempt, isUnchecked, reference, state } = payout
  const found = isUnchecked ? [] : Comparison.contradictions(Followed.inputOf(payout), row)
  const step = stepAfterStatus(row.status)
  if (state !== "accepted") return { moves: [], isShown: true }
  if (found.length > 0) {
    return { moves: [{ reference, attempt, step: "mismatched", detail: Comparison.describe(found) }], isShown: true }
  }
  return { moves: step === undefined ? [] : [{ reference, attempt, step, detail: row.status }], isShown: true }
}

/** The steps of a payout whose note a row bears. */
const judgeNoted = (payout: Followed.Followed, row: Transaction): Judged => {
  const { attempt, reference, transactionId } = payout
  const found = Comparison.contradictions(Followed.inputOf(payout), row)
  const step = stepAfterStatus(row.status)
  if (found.length > 0) {
    const detail = Comparison.describe(found)
    return transactionId === null
      ? { moves: [{ reference, attempt, step: "mismatched", transactionId: row.id, detail }], isShown: true }
      : { moves: [], isShown: false }
  }
  // With a transaction of its own, the payout was paid twice: the move becomes an event that says so.
  const moves: ReadonlyArray<Move> = [{ reference, attempt, step: "found", transactionId: row.id }]
  const ended = transactionId === null && step !== undefined
  return { moves: ended ? [...moves, { reference, attempt, step, detail: row.status }] : moves, isShown: true }
}

/** Takes the steps that the rows of a page show. Returns the payouts that have a row, in the state before these steps. */
export const followPage = Effect.fnUntraced(function* (
  ledger: Ledger,
  known: Known,
  rows: ReadonlyArray<Transaction>
): Effect.fn.Return<ReadonlyArray<Followed.Followed>, RowError> {
  const payouts = yield* Followed.findByHistory(
    ledger.database,
    rows.flatMap((row) => noteOf(row) ?? []),
    rows.map(({ id }) => id)
  )
  const byNote = new Map(payouts.map((payout) => [payout.note, payout]))
  const byId = new Map(payouts.flatMap((one) => (one.transactionId === null ? [] : [[one.transactionId, one]])))
  const moves: Array<Move> = []
  const shows: Array<boolean> = []
  const shown: Array<Followed.Followed> = []
  for (const row of rows) {
    const own = byId.get(row.id)
    const note = noteOf(row)
    const noted = note === undefined || !isPayment(row) ? undefined : byNote.get(note)
    const payout = own ?? (noted !== undefined && noted.attempt > 0 ? noted : undefined)
    if (payout === undefined) continue
    if (own !== undefined) shows.push(note === own.note)
    const judged = own === undefined ? judgeNoted(payout, row) : judgeOwn(own, row)
    moves.push(...judged.moves)
    if (judged.isShown) shown.push(payout)
  }
  yield* takeSteps(ledger, moves)
  yield* learnNotes(ledger, known, shows)
  return shown
})

/** Reads the transactions of accepted payouts that the list does not show. */
const followSingly = Effect.fnUntraced(function* (
  ledger: Ledger,
  known: Known,
  pace: Pace.Pace,
  began: number
): Effect.fn.Return<void, ReadError, CustodyClient> {
  const late: Array<Followed.Followed> = []
  for (const payout of yield* Waiting.findUnseen(ledger.database, began, maxSingle)) {
    const read = Pace.read(pace, Transactions.get({ transactionId: payout.transactionId ?? "" }))
    const found = yield* Effect.catchTag(Effect.asSome(read), "NotFound", () => Effect.succeedNone)
    if (Option.isNone(found)) continue
    yield* takeSteps(ledger, judgeOwn(payout, found.value).moves)
    late.push(payout)
  }
  yield* learnLag(ledger, known, began, late)
})

/** Makes the follower: each run of it is one pass over the history, if anything waits and no other worker follows. */
export const makeFollower = (ledger: Ledger, known: Known) => {
  const { database, settings } = ledger
  const pace = Pace.makePace()
  const takeLease = Effect.suspend(() => holdLease(database, follower, settings.worker, pace.pause))
  return Effect.fnUntraced(function* (): Effect.fn.Return<void, ReadError | RequestInvalid, CustodyClient> {
    // Many pages may be read in a second.
    const keepLease = yield* Effect.cachedWithTTL(takeLease, "1 second")
    if (!(yield* keepLease)) return
    yield* Waiting.expire(database, settings.worker)
    const waiting = yield* Waiting.findWaiting(database)
    const { began, oldest } = waiting
    if (oldest === null) return
    // What waits is usually new. Whatever the pages do not show, is read singly or searched for.
    const seen = new Set<string>()
    const readPages = readBackward(Pace.list(pace), oldest - settings.window, (rows) =>
      Effect.gen(function* () {
        yield* keepLease
        const shown = (yield* followPage(ledger, known, rows)).filter((payout) => Waiting.isWaiting(payout, waiting))
        yield* learnLag(ledger, known, began, shown)
        for (const { reference } of shown) seen.add(reference)
        return seen.size < waiting.count
      })
    )
    // Pages that repeat or drop rows keep nothing waiting.
    const pages = yield* Effect.result(readPages)
    if (Result.isFailure(pages) && pages.failure._tag !== "PagesIncomplete") return yield* Effect.fromResult(pages)
    yield* Waiting.postpone(database, began, seen, settings.pollInterval)
    yield* followSingly(ledger, known, pace, began)
    yield* handToPerson(ledger, pace, keepLease, began)
    yield* Waiting.reschedule(database, began, settings)
    return yield* Effect.fromResult(pages)
  })
}
