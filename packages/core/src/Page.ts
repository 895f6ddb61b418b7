/**
 * Lists, one page at a time or all items as a stream.
 *
 * Specification: how the service pages is not shown. The contract of each list says what is assumed.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import { dual } from "effect/Function"
import * as Hash from "effect/Hash"
import * as HashSet from "effect/HashSet"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { isCutOff } from "./internal/contract/paging.ts"

/**
 * What every list takes.
 *
 * @since 0.1.0
 * @category models
 */
export interface Query {
  /** From 1. */
  readonly page?: number
  /** Items per page. The service's default is 10. */
  readonly limit?: number
  readonly sort_key?: string
  readonly order?: "asc" | "desc"
  readonly search?: string
}

/**
 * The codecs of a {@link Query}.
 *
 * @since 0.1.0
 * @category codecs
 */
export const query = {
  /** From 1. */
  page: Schema.optionalKey(Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0)))),
  /** Items per page. The service's default is 10. */
  limit: Schema.optionalKey(Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0)))),
  sort_key: Schema.optionalKey(Schema.String),
  order: Schema.optionalKey(Schema.Literals(["asc", "desc"])),
  search: Schema.optionalKey(Schema.String)
}

/**
 * The codec of a count: an integer, or its digits in a string.
 *
 * @since 0.1.0
 * @category codecs
 */
export const Count = Schema.Union([Schema.Int, Schema.FiniteFromString])

/**
 * The codec of a {@link Meta}.
 *
 * @since 0.1.0
 * @category codecs
 */
export const Meta = Schema.Struct({
  totalItems: Schema.optionalKey(Count),
  itemsPerPage: Schema.optionalKey(Count),
  totalPages: Schema.optionalKey(Count),
  currentPage: Schema.optionalKey(Count),
  hasPreviousPage: Schema.optionalKey(Schema.Boolean),
  hasNextPage: Schema.optionalKey(Schema.Boolean)
})
/**
 * What an answer may say about the whole list.
 *
 * @since 0.1.0
 * @category models
 */
export interface Meta extends Schema.Schema.Type<typeof Meta> {}

/**
 * One page of a list.
 *
 * @since 0.1.0
 * @category models
 */
export interface Page<A> {
  readonly items: ReadonlyArray<A>
  /** The paging information that the service sends with the list, if any. */
  readonly meta: Meta | undefined
  /** The cursor of the next page, if the service pages by cursor, link or offset. {@link after} takes it. */
  readonly nextCursor?: string
}

/**
 * The cursor of the page to read, for a service that pages by cursor, link or offset according to its `WireContract`.
 * {@link stream} and {@link after} set it.
 *
 * @since 0.1.0
 * @category references
 */
export const Cursor = Context.Reference<string | undefined>("@effect-custody/core/Page/Cursor", {
  defaultValue: () => undefined
})

/**
 * Reads the page after another one, from a service that pages by cursor, link or offset. The input is the same as for
 * the page before.
 *
 * @example
 * ```ts
 * import { Page } from "@effect-custody/core"
 * import { Transactions } from "@effect-custody/sdk"
 * import { Effect } from "effect"
 *
 * const twoPages = Effect.gen(function* () {
 *   const first = yield* Transactions.list({ limit: 50 })
 *   if (first.nextCursor === undefined) return first.items
 *   const second = yield* Transactions.list({ limit: 50 }).pipe(Page.after(first.nextCursor))
 *   return [...first.items, ...second.items]
 * })
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const after: {
  (cursor: string): <A, E, R>(list: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  <A, E, R>(list: Effect.Effect<A, E, R>, cursor: string): Effect.Effect<A, E, R>
} = dual(2, <A, E, R>(list: Effect.Effect<A, E, R>, cursor: string): Effect.Effect<A, E, R> =>
  Effect.provideService(list, Cursor, cursor)
)

/**
 * The codec of a list's envelope: `{ message, data: [...], meta?, status }`.
 *
 * @since 0.1.0
 * @category codecs
 */
