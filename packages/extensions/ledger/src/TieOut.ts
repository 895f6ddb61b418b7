/**
 * Compares the ledger with the service's history: ours without theirs, theirs without ours, and differences.
 *
 * Specification: "Endpoint categories", Transactions.
 *
 * @since 0.1.0
 */
import * as Amount from "@effect-custody/core/Amount"
import type { CustodyClient } from "@effect-custody/core/CustodyClient"
import { InputInvalid } from "@effect-custody/core/SdkError"
import type { Transaction } from "@effect-custody/transactions"
import { timeProblem } from "@effect-custody/transactions/siblings/HistorySearch"
import * as Transactions from "@effect-custody/transactions/Transactions"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Database, reporting, type RowError } from "./database.ts"
import { attribute, describe, judge, noteOf, stepAfterStatus } from "./evidence.ts"
import * as History from "./history.ts"
import type { LedgerError } from "./LedgerError.ts"
import type { Payout, PayoutState } from "./Payout.ts"
import { findPayouts } from "./read.ts"
import * as Spreadsheet from "./siblings/Spreadsheet.ts"

/**
 * The tie-outs of a ledger, which `Payouts.layer` makes.
 *
 * @since 0.1.0
 * @category services
 */
export class TieOut extends Context.Service<
  TieOut,
  { readonly run: (period: Period) => Effect.Effect<Report, RunError, CustodyClient> }
>()("@effect-custody/ledger/TieOut") {
  /** Makes the tie-outs of a database. */
  static readonly make = (database: Database) => ({ run: (period: Period) => tieOut(database, period) })
}

/**
 * Compares the payouts and the outgoing transactions of a period. It reads the history from 26 hours before, and reads
 * what it does not find there one by one. Changes nothing. Amounts are equal as decimals, and names and hexadecimal
 * addresses in any letter case.
 *
 * Payouts count by the time of their last intent, transactions by their `createdAt`: run it over whole days, and look at a
 * difference at the edge of one in the report of the other.
 *
 * Fails as `Transactions.stream` does, with `InputInvalid` if `from` is not before `to`, and with `LedgerError`.
 *
 * @example
 * ```ts
 * import { TieOut } from "@effect-custody/ledger"
 * import { Console, DateTime, Effect } from "effect"
 *
 * const yesterday = Effect.gen(function* () {
 *   const to = DateTime.startOf(yield* DateTime.now, "day")
 *   const report = yield* TieOut.run({ from: DateTime.subtract(to, { days: 1 }), to })
 *   yield* Console.log(TieOut.toCsv(report))
 * })
 * ```
 *
 * @since 0.1.0
 * @category reports
 */
export const run = (period: Period) => TieOut.use((ledger) => ledger.run(period))

/**
 * The rows as CSV, with a header: `kind,reference,transactionId,clientId,assetId,ours,theirs,detail`.
 *
 * @since 0.1.0
 * @category reports
 */
export const toCsv = ({ rows }: Report): string => rowsToCsv(rows)

// Compares payouts of the ledger with transactions of the service. Pure.

/**
 * A row of a tie-out: something that a person has to look at.
 *
 * - `open`: a payout that may have been sent, and has no transaction yet;
 * - `oursOnly`: a payout whose transaction the service does not show;
 * - `theirsOnly`: an outgoing transaction that the ledger did not send;
 * - `paidTwice`: a second transaction with the note of a payout;
 * - `difference`: a payout and its transaction differ, in their times by more than 26 hours, or the history does not list
 *   the transaction, although the service has it.
 *
 * @since 0.1.0
 * @category models
 */
export const Row = Schema.Struct({
  kind: Schema.Literals(["open", "oursOnly", "theirsOnly", "paidTwice", "difference"]),
  reference: Schema.NullOr(Schema.String),
  transactionId: Schema.NullOr(Schema.String),
  clientId: Schema.NullOr(Schema.String),
  assetId: Schema.NullOr(Schema.String),
  /** The amount in the ledger. */
  ours: Schema.NullOr(Schema.String),
  /** The amount at the service. */
  theirs: Schema.NullOr(Schema.String),
  detail: Schema.String
})
export type Row = typeof Row.Type

const formatAmount = ({ amount }: Transaction): string | null => (amount === undefined ? null : Amount.format(amount))

