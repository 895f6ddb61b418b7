/** Pending faults in words: "the next transactions.send is answered 503". */
import * as Duration from "effect/Duration"
import type { Fault } from "./Fault.ts"

export interface Pending {
  /** The operation, or `*` for any. */
  readonly operation: string
  readonly fault: Fault
  readonly times: number
  /** The number of requests that pass before the fault is due. */
  readonly wait: number
}

const subject = ({ fault, operation, times, wait }: Pending): string => {
  const request = operation === "*" ? "request" : operation
  const { probability = 1 } = fault.occasion ?? {}
  if (probability < 1) return `every ${request}, with a probability of ${+(probability * 100).toPrecision(3)} %,`
  const after = wait === 0 ? "" : `after ${wait} more, `
  return `${after}${Number.isFinite(times) ? "the next" : "every"} ${request}`
}

const ending = ({ actsAfter, ending, reach }: Fault): string => {
  const acted = reach === "Acted" && actsAfter === undefined
  const later = actsAfter === undefined ? "" : `, and is carried out ${Duration.format(actsAfter)} later`
  switch (ending._tag) {
    case "Silence":
      return acted ? "is carried out, and is never answered" : `is never answered${later}`
    case "Break":
      if (reach === "Lost") return "never arrives"
      return acted ? "is carried out, and its answer is lost" : `is cut off${later}`
    case "Truncation":
      return `is carried out, and its answer breaks off after ${ending.bytes} bytes`
    case "Replacement":
      return `is answered ${ending.status}${acted ? ", although it is carried out" : later}`
    case "Edit":
      return "is answered with changes"
    case "Answer":
      return "is answered"
  }
}

const delays = ({ answersAfter, arrivesAfter }: Fault): string =>
  [
    ...(arrivesAfter === undefined ? [] : [`, arrives ${Duration.format(arrivesAfter)} late`]),
    ...(answersAfter === undefined ? [] : [`, after ${Duration.format(answersAfter)}`])
  ].join("")

const repetition = (times: number): string =>
  times === 1 || !Number.isFinite(times) ? "" : times === 2 ? ", twice" : `, ${times} times`

/** Describes a pending fault as a sentence without the final period. */
export const describe = (pending: Pending): string =>
  `${subject(pending)} ${ending(pending.fault)}${delays(pending.fault)}${repetition(pending.times)}`

/** Describes the transactions of a vault that `failNext` makes fail. */
export const describeEnds = (vaultId: number, ends: ReadonlyArray<string>): string =>
  `the next ${ends.length === 1 ? "send or transfer ends" : `${ends.length} sends and transfers end`} as ` +
  `${[...new Set(ends)].join(" or ")}${vaultId === 1 ? "" : ` in vault ${vaultId}`}`
