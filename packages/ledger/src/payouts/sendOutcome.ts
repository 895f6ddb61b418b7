/** What the end of a send says about the payout, and about the worker. Pure. */
import type { Certain, Outcome } from "@effect-custody/core/Outcome"
import type { SubmittedTransaction } from "@effect-custody/transactions"
import type { SendError } from "@effect-custody/transactions/Transactions"
import type { Step } from "./Transitions.ts"

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

/** The errors that are about the order: the service refused it, or it was never valid. */
const refusals: ReadonlySet<Certain["_tag"]> = new Set([
  "ValidationFailed",
  "BadRequest",
  "NotFound",
  "UnknownApiError",
  "RequestInvalid"
])

const lasting = [
  "NoSession",
  "SessionLost",
  "StoredSessionInvalid",
  "SessionOfAnotherEnvironment",
  "InvalidAccessToken",
  "UnconfirmedEndpoint",
  "ConfigurationInvalid"
] as const satisfies ReadonlyArray<Certain["_tag"]>

/**
 * The error of every other call, too, until a person mends the session or the contract.
 *
 * @since 0.1.0
 * @category errors
 */
export type LastingError = Extract<Certain, { readonly _tag: (typeof lasting)[number] }>

export const isLasting = <E extends { readonly _tag: string }>(error: E): error is Extract<E, LastingError> =>
  lasting.some((tag) => tag === error._tag)

const maxBackoff = 300_000

const backoff = (attempt: number, first: number): number => Math.min(first * 2 ** Math.min(attempt - 1, 20), maxBackoff)

const describe = (error: { readonly _tag: string; readonly message: string }): string =>
  `${error._tag}: ${error.message}`

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
  const detail = describe(error)
  if (refusals.has(error._tag)) return { step: "refused", detail, wait: 0 }
  const unsent: SendOutcome = { step: "notSent", detail, wait: backoff(attempt, pollInterval) }
  return isLasting(error) ? { ...unsent, stop: error } : unsent
}
