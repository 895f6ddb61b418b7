/** What may be sent again after which outcome of an attempt, as pure functions over two tables. */
import type { AttemptOutcome } from "../AttemptOutcome.ts"
import type { Safety } from "../Contract.ts"

/** What one attempt came to. */
export type Ending = AttemptOutcome<unknown>["_tag"]

/** What to do after an attempt. */
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

/** What follows an outcome that leaves no doubt. */
const settled: Readonly<Record<Exclude<Ending, "InDoubt">, Decision>> = {
  Succeeded: "Succeed",
  NotSent: "Resend",
  Expired: "Rotate",
  Unauthorized: "Resync",
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

/** What may follow the outcome of an attempt. */
export const decide = (safety: Safety, ending: Ending): Decision =>
  ending === "InDoubt" ? doubted[safety] : settled[ending]

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
