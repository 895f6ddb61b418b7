/**
 * What an answer, a row of the history or a search of it says about a payout: the only place that decides it. Pure. A row
 * *is* the payout, *cannot tell*, or is *certainly another* payment. Only the first marks a payout paid. Only the third lets
 * a payout be sent, or be called not paid.
 */
import { isAbout, type TagAbout } from "@effect-custody/core/Outcome"
import type { Certain, Outcome } from "@effect-custody/core/Outcome"
import * as Polling from "@effect-custody/core/Polling"
import { isFinal, Status } from "@effect-custody/core/Polling"
import { normalize, trim } from "@effect-custody/core/Text"
import type { SubmittedTransaction, Transaction } from "@effect-custody/transactions"
import type { Candidate, Reconciliation } from "@effect-custody/transactions/Reconciliation"
import * as Comparison from "@effect-custody/transactions/siblings/Comparison"
import type { SendError } from "@effect-custody/transactions/Transactions"
import * as BigDecimal from "effect/BigDecimal"
import * as Result from "effect/Result"
import { canonicalAmount, type Terms, toRow } from "./order.ts"
import type { PayoutState } from "./Payout.ts"
import { type Claimed, inputOf } from "./payoutRows.ts"
import type { Move } from "./settle.ts"
import type { Step } from "./siblings/Transitions.ts"

// The answer of our own send.

/** The step after a send. */
export interface SendOutcome {
  readonly step: Step
  readonly transactionId?: string
  readonly detail?: string
  /** How long to wait before the payout is looked at again, in milliseconds. */
  readonly wait: number
  /** The error that stops the worker. */
  readonly stop?: LastingError
}

/**
 * The error of every other call, too, until a person mends the session or the contract.
 *
 * @since 0.1.0
 * @category errors
 */
export type LastingError = Extract<Certain, { readonly _tag: TagAbout<"client"> }>

export const isLasting = <E extends { readonly _tag: string }>(error: E): error is Extract<E, LastingError> =>
  isAbout("client")(error)

const isRefusal = isAbout("order")

const maxBackoff = 300_000

const backoff = (attempt: number, first: number): number => Math.min(first * 2 ** Math.min(attempt - 1, 20), maxBackoff)

/** The step after a send of an attempt. All waits are multiples of the poll interval. */
export const afterSend = (
  outcome: Outcome<SubmittedTransaction, SendError>,
  attempt: number,
  pollInterval: number
): SendOutcome => {
  if (outcome._tag === "Done") return { step: "accepted", transactionId: outcome.value.id, wait: 2 * pollInterval }
  if (outcome._tag === "Unknown") {
    // The ledger looks it up itself, so the advice of the error's message is left out.
    const { issue, reason } = outcome.error
    return { step: "lost", detail: issue === undefined ? reason : `${reason}: ${issue}`, wait: pollInterval }
  }
  const { error } = outcome
  const detail = `${error._tag}: ${error.message}`
  // The service's own answer to a change is a refusal. If the service may have acted, the outcome is unknown instead.
  if (isRefusal(error) || error._tag === "OtherApiError") return { step: "refused", detail, wait: 0 }
  const unsent: SendOutcome = { step: "notSent", detail, wait: backoff(attempt, pollInterval) }
  return isLasting(error) ? { ...unsent, stop: error } : unsent
}

// One row of the history.

const isCompleted = Polling.isOneOf("COMPLETED")

/** The step after a status of the payout's transaction; `undefined` while it is not final. */
export const stepAfterStatus = (status: string): "completed" | "failed" | undefined =>
  isCompleted(status) ? "completed" : isFinal(status) ? "failed" : undefined

export const noteOf = ({ note }: Transaction): string | undefined => (note && trim(note)) || undefined

/** `false` for the types of rows that are certainly no payment to an external address. */
export const isPayment = (row: Transaction): boolean => !Comparison.isOtherType(row)

/** A payout as evidence concerns it. */
export interface Subject extends Omit<Claimed, "isFirst" | "trace"> {
  readonly state: PayoutState
  readonly transactionId: string | null
  /** `true` if a person has named the transaction, and takes it as it is. */
  readonly isUnchecked?: boolean
}

/** What is known beside the row. */
export interface Known {
  /** `true` if the history has shown the notes of the ledger's own transactions as they were sent. */
  readonly showsNotes: boolean
  /** The rows of which a person has said that they are not a payout, or pay no unsent order with its terms: {@link pairOf}. */
  readonly dismissed: ReadonlySet<string>
}

export const nothing: Known = { showsNotes: false, dismissed: new Set() }

