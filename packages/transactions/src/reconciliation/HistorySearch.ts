/**
 * Reads the history until it is complete, because overlooking a row could lead to a second payment. Rows prove that a
 * payment was made. Only a history whose times can be true, and which covers the payment's time, proves that it was not.
 *
 * @siblings `ledger` searches the history by these rules, and `cli` too reads its times by them.
 */
import { format } from "@effect-custody/core/Amount"
import { CustodyClient } from "@effect-custody/core/CustodyClient"
import type * as Endpoint from "@effect-custody/core/Endpoint"
import * as Page from "@effect-custody/core/Page"
import { InputInvalid, type UnconfirmedEndpoint } from "@effect-custody/core/SdkError"
import type { Declaration } from "@effect-custody/core/siblings/Declaration"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as MutableHashMap from "effect/MutableHashMap"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { type FindOptions, HistoryUnproven, type ReconcileOptions, type Reconciliation } from "../Reconciliation.ts"
import type { Transaction } from "../records.ts"
import * as Comparison from "./Comparison.ts"

type ListError = Endpoint.ReadError | InputInvalid | UnconfirmedEndpoint

/** Why the history does not prove that a payment was not made. */
export type Unproven = Page.PagingError | HistoryUnproven

/** The part of the history's query that a search needs. */
interface Query extends Pick<Page.Query, "page" | "limit"> {
  readonly clientId?: string | undefined
  readonly assetId?: string | undefined
  readonly from?: DateTime.Utc | undefined
}

/** The endpoint of the history, and what reads a page of it: the endpoint, or a function that wraps it. */
export interface List {
  readonly endpoint: Declaration
  readonly read: (query: Query) => Effect.Effect<Page.Page<Transaction>, ListError, CustodyClient>
}

const maxReads = 4

/** The maximum number of rows of a read, because all rows stay in memory until the last one is read. */
const maxRows = 100_000

/** The key of a row. The `id` alone is not enough, because only one of two rows with the same id may have the note. */
const rowKey = (row: Transaction): string =>
  [row.id, row.type, row.amount === undefined ? "" : format(row.amount), row.to, row.note].join("\n")

/** Summarizes one read: the keys of its rows, and the number of rows that were repeated on another page. */
const summarize = (pages: ReadonlyArray<ReadonlyArray<Transaction>>) => {
  const onPages = pages.flatMap((rows) => [...new Set(rows.map(rowKey))])
  const keys: ReadonlySet<string> = new Set(onPages)
  return { keys, repeated: onPages.length - keys.size }
}
type Summary = ReturnType<typeof summarize>

/**
 * `true` if the read `earlier` showed every row that the history had when that read began. `later` is the next read.
 *
 * - `later` must have every row of `earlier`. If a row was removed while `earlier` ran, the rows behind it moved to an
 *   earlier page, so that `earlier` may have skipped a row.
 * - `earlier` may repeat at most as many rows as `later` has new rows. Each added row moves the rows behind it to a
 *   later page, and so repeats one row. More repeats show that the order is not fixed: a row may be on no page.
 */
const isWhole = (earlier: Summary, later: Summary): boolean =>
  [...earlier.keys].every((key) => later.keys.has(key)) && earlier.repeated <= later.keys.size - earlier.keys.size

const tooLong = `it has more than ${maxRows} rows: look with a smaller clockSkew, and prove the filters of the list`
const openEnd = "a page without rows says that others follow"

/**
 * `true` if a page has no rows but says that other pages follow. An empty page ends the list, so the rows of those
 * other pages are unknown.
 */
const isCutOff = ({ items, meta }: Page.Page<Transaction>, page: number): boolean =>
  items.length === 0 && (meta?.hasNextPage === true || page < (meta?.totalPages ?? 0))

const readPages = (
  list: List,
  query: Query
): Effect.Effect<ReadonlyArray<Page.Page<Transaction>>, ListError | Page.PagingError, CustodyClient> =>
  Effect.suspend(() => {
    let rows = 0
    return Page.pages(list.read, query, { beyondEnd: true }).pipe(
      Stream.mapEffect((page, at) => {
        rows += page.items.length
        const reason = rows > maxRows ? tooLong : isCutOff(page, at + 1) ? openEnd : undefined
        return reason === undefined
          ? Effect.succeed(page)
          : Effect.fail(new Page.PagesIncomplete({ operation: list.endpoint.operation, page: at + 1, reason }))
      }),
      Stream.runCollect
    )
  }).pipe(
    // Read once more, because rows may have moved. If the service's counts are wrong, the second read fails, too.
    Effect.retry({ times: 1, while: (error) => error._tag === "PagesIncomplete" && error.reason !== tooLong })
  )

/**
 * What shows that a list has no other rows: the service's count (`counted`), a further page that had none (`ended`), or
 * nothing but the contract (`assumed`).
 */
type End = "counted" | "ended" | "assumed"

