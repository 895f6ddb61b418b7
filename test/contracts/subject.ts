/** A service whose adapters a person writes, and what its documentation says. */
import type { Payouts } from "@effect-custody/ledger"
import type { Dialect } from "../support/servers/dialects/dialect.ts"

export type Fields = Readonly<Record<string, unknown>>

export interface Subject {
  readonly service: Dialect
  /** The file of the right adapters. */
  readonly file: string
  /** The service with times on a clock two hours ahead of UTC, without a zone. */
  readonly inLocalTime?: Dialect
  /** The fields of a payout, in its request and in the service's row, by dotted paths; `header.x`: a header. */
  readonly documented: (order: Payouts.ReferencedOrder) => { readonly request: Fields; readonly row: Fields }
  /** The path of the row in an answer, and of its state. */
  readonly rowAt: ReadonlyArray<string>
  readonly stateAt: string
  /** What the ledger says of a state that the service names in its row. */
  readonly ends: Fields
}

/** The service of the specification: no translation. */
export const assumed: Dialect = {
  name: "the service of the specification",
  toAssumed: (asked) => asked,
  toTheirs: (_, answer) => answer
}

/** The time on a clock two hours ahead of UTC. */
export const localTime = (time: unknown): unknown =>
  new Date(Date.parse(String(time)) + 2 * 3_600_000).toISOString().slice(0, 19).replace("T", " ")

export const seconds = (time: unknown): unknown => Math.floor(Date.parse(String(time)) / 1_000)

export const theirs = (words: Fields, ours: unknown): unknown => words[String(ours)] ?? ours

/** Gives back an unknown word, which the emulator refuses. */
export const ours = (words: Fields, their: unknown): unknown =>
  Object.keys(words).find((word) => words[word] === their) ?? their

/** Converts a whole number of minor units to a decimal. */
export const decimal = (minor: unknown, digits: number): string => {
  const padded = String(BigInt(String(minor))).padStart(digits + 1, "0")
  return `${padded.slice(0, -digits)}.${padded.slice(-digits)}`
}
