/** The filters of lists. */
import * as Page from "@effect-custody/core/Page"
import type { OperationShape } from "@effect-custody/core/unstable/Shape"

/**
 * The filters of a list. Its page, order and full-text search filter nothing that a row shows. Where a list has no
 * pages, its only filters are lists of ids.
 */
export const filters = ({ input, isPaged }: OperationShape): ReadonlyArray<string> =>
  [...input.entries()]
    .filter(
      ([name, { part, shape }]) =>
        part === "query" && !Object.hasOwn(Page.query, name) && (isPaged || shape._tag === "List")
    )
    .map(([name]) => name)
