/**
 * Lists, one page at a time or all items as a stream.
 *
 * The specification does not show paging. The contract of each list says what we assume.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { dual } from "effect/Function"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Page } from "../answer/pageModel.ts"
import * as Position from "./pagePosition.ts"

export { Count, Meta, type Page } from "../answer/pageModel.ts"

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
    return `${list}: page ${this.page} repeats an earlier one. Set how the service pages in a ServiceContract`
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

type Step<A> = readonly [ReadonlyArray<PageRead<A>>, Option.Option<Position.Position<A>>]

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
  const first: Position.Position<A> = Position.start(request.page ?? 1)
  return Stream.paginate(first, (position): Effect.Effect<Step<A>, E | PagingError, R> => {
    const { cursor, isBeyond, page } = position
    if (Position.isUsedAgain(position)) return Effect.fail(new PageRepeated({ page, ...name }))
    const requested = list({ ...request, page })
    const answered: Effect.Effect<Page<A>, E, R> = cursor === undefined ? requested : after(requested, cursor)
    const answer = isBeyond
      ? answered.pipe(
          Effect.catchIf(Position.isPastEnd, () => Effect.succeed(noPage)),
          Effect.map((answer) => (Position.isRepeated(answer, position) ? noPage : answer))
        )
      : answered
    return Effect.flatMap(answer, (read: Page<A>): Effect.Effect<Step<A>, PagingError> => {
      if (Position.isRepeated(read, position)) return Effect.fail(new PageRepeated({ page, ...name }))
      const newItems = Position.selectNew(read.items, position.before)
      const next = Position.advance(read, newItems.length, position)
      const isLast = Position.isLast(read, position, next, beyondEnd)
      const reason = Position.findGap(read, position, next, isLast)
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
 * by number, unless a `ServiceContract` says otherwise.
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
