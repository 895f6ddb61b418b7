/**
 * Lists, one page at a time or all as a stream. How the service pages is not shown in the specification; see the
 * assumed conventions in the contract of each list.
 */
import * as Schema from "effect/Schema"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

/** What a list may be asked for. */
export const query = {
  /** From 1. */
  page: Schema.optionalKey(Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0)))),
  /** Items per page. The service's default is 10. */
  limit: Schema.optionalKey(Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0)))),
  sort_key: Schema.optionalKey(Schema.String),
  order: Schema.optionalKey(Schema.Literals(["asc", "desc"])),
  search: Schema.optionalKey(Schema.String)
}

/** Counts come as numbers or as digits. */
export const Count = Schema.Union([Schema.Int, Schema.FiniteFromString])

/** What an answer may say of the whole list. */
export const Meta = Schema.Struct({
  totalItems: Schema.optionalKey(Count),
  itemsPerPage: Schema.optionalKey(Count),
  totalPages: Schema.optionalKey(Count),
  currentPage: Schema.optionalKey(Count),
  hasPreviousPage: Schema.optionalKey(Schema.Boolean),
  hasNextPage: Schema.optionalKey(Schema.Boolean)
})
export interface Meta extends Schema.Schema.Type<typeof Meta> {}

/** One page of a list. */
export interface Page<A> {
  readonly items: ReadonlyArray<A>
  /** What the service says of the whole list, if it does. */
  readonly meta: Meta | undefined
}

/** The envelope of a list: `{ message, data: [...], meta?, status }`. */
export const envelope = <S extends Schema.Top>(item: S) =>
  Schema.Struct({
    message: Schema.optionalKey(Schema.String),
    data: Schema.Array(item),
    meta: Schema.optionalKey(Meta),
    status: Schema.optionalKey(Schema.Int)
  })

/** What a caller may ask of a page. */
export interface Request {
  readonly page?: number
  readonly limit?: number
}

const defaultLimit = 10

/** Whether another page follows: as the service says, or, where it does not, if this one is full. */
const hasNext = <A>(page: Page<A>, number: number, limit: number): boolean => {
  if (page.items.length === 0) return false
  if (page.meta?.hasNextPage !== undefined) return page.meta.hasNextPage
  if (page.meta?.totalPages !== undefined) return number < page.meta.totalPages
  return page.items.length >= limit
}

/**
 * Every item of a list, page after page from the one that is asked for, read as the consumer takes them. Without the
 * service's `meta` the last page is the short one.
 */
export const stream = <A, E, R, I extends Request>(
  list: (request: I) => Effect.Effect<Page<A>, E, R>,
  request: I
): Stream.Stream<A, E, R> =>
  Stream.paginate(request.page ?? 1, (number) =>
    Effect.map(list({ ...request, page: number }), (page) => [
      page.items,
      hasNext(page, number, request.limit ?? defaultLimit) ? Option.some(number + 1) : Option.none()
    ])
  )
