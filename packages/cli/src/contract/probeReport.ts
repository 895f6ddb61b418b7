/** Compares the answer to a read with its contract. Pure. */
import * as Filters from "@effect-custody/contract/unstable/Filters"
import type * as Page from "@effect-custody/core/Page"
import * as AnswerReport from "@effect-custody/core/unstable/AnswerReport"
import * as Redaction from "@effect-custody/core/unstable/Redaction"
import * as Shape from "@effect-custody/core/unstable/Shape"
import type { Wire } from "@effect-custody/core/unstable/Wires"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import { type AnyEndpoint, endpoints } from "../service/endpoints.ts"
import type * as Output from "../terminal/output.ts"

export type Fields = Readonly<Record<string, unknown>>

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
  /** Own fields with values that are not as assumed, each with its key and the number of records. */
  readonly dropped: ReadonlyArray<string>
  /** The values of enumerations that the SDK does not know, because the contract does not map them. */
  readonly unmapped: ReadonlyArray<string>
  /** The fields whose times have no zone. */
  readonly zoneless: ReadonlyArray<string>
  /** The filters of a list that the probe has seen work. */
  readonly proven?: ReadonlyArray<string>
  /** The other filters, each with what was seen. */
  readonly unproven?: ReadonlyArray<string>
}

export const unanswered = (operation: string, outcome: "failed" | "not tried", reason: string): Probed => ({
  operation,
  outcome,
  reason,
  records: 0,
  missing: [],
  unused: [],
  dropped: [],
  unmapped: [],
  zoneless: []
})

/** Limits of a report: listed names and values, and characters of each. */
const maxNames = 64
const maxLength = 128

/** Matches a time with a zone. */
const withZone = /(?:Z|GMT|UTC|[+-]\d\d:?\d\d)$/i

/** Compares a result with the own fields. The report shows no secret. */
export const answered = (
  endpoint: AnyEndpoint,
  result: unknown,
  { redact, wire }: { readonly redact: Redaction.Redact; readonly wire?: Wire | undefined }
): Probed => {
  const { operation } = endpoint
  const { dropped, missing, records, unused } = AnswerReport.make(endpoint, wire, result)
  const rows = AnswerReport.recordsIn(result)
  const excerpts = (names: Iterable<string>) =>
    [...new Set(names)].slice(0, maxNames).map((name) => Redaction.excerpt(redact, name, maxLength))
  const texts = [...(Shape.getRecord(Shape.payload(endpoint))?.fields ?? [])].flatMap(([name, field]) =>
    field._tag !== "Leaf"
      ? []
      : rows.flatMap((row) => {
          // The text of a time that cannot be read is under `extra`.
          const value = field.kind === "time" ? (row["extra"] as Fields | undefined)?.[name] : row[name]
          return typeof value === "string" ? [{ name, field, value }] : []
        })
  )
  const counted = Map.groupBy(
    texts.filter(({ field: { known }, value }) => known.length > 0 && !known.includes(value)),
    ({ name, value }) => `${name} ${value}`
  )
  return {
    operation,
    outcome: "answered",
    reason: "",
    records,
    missing: missing.map(({ name }) => name),
    unused: excerpts(unused),
    dropped: dropped.map(
      ({ name, place, records: count }) => `${name}${name === place ? "" : ` at ${place}`} (${count})`
    ),
    unmapped: excerpts([...counted].map(([text, { length }]) => `${text} (${length})`)),
    zoneless: excerpts(
      texts.flatMap(({ field, name, value }) => (field.kind === "time" && !withZone.test(value) ? [name] : []))
    )
  }
}

export const filters = (endpoint: AnyEndpoint): ReadonlyArray<string> =>
  Filters.filters({ input: Shape.input(endpoint), isPaged: Shape.isPaged(endpoint) })

const time = ({ createdAt }: Fields): Option.Option<DateTime.DateTime> =>
  Option.liftPredicate(DateTime.isDateTime)(createdAt)

/** The field of a row that a filter reads: `assetIds` reads `assetId`. */
const rowField = (filter: string): string => filter.replace(/Ids$/, "Id")

