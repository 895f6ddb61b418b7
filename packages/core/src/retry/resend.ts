/** Decides whether a call may be sent again after an attempt, by its safety class and the outcome. Pure. */
import type { Safety } from "../endpoint/Declaration.ts"
import type { Failed } from "../http/Classification.ts"

/** The next step after an attempt that did not succeed. The two tables below are the whole rule. */
export type Next =
  | "Fail"
  /** Send the call again, as often as the policy allows. */
  | "Resend"
  /** Rotate the session, and replay the call at once. */
  | "Rotate"
  /** Load the session from the store, and replay the call at once if the stored session is newer. */
  | "Reload"
  /** Look up the records that the attempt may have created. Send the call again only if they certainly do not exist. */
  | "LookUp"
  /** Fail with `OutcomeUnknown`. */
  | "ReportUnknown"

const afterCertainty: Readonly<Record<Exclude<Failed["_tag"], "InDoubt">, Next>> = {
  NotSent: "Resend",
  Expired: "Rotate",
  Unauthorized: "Reload",
  Throttled: "Resend",
  Rejected: "Fail"
}

const afterDoubt: Readonly<Record<Safety, Next>> = {
  read: "Resend",
  keyed: "LookUp",
  write: "ReportUnknown",
  session: "ReportUnknown"
}

/** Decides the next step after an attempt with this outcome. */
export const nextAfter = (safety: Safety, outcome: Failed["_tag"]): Next =>
  outcome === "InDoubt" ? afterDoubt[safety] : afterCertainty[outcome]
