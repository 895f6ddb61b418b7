/** What happens to the first request that pays, in each column of the table. */
import { Fault } from "@effect-custody/emulator"

export interface Case {
  readonly fault?: Fault.Fault
  /** Every request that pays gets the fault. */
  readonly isLasting?: boolean
  /** The program gives the call a key of its own. */
  readonly isKeyed?: boolean
  /** The caller calls again, although the call has succeeded: it heard nothing. */
  readonly isUnheard?: boolean
  /** The second call has a new key. */
  readonly hasNewKey?: boolean
}

/** Longer than the 30 seconds for which this SDK waits. */
const slow = "35 seconds"

const unavailable = { status: 503, body: { message: "simulated 503" } }

const faults = {
  none: {},
  unread: { fault: Fault.reset() },
  lost: { fault: Fault.answerLost() },
  "lost, closed": { fault: Fault.answerLost("FIN") },
  cut: { fault: Fault.truncated(5) },
  "lost always": { fault: Fault.answerLost(), isLasting: true },
  "503 after": { fault: Fault.answered({ ...unavailable, acts: true }) },
  "503 page": { fault: Fault.html({ status: 503, acts: true }) },
  "503 before": { fault: Fault.answered(unavailable) },
  "429 before": { fault: Fault.rateLimited("1 second") },
  "401 before": { fault: Fault.answered({ status: 401, body: { message: "simulated 401" } }) },
  slow: { fault: Fault.delayed({ answer: slow }) }
} as const satisfies Readonly<Record<string, Case>>

export const ofPrograms = {
  ...faults,
  "lost, own key": { ...faults.lost, isKeyed: true }
} as const satisfies Readonly<Record<string, Case>>

/** A model calls again with equal arguments or, where the tool takes a key, with a new one. */
export const ofAgents = {
  ...faults,
  unheard: { isUnheard: true },
  "lost, new key": { ...faults.lost, hasNewKey: true },
  "unheard, new key": { isUnheard: true, hasNewKey: true }
} as const satisfies Readonly<Record<string, Case>>

export type CaseName = keyof typeof ofPrograms | keyof typeof ofAgents

export const cases: Readonly<Record<CaseName, Case>> = { ...ofPrograms, ...ofAgents }

export const explanations = `
unread: the server resets the connection before it acts. lost: it pays, and resets the connection (closed:
without a reset; always: for each request). cut: it pays, and closes after 5 bytes of the
answer. unheard: it answers, and the caller calls again all the same. 503 after, page, before: it pays, or not, and answers 503, as JSON or HTML. slow: it pays, and answers after ${slow}.`