/** `asked` is the number of the last page that was requested. A contract may write `hasNextPage`, but it writes no counts. */
const endOf = (pages: ReadonlyArray<Page.Page<Transaction>>, asked: number): End => {
  const { items = [], meta } = pages.at(-1) ?? {}
  if (meta?.totalItems !== undefined || meta?.totalPages === pages.length) return "counted"
  return asked > 1 || items.length === 0 ? "ended" : "assumed"
}

/** What a query has shown. */
interface Read {
  readonly rows: ReadonlyArray<Transaction>
  /** How the list ended, or why rows may be missing. */
  readonly end: End | Page.PagingError
}

/**
 * Reads the transactions of a query. A row that moves to another page during a read may be missed. So the query is read
 * again until one read is known to be whole, or has a row that is enough. Rows that a failed read has shown count, too.
 */
const read = Effect.fnUntraced(function* (
  list: List,
  query: Query,
  isEnough: (row: Transaction) => boolean
): Effect.fn.Return<Read, ListError, CustodyClient> {
  const seen = new Map<string, Transaction>()
  let asked = 1
  const noting: List = {
    endpoint: list.endpoint,
    read: (query) =>
      Effect.suspend(() => {
        asked = query.page ?? 1
        return Effect.map(list.read(query), (page) => {
          for (const row of page.items) seen.set(rowKey(row), row)
          return page
        })
      })
  }
  const readWhole = Effect.gen(function* () {
    let before: Summary | undefined
    for (let reads = 1; ; reads++) {
      const pages = yield* readPages(noting, query)
      const rows = pages.flatMap(({ items }) => items)
      const summary = summarize(pages.map(({ items }) => items))
      const isComplete = rows.length === 0 || (before !== undefined && isWhole(before, summary))
      if (isComplete || rows.some(isEnough)) return endOf(pages, asked)
      if (reads === maxReads) {
        const reason = `rows left it, or stood on two pages, while it was read ${maxReads} times`
        const { operation } = list.endpoint
        return yield* new Page.PagesIncomplete({ operation, page: pages.length, reason })
      }
      before = summary
    }
  })
  const end = yield* Effect.catchTag(readWhole, ["PageRepeated", "PagesIncomplete"], (error) => Effect.succeed(error))
  return { rows: [...seen.values()], end }
})

/** The maximum difference between the clocks of two hosts. */
const maxSkew = Duration.minutes(30)

/**
 * The queries of a search, the narrowest first. `Found` ends the search. A query that returns rows also ends it, if the
 * contract declares all the query's filters proven. `assetId` never counts as proven, because the service may know the
 * asset by a different name. A query without rows never ends the search, because the service may know the client by a
 * different id.
 */
const queries = ({ assetId, clientId }: Comparison.Wanted, from: DateTime.Utc): ReadonlyArray<Query> => [
  { clientId, assetId, from },
  { clientId, from },
  { clientId },
  { from },
  {}
]

/** Fails if a time is in the future, because no row could then be new enough. */
const checkTime = Effect.fnUntraced(function* (since: DateTime.Utc): Effect.fn.Return<void, InputInvalid> {
  const now = yield* DateTime.now
  if (DateTime.isGreaterThan(since, DateTime.addDuration(now, maxSkew))) {
    const message = `is ${Duration.format(DateTime.distance(now, since))} in the future: the clock that it was taken from was ahead. Call Transactions.find with an earlier time`
    return yield* new InputInvalid({ operation: "transactions.find", issues: [{ path: ["since"], message }] })
  }
})

/**
 * Says what is wrong with the time of a transaction, as the end of a sentence about it. Returns `undefined` for a time in
 * the 15 years before `now` or in the day after it. A time that was read in the wrong unit lies outside.
 */
export const timeProblem = (now: DateTime.Utc, createdAt: DateTime.Utc): string | undefined =>
  DateTime.between(createdAt, {
    minimum: DateTime.subtract(now, { years: 15 }),
    maximum: DateTime.add(now, { days: 1 })
  })
    ? undefined
    : `has the time ${DateTime.formatIso(createdAt)}, which cannot be true: confirm the unit of createdAt in the adapter (seconds that are read as milliseconds are in 1970)`

/** `true` if a row is certainly older. A time that cannot be true proves nothing. */
const isBefore = (time: DateTime.Utc, { createdAt }: Transaction, now: DateTime.Utc): boolean =>
  createdAt !== undefined && timeProblem(now, createdAt) === undefined && DateTime.isLessThan(createdAt, time)

/** Says why rows do not prove that a payment since a time is missing among them. */
const findGap = (
  rows: ReadonlyArray<Transaction>,
  end: End,
  since: DateTime.Utc,
  now: DateTime.Utc
): string | undefined => {
  const times = rows.flatMap(({ createdAt, id }) => (createdAt === undefined ? [] : [{ createdAt, id }]))
  for (const { createdAt, id } of times) {
    const problem = timeProblem(now, createdAt)
    if (problem !== undefined) return `transaction ${id} ${problem}`
  }
  if (rows.length === 0 || end === "counted") return undefined
  const confirm = "confirm how the service pages"
  if (!times.some(({ createdAt }) => DateTime.isLessThanOrEqualTo(createdAt, since))) {
    return `the list may begin after the payment, because it has no transaction from before ${DateTime.formatIso(since)}: ${confirm}`
  }
  const later = DateTime.addDuration(since, maxSkew)
  if (end === "ended" || times.some(({ createdAt }) => DateTime.isGreaterThan(createdAt, later))) return undefined
  return `the list may end before the payment, because it has one page, no count, and no transaction from after ${DateTime.formatIso(later)}: ${confirm}`
}

