/**
 * Lists, one page at a time or all items as a stream.
 *
 * The specification does not show paging. The contract of each list says what we assume.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import { dual } from "effect/Function"
import * as HashSet from "effect/HashSet"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Meta, Page } from "../endpoint/Declaration.ts"

export { Count, Meta, type Page } from "../endpoint/Declaration.ts"

/**
 * The codecs of every list's query.
 *
 * @since 0.1.0
 * @category codecs
 */
export const query = {
  page: Schema.optionalKey(Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0)))),
  limit: Schema.optionalKey(Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0)))),
  sortKey: Schema.optionalKey(Schema.String),
  order: Schema.optionalKey(Schema.Literals(["asc", "desc"])),
  search: Schema.optionalKey(Schema.String)
}

/**
 * The query of every list.
 *
 * @since 0.1.0
 * @category models
 */
export interface Query {
  /** The number of the page, counted from 1. */
  readonly page?: number | undefined
  /** The number of items per page. The service's default is 10. */
  readonly limit?: number | undefined
  /** The field to sort by. The assumed wire sends it as `sort_key`. */
  readonly sortKey?: string | undefined
  readonly order?: "asc" | "desc" | undefined
  readonly search?: string | undefined
}

/**
 * The cursor of the page to read. {@link stream} and {@link after} set it.
 *
 * @since 0.1.0
 * @category references
 */
export const Cursor = Context.Reference<string | undefined>("@effect-custody/core/Page/Cursor", {
  defaultValue: () => undefined
})

/**
 * Reads the page after another page, by the other page's `nextCursor`. Call the list with the same input for both.
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
 * The service sent the same page twice in a row, or a cursor that was used before. So the service does not page as the
 * list's contract says. The items before that page are complete.
 *
 * @since 0.1.0
 * @category errors
 */
export class PageRepeated extends Schema.TaggedError<PageRepeated>("@effect-custody/core/Page/PageRepeated")(
  "PageRepeated",
  {
    operation: Schema.optionalKey(Schema.String),
    page: Schema.Int
  }
) {
  override get message(): string {
    const list = this.operation ?? "the list"
    return `${list}: page ${this.page} repeats an earlier one. Say in an adapter how the service pages`
  }
}

/**
 * The service's own data show that rows of the list are missing. Either the service does not number its pages as the
 * contract says, or rows were removed while the list was read. The items so far are not the whole list.
 *
 * @since 0.1.0
 * @category errors
 */
export class PagesIncomplete extends Schema.TaggedError<PagesIncomplete>("@effect-custody/core/Page/PagesIncomplete")(
  "PagesIncomplete",
  {
    operation: Schema.optionalKey(Schema.String),
    /** The number of the page whose data show that rows are missing. */
    page: Schema.Int,
    reason: Schema.String
  }
) {
  override get message(): string {
    return `${this.operation ?? "the list"}: ${this.reason}. Read it again, or confirm how the service pages`
  }
}

/**
 * The errors of reading several pages, in addition to the errors of the list.
 *
 * @since 0.1.0
 * @category errors
 */
export type PagingError = PageRepeated | PagesIncomplete

/** The function of a list. Errors show the name of its operation, such as `transactions.list`. */
interface List<I, A, E, R> {
  (request: I): Effect.Effect<Page<A>, E, R>
  readonly operation?: string | undefined
}

/** A page, and its items that were not on the previous page. */
interface PageRead<A> {
  readonly page: Page<A>
  readonly newItems: ReadonlyArray<A>
}

type Step<A> = readonly [ReadonlyArray<PageRead<A>>, Option.Option<Position<A>>]

const noPage: Page<never> = { items: [], meta: undefined }

/**
 * Streams pages. With `beyondEnd`, the stream continues after the page that the service declares to be the last. An
 * empty, refused or repeated page then ends the stream.
 */
