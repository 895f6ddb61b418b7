/** Compares payouts of the ledger with transactions of the service. Pure. */
import * as Amount from "@effect-custody/core/Amount"
import type { Transaction } from "@effect-custody/transactions"
import * as Comparison from "@effect-custody/transactions/Comparison"
import { timeProblem } from "@effect-custody/transactions/HistoryTimes"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import { stepAfterStatus } from "../history/historyOutcome.ts"
import type { Payout, PayoutState } from "../payouts/Payout.ts"
import { inputOf } from "../payouts/followed.ts"
import * as Spreadsheet from "../payouts/Spreadsheet.ts"

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

const describe = (
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

export const openPayout = (payout: Payout): Row =>
  describe("open", payout.detail === null ? payout.state : `${payout.state}: ${payout.detail}`, payout, undefined)

export const oursOnly = (payout: Payout): Row =>
  describe("oursOnly", "the service does not show this transaction", payout, undefined)

export const theirsOnly = (transaction: Transaction, now: DateTime.Utc): Row => {
  const { createdAt, status } = transaction
  const problem = createdAt && timeProblem(now, createdAt)
  const detail = `${status}, not sent by this ledger${problem === undefined ? "" : `; it ${problem}`}`
  return describe("theirsOnly", detail, undefined, transaction)
}

export const paidTwice = (payout: Payout, transaction: Transaction): Row =>
  describe("paidTwice", `the payout's transaction is ${payout.transactionId ?? "not known"}`, payout, transaction)

/** The state that a payout has once the ledger has seen the status of its transaction. */
const stateAfter = (status: string): PayoutState => {
  const step = stepAfterStatus(status)
  return step === undefined ? "accepted" : step === "completed" ? "paid" : "failed"
}

/** How far the clocks and the time zones of the two sides may be apart. */
export const window = Duration.hours(26)

const compareTimes = ({ intentAt }: Payout, { createdAt }: Transaction, now: DateTime.Utc): ReadonlyArray<string> => {
  if (createdAt === undefined) return []
  const problem = timeProblem(now, createdAt)
  if (problem !== undefined) return [`time: the transaction ${problem}`]
  return intentAt === null || Duration.isLessThanOrEqualTo(Duration.abs(DateTime.distance(intentAt, createdAt)), window)
    ? []
    : [`time: ${DateTime.formatIso(intentAt)} here, ${DateTime.formatIso(createdAt)} there`]
}

/** What differs, where the service shows it. */
const findDifferences = (payout: Payout, transaction: Transaction, now: DateTime.Utc): ReadonlyArray<string> => {
  const state = stateAfter(transaction.status)
  const fields = Comparison.contradictions(inputOf(payout), transaction)
  return [
    ...compareTimes(payout, transaction, now),
    ...(fields.length === 0 ? [] : [Comparison.describe(fields)]),
    ...(payout.state === state ? [] : [`state: ${payout.state} here, ${state} there`])
  ]
}

const notListed = ({ createdAt }: Transaction): string =>
  `history: it does not list this transaction, ${createdAt === undefined ? "which shows no time" : `created at ${DateTime.formatIso(createdAt)}`}`

/** The difference between a payout and its transaction, if there is one. */
export const comparePair = (
  payout: Payout,
  transaction: Transaction,
  { isListed, now }: { readonly isListed: boolean; readonly now: DateTime.Utc }
): ReadonlyArray<Row> => {
  const found = [...(isListed ? [] : [notListed(transaction)]), ...findDifferences(payout, transaction, now)]
  return found.length === 0 ? [] : [describe("difference", found.join("; "), payout, transaction)]
}

const columns = [
  "kind",
  "reference",
  "transactionId",
  "clientId",
  "assetId",
  "ours",
  "theirs",
  "detail"
] as const satisfies ReadonlyArray<keyof Row>

export const toCsv = (rows: ReadonlyArray<Row>): string => Spreadsheet.toCsv(columns, rows)