interface Search extends Payment {
  /** Older rows do not count. */
  readonly from: DateTime.Utc
  /** The queries begin here. */
  readonly readFrom: DateTime.Utc
  readonly list: List
  readonly read: (query: Query) => Effect.Effect<Read, ListError, CustodyClient>
}

const search = Effect.fnUntraced(function* ({
  from,
  list,
  read,
  readFrom,
  since,
  wanted,
  decide = (rows) => Comparison.decide(wanted, rows)
}: Search): Effect.fn.Return<Result.Result<Reconciliation, Unproven>, ListError, CustodyClient> {
  const { operation } = list.endpoint
  const { omits, proven } = yield* CustodyClient.factsOf(list.endpoint)
  const isProven = (query: Query) => Object.keys(query).every((name) => name !== "assetId" && proven.includes(name))
  const now = yield* DateTime.now
  let found: Result.Result<Reconciliation, Unproven> = Result.succeed({ _tag: "NotFoundSoFar" })
  for (const query of queries(wanted, readFrom)) {
    // A query without the omitted filter comes later.
    if (Object.keys(query).some((name) => omits.includes(name))) continue
    const { end, rows } = yield* read(query)
    const result = decide(rows.filter((row) => !isBefore(from, row, now)))
    if (result._tag === "Found") return Result.succeed(result)
    if (typeof end === "object") return Result.fail(end)
    const reason = findGap(rows, end, since, now)
    const isProof = rows.length > 0 && isProven(query)
    if (isProof && reason === undefined) return Result.succeed(result)
    if (result._tag === "SeveralCandidates") found = Result.succeed(result)
    else if (rows.length > 0 && (Result.isFailure(found) || found.success._tag === "NotFoundSoFar")) {
      found = reason === undefined ? Result.succeed(result) : Result.fail(new HistoryUnproven({ operation, reason }))
    }
  }
  return found
})

/** A payment that may have been made since a time. */
export interface Payment {
  readonly wanted: Comparison.Wanted
  readonly since: DateTime.Utc
  /** What the rows of the history say about it. Default: the rule of `Transactions.find`. */
  readonly decide?: (rows: ReadonlyArray<Transaction>) => Reconciliation
}

/**
 * Searches the history for several payments, each from `clockSkew` before its time. Returns a result for each payment, in
 * the order of the payments: what the history cannot prove for one payment does not fail the others. Sends a query once,
 * even if several payments need the query. A read ends at a row that is `isEnough`.
 */
export const findEach = Effect.fnUntraced(function* (
  list: List,
  payments: ReadonlyArray<Payment>,
  { clockSkew = "26 hours", limit = 100 }: ReconcileOptions,
  isEnough: (row: Transaction) => boolean = () => false
): Effect.fn.Return<ReadonlyArray<Result.Result<Reconciliation, Unproven>>, ListError | InputInvalid, CustodyClient> {
  const times = payments.map(({ since }) => since)
  const [first, ...others] = times
  if (first === undefined) return []
  const latest = others.reduce((one, other) => DateTime.max(one, other), first)
  yield* checkTime(latest)
  const earliest = others.reduce((one, other) => DateTime.min(one, other), first)
  const { omits } = yield* CustodyClient.factsOf(list.endpoint)
  const done = MutableHashMap.empty<Query, Read>()
  const readOnce = Effect.fnUntraced(function* (query: Query) {
    const known = MutableHashMap.get(done, query)
    if (Option.isSome(known)) return known.value
    const answer = yield* read(list, { ...query, ...(omits.includes("limit") ? {} : { limit }) }, isEnough)
    MutableHashMap.set(done, query, answer)
    return answer
  })
  return yield* Effect.forEach(payments, (payment) =>
    // Comparing one payment with a long history takes milliseconds. Other fibers run in between.
    Effect.andThen(
      Effect.yieldNow,
      search({
        ...payment,
        list,
        from: DateTime.subtractDuration(payment.since, clockSkew),
        readFrom: DateTime.subtractDuration(earliest, clockSkew),
        read: readOnce
      })
    )
  )
})

/** Searches the history for one payment: {@link findEach}. */
export const find = Effect.fnUntraced(function* (
  list: List,
  wanted: Comparison.Wanted,
  { since, ...options }: FindOptions
): Effect.fn.Return<Reconciliation, ListError | Unproven | InputInvalid, CustodyClient> {
  const isOurs = (row: Transaction) => Comparison.isOurs(wanted, row)
  const [result] = yield* findEach(list, [{ wanted, since }], options, isOurs)
  return yield* Effect.fromResult(result!)
})
