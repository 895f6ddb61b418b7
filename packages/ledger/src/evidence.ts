/**
 * What an answer, a row of the history or a search of it says about a payout: the only place that decides it. Pure. Whoever
 * asks (the follower, the comparison before sending, a person's decision, the tie-out) only carries the verdict out.
 */
import { isAbout, type TagAbout } from "@effect-custody/core/ErrorFacts"
import type { Certain, Outcome } from "@effect-custody/core/Outcome"
import * as Polling from "@effect-custody/core/Polling"
import { isFinal } from "@effect-custody/core/Status"
import { normalize, trim } from "@effect-custody/core/Text"
import type { SubmittedTransaction, Transaction } from "@effect-custody/transactions"
import * as Comparison from "@effect-custody/transactions/Comparison"
import type { Candidate, Reconciliation } from "@effect-custody/transactions/Reconciliation"
import type { SendError } from "@effect-custody/transactions/Transactions"
import * as BigDecimal from "effect/BigDecimal"
import * as Result from "effect/Result"
import { canonicalAmount, type Terms } from "./order.ts"
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
  if (isRefusal(error)) return { step: "refused", detail, wait: 0 }
  const unsent: SendOutcome = { step: "notSent", detail, wait: backoff(attempt, pollInterval) }
  return isLasting(error) ? { ...unsent, stop: error } : unsent
}

// One row of the history.

const isCompleted = Polling.isOneOf("COMPLETED")

/** The step after a status of the payout's transaction; `undefined` while it is not final. */
export const stepAfterStatus = (status: string): "completed" | "failed" | undefined =>
  isCompleted(status) ? "completed" : isFinal(status) ? "failed" : undefined

export const noteOf = ({ note }: Transaction): string | undefined => (note && trim(note)) || undefined

/** `false` for the types of rows that are no payment to an external address. */
export const isPayment = ({ type }: Transaction): boolean =>
  !["INCOMING", "SWAP", "ALLOWANCE"].includes(type?.toUpperCase() ?? "")