const describeRow = (
  kind: Row["kind"],
  detail: string,
  payout: Payout | undefined,
  transaction: Transaction | undefined
): Row => ({
  kind,
  reference: payout?.reference ?? null,
  transactionId: transaction?.id ?? payout?.transactionId ?? null,
  clientId: payout?.clientId ?? transaction?.clientId ?? null,
  assetId: payout?.assetId ?? transaction?.assetId ?? null,
  ours: payout === undefined ? null : Amount.format(payout.amount),
  theirs: transaction === undefined ? null : formatAmount(transaction),
  detail
})

const openPayout = (payout: Payout): Row =>
  describeRow("open", payout.detail === null ? payout.state : `${payout.state}: ${payout.detail}`, payout, undefined)

const oursOnly = (payout: Payout): Row =>
  describeRow("oursOnly", "the service does not show this transaction", payout, undefined)

const theirsOnly = (transaction: Transaction, now: DateTime.Utc): Row => {
  const { createdAt, status } = transaction
  const problem = createdAt && timeProblem(now, createdAt)
  const detail = `${status}, not sent by this ledger${problem === undefined ? "" : `; it ${problem}`}`
  return describeRow("theirsOnly", detail, undefined, transaction)
}

const paidTwice = (payout: Payout, transaction: Transaction): Row =>
  describeRow("paidTwice", `the payout's transaction is ${payout.transactionId ?? "not known"}`, payout, transaction)

/** The state that a payout has once the ledger has seen the end of its transaction. */
const stateAfter = (end: ReturnType<typeof stepAfterStatus>): PayoutState =>
  end === undefined ? "accepted" : end === "completed" ? "paid" : "failed"

/** How far the clocks and the time zones of the two sides may be apart. */
const clockWindow = Duration.hours(26)

const compareTimes = ({ intentAt }: Payout, { createdAt }: Transaction, now: DateTime.Utc): ReadonlyArray<string> => {
  if (createdAt === undefined) return []
  const problem = timeProblem(now, createdAt)
  if (problem !== undefined) return [`time: the transaction ${problem}`]
  return intentAt === null ||
    Duration.isLessThanOrEqualTo(Duration.abs(DateTime.distance(intentAt, createdAt)), clockWindow)
    ? []
    : [`time: ${DateTime.formatIso(intentAt)} here, ${DateTime.formatIso(createdAt)} there`]
}

/** What differs, where the service shows it. */
const findDifferences = (payout: Payout, transaction: Transaction, now: DateTime.Utc): ReadonlyArray<string> => {
  const judgement = judge(payout, transaction)
  const state = stateAfter(stepAfterStatus(transaction.status))
  return [
    ...compareTimes(payout, transaction, now),
    ...(judgement.verdict === "is" ? [] : [describe(judgement)]),
    ...(payout.state === state ? [] : [`state: ${payout.state} here, ${state} there`])
  ]
}

const notListed = ({ createdAt }: Transaction): string =>
  `history: it does not list this transaction, ${createdAt === undefined ? "which shows no time" : `created at ${DateTime.formatIso(createdAt)}`}`

/** The difference between a payout and its transaction, if there is one. */
const comparePair = (
  payout: Payout,
  transaction: Transaction,
  { isListed, now }: { readonly isListed: boolean; readonly now: DateTime.Utc }
): ReadonlyArray<Row> => {
  const found = [...(isListed ? [] : [notListed(transaction)]), ...findDifferences(payout, transaction, now)]
  return found.length === 0 ? [] : [describeRow("difference", found.join("; "), payout, transaction)]
}

const csvColumns = [
  "kind",
  "reference",
  "transactionId",
  "clientId",
  "assetId",
  "ours",
  "theirs",
  "detail"
] as const satisfies ReadonlyArray<keyof Row>

const rowsToCsv = (rows: ReadonlyArray<Row>): string => Spreadsheet.toCsv(csvColumns, rows)

// The statements of a tie-out.

/**
 * From when, and until before when.
 *
 * @since 0.1.0
 * @category models
 */
export interface Period {
  readonly from: DateTime.Utc
  readonly to: DateTime.Utc
}

