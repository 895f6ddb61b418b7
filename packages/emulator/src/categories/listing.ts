/** Filters, searches, sorts and pages a list of records. */
import type * as Page from "@effect-custody/core/Page"
import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import * as Answer from "../http/answer.ts"

type Row = Readonly<Record<string, unknown>>

const digits = /^\d+$/

/**
 * Compares values for ascending order. Ids, which are texts of digits, compare as numbers. Values that cannot be
 * compared keep their order.
 */
const compare = (a: unknown, b: unknown): number => {
  if (BigDecimal.isBigDecimal(a) && BigDecimal.isBigDecimal(b)) return BigDecimal.Order(a, b)
  if (DateTime.isDateTime(a) && DateTime.isDateTime(b)) return DateTime.Order(a, b)
  if (typeof a === "number" && typeof b === "number") return a - b
  if (typeof a !== "string" || typeof b !== "string") return Number(a === undefined) - Number(b === undefined)
  if (digits.test(a) && digits.test(b)) return Number(a) - Number(b)
  return a < b ? -1 : a > b ? 1 : 0
}

/**
 * A page of rows. `rows` must be oldest first. `filters` are the fields that the query can filter by. The query can sort
 * by any field, and its search looks in text fields.
 */
export const page = <R, A extends Row>(
  { input }: { readonly input: Page.Query },
  message: string,
  list: {
    readonly rows: Iterable<R>
    readonly show: (row: R) => A
    readonly filters?: ReadonlyArray<keyof A & string>
  }
): Answer.Answer<ReadonlyArray<A>> => {
  const { limit = 10, order = "asc", page = 1, search = "", sortKey } = input
  const needle = search.toLowerCase()
  const selected = Object.entries(input).filter(([name]) => list.filters?.some((filter) => filter === name))
  const matches = (row: Row) =>
    selected.every(([name, value]) => row[name] === value) &&
    (needle === "" ||
      Object.values(row).some((value) => typeof value === "string" && value.toLowerCase().includes(needle)))
  const all = [...list.rows]
  // Call `show` on every row only if a filter or a search needs it, because a history can be long.
  const found = selected.length === 0 && needle === "" ? all : all.filter((row) => matches(list.show(row)))
  const names = found.slice(0, 1).flatMap((row) => Object.keys(list.show(row)))
  if (sortKey !== undefined && names.length > 0 && !names.includes(sortKey)) {
    return Answer.invalid({ sortKey: [`must be one of the following values: ${names.join(", ")}`] })
  }
  const view = (row: R): Row => list.show(row)
  // `rows` are oldest first. To show every row of a long history for each page, only to sort it, would be slow.
  const isSorted = sortKey === undefined || sortKey === "createdAt"
  const ascending = isSorted ? found : found.toSorted((a, b) => compare(view(a)[sortKey], view(b)[sortKey]))
  const ordered = order === "desc" ? ascending.toReversed() : ascending
  const totalPages = Math.ceil(found.length / limit)
  const counts = {
    totalItems: found.length,
    itemsPerPage: limit,
    totalPages,
    currentPage: page,
    hasPreviousPage: page > 1,
    hasNextPage: page < totalPages
  }
  const data = ordered.slice((page - 1) * limit, page * limit).map(list.show)
  return Answer.granted(message, data, { counts })
}
