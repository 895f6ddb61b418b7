/** Searches, sorts and pages a list, by the conventions that the contracts assume. */
import type * as Page from "@effect-custody/core/Page"
import * as BigDecimal from "effect/BigDecimal"
import type * as Schema from "effect/Schema"
import * as Answer from "../http/answer.ts"
import { oneOf } from "../http/validation.ts"
import type { World } from "../state/world.ts"

type Query = { readonly [K in keyof typeof Page.query]?: Schema.Schema.Type<(typeof Page.query)[K]> | undefined }

/** A sort key. Rows without one come last. */
export type Sortable = string | number | BigDecimal.BigDecimal | undefined

/** The columns that a list is sorted by. A search looks at those that hold text. */
export type Columns<R> = Readonly<Record<string, (row: R) => Sortable>>

const compare = (a: Sortable, b: Sortable): number => {
  if (a === undefined || b === undefined) return 0
  if (BigDecimal.isBigDecimal(a) && BigDecimal.isBigDecimal(b)) return BigDecimal.Order(a, b)
  return a < b ? -1 : a > b ? 1 : 0
}

const sorted = <R>(rows: ReadonlyArray<R>, column: ((row: R) => Sortable) | undefined, order: "asc" | "desc") => {
  if (column === undefined) return order === "desc" ? rows.toReversed() : rows
  const keyed = rows.map((row) => ({ row, key: column(row) }))
  const known = keyed.filter(({ key }) => key !== undefined)
  const direction = order === "desc" ? -1 : 1
  return [
    ...known.toSorted((a, b) => direction * compare(a.key, b.key)),
    ...keyed.filter(({ key }) => key === undefined)
  ].map(({ row }) => row)
}

const defaultLimit = 10

/**
 * A page of rows. Rows come oldest first. `show` is called for the rows of the page only.
 */
export const page = <R, A>(
  world: World,
  query: Query,
  list: {
    readonly message: string
    readonly rows: ReadonlyArray<R>
    readonly columns: Columns<R>
    readonly show: (row: R) => A
  }
): Answer.Answer<ReadonlyArray<A>> => {
  const { limit = defaultLimit, order = "asc", page = 1, search = "", sort_key } = query
  const { columns, message, rows, show } = list
  if (sort_key !== undefined && !Object.hasOwn(columns, sort_key)) {
    return Answer.invalid(Answer.validationCode, { sort_key: [oneOf(Object.keys(columns))] })
  }
  const needle = search.toLowerCase()
  const matches = (value: Sortable) => typeof value === "string" && value.toLowerCase().includes(needle)
  const found =
    needle === "" ? rows : rows.filter((row) => Object.values(columns).some((column) => matches(column(row))))
  const all = sorted(found, sort_key === undefined ? undefined : columns[sort_key], order)
  const data = all.slice((page - 1) * limit, page * limit).map(show)
  const totalPages = Math.ceil(all.length / limit)
  const meta = {
    totalItems: all.length,
    itemsPerPage: limit,
    totalPages,
    currentPage: page,
    hasPreviousPage: page > 1,
    hasNextPage: page < totalPages
  }
  return Answer.granted(message, data, world.settings.quirks.listsWithoutMeta ? undefined : { meta })
}
