/** What the service's history says about a payout. Pure. */
import * as Polling from "@effect-custody/core/Polling"
import { isFinal } from "@effect-custody/core/Status"
import { normalize } from "@effect-custody/core/Text"
import type { Candidate, Reconciliation } from "@effect-custody/transactions/Reconciliation"
import type { Step } from "../payouts/Transitions.ts"

const isCompleted = Polling.isOneOf("COMPLETED")

/** The step after a status of the payout's transaction; `undefined` while it is not final. */
export const stepAfterStatus = (status: string): Step | undefined =>
  isCompleted(status) ? "completed" : isFinal(status) ? "failed" : undefined

interface Searched {
  readonly step: Step
  readonly transactionId?: string
  readonly detail: string
}

const describe = ({ differences, transaction }: Candidate): string => {
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

/** A field that differs outweighs one that the history does not show. */
const unlikeness = ({ differences }: Candidate): number =>
  differences.reduce((sum, { shown }) => sum + (shown === undefined ? 1 : 2), 0)

/** The candidates that are neither the transactions of other payouts nor unlike this payout, the most alike first. */
export const likelyOf = (
  candidates: ReadonlyArray<Candidate>,
  isTaken: (transactionId: string) => boolean
): ReadonlyArray<Candidate> =>
  candidates
    .filter((candidate) => !isTaken(candidate.transaction.id) && !isUnlike(candidate))
    .toSorted((one, other) => unlikeness(one) - unlikeness(other))

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
          : `these transactions may be it: ${likely.map(describe).join(", ")}`
      return { step: "missing", detail }
    }
  }
}
