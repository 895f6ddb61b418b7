/** What the answer to a read shows about its contract. Pure. */
import * as AnswerReport from "@effect-custody/core/AnswerReport"
import * as Redaction from "@effect-custody/core/Redaction"
import type { Wire } from "@effect-custody/core/Wire"
import * as Record from "effect/Record"
import { endpoints } from "./endpoints.ts"
import { ours } from "./match/operations.ts"
import { keyOf } from "./match/words.ts"

/** What came of one read. */
export interface Probed {
  readonly operation: string
  /**
   * - `answered`: its answer could be read;
   * - `failed`: it was refused, could not be read, or got no answer;
   * - `not tried`: it needs an id that is not known, or the budget was spent.
   */
  readonly outcome: "answered" | "failed" | "not tried"
  /** Why, where it was not answered. */
  readonly reason: string
  /** How many records came. With none, nothing is known of their keys. */
  readonly records: number
  /** Our fields that no record had. In a nested record: `asset.symbol`. */
  readonly missing: ReadonlyArray<string>
  /** Keys of the service that none of our fields is read from: the first ones, each without secrets and up to a limit. */
  readonly unused: ReadonlyArray<string>
  /** How many further such keys there are. */
  readonly unlisted: number
  /** Our fields that were dropped, because their values were not of the assumed type; with the key, if it has another name. */
  readonly dropped: ReadonlyArray<string>
  /** Entries of `response` that would map a key of the service: ours ← theirs. */
  readonly proposals: Readonly<Record<string, string>>
}

const nothing = { records: 0, missing: [], unused: [], unlisted: 0, dropped: [], proposals: {} }

export const notTried = (operation: string, reason: string): Probed => ({
  operation,
  outcome: "not tried",
  reason,
  ...nothing
})

export const failed = (operation: string, reason: string): Probed => ({
  operation,
  outcome: "failed",
  reason,
  ...nothing
})

/** Splits a dotted name into the path of the record and the key in it. */
const splitAt = (name: string): readonly [within: string, key: string] => {
  const at = name.lastIndexOf(".")
  return [name.slice(0, Math.max(at, 0)), name.slice(at + 1)]
}

/** The only key of the service that is a missing field of ours in another spelling; both are in the same record. */
const proposalsOf = ({ missing, unused }: AnswerReport.AnswerReport): Readonly<Record<string, string>> =>
  Object.fromEntries(
    missing.flatMap(({ name, place }) => {
      const [within] = splitAt(place)
      const key = keyOf(splitAt(name)[1])
      const same = unused.filter((other) => splitAt(other)[0] === within && keyOf(splitAt(other)[1]) === key)
      return same.length === 1 ? [[name, same[0]!]] : []
    })
  )

/** How many keys of the service a report lists. */
const mostKeys = 64

/** How long a key of the service is in a report, in characters. */
const longestKey = 128

/** Keys of the service as a report shows them: the service chooses them, so they may hold secrets. */
const shownBy = (redact: Redaction.Redact) => (key: string) => Redaction.excerpt(redact, key, longestKey)

/** Compares a result with our fields: which of them came, and what else. Nothing that it says shows a secret. */
export const answered = (
  operation: string,
  result: unknown,
  { redact, wire }: { readonly redact: Redaction.Redact; readonly wire?: Wire | undefined }
): Probed => {
  const endpoint = endpoints.get(operation)
  if (endpoint === undefined) return notTried(operation, "there is no such operation")
  const report = AnswerReport.make(endpoint.contract, wire, result)
  const shown = shownBy(redact)
  const unused = report.unused.slice(0, mostKeys)
  return {
    operation,
    outcome: "answered",
    reason: "",
    records: report.records,
    missing: report.missing.map(({ name }) => name),
    unused: unused.map(shown),
    unlisted: report.unused.length - unused.length,
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

/** The ids that the result of a list provides for other reads. */
export const idsIn = (operation: string, result: unknown): Readonly<Record<string, string>> => {
  const [record] = AnswerReport.recordsIn(result)
  return Object.fromEntries(
    Object.entries(sources).flatMap(([name, [list, field]]) => {
      const value = list === operation ? record?.[field] : undefined
      return typeof value === "string" ? [[name, value]] : []
    })
  )
}

/** What a read must be given. */
export const neededBy = (operation: string): ReadonlyArray<string> => {
  const contract = ours().find(({ name }) => name === operation)
  if (contract === undefined) return []
  const required = contract.query.filter(({ isRequired }) => isRequired === true).map(({ path }) => path)
  const params = contract.path.split("/").filter((segment) => segment.startsWith(":"))
  return [...params.map((segment) => segment.slice(1)), ...required]
}

/** The reads in the order in which ids become known: those that need none first. */
export const order = (): ReadonlyArray<string> =>
  ours()
    .filter(({ safety }) => safety === "read")
    .map(({ name }) => name)
    .toSorted((a, b) => neededBy(a).length - neededBy(b).length)

/** A line for one read. */
export const cells = ({
  missing,
  operation,
  outcome,
  reason,
  records,
  unlisted,
  unused
}: Probed): ReadonlyArray<string> => [
  operation,
  outcome,
  outcome === "answered" ? `${records} ${records === 1 ? "record" : "records"}` : reason,
  missing.length === 0 ? "" : `missing: ${missing.join(", ")}`,
  unused.length === 0 ? "" : `unused: ${unused.join(", ")}${unlisted === 0 ? "" : ` and ${unlisted} more`}`
]
