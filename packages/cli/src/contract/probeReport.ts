/** Compares the answer to a read with its contract. Pure. */
import { isParameter } from "@effect-custody/contract/unstable/ApiDocument"
import { nameKey } from "@effect-custody/contract/unstable/OperationMatch"
import * as AnswerReport from "@effect-custody/core/unstable/AnswerReport"
import * as Redaction from "@effect-custody/core/unstable/Redaction"
import type { Wire } from "@effect-custody/core/unstable/Wires"
import * as Record from "effect/Record"
import type { AnyEndpoint } from "../service/endpoints.ts"
import { ownOperations } from "./ownOperations.ts"
import type * as Output from "../terminal/output.ts"

export interface Probed {
  readonly operation: string
  /**
   * - `answered`: the answer could be decoded;
   * - `failed`: the call was refused, its answer could not be decoded, or no answer came;
   * - `not tried`: the call needs an unknown id, or an earlier failure was final.
   */
  readonly outcome: "answered" | "failed" | "not tried"
  readonly reason: string
  /** The number of records. Without records, their keys are unknown. */
  readonly records: number
  /** The own fields that no record had. In a nested record: `asset.symbol`. */
  readonly missing: ReadonlyArray<string>
  /** The first keys of the service that no own field is read from, shortened and without secrets. */
  readonly unused: ReadonlyArray<string>
  /** The own fields whose values were not of the assumed type, each with its key if the names differ. */
  readonly dropped: ReadonlyArray<string>
  /** The entries of `response` that would map a key of the service to a missing field. */
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

const recordPath = (name: string): string => name.slice(0, Math.max(name.lastIndexOf("."), 0))

const lastKey = (name: string): string => nameKey(name.slice(name.lastIndexOf(".") + 1))

/** Proposes a key for a missing field if exactly one unused key of the same record has the same words. */
const propose = ({ missing, unused }: AnswerReport.AnswerReport): Readonly<Record<string, string>> =>
  Object.fromEntries(
    missing.flatMap(({ name, place }) => {
      const same = unused.filter((other) => recordPath(other) === recordPath(place) && lastKey(other) === lastKey(name))
      return same.length === 1 ? [[name, same[0]!]] : []
    })
  )

/** Limits of a report: listed keys of the service, and characters of a key. */
const maxKeys = 64
const maxKeyLength = 128

/** Compares a result with the own fields. The report shows no secret. */
export const answered = (
  { contract, operation }: AnyEndpoint,
  result: unknown,
  { redact, wire }: { readonly redact: Redaction.Redact; readonly wire?: Wire | undefined }
): Probed => {
  const report = AnswerReport.make(contract, wire, result)
  const shown = (key: string) => Redaction.excerpt(redact, key, maxKeyLength)
  const unused = report.unused.slice(0, maxKeys)
  return {
    operation,
    outcome: "answered",
    reason: "",
    records: report.records,
    missing: report.missing.map(({ name }) => name),
    unused: unused.map(shown),
    dropped: report.dropped.map(({ name, place }) => (name === place ? name : `${name} at ${place}`)),
    proposals: Record.map(propose({ ...report, unused }), shown)
  }
}

/** The sources of the ids that reads need: a list, and a field of its records. */
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

/** The reads with the ids that each needs. Reads that need no id come first, because they make ids known. */
export const reads = (): ReadonlyArray<readonly [operation: string, needed: ReadonlyArray<string>]> =>
  ownOperations()
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
