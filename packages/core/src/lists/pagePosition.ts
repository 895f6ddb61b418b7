/** Decides which page of a list comes next, whether the list has ended, and whether rows are missing. Pure. */
import * as Equal from "effect/Equal"
import * as HashSet from "effect/HashSet"
import * as Predicate from "effect/Predicate"
import type { Meta, Page } from "../answer/pageModel.ts"

/** The next page to read, and the facts about the pages before that page. */
export interface Position<A> {
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

export const start = (page: number): Position<never> => ({
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
export const selectNew = <A>(items: ReadonlyArray<A>, before: ReadonlyArray<A>): ReadonlyArray<A> => {
  const ids = new Set(before.map(readId))
  const mayBeOld = (item: A): boolean => ids.has(readId(item))
  if (!items.some(mayBeOld)) return items
  const rows = HashSet.fromIterable(before)
  return items.filter((item) => !mayBeOld(item) || !HashSet.has(rows, item))
}

/** `true` if the service sent the previous page again. If each row has its own id, only the ids are compared. */
export const isRepeated = ({ items }: Page<unknown>, { before }: Position<unknown>): boolean =>
  items.length > 0 && items.length === before.length && Equal.equals(makeKeys(items), makeKeys(before))

export const isUsedAgain = ({ cursor, cursors }: Position<unknown>): boolean =>
  cursor !== undefined && HashSet.has(cursors, cursor)

/** `true` if the service says that this page is the last, and no count contradicts it. */
const declaresEnd = (meta: Meta | undefined, page: number, returned: number): boolean => {
  const { hasNextPage, totalItems = returned, totalPages } = meta ?? {}
  if (hasNextPage === undefined && totalPages === undefined) return false
  return hasNextPage !== true && (totalPages ?? page) === page && returned <= totalItems
}

export const advance = <A>(
  { items, meta, nextCursor }: Page<A>,
  newItems: number,
  position: Position<A>
): Position<A> => {
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
export const isLast = (
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
export const isPastEnd = (error: unknown): boolean => {
  if (!Predicate.hasProperty(error, "status")) return false
  if (error.status === 400 || error.status === 404)
    return Predicate.hasProperty(error, "code") && Predicate.isString(error.code)
  return error.status === 410 || error.status === 416 || error.status === 422
}

/** Says how the service's own data shows that rows are missing; `undefined` if it shows no gap. */
export const findGap = (
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
  if (isCut || answer.hasNext === true) return "the service says that another page follows, but gives no cursor for it"
  return isLast && returned < total ? `the service counts ${total} items, but returned ${returned}` : undefined
}
