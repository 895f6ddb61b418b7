/** What the answer of a read says of its contract. Pure. */
import * as Predicate from "effect/Predicate"
import { find } from "./match/fields.ts"
import { ours } from "./match/operations.ts"
import { recordsOf } from "./match/payload.ts"

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
  /** Our fields that no record had. */
  readonly missing: ReadonlyArray<string>
  /** Their keys that are none of ours. */
  readonly unused: ReadonlyArray<string>
  /** Our fields whose values were of another kind than assumed, and were dropped. */
  readonly dropped: ReadonlyArray<string>
  /** Entries of `response` that would place a key of theirs: ours ← theirs. */
  readonly proposals: Readonly<Record<string, string>>
}

const nothing = { records: 0, missing: [], unused: [], dropped: [], proposals: {} }

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

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields => Predicate.isReadonlyObject(value) && !Array.isArray(value)

/** The records of a result: the items of a page or a list, or the result itself. */
const recordsIn = (result: unknown): ReadonlyArray<Fields> => {
  const items = isFields(result) && Array.isArray(result["items"]) ? result["items"] : result
  return (Array.isArray(items) ? items : [items]).filter(isFields)
}

const keysOf = (value: unknown): ReadonlyArray<string> => (isFields(value) ? Object.keys(value) : [])

/** Looks at a result: which of our fields came, and what else. */
export const answered = (operation: string, result: unknown): Probed => {
  const records = recordsIn(result)
  const contract = ours().find(({ name }) => name === operation)
  const fields = (contract === undefined ? undefined : recordsOf(contract))?.fields ?? []
  const names = fields.map(({ path }) => path).filter((path) => !path.includes(".") && !path.includes("[]"))
  const came = new Set(records.flatMap(keysOf))
  const extra = [...new Set(records.flatMap((record) => keysOf(record["extra"])))].toSorted()
  const dropped = extra.filter((key) => names.includes(key))
  const unused = extra.filter((key) => !names.includes(key))
  const missing = records.length === 0 ? [] : names.filter((name) => !came.has(name) && !dropped.includes(name))
  const theirs = unused.map((path) => ({ path, type: "unknown" as const }))
  const proposals = Object.fromEntries(
    missing.flatMap((name) => {
      const found = find(name, theirs)
      return found === undefined ? [] : [[name, found.field.path]]
    })
  )
  return { operation, outcome: "answered", reason: "", records: records.length, missing, unused, dropped, proposals }
}

/** Where the id comes from that a read needs: a list, and the field of its records. */
const sources: Readonly<Record<string, readonly [operation: string, field: string]>> = {
  externalId: ["clients.list", "externalId"],
  walletId: ["wallets.list", "id"],
  approvalId: ["vaults.approvals", "id"],
  transactionId: ["transactions.list", "id"],
  orderId: ["paymentOrders.list", "id"],
  linkId: ["fiatGateway.listPaymentLinks", "id"]
}

/** The ids that the records of a list give to other reads. */
export const idsIn = (operation: string, result: unknown): Readonly<Record<string, string>> => {
  const [record] = recordsIn(result)
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
export const cells = ({ missing, operation, outcome, reason, records, unused }: Probed): ReadonlyArray<string> => [
  operation,
  outcome,
  outcome === "answered" ? `${records} ${records === 1 ? "record" : "records"}` : reason,
  missing.length === 0 ? "" : `missing: ${missing.join(", ")}`,
  unused.length === 0 ? "" : `unused: ${unused.join(", ")}`
]