/** The value of a filter that must let the first row through; `undefined` if the rows do not show it. */
export const filterValue = (
  rows: ReadonlyArray<Fields>,
  filter: string
): string | ReadonlyArray<string> | undefined => {
  const [row = {}] = rows
  if (filter !== "from" && filter !== "to") {
    if (rowField(filter) === filter) return Option.getOrUndefined(Option.liftPredicate(Predicate.isString)(row[filter]))
    // Two of at least three values: a service that reads one value, or all as one, then shows other rows.
    const values = new Set(rows.map((each) => each[rowField(filter)]).filter(Predicate.isString))
    return values.size < 3 ? undefined : [...values].slice(0, 2)
  }
  const bound = Option.map(time(row), DateTime.add({ seconds: filter === "from" ? -1 : 1 }))
  return Option.getOrUndefined(Option.map(bound, DateTime.formatIso))
}

/** Identifies a row in its list. */
const rowKey = ({ externalId, id }: Fields): unknown => id ?? externalId

/** Says what is wrong with a filter, from the rows that it let through; `undefined` if it works. */
export const filterObjection = (
  row: Fields,
  filter: string,
  value: string | ReadonlyArray<string>,
  rows: ReadonlyArray<Fields>
): string | undefined => {
  if (typeof value !== "string") {
    const found = new Set(rows.map((each) => each[rowField(filter)]))
    if (value.some((each) => !found.has(each))) return "hides a row that it must show"
    return found.size > value.length ? "lets other rows through" : undefined
  }
  if (!rows.some((other) => rowKey(other) === rowKey(row))) return "hides a row that it must show"
  const fits = (other: Fields): boolean =>
    filter === "from" || filter === "to"
      ? Option.match(time(other), {
          onNone: () => true,
          onSome: (at) => {
            const bound = DateTime.makeUnsafe(value)
            return filter === "from" ? DateTime.isGreaterThan(at, bound) : DateTime.isLessThan(at, bound)
          }
        })
      : other[filter] === undefined || other[filter] === value
  return rows.every(fits) ? undefined : "lets other rows through"
}

export const isPaged = (endpoint: AnyEndpoint): boolean => Shape.isPaged(endpoint)

/** The keys of the first two rows of a list; `undefined` if the rows do not show two. */
export const firstKeys = (result: unknown): readonly [unknown, unknown] | undefined => {
  const [first, second] = AnswerReport.recordsIn(result).map(rowKey)
  return first === undefined || second === undefined || first === second ? undefined : [first, second]
}

/** Says what is wrong with the first two pages of one row each; `undefined` if they have the first two rows of the list. */
export const pagingObjection = (
  keys: readonly [unknown, unknown],
  pages: ReadonlyArray<Page.Page<Fields>>
): string | undefined => {
  const [first = [], second = []] = pages.map(({ items }) => items.map(rowKey))
  if (first.length > 1) return `a page with the limit 1 has ${first.length} rows`
  if (first[0] !== keys[0]) return "page 1 does not have the first row of the list"
  return second[0] === keys[1] ? undefined : "page 2 does not have the next row"
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
  [...endpoints.values()]
    .filter(({ safety }) => safety === "read")
    .map((endpoint) => {
      const needed = [...Shape.input(endpoint)].filter(([, { isOptional }]) => !isOptional)
      return [endpoint.operation, needed.map(([name]) => name)] as const
    })
    .toSorted(([, a], [, b]) => a.length - b.length)

const tones = { answered: "good", failed: "bad", "not tried": "doubtful" } as const

export const lines = (probed: Probed, paint: Output.Paint): ReadonlyArray<string> => {
  const { outcome, proven = [], reason, records } = probed
  const count = outcome === "answered" ? `${records} ${records === 1 ? "record" : "records"}` : reason
  const found = [
    ["bad", "dropped", probed.dropped],
    ["bad", "unmapped", probed.unmapped],
    ["doubtful", 'without a zone ("times": "iso" reads UTC)', probed.zoneless],
    ["doubtful", "missing", probed.missing],
    ["doubtful", "unused", probed.unused],
    ["doubtful", "unproven", probed.unproven ?? []],
    ["good", "proven", proven]
  ] as const
  return [
    `${probed.operation.padEnd(32)}${paint(tones[outcome], outcome.padEnd(11))}${count}`,
    ...found.flatMap(([tone, title, all]) =>
      all.length === 0 ? [] : [`    ${paint(tone, `${title}:`)} ${all.join(", ")}`]
    )
  ]
}
