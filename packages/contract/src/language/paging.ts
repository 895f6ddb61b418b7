/** How a contract says that a service pages its lists. */
import * as Schema from "effect/Schema"

/** A dotted path: the keys of nested objects. */
export const Dotted = Schema.String.pipe(
  Schema.check(
    Schema.isPattern(/^[^.]+(\.[^.]+)*$/, { expected: 'keys with dots between them, such as "result.items"' })
  )
)

const QueryKey = Schema.optionalKey(Schema.NonEmptyString)

/**
 * The paging of lists, and the names of its query keys. With `"none"`, each answer is the whole list, and `page` and
 * `limit` are not sent. By default, lists use `page`, counted from 1, and `limit`.
 */
export const Paging = Schema.Union([
  Schema.Literal("none"),
  Schema.Struct({
    style: Schema.Literal("page"),
    page: QueryKey,
    size: QueryKey,
    /** The number of the first page. Default: 1. */
    first: Schema.optionalKey(Schema.Literals([0, 1]))
  }),
  Schema.Struct({ style: Schema.Literal("offset"), offset: QueryKey, size: QueryKey }),
  Schema.Struct({
    style: Schema.Literal("cursor"),
    cursor: QueryKey,
    size: QueryKey,
    /** A dotted path to the next page's cursor in the answer. */
    next: Dotted
  }),
  Schema.Struct({
    style: Schema.Literal("link"),
    size: QueryKey,
    /** A dotted path to the next page's address in the answer, which has the origin and the path of the list. */
    next: Dotted
  })
])
