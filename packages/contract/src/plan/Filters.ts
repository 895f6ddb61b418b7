/**
 * The filters of lists.
 *
 * @stability unstable
 */
import * as Page from "@effect-custody/core/Page"
import type { OperationShape } from "../language/contract.ts"

/**
 * Lists the filters of a list, which rows can show. Its page, order and full-text search are no filters. A list without
 * pages has no filters but lists of ids.
 */
export const filters = ({ input, isPaged }: Pick<OperationShape, "input" | "isPaged">): ReadonlyArray<string> =>
  [...input.entries()]
    .filter(
      ([name, { part, shape }]) =>
        part === "query" && !Object.hasOwn(Page.query, name) && (isPaged || shape._tag === "List")
    )
    .map(([name]) => name)