/**
 * What a person's "not paid" is about: the payout itself, by its note; and orders with its terms that are not sent. Whatever
 * may have been sent may have been sent by any row that looks like it.
 */
export const dismissalsOf = (payout: Subject) => ({
  own: JSON.stringify([payout.reference]),
  terms: toRow(payout).twin
})

/** The name of a row and of one of {@link dismissalsOf}. */
export const pairOf = (transactionId: string, of: string): string => `${transactionId} ${of}`

const isDismissed = (payout: Subject, row: Transaction, isNoted: boolean, { dismissed }: Known): boolean => {
  if (dismissed.size === 0) return false
  const { own, terms } = dismissalsOf(payout)
  if (isNoted) return dismissed.has(pairOf(row.id, own))
  return (payout.state === "ready" || payout.state === "held") && dismissed.has(pairOf(row.id, terms))
}

/** Finds the payout that a row belongs to: the owner of its transaction, or else the payout that was sent with its note. */
export const attribute = <P extends Subject>(payouts: ReadonlyArray<P>): ((row: Transaction) => P | undefined) => {
  const byNote = new Map(payouts.map((payout) => [payout.note, payout]))
  const byId = new Map(payouts.flatMap((one) => (one.transactionId === null ? [] : [[one.transactionId, one]])))
  return (row) => {
    const note = noteOf(row)
    const noted = note === undefined || !isPayment(row) ? undefined : byNote.get(note)
    return byId.get(row.id) ?? (noted !== undefined && noted.attempt > 0 ? noted : undefined)
  }
}

/** What a row says about a payout. */
export interface Judgement {
  readonly verdict: "is" | "unsure" | "another"
  /** How the row names the payout: as its transaction, or by its note. */
  readonly link: "id" | "note" | undefined
  /** The fields that the row shows, and by which it differs; the certain ones first. */
  readonly differences: ReadonlyArray<Comparison.Compared>
  /** `true` if the row is the payout's by its link, and certainly not as ordered. */
  readonly contradicts: boolean
  /** `true` if it is not known whether the row is a payment to a recipient at all. */
  readonly isOfUnknownType: boolean
}

/** `true` if a fee may explain by how much an amount differs: it is not smaller, and is not known to be of another asset. */
const mayBeFee = ({ amount: ordered, assetId }: Subject, { amount, fee, feeAssetId }: Transaction): boolean =>
  amount !== undefined &&
  fee !== undefined &&
  (feeAssetId === undefined || normalize(feeAssetId) === normalize(assetId)) &&
  !BigDecimal.isGreaterThan(BigDecimal.abs(BigDecimal.subtract(BigDecimal.abs(amount), ordered)), BigDecimal.abs(fee))

/**
 * The fields that a row shows, and by which it differs from a payout; the certain ones first. A pending row may show an
 * amount of 0. A row that is linked to the payout may differ by a fee, and by no other unit.
 */
const differencesOf = (payout: Subject, row: Transaction, isLinked: boolean): ReadonlyArray<Comparison.Compared> => {
  const isZero = row.amount !== undefined && BigDecimal.isZero(row.amount)
  return Comparison.compare(inputOf(payout), row)
    .filter(({ field, shown }) => shown !== undefined && field !== "note")
    .filter(({ field }) => field !== "amount" || !isZero || isFinal(row.status))
    .map((one) =>
      one.field === "amount" && isLinked
        ? { ...one, isCertain: one.isCertain || !(isZero || mayBeFee(payout, row)) }
        : one
    )
    .toSorted((one, other) => Number(other.isCertain) - Number(one.isCertain))
}

/** `true` if the note of a row is certainly another's: the history shows notes, and this one has the form of ours. */
const isAnotherNote = ({ note }: Subject, row: Transaction, { showsNotes }: Known): boolean => {
  const shown = noteOf(row)
  return showsNotes && shown !== undefined && Comparison.isAnotherNote(note, shown) && !Comparison.contains(note, shown)
}

/**
 * The judge: what a row says about a payout.
 *
 * - A row with the payout's transaction *is* it, unless it shows a difference. An amount is no difference if the fee
 *   explains it exactly, and the row says that the fee is in the payout's asset.
 * - A row with the payout's note *is* it under the same condition, if it has a known outgoing type, or shows no type and
 *   names the recipient.
 * - Any other row is *certainly another* if it certainly differs, or if a person has said so. Else it *cannot tell*.
 */
