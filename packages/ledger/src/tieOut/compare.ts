/** Compares payouts of the ledger with transactions of the service. Pure. */
import * as Amount from "@effect-custody/core/Amount"
import type { Transaction } from "@effect-custody/transactions"
import * as Schema from "effect/Schema"
import { stepAfterStatus } from "../model/historyOutcome.ts"
import type { Payout, PayoutState } from "../model/Payout.ts"

/**
 * A row of a tie-out: something that a person has to look at.
 *
 * - `open`: a payout that may have been sent, and has no transaction yet;
 * - `oursOnly`: a payout whose transaction the service does not show;
 * - `theirsOnly`: an outgoing transaction that the ledger did not send;
 * - `paidTwice`: a second transaction with the note of a payout;
 * - `difference`: a payout and its transaction differ.
 *
 * @since 0.2.0
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

export const theirsOnly = (transaction: Transaction): Row =>
  describe("theirsOnly", `${transaction.status}, not sent by this ledger`, undefined, transaction)

export const paidTwice = (payout: Payout, transaction: Transaction): Row =>
  describe("paidTwice", `the payout's transaction is ${payout.transactionId ?? "not known"}`, payout, transaction)

/** The state that a payout has once the ledger has seen the status of its transaction. */
const stateAfter = (status: string): PayoutState => {
  const step = stepAfterStatus(status)
  return step === undefined ? "accepted" : step === "completed" ? "paid" : "failed"
}

/** The fields that differ, where the service shows them. */
const findDifferences = (payout: Payout, transaction: Transaction): ReadonlyArray<string> => {
  const { assetId, clientId, networkId, status, to } = transaction
  const compare = (field: string, ours: string | null, theirs: string | null | undefined): ReadonlyArray<string> =>
    ours === null || theirs === null || theirs === undefined || ours === theirs
      ? []
      : [`${field}: ${ours} here, ${theirs} there`]
  return [
    ...compare("client", payout.clientId, clientId),
    ...compare("asset", payout.assetId, assetId),
    ...compare("network", payout.networkId, networkId),
    ...compare("to", payout.to, to),
    ...compare("amount", Amount.format(payout.amount), formatAmount(transaction)),
    ...compare("state", payout.state, stateAfter(status))
  ]
}

/** The difference between a payout and its transaction, if there is one. */
export const comparePair = (payout: Payout, transaction: Transaction): ReadonlyArray<Row> => {
  const found = findDifferences(payout, transaction)
  return found.length === 0 ? [] : [describe("difference", found.join("; "), payout, transaction)]
}

const quote = (cell: string | null): string =>
  cell === null ? "" : /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell

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

export const toCsv = (rows: ReadonlyArray<Row>): string =>
  [columns.join(","), ...rows.map((row) => columns.map((column) => quote(row[column])).join(",")), ""].join("\r\n")