export const envelope = <S extends Schema.Top>(item: S) =>
  Schema.Struct({
    message: Schema.optionalKey(Schema.String),
    data: Schema.Array(item),
    meta: Schema.optionalKey(Meta),
    status: Schema.optionalKey(Schema.Int)
  })

/**
 * The page that {@link stream} starts with, from 1, and how many items to ask for at a time.
 *
 * @since 0.1.0
 * @category models
 */
export interface Request {
  readonly page?: number
  readonly limit?: number
}

/**
 * The service sent the same page twice, or the same cursor: it does not page as the contract of the list says, and the
 * rest of the list cannot be read. The items before it are complete.
 *
 * @since 0.1.0
 * @category errors
 */
export class PageRepeated extends Schema.TaggedError<PageRepeated>()("PageRepeated", {
  /** The list, such as `transactions.list`, if it is an operation of the API. */
  operation: Schema.optionalKey(Schema.String),
  /** The number of the repeated page. */
  page: Schema.Int
}) {
  override get message(): string {
    const list = this.operation ?? "the list"
    return `${list}: page ${this.page} repeats an earlier one. Set how the service pages in a WireContract`
  }
}

/**
 * By the service's own counts, rows of the list are missing: it numbers its pages differently from the contract of the
 * list, or rows were removed while the list was read. The items so far are not the whole list.
 *
 * @since 0.1.0
 * @category errors
 */
export class PagesIncomplete extends Schema.TaggedError<PagesIncomplete>()("PagesIncomplete", {
  /** The list, such as `transactions.list`, if it is an operation of the API. */
  operation: Schema.optionalKey(Schema.String),
  /** The number of the page that was read last. */
  page: Schema.Int,
  /** What does not agree. */
  reason: Schema.String
}) {
  override get message(): string {
    return `${this.operation ?? "the list"}: ${this.reason}. Read it again, or confirm how the service pages`
  }
}

/**
 * How reading page after page can fail, in addition to the errors of the list.
 *
 * @since 0.1.0
 * @category errors
 */
export type PagingError = PageRepeated | PagesIncomplete

/** The next page to read, and what was read before it. */
interface Position<A> {
  readonly page: number
  readonly before: ReadonlyArray<A>
  /** How many items were returned. */
  readonly given: number
  /** How many items were left out, because they were on the page before. */
  readonly leftOut: number
  /**
   * The largest `totalItems` that the service has sent, less the items that were left out until then: an item that comes
   * twice shows that another one was inserted before it. `undefined` if the list is not read from its first page.
   */
  readonly total: number | undefined
  readonly cursor: string | undefined
  /** Whether a page before was said to be the last one: this one is asked for only because pages may be capped. */
  readonly isExtra: boolean
  /** How many empty pages came directly before this one. */
  readonly empty: number
  /** The cursors that were asked for. */
  readonly cursors: HashSet.HashSet<string>
  /** A short key of each page that had rows. */
  readonly pages: HashSet.HashSet<string>
}

const beginning = (page: number): Position<never> => ({
  page,
  before: [],
  given: 0,
  leftOut: 0,
  total: page === 1 ? 0 : undefined,
  cursor: undefined,
  isExtra: false,
  empty: 0,
  cursors: HashSet.empty(),
  pages: HashSet.empty()
})

const idOf = (item: unknown): unknown =>
  Predicate.isReadonlyObject(item) ? (item["id"] ?? item["externalId"]) : undefined

/**
 * The items that were not on the page before: a row that is inserted between two reads moves the rows after it. Two rows
 * may have one id, such as two payments in one transaction of a chain: only a row that is the same in all is left out.
 */
const unseen = <A>(items: ReadonlyArray<A>, before: ReadonlyArray<A>): ReadonlyArray<A> => {
  const ids = new Set(before.map(idOf))
  ids.delete(undefined)
  if (!items.some((item) => ids.has(idOf(item)))) return items
  const rows = HashSet.fromIterable(before)
  return items.filter((item) => !ids.has(idOf(item)) || !HashSet.has(rows, item))
}

