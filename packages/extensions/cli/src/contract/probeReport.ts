/** Compares the answer to a read with its contract. Pure. */
import * as Page from "@effect-custody/core/Page"
import * as Declaration from "@effect-custody/core/siblings/Declaration"
import * as Secrets from "@effect-custody/core/siblings/Secrets"
import type { Wire } from "@effect-custody/core/siblings/Wires"
import { rowFields } from "@effect-custody/transactions/siblings/HistoryNeeds"
import { timeProblem } from "@effect-custody/transactions/siblings/HistoryTimes"
import * as DateTime from "effect/DateTime"
import { identity } from "effect/Function"
import * as Predicate from "effect/Predicate"
import { type AnyEndpoint, endpoints, type Fields, toJson } from "../service/endpoints.ts"
import type * as Output from "../terminal/output.ts"

export type { Fields }

type Rows = ReadonlyArray<Fields>
type Texts = ReadonlyArray<string>

export interface Probed {
  readonly operation: string
  /**
   * - `answered`: the answer could be decoded;
   * - `failed`: the call was refused, its answer could not be decoded or cannot be true, or no answer came;
   * - `not tried`: the call needs an unknown id, or an earlier failure was final.
   */
  readonly outcome: "answered" | "failed" | "not tried"
  readonly reason: string
  readonly records: number
  /** What shows that the contract may be wrong. */
  readonly hints: Texts
  /** What is worth to know: fields that no record had, keys that nothing reads, what the rows could not show. */
  readonly notes: Texts
  /** The filters of a list that the probe has seen work. */
  readonly proven: Texts
  /** The filters that do not work. */
  readonly refuted: Texts
}

const nothing = { records: 0, hints: [], notes: [], proven: [], refuted: [] }

export const unanswered = (operation: string, outcome: "failed" | "not tried", reason: string): Probed => ({
  operation,
  outcome,
  reason,
  ...nothing
})

// An answer against its contract.

const isFields = (value: unknown): value is Fields => Predicate.isReadonlyObject(value) && !Array.isArray(value)

/** The records of a result: the items of a page or of a list, or the result itself. */
export const recordsIn = (result: unknown): Rows => {
  const items = isFields(result) && Array.isArray(result["items"]) ? result["items"] : result
  return (Array.isArray(items) ? items : [items]).filter(isFields)
}

const getExtra = ({ extra }: Fields): Fields => (isFields(extra) ? extra : {})

/** What an answer and its contract differ in. A field of a nested record has a dotted name: `asset.symbol`. */
interface Differences {
  /** Fields whose type is not the assumed type, with their place on the wire, and the number of records. */
  readonly dropped: Array<string>
  /** Fields that no record has. */
  readonly missing: Array<string>
  /** The dotted paths of the keys on the wire that the SDK does not read. */
  readonly unused: Array<string>
}

/** Compares records with the fields of their shape. `within` is the path of field names to the records. */
const compareRecords = (
  found: Differences,
  rows: Rows,
  shape: Declaration.Shape,
  place: Wire["place"],
  within: Texts = []
): void => {
  const fields = Declaration.getRecord(shape)?.fields ?? new Map<string, Declaration.Shape>()
  const joinPlace = (...names: Texts): string =>
    place(["data", ...within, ...names])
      .slice(place(["data"]).length)
      .join(".")
  const parent = within.length === 0 ? "" : `${joinPlace()}.`
  const keys = rows.flatMap((row) => Object.keys(getExtra(row))).filter((key) => !fields.has(key))
  found.unused.push(...[...new Set(keys)].toSorted().map((key) => parent + key))
  for (const [name, inner] of fields) {
    const full = [...within, name].join(".")
    const having = rows.filter((row) => Object.hasOwn(row, name))
    const dropped = rows.filter((row) => Object.hasOwn(getExtra(row), name)).length
    const at = joinPlace(name)
    if (dropped > 0) found.dropped.push(`${full}${at === full ? "" : ` at ${at}`} (${dropped})`)
    if (rows.length > 0 && having.length + dropped === 0) found.missing.push(full)
    if (Declaration.getRecord(inner) === undefined) continue
    const held = having.flatMap((row) => recordsIn(row[name]))
    compareRecords(found, held, inner, place, [...within, name])
  }
}

/** Compares the result of an operation with its contract. Without `wire`, the assumed format counts. */
const compare = (endpoint: AnyEndpoint, wire: Wire | undefined, result: unknown): Differences => {
  const found: Differences = { dropped: [], missing: [], unused: [] }
  compareRecords(found, recordsIn(result), Declaration.payload(endpoint), wire?.place ?? identity)
  return found
}

// The report.

/** Limits of a report: listed names and values, and characters of each. */
const maxNames = 64
const maxLength = 128

