/** Searches, sorts and pages a list, by the conventions that the contracts assume. */
import type * as Page from "@effect-custody/core/Page"
import * as BigDecimal from "effect/BigDecimal"
import * as Iterable from "effect/Iterable"
import type * as Schema from "effect/Schema"
import * as Answer from "../http/answer.ts"
import { oneOf } from "../http/validation.ts"
import type { World } from "../state/world.ts"

type Query = { readonly [K in keyof typeof Page.query]?: Schema.Schema.Type<(typeof Page.query)[K]> | undefined }

/** A sort key. Rows without one come last. */
type Sortable = string | number | BigDecimal.BigDecimal | undefined

/** The columns that a list is sorted by. A search looks at those that hold text. */
export type Columns<R> = Readonly<Record<string, (row: R) => Sortable>>

const compare = (a: Sortable, b: Sortable): number => {
  if (a === undefined || b === undefined) return 0
  if (BigDecimal.isBigDecimal(a) && BigDecimal.isBigDecimal(b)) return BigDecimal.Order(a, b)
  return a < b ? -1 : a > b ? 1 : 0
}

/** Descending order of rows in ascending order, without reading more than is taken. Equal rows keep their order. */
function* descending<R>(rows: ReadonlyArray<R>, column: (row: R) => Sortable): Generator<R> {
  for (let end = rows.length; end > 0;) {
    const key = column(rows[end - 1]!)
    let start = end - 1
    while (start > 0 && compare(column(rows[start - 1]!), key) === 0) start--
    for (let index = start; index < end; index++) yield rows[index]!
    end = start
  }
}

const sorted = <R>(rows: ReadonlyArray<R>, column: (row: R) => Sortable, order: "asc" | "desc") => {
  const keyed = rows.map((row) => ({ row, key: column(row) }))
  const known = keyed.filter(({ key }) => key !== undefined)
  const direction = order === "desc" ? -1 : 1
  return [
    ...known.toSorted((a, b) => direction * compare(a.key, b.key)),
    ...keyed.filter(({ key }) => key === undefined)
  ].map(({ row }) => row)
}

/** The rows from `start` to `end`, in an order. `isSorted`: the rows already are in the column's ascending order. */
const window = <R>(
  rows: ReadonlyArray<R>,
  sort: {
    readonly column: ((row: R) => Sortable) | undefined
    readonly order: "asc" | "desc"
    readonly isSorted: boolean
  },
  start: number,
  end: number
): ReadonlyArray<R> => {
  const { column, isSorted, order } = sort
  if (column !== undefined && !isSorted) return sorted(rows, column, order).slice(start, end)
  if (order === "asc") return rows.slice(start, end)
  if (column === undefined)
    return rows.slice(Math.max(rows.length - end, 0), Math.max(rows.length - start, 0)).toReversed()
  return Array.from(Iterable.take(Iterable.drop(descending(rows, column), start), end - start))
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
    /** The columns in whose ascending order the rows already are. */
    readonly sortedBy?: ReadonlyArray<string>
    readonly show: (row: R) => A
  }
): Answer.Answer<ReadonlyArray<A>> => {
  const { limit = defaultLimit, order = "asc", page = 1, search = "", sort_key } = query
  const { columns, message, rows, show, sortedBy = [] } = list
  if (sort_key !== undefined && !Object.hasOwn(columns, sort_key)) {
    return Answer.invalid(Answer.validationCode, { sort_key: [oneOf(Object.keys(columns))] })
  }
  const needle = search.toLowerCase()
  const matches = (value: Sortable) => typeof value === "string" && value.toLowerCase().includes(needle)
  const found =
    needle === "" ? rows : rows.filter((row) => Object.values(columns).some((column) => matches(column(row))))
  const column = sort_key === undefined ? undefined : columns[sort_key]
  const sort = { column, order, isSorted: sort_key !== undefined && sortedBy.includes(sort_key) }
  const data = window(found, sort, (page - 1) * limit, page * limit).map(show)
  const totalPages = Math.ceil(found.length / limit)
  const meta = {
    totalItems: found.length,
    itemsPerPage: limit,
    totalPages,
    currentPage: page,
    hasPreviousPage: page > 1,
    hasNextPage: page < totalPages
  }
  return Answer.granted(message, data, world.settings.quirks.listsWithoutMeta ? undefined : { meta })
}