const readPages = <A, E, R, I extends Pick<Query, "page" | "limit">>(
  list: List<I, A, E, R>,
  request: I,
  beyondEnd: boolean
): Stream.Stream<PageRead<A>, E | PagingError, R> => {
  const name = list.operation === undefined ? {} : { operation: list.operation }
  const first: Position<A> = startAt(request.page ?? 1)
  return Stream.paginate(first, (position): Effect.Effect<Step<A>, E | PagingError, R> => {
    const { cursor, cursors, isBeyond, page } = position
    if (cursor !== undefined && HashSet.has(cursors, cursor)) return Effect.fail(new PageRepeated({ page, ...name }))
    const requested = list({ ...request, page })
    const answered: Effect.Effect<Page<A>, E, R> = cursor === undefined ? requested : after(requested, cursor)
    const answer = isBeyond
      ? answered.pipe(
          Effect.catchIf(isPastEnd, () => Effect.succeed(noPage)),
          Effect.map((answer) => (isRepeated(answer, position) ? noPage : answer))
        )
      : answered
    return Effect.flatMap(answer, (read: Page<A>): Effect.Effect<Step<A>, PagingError> => {
      if (isRepeated(read, position)) return Effect.fail(new PageRepeated({ page, ...name }))
      const newItems = selectNew(read.items, position.before)
      const next = advance(read, newItems.length, position)
      const isLast = isLastPage(read, position, next, beyondEnd)
      const reason = findGap(read, position, next, isLast)
      if (reason !== undefined) return Effect.fail(new PagesIncomplete({ page, reason, ...name }))
      const isNone = isBeyond && read.items.length === 0
      return Effect.succeed([isNone ? [] : [{ page: read, newItems }], isLast ? Option.none() : Option.some(next)])
    })
  })
}

/**
 * Streams the pages of a list as the service returns them. The stream ends and fails like {@link stream}. With
 * `beyondEnd`, it continues after the page that the service declares to be the last, until a page is empty, refused or
 * repeated.
 *
 * @since 0.1.0
 * @category streams
 */
export const pages = <A, E, R, I extends Pick<Query, "page" | "limit">>(
  list: List<I, A, E, R>,
  request: I,
  options?: { readonly beyondEnd?: boolean | undefined }
): Stream.Stream<Page<A>, E | PagingError, R> =>
  Stream.map(readPages(list, request, options?.beyondEnd === true), ({ page }) => page)

/**
 * Streams every item of a list, page by page from the requested page on, as the consumer takes them. The service pages
 * by number, unless an adapter says otherwise.
 *
 * The stream ends at an empty page, at the end that the service declares (`hasNextPage`, `totalPages`), or, if the
 * service pages by cursor, at a page without a next cursor. It skips an item that was on the previous page. The SDK
 * cannot notice missing rows if the service declares an end too early, or numbers its pages from zero and sends no
 * counts.
 *
 * Fails with the errors of the list, and with {@link PageRepeated}. Fails with {@link PagesIncomplete} if
 * `currentPage`, `totalItems`, `hasPreviousPage` on page 1 or a next page without a cursor shows that rows are missing.
 *
 * @since 0.1.0
 * @category streams
 */
export const stream = <A, E, R, I extends Pick<Query, "page" | "limit">>(
  list: List<I, A, E, R>,
  request: I
): Stream.Stream<A, E | PagingError, R> =>
  Stream.flatMap(readPages(list, request, false), ({ newItems }) => Stream.fromArray(newItems))

// Which page of a list comes next, whether the list has ended, and whether rows are missing. Pure.

/** The next page to read, and the facts about the pages before that page. */
interface Position<A> {
  readonly page: number
  readonly cursor: string | undefined
  /** The cursors that were used already. */
  readonly cursors: HashSet.HashSet<string>
  readonly before: ReadonlyArray<A>
  /** `returned` counts the rows passed on. `leftOut` counts the rows dropped because the page before had them. */
  readonly returned: number
  readonly leftOut: number
  /**
   * The number of rows to expect: the largest `totalItems - leftOut` so far. A row that is inserted on an earlier page
   * is never read, but `totalItems` counts it. Each such row makes another row appear on two pages, which `leftOut`
   * counts. `undefined` if the list is not read from its first page.
   */
  readonly total: number | undefined
  /** `true` if the service declared an earlier page to be the last. */
  readonly isBeyond: boolean
}

const startAt = (page: number): Position<never> => ({
  page,
  cursor: undefined,
  cursors: HashSet.empty(),
  before: [],
  returned: 0,
  leftOut: 0,
  total: page === 1 ? 0 : undefined,
  isBeyond: false
})

const readId = (row: unknown): unknown =>
  Predicate.isReadonlyObject(row) ? (row["id"] ?? row["externalId"]) : undefined