/** The values of enumerations that the SDK does not know, because the contract does not map them, each with its number. */
const unmapped = (endpoint: AnyEndpoint, rows: Rows): Texts => {
  const fields = [...(Declaration.getRecord(Declaration.payload(endpoint))?.fields ?? [])]
  const values = fields.flatMap(([name, field]) => {
    const known = field._tag === "Leaf" ? field.known : []
    const texts = known.length === 0 ? [] : rows.map((row) => row[name]).filter(Predicate.isString)
    return texts.filter((value) => !known.includes(value)).map((value) => `${name} ${value}`)
  })
  return [...Map.groupBy(values, (value) => value)].map(([value, { length }]) => `${value} (${length})`)
}

export const titled = (title: string, names: Texts): Texts =>
  names.length === 0 ? [] : [`${title}: ${names.join(", ")}`]

/** Says which time of the records cannot be true, or cannot be read: then its text is under `extra`. */
const impossibleTime = (endpoint: AnyEndpoint, rows: Rows, now: DateTime.Utc): string | undefined => {
  const own = Declaration.getRecord(Declaration.payload(endpoint))?.fields
  for (const row of rows) {
    for (const name of ["createdAt", "updatedAt"].filter((each) => own?.has(each))) {
      const unread = (row["extra"] as Fields | undefined)?.[name]
      const time = row[name]
      const problem = DateTime.isDateTime(time)
        ? timeProblem(now, DateTime.toUtc(time))
        : unread === undefined || unread === null
          ? undefined
          : `has the time ${JSON.stringify(unread)}, which cannot be read: confirm its unit, or its zone`
      if (problem !== undefined) return `${name}: record ${String(rowKey(row))} ${problem}`
    }
  }
  return undefined
}

/** The fields that may change between two reads. */
const changing = ["status", "updatedAt", "hash", "fee", "balance", "pendingBalance", "extra"]

/** Says in which fields a record differs from the same record in another answer. */
const differing = (row: Fields, record: Fields): Texts =>
  Object.keys(record).filter((name) => {
    const [one, other] = [row[name], record[name]].map((value) => JSON.stringify(toJson(value)))
    return !changing.includes(name) && row[name] !== undefined && one !== other
  })

/** Compares a result with the own fields. The report shows no secret. */
export const answered = (
  endpoint: AnyEndpoint,
  result: unknown,
  given: {
    readonly redact: Secrets.Redact
    readonly now: DateTime.Utc
    readonly wire?: Wire | undefined
    /** The records of lists by their keys, which it remembers. */
    readonly seen?: Map<string, Fields>
  }
): Probed => {
  const { operation } = endpoint
  const report = compare(endpoint, given.wire, result)
  const rows = recordsIn(result)
  const problem = impossibleTime(endpoint, rows, given.now)
  if (problem !== undefined)
    return unanswered(operation, "failed", Secrets.excerpt(given.redact, problem, 4 * maxLength))
  const needed = new Set<string>(operation === "transactions.list" ? rowFields : [])
  const keyOf = (row: Fields) => `${operation.replace(/\..*/, "")} ${String(rowKey(row))}`
  const listed = Declaration.isList(endpoint) ? undefined : given.seen?.get(keyOf(rows[0] ?? {}))
  if (Declaration.isList(endpoint)) for (const row of rows) given.seen?.set(keyOf(row), row)
  const { missing } = report
  const excerpts = (names: Texts) =>
    names.slice(0, maxNames).map((name) => Secrets.excerpt(given.redact, name, maxLength))
  return {
    ...nothing,
    operation,
    outcome: "answered",
    reason: "",
    records: rows.length,
    hints: [
      ...titled("dropped", excerpts(report.dropped)),
      ...titled("unmapped", excerpts(unmapped(endpoint, rows))),
      ...titled("not as in the list", listed === undefined ? [] : differing(listed, rows[0]!)),
      ...titled(
        "missing, although the ledger reads it",
        missing.filter((name) => needed.has(name))
      )
    ],
    notes: [...titled("missing", missing), ...titled("unused", excerpts(report.unused))]
  }
}

/**
 * The filters of a list, which rows can show. Its page, order and full-text search are no filters. A list without pages has
 * no filters but lists of ids.
 */
export const filters = (endpoint: AnyEndpoint): Texts =>
  [...Declaration.input(endpoint)].flatMap(([name, { part, shape }]) =>
    part === "query" && !Object.hasOwn(Page.query, name) && (Declaration.isPaged(endpoint) || shape._tag === "List")
      ? [name]
      : []
  )

/** The field of a row that a filter reads: `assetIds` reads `assetId`. */
const rowField = (filter: string): string =>
  filter === "from" || filter === "to" ? "createdAt" : filter.replace(/Ids$/, "Id")

/** Identifies a row in its list. */
export const rowKey = ({ assetId, externalId, id }: Fields): unknown => id ?? externalId ?? assetId

/** A value of a filter, and what it says of a row; `undefined` if the row does not show it. */
export interface Trial {
  readonly value: string | Texts
  readonly fits: (row: Fields) => boolean | undefined
}

