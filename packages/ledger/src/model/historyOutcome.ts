/** What the service's history says about a payout. Pure. */
import * as Polling from "@effect-custody/core/Polling"
import { isFinal } from "@effect-custody/core/unstable/Status"
import type { Candidate, Reconciliation } from "@effect-custody/transactions/Reconciliation"
import type { Step } from "./Transitions.ts"

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

/** The step after a search of the whole history that began when the payout should have appeared. */
export const stepAfterSearch = (found: Reconciliation): Searched => {
  switch (found._tag) {
    case "Found":
      return { step: "found", transactionId: found.transaction.id, detail: "the history shows it" }
    case "NotFoundSoFar":
      return { step: "missing", detail: "the whole history does not show it" }
    case "SeveralCandidates":
      return { step: "missing", detail: `these transactions may be it: ${found.candidates.map(describe).join(", ")}` }
  }
}