/** Returns keys that tell rows apart: their ids, or the whole rows if an id is missing or occurs twice. */
const makeKeys = (rows: ReadonlyArray<unknown>): ReadonlyArray<unknown> => {
  const ids = rows.map(readId)
  return ids.includes(undefined) || new Set(ids).size < ids.length ? rows : ids
}

/**
 * Selects the rows that were not on the page before. Rows may share an id, so a row counts as old only if all its
 * fields are equal.
 */
const selectNew = <A>(items: ReadonlyArray<A>, before: ReadonlyArray<A>): ReadonlyArray<A> => {
  const ids = new Set(before.map(readId))
  const mayBeOld = (item: A): boolean => ids.has(readId(item))
  if (!items.some(mayBeOld)) return items
  const rows = HashSet.fromIterable(before)
  return items.filter((item) => !mayBeOld(item) || !HashSet.has(rows, item))
}

/** `true` if the service sent the previous page again. If each row has its own id, only the ids are compared. */
const isRepeated = ({ items }: Page<unknown>, { before }: Position<unknown>): boolean =>
  items.length > 0 && items.length === before.length && Equal.equals(makeKeys(items), makeKeys(before))

/** `true` if the service says that this page is the last, and no count contradicts it. */
const declaresEnd = (meta: Meta | undefined, page: number, returned: number): boolean => {
  const { hasNextPage, totalItems = returned, totalPages } = meta ?? {}
  if (hasNextPage === undefined && totalPages === undefined) return false
  return hasNextPage !== true && (totalPages ?? page) === page && returned <= totalItems
}

const advance = <A>({ items, meta, nextCursor }: Page<A>, newItems: number, position: Position<A>): Position<A> => {
  const { cursor, cursors } = position
  const leftOut = position.leftOut + items.length - newItems
  const returned = position.returned + newItems
  return {
    page: position.page + 1,
    cursor: nextCursor,
    cursors: cursor === undefined ? cursors : HashSet.add(cursors, cursor),
    before: items,
    returned,
    leftOut,
    // Ignore `totalItems` on an empty page that is not the first, and on a page beyond a declared end. There, it may
    // count rows that were added to an earlier page after the SDK had read that page.
    total:
      position.total === undefined || (items.length === 0 && position.returned > 0) || position.isBeyond
        ? position.total
        : Math.max(position.total, (meta?.totalItems ?? 0) - leftOut),
    isBeyond: position.isBeyond || declaresEnd(meta, position.page, returned)
  }
}

/** `true` at an empty page, a declared end, or a page without a cursor where the service pages by cursor or link. */
const isLastPage = (
  answer: Page<unknown>,
  position: Position<unknown>,
  next: Position<unknown>,
  readsBeyond: boolean
): boolean => {
  const { items, nextCursor } = answer
  // An empty page is the end if its next cursor is the cursor that requested it.
  if (items.length === 0 && nextCursor === position.cursor) return true
  if (nextCursor !== undefined) return next.isBeyond && !readsBeyond
  const isOutOfCursors = position.cursor !== undefined || answer.hasNext === false
  return isOutOfCursors || items.length === 0 || (next.isBeyond && !readsBeyond)
}

/**
 * `true` if an error says that there is no such page: a 410, 416 or 422, or a 400 or 404 with a code. A 400 or
 * 404 without a code may come from a gateway.
 */
const isPastEnd = (error: unknown): boolean => {
  if (!Predicate.hasProperty(error, "status")) return false
  if (error.status === 400 || error.status === 404)
    return Predicate.hasProperty(error, "code") && Predicate.isString(error.code)
  return error.status === 410 || error.status === 416 || error.status === 422
}

/** Says how the service's own data shows that rows are missing; `undefined` if it shows no gap. */
const findGap = (
  answer: Page<unknown>,
  { cursor, page }: Position<unknown>,
  { returned, total = 0 }: Position<unknown>,
  isLast: boolean
): string | undefined => {
  const { items, meta, nextCursor } = answer
  const current = meta?.currentPage ?? page
  if (items.length > 0 && current !== page) {
    return `page ${page} was requested, but the service says that it returned page ${current}`
  }
  if (page === 1 && meta?.hasPreviousPage === true) return "the service says that page 1 has a previous page"
  const isCut = cursor !== undefined && nextCursor === undefined && meta?.hasNextPage === true
  if (isCut || answer.hasNext === true) return "another page may follow, but nothing says where it is"
  return isLast && returned < total ? `the service counts ${total} items, but returned ${returned}` : undefined
}
