/**
 * Compares the ledger with the service's history: ours without theirs, theirs without ours, and differences.
 *
 * Specification: "Endpoint categories", Transactions.
 *
 * @since 0.2.0
 */
import type { CustodyClient } from "@effect-custody/core/CustodyClient"
import { RequestInvalid } from "@effect-custody/core/SdkError"
import { trim } from "@effect-custody/core/unstable/Text"
import type { Transaction } from "@effect-custody/transactions"
import * as Transactions from "@effect-custody/transactions/Transactions"
import { timeProblem } from "@effect-custody/transactions/unstable/HistoryTimes"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { reporting } from "./database/database.ts"
import * as Rows from "./tieOut/rows.ts"
import * as Pace from "./history/pace.ts"
import { readForward } from "./history/readHistory.ts"
import type { LedgerError } from "./payouts/LedgerError.ts"
import type { Payout } from "./payouts/Payout.ts"
import { Payouts } from "./Payouts.ts"
import * as Compare from "./tieOut/compare.ts"

export { Row } from "./tieOut/compare.ts"

/**
 * What a tie-out found. Without rows, the ledger and the service agree.
 *
 * @since 0.2.0
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

const isOutgoing = ({ type }: Transaction): boolean => type === undefined || type.toUpperCase() === "OUTGOING"

interface Period {
  readonly from: DateTime.Utc
  readonly to: DateTime.Utc
}

/** A transaction whose time is not known, or cannot be true, cannot be excluded. */
const isWithin = ({ from, to }: Period, { createdAt }: Transaction, now: DateTime.Utc): boolean =>
  createdAt === undefined ||
  timeProblem(now, createdAt) !== undefined ||
  DateTime.between(createdAt, { minimum: from, maximum: to })

const isSentWithin = ({ from, to }: Period, { intentAt }: Payout): boolean =>
  intentAt !== null && DateTime.isGreaterThanOrEqualTo(intentAt, from) && DateTime.isLessThan(intentAt, to)

/**
 * Compares the payouts and the outgoing transactions of a period. It reads the history from 26 hours before, and reads
 * what it does not find there one by one. Changes nothing. Amounts are equal as decimals, and names and hexadecimal
 * addresses in any letter case.
 *
 * Payouts count by the time of their last intent, transactions by their `createdAt`: run it over whole days, and look at a
 * difference at the edge of one in the report of the other.
 *
 * Fails as `Transactions.stream` does, with `RequestInvalid` if `from` is not before `to`, and with `LedgerError`.
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
 * @since 0.2.0
 * @category reports
 */
export const run = Effect.fnUntraced(function* ({
  from,
  to
}: Period): Effect.fn.Return<
  Report,
  Transactions.StreamError | Transactions.GetError | LedgerError,
  Payouts | CustodyClient
> {
  const { database } = yield* Payouts
  if (DateTime.isGreaterThanOrEqualTo(from, to)) {
    const message = `must be before "to", ${DateTime.formatIso(to)}`
    return yield* new RequestInvalid({ operation: "TieOut.run", issues: [{ path: ["from"], message }] })
  }
  const now = yield* DateTime.now
  const pace = Pace.makePace()
  const rows: Array<Compare.Row> = []
  const seen = new Set<string>()
  let transactions = 0

  const onPage = Effect.fnUntraced(function* (page: ReadonlyArray<Transaction>) {
    const payouts = yield* reporting("read")(Rows.findByTransactions(database, page))
    const byId = new Map(payouts.flatMap((one) => (one.transactionId === null ? [] : [[one.transactionId, one]])))
    const byNote = new Map(payouts.map((one) => [one.note, one]))
    for (const transaction of page) {
      if (seen.has(transaction.id)) continue
      const own = byId.get(transaction.id)
      const within = isWithin({ from, to }, transaction, now)
      if (within && isOutgoing(transaction)) transactions++
      if (own !== undefined) {
        seen.add(transaction.id)
        if (within || isSentWithin({ from, to }, own)) {
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
  })
  yield* readForward(Pace.list(pace), DateTime.toEpochMillis(DateTime.subtractDuration(from, Compare.window)), onPage)

  let payouts = 0
  const onPayout = Effect.fnUntraced(function* (payout: Payout) {
    const { transactionId } = payout
    payouts++
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
  const period = { from: DateTime.toEpochMillis(from), to: DateTime.toEpochMillis(to) }
  for (let after: string | undefined = ""; after !== undefined;) {
    const page: ReadonlyArray<Payout> = yield* reporting("read")(Rows.listSent(database, period, after))
    for (const payout of page) yield* onPayout(payout)
    after = page.at(-1)?.reference
  }
  return { from, to, payouts, transactions, rows }
})

/**
 * The rows as CSV, with a header: `kind,reference,transactionId,clientId,assetId,ours,theirs,detail`.
 *
 * @since 0.2.0
 * @category reports
 */
export const toCsv = ({ rows }: Report): string => Compare.toCsv(rows)