export const judge = (payout: Subject, row: Transaction, known: Known = nothing): Judgement => {
  const isOwn = payout.transactionId === row.id
  const link = isOwn ? "id" : noteOf(row) === payout.note ? "note" : undefined
  const differences = isOwn && payout.isUnchecked === true ? [] : differencesOf(payout, row, link !== undefined)
  const isCertain = differences[0]?.isCertain === true
  const hasType = (row.type ?? "").trim() !== ""
  const isOfUnknownType =
    differences.some(({ field }) => field === "type") || (!isOwn && !hasType && (row.to ?? "").trim() === "")
  const result = (verdict: Judgement["verdict"], contradicts = false): Judgement => ({
    verdict,
    link,
    differences,
    contradicts,
    isOfUnknownType
  })
  if (isOwn) return differences.length === 0 ? result("is") : result("unsure", isCertain)
  if (!isPayment(row)) return result("another")
  if (isDismissed(payout, row, link === "note", known)) return result("another")
  if (link === "note") {
    // With a transaction of its own, the payout is not the other payment that bears its note.
    if (isCertain && payout.transactionId !== null) return result("another")
    if (isOfUnknownType) return result("unsure")
    return differences.length === 0 ? result("is") : result("unsure", isCertain)
  }
  if (isAnotherNote(payout, row, known)) return result("another")
  return isCertain && !Comparison.contains(payout.note, row.note ?? "") ? result("another") : result("unsure")
}

/** Why a row cannot tell whether it is a payout, or that it is certainly not as ordered. */
export const describe = ({ differences, isOfUnknownType }: Judgement): string =>
  differences.length === 0 && isOfUnknownType
    ? "it shows neither a type nor a recipient"
    : Comparison.describe(differences)

/** `true` for a status that the contract maps to none of the known ones: it may be an end. */
export const isUnmapped = ({ status }: Transaction): boolean => !Status.isKnown(status.toUpperCase())

/** The steps of a payout after a row that was judged about it. */
export const stepsOf = (payout: Subject, row: Transaction, judgement: Judgement): ReadonlyArray<Move> => {
  const { attempt, reference, state, transactionId } = payout
  const { contradicts, isOfUnknownType, link, verdict } = judgement
  const end = stepAfterStatus(row.status)
  const about = { reference, attempt, detail: row.status }
  const found: Move = { reference, attempt, step: "found", transactionId: row.id }
  const ended: ReadonlyArray<Move> = end === undefined ? [] : [{ ...about, step: end }]
  if (link === "id") {
    // What has failed may show another amount, such as 0: the end alone says that it is not paid any more.
    if (state === "paid") return end === "failed" ? [{ ...about, step: "reversed" }] : []
    if (state === "failed" && end !== "completed") return []
    if (state !== "accepted" && state !== "undecided" && state !== "failed") return []
    if (contradicts) return [{ reference, attempt, step: "mismatched", detail: describe(judgement) }]
    if (verdict === "is") {
      if (state === "failed") return [{ ...about, step: "revived" }]
      if (state === "accepted") return ended
      return isUnmapped(row) ? [] : [found, ...ended]
    }
    if (state === "undecided" || end === undefined) return []
    return [{ reference, attempt, step: "unclear", detail: `${row.status}, ${describe(judgement)}` }]
  }
  if (link === undefined || verdict === "another" || isOfUnknownType) {
    return link === "note" && verdict === "unsure" && state === "ready" ? [suspected(payout, [row.id])] : []
  }
  // A second payment of the payout: the move becomes an event that says so.
  if (transactionId !== null) return [found]
  if (contradicts) {
    return [{ reference, attempt, step: "mismatched", transactionId: row.id, detail: describe(judgement) }]
  }
  if (verdict === "is") return [found, ...ended]
  return state === "ready" ? [suspected(payout, [row.id])] : []
}

/** The step of a payout that is not to be sent before a person has looked at some rows. */
export const suspected = (
  { attempt, reference }: Pick<Subject, "attempt" | "reference">,
  ids: ReadonlyArray<string>
): Move => ({
  reference,
  attempt,
  step: "suspected",
  detail: `these transactions may be it: ${ids.join(", ")}. No payout owns them, and none certainly differs`
})

// A search of the whole history.

/** What the rows of the history say about a payout. */
export const decideSearch =
  (payout: Subject, known: Known) =>
  (rows: ReadonlyArray<Transaction>): Reconciliation => {
    const judged = rows.flatMap((row) => {
      const judgement = judge(payout, row, known)
      return judgement.verdict === "another" ? [] : [{ row, judgement }]
    })
    const linked = judged.filter(({ judgement }) => judgement.link !== undefined)
    const [only, ...more] = linked
    if (only !== undefined && more.length === 0) {
      const [first] = only.judgement.verdict === "is" ? stepsOf(payout, only.row, only.judgement) : []
      if (first?.step === "found") return { _tag: "Found", transaction: only.row }
    }
    const likely = linked.some(({ judgement }) => judgement.verdict === "is") ? linked : judged
    const wanted = inputOf(payout)
    return Comparison.choose(
      likely.map(({ row }) => ({
        transaction: row,
        differences: Comparison.compare(wanted, row).map(Comparison.toDifference)
      }))
    )
  }

