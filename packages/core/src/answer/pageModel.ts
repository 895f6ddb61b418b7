/** One page of a list. */
import * as Schema from "effect/Schema"

/**
 * The codec of a count: an integer, or a string of its digits.
 *
 * @since 0.1.0
 * @category codecs
 */
export const Count = Schema.Union([Schema.Int, Schema.FiniteFromString])

/**
 * The facts about the whole list that an answer may contain.
 *
 * @since 0.1.0
 * @category models
 */
export const Meta = Schema.Struct({
  totalItems: Schema.optionalKey(Count),
  itemsPerPage: Schema.optionalKey(Count),
  totalPages: Schema.optionalKey(Count),
  currentPage: Schema.optionalKey(Count),
  hasPreviousPage: Schema.optionalKey(Schema.Boolean),
  hasNextPage: Schema.optionalKey(Schema.Boolean)
})
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
  /** The cursor of the next page, if the service pages by cursor, link or offset. `Page.after` takes it. */
  readonly nextCursor?: string
  /**
   * Only if the service pages by cursor, and the page has no `nextCursor`: `true` if the service says that another page
   * follows all the same, `false` if this page is the last.
   */
  readonly hasNext?: boolean
}
