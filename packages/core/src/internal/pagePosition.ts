/** Where in a list to read on, whether the list has ended, and whether rows of it are missing. Pure. */
import * as Equal from "effect/Equal"
import * as HashSet from "effect/HashSet"
import * as Predicate from "effect/Predicate"
import type { Meta, Page } from "../Page.ts"
import { isCutOff, isEnd } from "./contract/paging.ts"
import { idOf, isNoDeeper, marksOf, shortOf } from "./pageRows.ts"

/** The next page to read, and what was read before it. */
export interface Position<A> {
  readonly page: number
  readonly before: ReadonlyArray<A>
  /** The number of rows of the largest page. */
  readonly largest: number
  /** How many items were returned. */
  readonly given: number
  /** How many items were left out, because they were on the page before. */
  readonly leftOut: number
  /**
   * The largest `totalItems` so far, minus the repeated items that were left out by then: each of them shows that another
   * item was inserted before it. `undefined` if the list is not read from its first page.
   */
  readonly total: number | undefined
  readonly cursor: string | undefined
  /** Whether a page before was said to be the last one: this one is asked for only because pages may be capped. */
  readonly isExtra: boolean
  /** How many empty pages came directly before this one. */
  readonly empty: number
  /** How many pages directly before this one, empty ones aside, brought nothing that lies deeper in the list. */
  readonly stuck: number
  /** The cursors that were asked for. */
  readonly cursors: HashSet.HashSet<string>
  /** A short key of each page that had rows. */
  readonly pages: HashSet.HashSet<string>
}

export const beginning = (page: number): Position<never> => ({
  page,
  before: [],
  largest: 0,
  given: 0,
  leftOut: 0,
  total: page === 1 ? 0 : undefined,
  cursor: undefined,
  isExtra: false,
  empty: 0,
  stuck: 0,
  cursors: HashSet.empty(),
  pages: HashSet.empty()
})

/**
 * The items that were not on the page before: a row that is inserted between two reads moves the rows after it. Two rows
 * may have one id, such as two payments in one transaction of a chain: only a row that is the same in all is left out.
 */
export const unseen = <A>(items: ReadonlyArray<A>, before: ReadonlyArray<A>): ReadonlyArray<A> => {
  const ids = new Set(before.map(idOf))
  ids.delete(undefined)
  if (!items.some((item) => ids.has(idOf(item)))) return items
  const rows = HashSet.fromIterable(before)
  return items.filter((item) => !ids.has(idOf(item)) || !HashSet.has(rows, item))
}

/**
 * Whether the service has sent this page before. A page that is only a part of the one before it is none: a row that was
 * inserted between the two reads has moved these rows to a page of their own.
 */
export const isRepeated = <A>({ items }: Page<A>, news: ReadonlyArray<A>, { before, pages }: Position<A>): boolean => {
  if (items.length === 0) return false
  if (news.length === 0 && items.length >= before.length) return true
  const marks = marksOf(items)
  return marks.by !== "texts" && HashSet.has(pages, shortOf(items, marks))
}

/** The position after a page that brought so many new items. */
export const following = <A>(
  { items, meta, nextCursor }: Page<A>,
  news: number,
  position: Position<A>
): Position<A> => {
  const { before, cursor, cursors, empty, given, largest, page, pages, stuck, total } = position
  const isEmpty = items.length === 0
  const marks = marksOf(items)
  const short = shortOf(items, marks)
  const isStuck = HashSet.has(pages, short) || isNoDeeper(marks, marksOf(before))
  const leftOut = position.leftOut + items.length - news
  return {
    page: page + 1,
    before: isEmpty ? before : items,
    largest: Math.max(largest, items.length),
    given: given + news,
    leftOut,
    total: total === undefined ? undefined : Math.max(total, (meta?.totalItems ?? 0) - leftOut),
    cursor: nextCursor,
    isExtra: position.isExtra || saysEnd(meta, page, given + news),
    empty: isEmpty ? empty + 1 : 0,
    // A page with fewer rows says nothing: the rows of the end of the list may be pushed out of it one by one.
    stuck: isEmpty || items.length < before.length ? stuck : isStuck ? stuck + 1 : 0,
    cursors: cursor === undefined ? cursors : HashSet.add(cursors, cursor),
    pages: isEmpty ? pages : HashSet.add(pages, short)
  }
}

/**
 * Whether the service may cap its pages below the limit, this one may be full, and no count shows that it has the last
 * row. Such a service may take every page that is shorter than the requested limit for the last one, and say that there
 * are no more pages.
 */
const mayBeCapped = ({ items, meta }: Page<unknown>, limit: number, largest: number, given: number): boolean => {
  const { itemsPerPage, totalItems = Infinity } = meta ?? {}
  const isFull = itemsPerPage === undefined ? items.length >= largest : items.length === itemsPerPage
  return isFull && items.length < limit && given < totalItems
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
export const isLast = (
  answer: Page<unknown>,
  position: Position<unknown>,
  next: Position<unknown>,
  limit: number | undefined
): boolean => {
  const { items, meta, nextCursor } = answer
  const isOutOfCursors = position.cursor !== undefined && nextCursor === undefined
  const isMore = limit !== undefined && mayBeCapped(answer, limit, position.largest, next.given)
  const isToldLast = saysEnd(meta, position.page, next.given) && (isEnd(answer) || !isMore)
  return (items.length === 0 && !saysMore(answer, position)) || isOutOfCursors || isToldLast
}

/**
 * Whether an error says that there is no such page: a 410, 416 or 422, or a 400 or 404 with a code. Without a code, a
 * gateway may have answered.
 */
export const isPastEnd = (error: unknown): boolean => {
  if (!Predicate.hasProperty(error, "status")) return false
  if (error.status === 400 || error.status === 404)
    return Predicate.hasProperty(error, "code") && Predicate.isString(error.code)
  return error.status === 410 || error.status === 416 || error.status === 422
}

/** Whether a page is the one before it again. Fields of a row may have changed, if ids tell the rows apart. */
export const isPageBefore = ({ items }: Page<unknown>, { before }: Position<unknown>): boolean => {
  const [now, then] = [marksOf(items), marksOf(before)]
  const isByIds = now.by === "ids" && then.by === "ids"
  return items.length === before.length && (isByIds ? Equal.equals(now.keys, then.keys) : Equal.equals(items, before))
}

/** Whether the cursor of a position was asked for before. */
export const isAskedAgain = ({ cursor, cursors }: Position<unknown>): boolean =>
  cursor !== undefined && HashSet.has(cursors, cursor)

/** So many pages in a row may bring nothing that lies deeper: whole pages of rows may have been inserted meanwhile. */
const mostStuck = 5

/** Whether the service gives the same part of the list for ever, though rows of it change, or others come on top. */
export const isStuck = ({ stuck }: Position<unknown>): boolean => stuck > mostStuck

/** After this many empty pages in a row, the rest of a list counts as missing. */
const mostEmpty = 100

/** Why the service's own data shows that rows are missing; `undefined` if it does not. */
export const missing = (
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
