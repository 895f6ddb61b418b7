/** What the answer to a read shows of its contract, and how a list tries its pages and filters. Pure. */
import * as Shape from "@effect-custody/contract/siblings/Shape"
import * as Page from "@effect-custody/core/Page"
import * as Declaration from "@effect-custody/core/siblings/Declaration"
import * as Secrets from "@effect-custody/core/siblings/Secrets"
import { rowFields } from "@effect-custody/transactions/siblings/HistoryNeeds"
import { timeProblem } from "@effect-custody/transactions/siblings/HistorySearch"
import * as DateTime from "effect/DateTime"
import * as Predicate from "effect/Predicate"
import { type AnyEndpoint, endpoints, type Fields, toJson } from "../service/endpoints.ts"

export type Rows = ReadonlyArray<Fields>
export type Texts = ReadonlyArray<string>

/** What is known of a read. */
export interface Found {
  /** Why the answer cannot be true. */
  readonly problem?: string | undefined
  readonly records: number
  /** What shows that the contract may be wrong. */
  readonly looks: Texts
  /** What is worth to know: fields that no record had, keys that nothing reads, what the rows could not show. */
  readonly notes: Texts
}

/** A title and some names. The report shows no secret, and shortens a long list and a long name. */
const titled = (title: string, names: Texts, redact: Secrets.Redact = (text) => text): Texts => {
  const shown = names.slice(0, 64).map((name) => Secrets.excerpt(redact, name, 128))
  return shown.length === 0 ? [] : [`${title}: ${shown.join(", ")}`]
}

const isFields = (value: unknown): value is Fields => Predicate.isReadonlyObject(value) && !Array.isArray(value)

/** The records of a result: the items of a page or of a list, or the result itself. */
export const recordsIn = (result: unknown): Rows => {
  const items = isFields(result) && Array.isArray(result["items"]) ? result["items"] : result
  return (Array.isArray(items) ? items : [items]).filter(isFields)
}

const getExtra = ({ extra }: Fields): Fields => (isFields(extra) ? extra : {})

/**
 * Compares records with the fields of their shape: fields whose type is another than the assumed one, fields that no record
 * has, and keys that the SDK does not read. A field of a nested record has a dotted name: `asset.symbol`.
 */
const differences = (
  rows: Rows,
  { fields = new Map() }: Shape.Shape,
  within = ""
): Readonly<Record<"dropped" | "missing" | "unused", Texts>> => {
  const keys = rows.flatMap((row) => Object.keys(getExtra(row))).filter((key) => !fields.has(key))
  const all = [...fields].map(([name, inner]) => {
    const having = rows.filter((row) => Object.hasOwn(row, name))
    const dropped = rows.filter((row) => Object.hasOwn(getExtra(row), name)).length
    const nested = having.flatMap((row) => recordsIn(row[name]))
    const { dropped: d, missing, unused } = differences(nested, inner, `${within}${name}.`)
    return {
      dropped: [...(dropped > 0 ? [`${within}${name} (${dropped})`] : []), ...d],
      missing: [...(rows.length > 0 && having.length + dropped === 0 ? [`${within}${name}`] : []), ...missing],
      unused
    }
  })
  return {
    dropped: all.flatMap(({ dropped }) => dropped),
    missing: all.flatMap(({ missing }) => missing),
    unused: [...[...new Set(keys)].toSorted().map((key) => within + key), ...all.flatMap(({ unused }) => unused)]
  }
}

/** Identifies a row in its list. */
export const rowKey = ({ assetId, externalId, id }: Fields): unknown => id ?? externalId ?? assetId

/** Counts the values of enumerations that the SDK does not know, because the contract does not translate them. */
const unmapped = (endpoint: AnyEndpoint, rows: Rows): Texts => {
  const values = [...(Shape.payload(endpoint).fields ?? [])].flatMap(([name, { known }]) => {
    const texts = known.length === 0 ? [] : rows.map((row) => row[name]).filter(Predicate.isString)
    return texts.filter((value) => !known.includes(value)).map((value) => `${name} ${value}`)
  })
  return [...Map.groupBy(values, (value) => value)].map(([value, { length }]) => `${value} (${length})`)
}

/** Says which time of the records cannot be true. */
const impossibleTime = (rows: Rows, now: DateTime.Utc): string | undefined => {
  for (const row of rows) {
    for (const name of ["createdAt", "updatedAt"]) {
      const time = row[name]
      const problem = DateTime.isDateTime(time) ? timeProblem(now, DateTime.toUtc(time)) : undefined
      if (problem !== undefined) return `${name}: record ${String(rowKey(row))} ${problem}`
    }
  }
  return undefined
}

/** The fields that may change between two reads. */
const changing = ["status", "updatedAt", "hash", "fee", "balance", "pendingBalance", "extra"]

/** Names the fields in which a record differs from the same record in another answer. */
const differing = (row: Fields, record: Fields): Texts =>
  Object.keys(record).filter((name) => {
    const [one, other] = [row[name], record[name]].map((value) => JSON.stringify(toJson(value)))
    return !changing.includes(name) && row[name] !== undefined && one !== other
  })

/** The fields of a row that the ledger reads. */
const ledgerReads: ReadonlySet<string> = new Set(rowFields)

