/**
 * How a call ended, and what may follow. The whole of "what may be sent again after which failure", as two pure
 * functions.
 */
import type { Safety } from "../Contract.ts"
import type { Outcome } from "../Transport.ts"
import * as ApiError from "../ApiError.ts"

/** How one attempt ended. */
export type Ending =
  /** The payload can be read. */
  | "Done"
  /** It is certain that the service saw nothing. */
  | "NotSent"
  /** 498: rejected before it ran, the access token has expired. */
  | "Expired"
  /** 401: rejected before it ran, the access token is not accepted. */
  | "Stale"
  /** 429: rejected before it ran. */
  | "Throttled"
  /** Any other 4xx: rejected. */
  | "Rejected"
  /** No answer, a 5xx, or an answer that cannot be read: it may have run. */
  | "Uncertain"

/** What to do after an ending. */
export type Decision =
  /** Give the payload. */
  | "Succeed"
  /** Give the error. */
  | "Fail"
  /** Send it again, as often as the policy allows. */
  | "Resend"
  /** Rotate the session, and send it again at once. */
  | "Rotate"
  /** Read the store again, and send it again at once if the session is a newer one. */
  | "Resync"
  /** Say that it may have happened. */
  | "TellUnknown"

/** How an attempt ended. `readable`: whether a 2xx holds the endpoint's payload. */
export const of = (outcome: Outcome, body: unknown, readable: boolean): Ending => {
  if (outcome._tag === "NotAnswered") return outcome.phase === "NotSent" ? "NotSent" : "Uncertain"
  const { status } = outcome
  if (status >= 200 && status < 300) return readable ? "Done" : "Uncertain"
  if (status < 400) return "Uncertain"
  const tag = ApiError.meaning(status, body)
  if (status === 498 || tag === "TokenExpired") return "Expired"
  if (tag === "InvalidAccessToken" || (status === 401 && tag === "UnknownApiError")) return "Stale"
  if (status === 429) return "Throttled"
  return status < 500 ? "Rejected" : "Uncertain"
}

const always: Readonly<Record<Exclude<Ending, "Uncertain">, Decision>> = {
  Done: "Succeed",
  NotSent: "Resend",
  Expired: "Rotate",
  Stale: "Resync",
  Throttled: "Resend",
  Rejected: "Fail"
}

/** What may follow. Only a read is ever sent again after an uncertain end. */
export const decide = (safety: Safety, ending: Ending): Decision => {
  if (ending === "Uncertain") return safety === "read" ? "Resend" : "TellUnknown"
  const decision = always[ending]
  const tokenless = safety === "session" && (decision === "Rotate" || decision === "Resync")
  return tokenless ? "Fail" : decision
}