/** A short key of a page: from the ids of its rows, because other fields may change; from the whole rows if ids repeat. */
const shortOf = (items: ReadonlyArray<unknown>): string => {
  const ids = new Set(items.map(idOf))
  const isById = ids.size === items.length && !ids.has(undefined)
  const [first, last] = [items[0], items.at(-1)]
  return [items.length, ...(isById ? [idOf(first), idOf(last)] : [Hash.hash(items)])].join("\n")
}

/** Whether the service has sent this page before. */
const isRepeated = <A>({ items }: Page<A>, news: ReadonlyArray<A>, { before, pages }: Position<A>): boolean =>
  items.length > 0 && ((before.length > 0 && news.length === 0) || HashSet.has(pages, shortOf(items)))

/** The position after a page that brought so many new items. */
const following = <A>({ items, meta, nextCursor }: Page<A>, news: number, position: Position<A>): Position<A> => {
  const { before, cursor, cursors, empty, given, page, pages, total } = position
  const isEmpty = items.length === 0
  const leftOut = position.leftOut + items.length - news
  return {
    page: page + 1,
    before: isEmpty ? before : items,
    given: given + news,
    leftOut,
    total: total === undefined ? undefined : Math.max(total, (meta?.totalItems ?? 0) - leftOut),
    cursor: nextCursor,
    isExtra: position.isExtra || saysEnd(meta, page, given + news),
    empty: isEmpty ? empty + 1 : 0,
    cursors: cursor === undefined ? cursors : HashSet.add(cursors, cursor),
    pages: isEmpty ? pages : HashSet.add(pages, shortOf(items))
  }
}

/**
 * Whether the service caps its pages below the limit, this one is full, and no count shows that it has the last row. If
 * it takes a page with fewer rows than the limit for the last one, it says of each page that no other follows, and counts
 * one page where it divides its rows by the limit.
 */
const isCapped = ({ items, meta }: Page<unknown>, limit: number, given: number): boolean => {
  const { itemsPerPage = limit, totalItems = Infinity } = meta ?? {}
  return itemsPerPage < limit && items.length === itemsPerPage && given < totalItems
}

/** Whether the service says that no page follows, and none of its counts contradicts that or the rows. */
const saysEnd = (meta: Meta | undefined, page: number, given: number): boolean => {
  const { hasNextPage, totalItems = given, totalPages } = meta ?? {}
  if (hasNextPage === undefined && totalPages === undefined) return false
  return hasNextPage !== true && (totalPages ?? page) === page && given <= totalItems
}

/** Whether the service says that a page follows an empty one: it may divide a list into pages and filter them afterwards. */
const saysMore = ({ meta, nextCursor }: Page<unknown>, { cursor, page }: Position<unknown>): boolean =>
  cursor === undefined && nextCursor === undefined
    ? meta?.hasNextPage === true || page < (meta?.totalPages ?? 0)
    : nextCursor !== undefined && (nextCursor !== cursor || meta?.hasNextPage === true)

/** Whether no page follows this one. */
const isLast = (
  answer: Page<unknown>,
  position: Position<unknown>,
  next: Position<unknown>,
  limit: number | undefined
): boolean => {
  const { items, meta, nextCursor } = answer
  const isOutOfCursors = position.cursor !== undefined && nextCursor === undefined
  const isToldLast =
    saysEnd(meta, position.page, next.given) && (limit === undefined || !isCapped(answer, limit, next.given))
  return (items.length === 0 && !saysMore(answer, position)) || isOutOfCursors || isToldLast
}

const noPage: Page<never> = { items: [], meta: undefined }

/**
 * Whether an error says that there is no such page: a 410, 416 or 422, or a 400 or 404 with a code. Without a code, a
 * gateway may have answered.
 */
const isPastEnd = (error: unknown): boolean => {
  if (!Predicate.hasProperty(error, "status")) return false
  if (error.status === 400 || error.status === 404)
    return Predicate.hasProperty(error, "code") && Predicate.isString(error.code)
  return error.status === 410 || error.status === 416 || error.status === 422
}

/** What an extra page shows: nothing, if it is the page before it. */
const beyond = <A>(answer: Page<A>, before: ReadonlyArray<A>): Page<A> => {
  const { items } = answer
  const isSame = items.length === before.length && items.every((item, at) => Equal.equals(item, before[at]))
  return isSame ? noPage : answer
}

