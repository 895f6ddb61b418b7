/** By what the rows of a page are recognized on another page. Pure. */
import * as BigDecimal from "effect/BigDecimal"
import * as Hash from "effect/Hash"
import * as Predicate from "effect/Predicate"

export const idOf = (row: unknown): unknown =>
  Predicate.isReadonlyObject(row) ? (row["id"] ?? row["externalId"]) : undefined

/** What tells the rows of a page apart. */
export interface Marks {
  /**
   * - `ids`: their ids, without rows that share one.
   * - `texts`: their ids, and what of them does not change with every request. Other rows may look the same.
   * - `rows`: nothing but the whole rows.
   */
  readonly by: "ids" | "texts" | "rows"
  /** A key of each row that has one, in their order. */
  readonly keys: ReadonlyArray<string>
}

/** A count, or a time of day: it may be another one with every request. */
const passing = /^(?:\d+|\d{4}-\d\d-\d\d[T ].*)$/

const lasting = (value: unknown): unknown => {
  if (BigDecimal.isBigDecimal(value)) return `${value.value}e${-value.scale}`
  if (Array.isArray(value)) return value.map(lasting)
  if (Predicate.isReadonlyObject(value)) return Object.entries(value).map(([name, of]) => [name, lasting(of)])
  return Predicate.isBoolean(value) || (Predicate.isString(value) && !passing.test(value)) ? value : null
}

export const marksOf = (rows: ReadonlyArray<unknown>): Marks => {
  const ids = rows.map(idOf)
  const counts = new Map<unknown, number>()
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1)
  const own = ids.filter((id) => id !== undefined && counts.get(id) === 1)
  if (own.length * 2 >= rows.length) return { by: "ids", keys: own.map(String) }
  if (counts.has(undefined)) return { by: "rows", keys: [] }
  const texts = rows.map((row) => JSON.stringify([String(idOf(row)), lasting(row)]))
  return new Set(texts).size === texts.length ? { by: "texts", keys: texts } : { by: "rows", keys: [] }
}

/** A short key of a page. */
export const shortOf = (rows: ReadonlyArray<unknown>, { by, keys }: Marks): string =>
  [rows.length, by, ...(by === "ids" ? [keys[0], keys.at(-1)] : [Hash.hash(by === "texts" ? keys : rows)])].join("\n")

/**
 * Whether half of a page or more, up to its last row, was on the page before: only rows above them are new, so that the
 * page lies no deeper in the list.
 */
export const isNoDeeper = ({ by, keys }: Marks, before: Marks): boolean => {
  if (by !== before.by) return false
  const known = new Set(before.keys)
  const lastNew = keys.findLastIndex((key) => !known.has(key))
  return keys.length > 0 && (keys.length - 1 - lastNew) * 2 >= keys.length
}
