/** Where in a list to read on, whether the list has ended, and whether rows of it are missing. Pure. */
import * as Equal from "effect/Equal"
import * as HashSet from "effect/HashSet"
import * as Predicate from "effect/Predicate"
import type { Meta, Page } from "./pageModel.ts"
import { isCutOff, isEnd } from "../answer/ListAnswer.ts"

/** The next page to read, and what was read before it. */
export interface Position<A> {
  readonly page: number
  readonly cursor: string | undefined
  /** Those that were used. */
  readonly cursors: HashSet.HashSet<string>
  readonly before: ReadonlyArray<A>
  /** How many rows were returned, and how many left out, because they were on the page before. */
  readonly given: number
  readonly leftOut: number
  /**
   * The largest `totalItems` so far, minus the rows that were left out by then: each of them shows that another row was
   * inserted before it. `undefined` if the list is not read from its first page.
   */
  readonly total: number | undefined
  /** Whether the service has declared a page before this one the last. */
  readonly isBeyond: boolean
}

export const beginning = (page: number): Position<never> => ({
  page,
  cursor: undefined,
  cursors: HashSet.empty(),
  before: [],
  given: 0,
  leftOut: 0,
  total: page === 1 ? 0 : undefined,
  isBeyond: false
})

const idOf = (row: unknown): unknown => (Predicate.isReadonlyObject(row) ? (row["id"] ?? row["externalId"]) : undefined)

/** What tells rows apart: their ids, or the whole rows where an id is missing or shared. */
const keysOf = (rows: ReadonlyArray<unknown>): ReadonlyArray<unknown> => {
  const ids = rows.map(idOf)
  return ids.includes(undefined) || new Set(ids).size < ids.length ? rows : ids
}

/** The rows that were not on the page before. Rows may share an id: only one that is equal in all fields is left out. */
export const unseen = <A>(items: ReadonlyArray<A>, before: ReadonlyArray<A>): ReadonlyArray<A> => {
  const rows = HashSet.fromIterable(before)
  return items.filter((item) => !HashSet.has(rows, item))
}

/** Whether the service has sent the page before again. Fields of a row may have changed, if ids tell the rows apart. */
export const isRepeated = ({ items }: Page<unknown>, { before }: Position<unknown>): boolean =>
  items.length > 0 && items.length === before.length && Equal.equals(keysOf(items), keysOf(before))

export const isUsedAgain = ({ cursor, cursors }: Position<unknown>): boolean =>
  cursor !== undefined && HashSet.has(cursors, cursor)

/** Whether the service declares a page the last one, and no count contradicts that. */
const declaresEnd = (meta: Meta | undefined, page: number, given: number): boolean => {
  const { hasNextPage, totalItems = given, totalPages } = meta ?? {}
  if (hasNextPage === undefined && totalPages === undefined) return false
  return hasNextPage !== true && (totalPages ?? page) === page && given <= totalItems
}

export const following = <A>(
  { items, meta, nextCursor }: Page<A>,
  news: number,
  position: Position<A>
): Position<A> => {
  const { cursor, cursors } = position
  const leftOut = position.leftOut + items.length - news
  const given = position.given + news
  return {
    page: position.page + 1,
    cursor: nextCursor,
    cursors: cursor === undefined ? cursors : HashSet.add(cursors, cursor),
    before: items,
    given,
    leftOut,
    // An empty page after others, or one beyond a declared end, may count rows that were added to the page before it.
    total:
      position.total === undefined || (items.length === 0 && position.given > 0) || position.isBeyond
        ? position.total
        : Math.max(position.total, (meta?.totalItems ?? 0) - leftOut),
    isBeyond: position.isBeyond || declaresEnd(meta, position.page, given)
  }
}

/** Whether no page follows: an empty page, a declared end, or no cursor where the service pages by cursor or link. */
export const isLast = (
  answer: Page<unknown>,
  position: Position<unknown>,
  next: Position<unknown>,
  readsBeyond: boolean
): boolean => {
  const { items, nextCursor } = answer
  // An empty page that repeats its cursor is the end.
  if (items.length === 0 && nextCursor === position.cursor) return true
  if (nextCursor !== undefined) return next.isBeyond && !readsBeyond
  const isOutOfCursors = position.cursor !== undefined || isEnd(answer)
  return isOutOfCursors || items.length === 0 || (next.isBeyond && !readsBeyond)
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

/** Why the service's own data shows that rows are missing; `undefined` if it does not. */
export const missing = (
  answer: Page<unknown>,
  { cursor, page }: Position<unknown>,
  { given, total = 0 }: Position<unknown>,
  isLast: boolean
): string | undefined => {
  const { items, meta, nextCursor } = answer
  const current = meta?.currentPage ?? page
  if (items.length > 0 && current !== page) {
    return `page ${page} was requested, but the service says that it returned page ${current}`
  }
  if (page === 1 && meta?.hasPreviousPage === true) return "the service says that page 1 has a previous page"
  const isCut = cursor !== undefined && nextCursor === undefined && meta?.hasNextPage === true
  if (isCut || isCutOff(answer)) return "the service says that another page follows, but gives no cursor for it"
  return isLast && given < total ? `the service counts ${total} items, but returned ${given}` : undefined
}