/** After so many empty pages in a row, the rest of a list counts as missing. */
const mostEmpty = 100

/** Why the service's own data shows that rows are missing; `undefined` if it does not. */
const missing = (
  answer: Page<unknown>,
  { cursor, page }: Position<unknown>,
  { empty, given, total = 0 }: Position<unknown>,
  isEnd: boolean
): string | undefined => {
  const { items, meta, nextCursor } = answer
  const current = meta?.currentPage ?? page
  if (items.length > 0 && current !== page) {
    return `page ${page} was requested, but the service says that it returned page ${current}`
  }
  if (page === 1 && meta?.hasPreviousPage === true) return "the service says that page 1 has a previous page"
  const isCut = cursor !== undefined && nextCursor === undefined && meta?.hasNextPage === true
  if (isCut || isCutOff(answer)) return "the service says that another page follows, but gives no cursor for it"
  if (isEnd) return given < total ? `the service counts ${total} items, but returned ${given}` : undefined
  return empty > mostEmpty ? `${empty} empty pages in a row say that more follow` : undefined
}

/** The items of a page, and where to continue. */
type Step<A> = readonly [ReadonlyArray<A>, Option.Option<Position<A>>]

/**
 * Streams every item of a list, page by page from the requested one, as the consumer takes them.
 *
 * If the service says nothing about the whole list, or its counts contradict the rows or each other, only an empty page
 * ends it, because a page may have fewer items than the limit. An empty page does not end it if the service says that
 * others follow: by `hasNextPage` or `totalPages`, or by a new cursor. A full page that is smaller than the limit does
 * not end it either, even if it is said to be the last one, unless `totalItems` shows that it is: the page after it ends
 * the list if it is empty, the same again, or refused (400, 404, 410, 416 or 422; the first two only with a code). An item
 * that was on the page before, the same in all its fields, is not repeated.
 *
 * Fails as the list does, and with {@link PageRepeated} if the service sends the same page or the same cursor twice. It
 * fails with {@link PagesIncomplete} if the service shows that rows are missing: by its counts (`currentPage`, the
 * largest `totalItems`), by a page before page 1 (`hasPreviousPage`), by a next page without a cursor, or by a hundred
 * empty pages in a row that say that others follow. If a service says nothing about the whole list, the stream cannot
 * notice that it counts pages from zero, and misses the first page; nor that rows follow an empty page.
 *
 * @since 0.1.0
 * @category streams
 */
export const stream = <A, E, R, I extends Request>(
  list: ((request: I) => Effect.Effect<Page<A>, E, R>) & { readonly operation?: string },
  request: I
): Stream.Stream<A, E | PagingError, R> => {
  const named = list.operation === undefined ? {} : { operation: list.operation }
  const first: Position<A> = beginning(request.page ?? 1)
  return Stream.paginate(first, (position): Effect.Effect<Step<A>, E | PagingError, R> => {
    const { cursor, cursors, page } = position
    if (cursor !== undefined && HashSet.has(cursors, cursor)) return Effect.fail(new PageRepeated({ page, ...named }))
    const asked = list({ ...request, page })
    const read = cursor === undefined ? asked : after(asked, cursor)
    const answered = position.isExtra
      ? Effect.catchIf(
          Effect.map(read, (answer) => beyond(answer, position.before)),
          isPastEnd,
          () => Effect.succeed<Page<A>>(noPage)
        )
      : read
    return Effect.flatMap(answered, (answer): Effect.Effect<Step<A>, PagingError> => {
      const news = unseen(answer.items, position.before)
      if (isRepeated(answer, news, position)) return Effect.fail(new PageRepeated({ page, ...named }))
      const next = following(answer, news.length, position)
      const isEnd = isLast(answer, position, next, request.limit)
      const reason = missing(answer, position, next, isEnd)
      if (reason !== undefined) return Effect.fail(new PagesIncomplete({ page, reason, ...named }))
      return Effect.succeed([news, isEnd ? Option.none() : Option.some(next)])
    })
  })
}