/** The payouts to which transactions may belong. */
const findByTransactions = (
  database: Database,
  transactions: ReadonlyArray<Transaction>
): Effect.Effect<ReadonlyArray<Payout>, RowError> => {
  const ids = transactions.map(({ id }) => id)
  const notes = transactions.flatMap((row) => noteOf(row) ?? [])
  const { sql } = database
  return findPayouts(database, sql`${sql.in("transaction_id", ids)} OR ${sql.in("note", notes)}`)
}

const pageSize = 1_000

/** The payouts whose last intent was committed in a period, and which may have been sent, after a reference. */
const listSent = (
  database: Database,
  { from, to }: Period,
  after: string
): Effect.Effect<ReadonlyArray<Payout>, RowError> =>
  findPayouts(
    database,
    database.sql`reference > ${after}
      AND intent_at >= ${DateTime.toEpochMillis(from)} AND intent_at < ${DateTime.toEpochMillis(to)}
      AND state IN ('sending', 'unknown', 'undecided', 'accepted', 'paid', 'failed')
      ORDER BY reference LIMIT ${pageSize}`
  )

// Compares the payouts and the outgoing transactions of a period.

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
  rows: Schema.Array(Row)
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
  readonly pace: History.Pace
  readonly rows: Array<Row>
  /** The transactions that were compared. */
  readonly seen: Set<string>
}

/** Compares a page of the history with the ledger. Returns the number of outgoing transactions of the period. */
const comparePage = Effect.fnUntraced(function* (
  { database, now, period, rows, seen }: Run,
  page: ReadonlyArray<Transaction>
): Effect.fn.Return<number, LedgerError> {
  const payouts = yield* reporting("read")(findByTransactions(database, page))
  const payoutOf = attribute(payouts)
  let outgoing = 0
  for (const transaction of page) {
    if (seen.has(transaction.id)) continue
    const payout = payoutOf(transaction)
    const within = isWithin(period, transaction, now)
    if (within && isOutgoing(transaction)) outgoing++
    if (payout?.transactionId === transaction.id) {
      seen.add(transaction.id)
      if (within || isSentWithin(period, payout)) {
        rows.push(...comparePair(payout, transaction, { isListed: true, now }))
      }
      continue
    }
    if (!within) continue
    // An open payout with this note is reported as open: the worker has yet to find its transaction.
    if (payout === undefined) {
      if (isOutgoing(transaction)) rows.push(theirsOnly(transaction, now))
    } else if (payout.transactionId !== null) {
      const mayBeIt = isOutgoing(transaction) || judge(payout, transaction).verdict !== "another"
      if (mayBeIt) rows.push(paidTwice(payout, transaction))
    }
    seen.add(transaction.id)
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
    rows.push(openPayout(payout))
    return
  }
  if (seen.has(transactionId)) return
  const found = yield* History.readOne(pace, transactionId)
  rows.push(
    ...Result.match(found, {
      onFailure: () => [oursOnly(payout)],
      onSuccess: (transaction) => comparePair(payout, transaction, { isListed: false, now })
    })
  )
})

const tieOut = Effect.fnUntraced(function* (
  database: Database,
  period: Period
): Effect.fn.Return<Report, RunError, CustodyClient> {
  const { from, to } = period
  if (DateTime.isGreaterThanOrEqualTo(from, to)) {
    const message = `must be before "to", ${DateTime.formatIso(to)}`
    return yield* new InputInvalid({ operation: "TieOut.run", issues: [{ path: ["from"], message }] })
  }
  const now = yield* DateTime.now
  const all: Run = { database, period, now, pace: History.makePace(), rows: [], seen: new Set() }
  let transactions = 0
  const since = DateTime.toEpochMillis(DateTime.subtractDuration(from, clockWindow))
  yield* History.readForward(History.listPaced(all.pace), since, (page) =>
    Effect.map(comparePage(all, page), (outgoing) => {
      transactions += outgoing
    })
  )
  let payouts = 0
  for (let after: string | undefined = ""; after !== undefined;) {
    const page: ReadonlyArray<Payout> = yield* reporting("read")(listSent(database, period, after))
    for (const payout of page) yield* comparePayout(all, payout)
    payouts += page.length
    after = page.at(-1)?.reference
  }
  return { from, to, payouts, transactions, rows: all.rows }
})