/** Cuts the times of rows where two of them are far enough apart for the unit in which the service gives them. */
const timeTrial = (rows: Rows, filter: string): Trial | undefined => {
  const millis = ({ createdAt }: Fields) =>
    DateTime.isDateTime(createdAt) ? DateTime.toEpochMillis(createdAt) : undefined
  const times = rows.flatMap((row) => millis(row) ?? []).toSorted((a, b) => a - b)
  const gaps = times.slice(1).map((time, at) => ({ length: time - times[at]!, middle: (time + times[at]!) / 2 }))
  const [widest] = gaps.toSorted((a, b) => b.length - a.length)
  const unit = times.every((time) => time % 1_000 === 0) ? 1_000 : 1
  if (widest === undefined || widest.length < 4 * unit) return undefined
  return {
    value: DateTime.formatIso(DateTime.makeUnsafe(Math.round(widest.middle))),
    fits: (row) => {
      const time = millis(row)
      return time === undefined ? undefined : filter === "from" ? time > widest.middle : time < widest.middle
    }
  }
}

/** The values that must each show one of the rows and hide another. */
export const trials = (rows: Rows, filter: string): ReadonlyArray<Trial> => {
  const field = rowField(filter)
  if (field === "createdAt") return [timeTrial(rows, filter)].filter(Predicate.isNotUndefined)
  const values = [...new Set(rows.map((row) => row[field]).filter(Predicate.isString))]
  const fits = (asked: Texts) => (row: Fields) =>
    typeof row[field] === "string" ? asked.includes(row[field]) : undefined
  if (field === filter) return values.length < 2 ? [] : values.map((value) => ({ value, fits: fits([value]) }))
  // Two values of a list: a service that reads one value, or all as one, then shows other rows.
  const asked = values.slice(0, 2)
  return values.length < 3 ? [] : [{ value: asked, fits: fits(asked) }]
}

/** Says what is wrong with a filter, from the rows that it let through; `undefined` if it works. */
export const filterObjection = (rows: Rows, { fits }: Trial, shown: Rows, limit: number): string | undefined => {
  if (shown.some((row) => fits(row) === false)) return "lets other rows through"
  const keys = new Set(shown.map(rowKey))
  const mustShow = rows.filter((row) => fits(row) === true)
  const isShown = (row: Fields) => keys.has(rowKey(row))
  return (shown.length >= limit ? mustShow.some(isShown) : mustShow.every(isShown))
    ? undefined
    : "hides a row that it must show"
}

/** Says what is wrong with the first two pages of two rows each; `undefined` if they have the first rows of the list. */
export const pagingObjection = (rows: Rows, pages: ReadonlyArray<Page.Page<Fields>>): string | undefined => {
  const [first = [], second = []] = pages.map(({ items }) => items.map(rowKey))
  const [one, two, ...next] = rows.map(rowKey)
  if (first.length > 2) return `a page with the limit 2 has ${first.length} rows`
  if (first[0] !== one || first[1] !== two) return "page 1 does not have the first two rows of the list"
  return next.slice(0, 2).every((key, at) => second[at] === key) ? undefined : "page 2 does not have the next rows"
}

/** Says that a whole list may be one page; `undefined` if its length does not look like the size of a page. */
export const roundObjection = (rows: number): string | undefined =>
  rows > 0 && (rows % 10 === 0 || rows % 25 === 0)
    ? `the list has ${rows} rows, as a page has: does the service page after all?`
    : undefined

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
  // A payment shows more than a deposit when it is read alone.
  const shown = (row: Fields) => rowFields.filter((name) => row[name] !== undefined).length
  const [record] = recordsIn(result).toSorted((a, b) => shown(b) - shown(a))
  return Object.fromEntries(
    Object.entries(sources).flatMap(([name, [list, field]]) => {
      const value = list === operation ? record?.[field] : undefined
      return typeof value === "string" ? [[name, value]] : []
    })
  )
}

/** The reads with the ids that each needs. Reads that need no id come first, because they make ids known. */
export const reads = (): ReadonlyArray<readonly [operation: string, needed: Texts]> =>
  [...endpoints.values()]
    .filter(({ safety }) => safety === "read")
    .map((endpoint) => {
      const needed = [...Declaration.input(endpoint)].filter(([, { isOptional }]) => !isOptional)
      return [endpoint.operation, needed.map(([name]) => name)] as const
    })
    .toSorted(([, a], [, b]) => a.length - b.length)

const tones = { answered: "good", failed: "bad", "not tried": "doubtful" } as const

export const lines = (probed: Probed, paint: Output.Paint): Texts => {
  const { outcome, reason, records } = probed
  const count = outcome === "answered" ? `${records} ${records === 1 ? "record" : "records"}` : reason
  return [
    `${probed.operation.padEnd(32)}${paint(tones[outcome], outcome.padEnd(11))}${count}`,
    ...probed.hints.map((hint) => `    ${paint("doubtful", "look:")} ${hint}`),
    ...[
      ...probed.notes,
      ...titled(
        "proven",
        probed.proven.map((name) => `"${name}"`)
      )
    ].map((note) => `    ${note}`)
  ]
}
