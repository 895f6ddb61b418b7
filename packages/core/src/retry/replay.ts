/** The replay rule: what may be done after an attempt, by safety class and outcome. Pure. */
import type { Safety } from "../endpoint/EndpointSpec.ts"
import type { Failed } from "../http/Classification.ts"

/** What may be done after an attempt that did not succeed, by safety class: the two tables below are the whole rule. */
export type Next =
  | "Fail"
  /** Send it again, as often as the policy allows. */
  | "Resend"
  /** Rotate the session, and replay at once. */
  | "Rotate"
  /** Load the session from the store, and replay at once if it is newer. */
  | "Reload"
  /** Look for what the attempt may have created. Send it again only if that is certainly not there. */
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

/** What may be done after an attempt with this outcome. */
export const nextAfter = (safety: Safety, outcome: Failed["_tag"]): Next =>
  outcome === "InDoubt" ? afterDoubt[safety] : afterCertainty[outcome]