/** A payout as evidence concerns it. */
export interface Subject extends Omit<Claimed, "isFirst"> {
  readonly state: PayoutState
  readonly transactionId: string | null
  /** `true` if a person has named the transaction, and takes it as it is. */
  readonly isUnchecked?: boolean
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

/** What a row says about the payout that it belongs to. */
export interface Verdict {
  /** `true` if the row is the transaction that the ledger has for the payout. */
  readonly isOwn: boolean
  readonly differences: ReturnType<typeof Comparison.contradictions>
  /** How the transaction has ended; `undefined` while it has not. */
  readonly end: "completed" | "failed" | undefined
  /** `false` if the row is certainly another payment. */
  readonly isShown: boolean
  readonly moves: ReadonlyArray<Move>
}

/** Judges a row that is a payout's transaction, or that bears its note. */
export const judge = (payout: Subject, row: Transaction): Verdict => {
  const { attempt, isUnchecked = false, reference, state, transactionId } = payout
  const isOwn = transactionId === row.id
  const differences = isOwn && isUnchecked ? [] : Comparison.contradictions(inputOf(payout), row)
  const end = stepAfterStatus(row.status)
  const verdict = (moves: ReadonlyArray<Move>, isShown = true): Verdict => ({ isOwn, differences, end, isShown, moves })
  const about = { reference, attempt }
  const ended: ReadonlyArray<Move> = end === undefined ? [] : [{ ...about, step: end, detail: row.status }]
  // What was paid, failed or handed to a person before stays so.
  if (isOwn && state !== "accepted") return verdict([])
  if (differences.length > 0) {
    // With a transaction of its own, the payout is not the other payment that bears its note.
    if (!isOwn && transactionId !== null) return verdict([], false)
    const detail = Comparison.describe(differences)
    return verdict([{ ...about, step: "mismatched", ...(isOwn ? {} : { transactionId: row.id }), detail }])
  }
  if (isOwn) return verdict(ended)
  // With a transaction of its own, the payout was paid twice: the move becomes an event that says so.
  const found: Move = { ...about, step: "found", transactionId: row.id }
  return verdict(transactionId === null ? [found, ...ended] : [found])
}

// A search of the whole history.

interface Searched {
  readonly step: "found" | "missing"
  readonly transactionId?: string
  readonly detail: string
}

const describeCandidate = ({ differences, transaction }: Candidate): string => {
  const fields = differences.map(({ field }) => field).join(", ")
  return fields === "" ? transaction.id : `${transaction.id} (differs in ${fields})`
}

/**
 * `true` if a candidate is not worth a person's time: it is of another type, or differs in its amount and its destination.
 * A field that the history does not show is no difference, and what bears the payout's note always stays.
 */
const isUnlike = ({ differences }: Candidate): boolean => {
  const note = differences.find(({ field }) => field === "note")
  if (note === undefined || normalize(note.shown ?? "").includes(normalize(note.requested))) return false
  const differs = (name: string) => differences.some(({ field, shown }) => field === name && shown !== undefined)
  return differs("type") || (differs("amount") && differs("to"))
}

/** `true` if a candidate differs from the payout in nothing that it shows, but its note. */
const isEqual = ({ differences }: Candidate): boolean =>
  differences.every(({ field, shown }) => field === "note" || shown === undefined)

/** A field that differs outweighs one that the history does not show. */
const unlikeness = ({ differences }: Candidate): number =>
  differences.reduce((sum, { shown }) => sum + (shown === undefined ? 1 : 2), 0)

/** The candidates that are neither the transactions of other payouts nor unlike this payout, the most alike first. */
const likelyOf = (
  candidates: ReadonlyArray<Candidate>,
  isTaken: (transactionId: string) => boolean
): ReadonlyArray<Candidate> =>
  candidates
    .filter((candidate) => !isTaken(candidate.transaction.id) && !isUnlike(candidate))
    .toSorted((one, other) => unlikeness(one) - unlikeness(other))

export const candidatesOf = (found: Reconciliation): ReadonlyArray<Candidate> =>
  found._tag === "SeveralCandidates" ? found.candidates : []

/**
 * The step after a search of the whole history that began when the payout should have appeared. The text
 * leaves out the transactions of other payouts, and those unlike this payout. They exclude nothing.
 */
export const stepAfterSearch = (found: Reconciliation, isTaken: (transactionId: string) => boolean): Searched => {
  switch (found._tag) {
    case "Found":
      return { step: "found", transactionId: found.transaction.id, detail: "the history shows it" }
    case "NotFoundSoFar":
      return { step: "missing", detail: "the whole history does not show it" }
    case "SeveralCandidates": {
      const likely = likelyOf(found.candidates, isTaken)
      const detail =
        likely.length === 0
          ? "each candidate is the transaction of another payout, or has another type, or another amount and destination"
          : `these transactions may be it: ${likely.map(describeCandidate).join(", ")}`
      return { step: "missing", detail }
    }
  }
}

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

/** Judges the search for a payout. `ownerOf` names the payout that has a transaction. */
export const judgeSearch = (
  { attempt, detail, reference }: Pick<Subject, "attempt" | "reference"> & { readonly detail: string | null },
  result: Result.Result<Reconciliation, { readonly message: string }>,
  ownerOf: (transactionId: string) => string | undefined
): SearchVerdict => {
  if (Result.isFailure(result)) {
    const { message } = result.failure
    return {
      move: { reference, attempt, step: "missing", detail: message },
      doubt: `the history does not say whether it has ${reference} (${message})`
    }
  }
  const isTaken = (id: string): boolean => (ownerOf(id) ?? reference) !== reference
  const added = likelyOf(candidatesOf(result.success), isTaken)
    .filter(isEqual)
    .map(({ transaction }) => transaction.id)
    .filter((id) => !names(detail, id))
  return {
    move: { reference, attempt, ...stepAfterSearch(result.success, isTaken) },
    doubt:
      added.length === 0
        ? undefined
        : `the history shows what may be ${reference}, and its evidence does not name: ${added.join(", ")}`
  }
}

// Rows that no payout owns: whether one is equal to an order is compared in the database, many to many, by a text.

type Text = string | undefined

/** The fields by which a row is equal to an order: client, asset, recipient and amount. */
type Fields = readonly [client: Text, asset: Text, to: Text, amount: Text]

/** A text that a row and an order share if they are equal in the fields of a shape. */
const termsOf = (fields: Fields, shape: string): string =>
  JSON.stringify([shape, ...fields.filter((_, at) => shape[at] === "x")])

const shown = (text: Text): Text => (text === undefined || text.trim() === "" ? undefined : normalize(text))

/** The terms of a row, and which fields it shows, a letter each. A field that it does not show is equal to any. */
export const termsOfRow = ({ amount, assetId, clientId, to }: Transaction) => {
  const fields: Fields = [
    shown(clientId),
    shown(assetId),
    shown(to),
    // A pending row may show 0.
    amount === undefined || BigDecimal.isZero(amount) ? undefined : canonicalAmount(amount)
  ]
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
