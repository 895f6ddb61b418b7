/** The filters of lists. */
import * as Page from "@effect-custody/core/Page"
import type { OperationShape } from "@effect-custody/core/unstable/Shape"

/**
 * Lists the filters of a list, which rows can show. Its page, order and full-text search are no filters. A list without
 * pages has no filters but lists of ids.
 */
export const filters = ({ input, isPaged }: OperationShape): ReadonlyArray<string> =>
  [...input.entries()]
    .filter(
      ([name, { part, shape }]) =>
        part === "query" && !Object.hasOwn(Page.query, name) && (isPaged || shape._tag === "List")
    )
    .map(([name]) => name)
