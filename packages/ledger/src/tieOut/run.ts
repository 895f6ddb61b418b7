/** Compares the payouts and the outgoing transactions of a period. */
import type { CustodyClient } from "@effect-custody/core/CustodyClient"
import { RequestInvalid } from "@effect-custody/core/SdkError"
import { trim } from "@effect-custody/core/Text"
import type { Transaction } from "@effect-custody/transactions"
import * as Transactions from "@effect-custody/transactions/Transactions"
import { timeProblem } from "@effect-custody/transactions/HistoryTimes"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type Database, reporting } from "../database/database.ts"
import * as Pace from "../history/pace.ts"
import { readForward } from "../history/readHistory.ts"
import type { LedgerError } from "../payouts/LedgerError.ts"
import type { Payout } from "../payouts/Payout.ts"
import * as Compare from "./compare.ts"
import * as Rows from "./rows.ts"
import type { Period } from "./rows.ts"

/**
 * What a tie-out found. Without rows, the ledger and the service agree.
 *
 * @since 0.1.0
 * @category models
 */
export const Report = Schema.Struct({
  from: Schema.DateTimeUtc,
  to: Schema.DateTimeUtc,
  /** The payouts of the period that may have been sent. */
  payouts: Schema.Int,
  /** The outgoing transactions of the period. */
  transactions: Schema.Int,
  rows: Schema.Array(Compare.Row)
})
export type Report = typeof Report.Type

/**
 * The errors of a tie-out.
 *
 * @since 0.1.0
 * @category errors
 */
export type RunError = Transactions.StreamError | Transactions.GetError | LedgerError

const isOutgoing = ({ type }: Transaction): boolean => type === undefined || type.toUpperCase() === "OUTGOING"

/** A transaction whose time is not known, or cannot be true, cannot be excluded. */
const isWithin = ({ from, to }: Period, { createdAt }: Transaction, now: DateTime.Utc): boolean =>
  createdAt === undefined ||
  timeProblem(now, createdAt) !== undefined ||
  DateTime.between(createdAt, { minimum: from, maximum: to })

const isSentWithin = ({ from, to }: Period, { intentAt }: Payout): boolean =>
  intentAt !== null && DateTime.isGreaterThanOrEqualTo(intentAt, from) && DateTime.isLessThan(intentAt, to)

/** A comparison that is under way. */
interface Run {
  readonly database: Database
  readonly period: Period
  readonly now: DateTime.Utc
  readonly pace: Pace.Pace
  readonly rows: Array<Compare.Row>
  /** The transactions that were compared. */
  readonly seen: Set<string>
}

/** Compares a page of the history with the ledger. Returns the number of outgoing transactions of the period. */
const comparePage = Effect.fnUntraced(function* (
  { database, now, period, rows, seen }: Run,
  page: ReadonlyArray<Transaction>
): Effect.fn.Return<number, LedgerError> {
  const payouts = yield* reporting("read")(Rows.findByTransactions(database, page))
  const byId = new Map(payouts.flatMap((one) => (one.transactionId === null ? [] : [[one.transactionId, one]])))
  const byNote = new Map(payouts.map((one) => [one.note, one]))
  let outgoing = 0
  for (const transaction of page) {
    if (seen.has(transaction.id)) continue
    const own = byId.get(transaction.id)
    const within = isWithin(period, transaction, now)
    if (within && isOutgoing(transaction)) outgoing++
    if (own !== undefined) {
      seen.add(transaction.id)
      if (within || isSentWithin(period, own)) {
        rows.push(...Compare.comparePair(own, transaction, { isListed: true, now }))
      }
      continue
    }
    if (!within || !isOutgoing(transaction)) continue
    seen.add(transaction.id)
    const noted = byNote.get(trim(transaction.note ?? ""))
    // An open payout with this note is reported as open: the worker has yet to find its transaction.
    if (noted === undefined || noted.attempt === 0) rows.push(Compare.theirsOnly(transaction, now))
    else if (noted.transactionId !== null) rows.push(Compare.paidTwice(noted, transaction))
  }
  return outgoing
})

/** Compares a payout that the history may not list. */
const comparePayout = Effect.fnUntraced(function* (
  { now, pace, rows, seen }: Run,
  payout: Payout
): Effect.fn.Return<void, Transactions.GetError, CustodyClient> {
  const { transactionId } = payout
  if (transactionId === null) {
    rows.push(Compare.openPayout(payout))
    return
  }
  if (seen.has(transactionId)) return
  const single = Pace.read(pace, Transactions.get({ transactionId }))
  const found = yield* Effect.catchTag(Effect.asSome(single), "NotFound", () => Effect.succeedNone)
  rows.push(
    ...Option.match(found, {
      onNone: () => [Compare.oursOnly(payout)],
      onSome: (transaction) => Compare.comparePair(payout, transaction, { isListed: false, now })
    })
  )
})

export const run = Effect.fnUntraced(function* (
  database: Database,
  period: Period
): Effect.fn.Return<Report, RunError, CustodyClient> {
  const { from, to } = period
  if (DateTime.isGreaterThanOrEqualTo(from, to)) {
    const message = `must be before "to", ${DateTime.formatIso(to)}`
    return yield* new RequestInvalid({ operation: "TieOut.run", issues: [{ path: ["from"], message }] })
  }
  const now = yield* DateTime.now
  const all: Run = { database, period, now, pace: Pace.makePace(), rows: [], seen: new Set() }
  let transactions = 0
  const since = DateTime.toEpochMillis(DateTime.subtractDuration(from, Compare.window))
  yield* readForward(Pace.list(all.pace), since, (page) =>
    Effect.map(comparePage(all, page), (outgoing) => {
      transactions += outgoing
    })
  )
  let payouts = 0
  for (let after: string | undefined = ""; after !== undefined;) {
    const page: ReadonlyArray<Payout> = yield* reporting("read")(Rows.listSent(database, period, after))
    for (const payout of page) yield* comparePayout(all, payout)
    payouts += page.length
    after = page.at(-1)?.reference
  }
  return { from, to, payouts, transactions, rows: all.rows }
})