const describeCandidate = ({ differences, transaction }: Candidate): string => {
  const fields = differences.map(({ field }) => field).join(", ")
  return fields === "" ? transaction.id : `${transaction.id} (differs in ${fields})`
}

/** A field that differs outweighs one that the history does not show. */
const unlikeness = ({ differences }: Candidate): number =>
  differences.reduce((sum, { shown }) => sum + (shown === undefined ? 1 : 2), 0)

export const candidatesOf = (found: Reconciliation): ReadonlyArray<Candidate> =>
  found._tag === "SeveralCandidates" ? found.candidates : []

/** The candidates that are not the transactions of other payouts, the most alike first. */
const likelyOf = (found: Reconciliation, isTaken: (transactionId: string) => boolean): ReadonlyArray<Candidate> =>
  candidatesOf(found)
    .filter(({ transaction }) => !isTaken(transaction.id))
    .toSorted((one, other) => unlikeness(one) - unlikeness(other))

/** What a search says about a payout. */
export interface SearchVerdict {
  /** `found`, or `missing`. */
  readonly move: Move
  /** Why a person must not call the payout not paid without another look; `undefined` if nothing speaks against it. */
  readonly doubt: string | undefined
}

/** `true` if the evidence of a payout names a transaction. */
const names = (evidence: string | null, id: string): boolean =>
  evidence?.split(/[\s,]+/).some((word) => word === id || word === `${id}.`) === true

/**
 * Judges the search for a payout, which began when the payout should have appeared. `ownerOf` names the payout that has a
 * transaction.
 */
export const judgeSearch = (
  { attempt, detail, reference }: Pick<Subject, "attempt" | "reference"> & { readonly detail: string | null },
  result: Result.Result<Reconciliation, { readonly message: string }>,
  ownerOf: (transactionId: string) => string | undefined
): SearchVerdict => {
  const missing = (text: string, doubt?: string): SearchVerdict => ({
    move: { reference, attempt, step: "missing", detail: text },
    doubt
  })
  if (Result.isFailure(result)) {
    const { message } = result.failure
    return missing(message, `the history does not say whether it has ${reference} (${message})`)
  }
  const found = result.success
  if (found._tag === "Found") {
    const move: Move = { reference, attempt, step: "found", transactionId: found.transaction.id }
    return { move: { ...move, detail: "the history shows it" }, doubt: undefined }
  }
  if (found._tag === "NotFoundSoFar") return missing("the whole history does not show it")
  const likely = likelyOf(found, (id) => (ownerOf(id) ?? reference) !== reference)
  if (likely.length === 0) return missing("each candidate is the transaction of another payout")
  const added = likely.map(({ transaction }) => transaction.id).filter((id) => !names(detail, id))
  return missing(
    `these transactions may be it: ${likely.map(describeCandidate).join(", ")}`,
    added.length === 0
      ? undefined
      : `the history shows what may be ${reference}, and its evidence does not name: ${added.join(", ")}`
  )
}

// Rows that no payout owns: which orders they have to be compared with is found in the database, many to many, by a text.

type Text = string | undefined

/** The fields by which a row is found for an order: client, asset and recipient. The amounts of old rows were a fourth. */
type Fields = readonly [client: Text, asset: Text, to: Text, amount: Text]

/** A text that a row and an order share if they are equal in the fields of a shape. */
const termsOf = (fields: Fields, shape: string): string =>
  JSON.stringify([shape, ...fields.filter((_, at) => shape[at] === "x")])

const shown = (text: Text): Text => (text === undefined || text.trim() === "" ? undefined : normalize(text))

/** The terms of a row, and which fields it shows, a letter each. A field that it does not show is equal to any. */
export const termsOfRow = ({ assetId, clientId, to }: Transaction) => {
  const fields: Fields = [shown(clientId), shown(assetId), shown(to), undefined]
  const shape = fields.map((field) => (field === undefined ? "-" : "x")).join("")
  return { shape, terms: termsOf(fields, shape) }
}

/** The terms of an order under each of some shapes. */
export const termsOfOrder = (
  { amount, asset_id, client_id, destination }: Terms,
  shapes: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const fields: Fields = [
    normalize(client_id),
    normalize(asset_id),
    normalize(destination),
    canonicalAmount(BigDecimal.fromStringUnsafe(amount))
  ]
  return shapes.map((shape) => termsOf(fields, shape))
}
