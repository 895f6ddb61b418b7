/**
 * How a call ended, and what may follow. The whole of "what may be sent again after which failure", as pure functions
 * over two tables.
 */
import * as ApiError from "../ApiError.ts"
import type { Safety } from "../Contract.ts"
import type { Outcome } from "../Transport.ts"

/** How one attempt ended. */
export type Ending =
  /** The payload can be read. */
  | "Done"
  /** It is certain that the service did not act. */
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
  /** Look for what it may have created, and send it again only if that is certainly not there. */
  | "LookUp"
  /** Say that it may have happened. */
  | "TellUnknown"

/**
 * Client errors by number that are none of the service's: a proxy says them when it has lost patience, and the service
 * may be at work all the same.
 */
const impatience: ReadonlySet<number> = new Set([408, 499])

/** How an attempt ended. `readable`: whether a 2xx holds the endpoint's payload. */
export const of = (outcome: Outcome, body: unknown, readable: boolean): Ending => {
  if (outcome._tag === "NotAnswered") return outcome.phase === "NotSent" ? "NotSent" : "Uncertain"
  const { status } = outcome
  if (status >= 200 && status < 300) return readable ? "Done" : "Uncertain"
  // Whatever code it carries: only a client error says that nothing was done.
  if (status < 400 || status >= 500 || impatience.has(status)) return "Uncertain"
  const tag = ApiError.meaning(status, body)
  if (status === 498 || tag === "TokenExpired") return "Expired"
  if (tag === "InvalidAccessToken" || (status === 401 && tag === "UnknownApiError")) return "Stale"
  return status === 429 ? "Throttled" : "Rejected"
}

/** What follows an ending that leaves no doubt. */
const settled: Readonly<Record<Exclude<Ending, "Uncertain">, Decision>> = {
  Done: "Succeed",
  NotSent: "Resend",
  Expired: "Rotate",
  Stale: "Resync",
  Throttled: "Resend",
  Rejected: "Fail"
}

/** What follows doubt. Only a read is ever sent again without a look at what has become of it. */
const doubted: Readonly<Record<Safety, Decision>> = {
  read: "Resend",
  keyed: "LookUp",
  write: "TellUnknown",
  session: "TellUnknown"
}

/** What may follow an ending. */
export const decide = (safety: Safety, ending: Ending): Decision => {
  if (ending === "Uncertain") return doubted[safety]
  const decision = settled[ending]
  const tokenless = safety === "session" && (decision === "Rotate" || decision === "Resync")
  return tokenless ? "Fail" : decision
}

/** How far a call has come when it is cut short: by its deadline, by an interruption, by a defect. */
export type Stage =
  /** Nothing of it is under way, and nothing of it can have been done. */
  | "Idle"
  /** A request is under way, and it may have arrived. */
  | "InFlight"
  /** An attempt has ended in doubt, and the doubt is not settled. */
  | "Doubtful"

/** What is known of a call that was cut short. */
export const cut = (safety: Safety, stage: Stage): "NotSent" | "MaybeProcessed" | "TellUnknown" => {
  if (stage === "Idle") return "NotSent"
  return safety === "read" ? "MaybeProcessed" : "TellUnknown"
}