/** Compares an answer with the contract. `seen` are the records of lists by their keys, which it remembers. */
export const compare = (
  endpoint: AnyEndpoint,
  result: unknown,
  given: {
    readonly redact: Secrets.Redact
    readonly now: DateTime.Utc
    readonly seen: Map<string, Fields>
  }
): Found => {
  const { operation } = endpoint
  const rows = recordsIn(result)
  const { dropped, missing, unused } = differences(rows, Shape.payload(endpoint))
  const problem = impossibleTime(rows, given.now)
  const keyOf = (row: Fields) => `${operation.replace(/\..*/, "")} ${String(rowKey(row))}`
  const listed = Declaration.isList(endpoint) ? undefined : given.seen.get(keyOf(rows[0] ?? {}))
  if (Declaration.isList(endpoint)) for (const row of rows) given.seen.set(keyOf(row), row)
  const needed = operation === "transactions.list" ? missing.filter((name) => ledgerReads.has(name)) : []
  const told = (title: string, names: Texts) => titled(title, names, given.redact)
  return {
    problem: problem && Secrets.excerpt(given.redact, problem, 512),
    records: rows.length,
    looks: [
      ...told("dropped", dropped),
      ...told("unmapped", unmapped(endpoint, rows)),
      ...told("not as in the list", listed === undefined ? [] : differing(listed, rows[0]!)),
      ...told("missing, although the ledger reads it", needed)
    ],
    notes: [...told("missing", missing), ...told("unused", unused)]
  }
}

// A list.

/** What the trials of a list have shown. */
export const triedNotes = (proven: Texts, unseen: Texts): Texts => [
  ...titled("could not be tried with these rows", unseen),
  ...titled(
    "proven",
    proven.map((name) => `"${name}"`)
  )
]

/**
 * The filters of a list, which rows can show. Its page, order and full-text search are no filters. A list without pages has
 * no filters but lists of ids.
 */
export const filters = (endpoint: AnyEndpoint): Texts =>
  [...Shape.input(endpoint)].flatMap(([name, { part, shape }]) =>
    part === "query" && !Object.hasOwn(Page.query, name) && (Declaration.isPaged(endpoint) || shape.isList)
      ? [name]
      : []
  )

/** A value of a filter, and what it says of a row; `undefined` if the row does not show it. */
export interface Trial {
  readonly value: string | Texts
  readonly fits: (row: Fields) => boolean | undefined
}

const millisOf = ({ createdAt }: Fields) =>
  DateTime.isDateTime(createdAt) ? DateTime.toEpochMillis(createdAt) : undefined

/** Cuts the times of rows where two of them are far enough apart for the unit in which the service gives them. */
const timeTrials = (rows: Rows, filter: string): ReadonlyArray<Trial> => {
  const times = rows.flatMap((row) => millisOf(row) ?? []).toSorted((a, b) => a - b)
  const gaps = times.slice(1).map((time, at) => ({ length: time - times[at]!, middle: (time + times[at]!) / 2 }))
  const [widest] = gaps.toSorted((a, b) => b.length - a.length)
  const unit = times.every((time) => time % 1_000 === 0) ? 1_000 : 1
  if (widest === undefined || widest.length < 4 * unit) return []
  const fits = (row: Fields) => {
    const time = millisOf(row)
    return time === undefined ? undefined : filter === "from" ? time > widest.middle : time < widest.middle
  }
  return [{ value: DateTime.formatIso(DateTime.makeUnsafe(Math.round(widest.middle))), fits }]
}

/** The values that must each show one of the rows and hide another. `assetIds` filters by `assetId`. */
export const trials = (rows: Rows, filter: string): ReadonlyArray<Trial> => {
  if (filter === "from" || filter === "to") return timeTrials(rows, filter)
  const field = filter.replace(/Ids$/, "Id")
  const values = [...new Set(rows.map((row) => row[field]).filter(Predicate.isString))]
  // Two values of a list: a service that reads one value, or all as one, then shows other rows.
  const asked = field === filter ? values : [values.slice(0, 2)]
  const fits = (value: string | Texts) => (row: Fields) =>
    typeof row[field] === "string" ? [value].flat().includes(row[field]) : undefined
  return values.length <= (field === filter ? 1 : 2) ? [] : asked.map((value) => ({ value, fits: fits(value) }))
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

/**
 * Says what is wrong with the first two pages of two rows each; `undefined` if they have the first rows of the list. A list
 * that says that it ends, and ignores how many rows were asked for, is whole, unless it is as long as a page may be.
 */
export const pagingObjection = (rows: Rows, pages: ReadonlyArray<Page.Page<Fields>>): string | undefined => {
  const { length } = rows
  if (pages[0]?.hasNext === false && pages[0].items.length === length) {
    const isRound = length > 0 && (length % 10 === 0 || length % 25 === 0)
    return isRound ? `the list has ${length} rows, as a page has: does the service page after all?` : undefined
  }
  const [first = [], second = []] = pages.map(({ items }) => items.map(rowKey))
  const [one, two, ...next] = rows.map(rowKey)
  if (first.length > 2) return `a page with the limit 2 has ${first.length} rows`
  if (first[0] !== one || first[1] !== two) return "page 1 does not have the first two rows of the list"
  return next.slice(0, 2).every((key, at) => second[at] === key) ? undefined : "page 2 does not have the next rows"
}

// Which reads, with which ids.

/** The sources of the ids that reads need: a list, and a field of its records. */
const sources: Readonly<Record<string, readonly [operation: string, field: string]>> = {
  externalId: ["clients.list", "externalId"],
  walletId: ["wallets.list", "id"],
  approvalId: ["vaults.approvals", "id"],
  transactionId: ["transactions.list", "id"],
  orderId: ["paymentOrders.list", "id"],
  linkId: ["fiatGateway.listPaymentLinks", "id"]
}

/** The ids that a list makes known, of the record that shows most: a payment shows more than a deposit. */
export const idsIn = (operation: string, result: unknown): Readonly<Record<string, string>> => {
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
      const needed = [...Shape.input(endpoint)].filter(([, { isOptional }]) => !isOptional)
      return [endpoint.operation, needed.map(([name]) => name)] as const
    })
    .toSorted(([, a], [, b]) => a.length - b.length)
