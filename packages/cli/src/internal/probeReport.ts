/** What the answer to a read shows about its contract. Pure. */
import * as AnswerReport from "@effect-custody/core/AnswerReport"
import * as Redaction from "@effect-custody/core/unstable/Redaction"
import type { Wire } from "@effect-custody/core/unstable/Wires"
import * as Record from "effect/Record"
import { isParameter } from "./document/model.ts"
import type { AnyEndpoint } from "./endpoints.ts"
import { keyOf, ours } from "./match/operations.ts"
import type * as Output from "./output.ts"

export interface Probed {
  readonly operation: string
  /**
   * - `answered`: its answer could be read;
   * - `failed`: it was refused, could not be read, or got no answer;
   * - `not tried`: it needs an id that is not known, or an earlier failure was final.
   */
  readonly outcome: "answered" | "failed" | "not tried"
  readonly reason: string
  /** How many records came. With none, nothing is known of their keys. */
  readonly records: number
  /** Our fields that no record had. In a nested record: `asset.symbol`. */
  readonly missing: ReadonlyArray<string>
  /** Keys of the service that none of our fields is read from: the first ones, each without secrets and up to a limit. */
  readonly unused: ReadonlyArray<string>
  /** Our fields that were dropped, because their values were not of the assumed type; with the key, if it has another name. */
  readonly dropped: ReadonlyArray<string>
  /** Entries of `response` that would map a key of the service: ours ← theirs. */
  readonly proposals: Readonly<Record<string, string>>
}

export const unanswered = (operation: string, outcome: "failed" | "not tried", reason: string): Probed => ({
  operation,
  outcome,
  reason,
  records: 0,
  missing: [],
  unused: [],
  dropped: [],
  proposals: {}
})

const recordOf = (name: string): string => name.slice(0, Math.max(name.lastIndexOf("."), 0))

const sameKey = (name: string): string => keyOf(name.slice(name.lastIndexOf(".") + 1))

/** The only key of the service that is a missing field of ours in another spelling; both are in the same record. */
const proposalsOf = ({ missing, unused }: AnswerReport.AnswerReport): Readonly<Record<string, string>> =>
  Object.fromEntries(
    missing.flatMap(({ name, place }) => {
      const same = unused.filter((other) => recordOf(other) === recordOf(place) && sameKey(other) === sameKey(name))
      return same.length === 1 ? [[name, same[0]!]] : []
    })
  )

/** How many keys of the service a report lists, and how long one is, in characters. */
const mostKeys = 64
const longestKey = 128

/** Compares a result with our fields: which of them came, and what else. Nothing that it says shows a secret. */
export const answered = (
  { contract, operation }: AnyEndpoint,
  result: unknown,
  { redact, wire }: { readonly redact: Redaction.Redact; readonly wire?: Wire | undefined }
): Probed => {
  const report = AnswerReport.make(contract, wire, result)
  const shown = (key: string) => Redaction.excerpt(redact, key, longestKey)
  const unused = report.unused.slice(0, mostKeys)
  return {
    operation,
    outcome: "answered",
    reason: "",
    records: report.records,
    missing: report.missing.map(({ name }) => name),
    unused: unused.map(shown),
    dropped: report.dropped.map(({ name, place }) => (name === place ? name : `${name} at ${place}`)),
    proposals: Record.map(proposalsOf({ ...report, unused }), shown)
  }
}

/** Where a read gets the id that it needs: a list, and a field of its records. */
const sources: Readonly<Record<string, readonly [operation: string, field: string]>> = {
  externalId: ["clients.list", "externalId"],
  walletId: ["wallets.list", "id"],
  approvalId: ["vaults.approvals", "id"],
  transactionId: ["transactions.list", "id"],
  orderId: ["paymentOrders.list", "id"],
  linkId: ["fiatGateway.listPaymentLinks", "id"]
}

export const idsIn = (operation: string, result: unknown): Readonly<Record<string, string>> => {
  const [record] = AnswerReport.recordsIn(result)
  return Object.fromEntries(
    Object.entries(sources).flatMap(([name, [list, field]]) => {
      const value = list === operation ? record?.[field] : undefined
      return typeof value === "string" ? [[name, value]] : []
    })
  )
}

/** What each read must be given, in the order in which ids become known: those that need none first. */
export const reads = (): ReadonlyArray<readonly [operation: string, needed: ReadonlyArray<string>]> =>
  ours()
    .filter(({ safety }) => safety === "read")
    .map(({ name, path, query }) => {
      const params = path.split("/").filter(isParameter)
      const required = query.filter(({ isRequired }) => isRequired === true)
      return [name, [...params.map((segment) => segment.slice(1)), ...required.map((field) => field.path)]] as const
    })
    .toSorted(([, a], [, b]) => a.length - b.length)

const tones = { answered: "good", failed: "bad", "not tried": "doubtful" } as const

export const lines = (
  { dropped, missing, operation, outcome, proposals, reason, records, unused }: Probed,
  paint: Output.Paint
): ReadonlyArray<string> => {
  const found = [
    outcome === "answered" ? `${records} ${records === 1 ? "record" : "records"}` : reason,
    ...(missing.length === 0 ? [] : [`missing: ${missing.join(", ")}`]),
    ...(unused.length === 0 ? [] : [`unused: ${unused.join(", ")}`])
  ]
  return [
    `${operation.padEnd(32)}${paint(tones[outcome], outcome.padEnd(11))}${found.join("; ")}`,
    ...dropped.map((key) => `    ${paint("bad", "dropped:")} ${key} is not of the assumed type`),
    ...Object.entries(proposals).map(([mine, key]) => `    ${paint("doubtful", "propose:")} ${mine} ← ${key}`)
  ]
}
