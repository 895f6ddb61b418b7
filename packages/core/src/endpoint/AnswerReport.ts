/**
 * Compares an answer with its endpoint's contract: unreadable fields, missing fields, and keys that are not in the
 * contract. A report has the names of fields, but no values.
 *
 * Specification: "Other resources". This section shows no names, types or formats of fields.
 *
 * @since 0.1.0
 *
 * @stability unstable
 */
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Predicate from "effect/Predicate"
import * as OperatorLog from "../errors/OperatorLog.ts"
import type { Declaration } from "./Declaration.ts"
import { type FieldNames, fieldNames } from "./Shape.ts"
import type { Wire } from "./Wires.ts"

/** A field of a record. A field of a nested record has a dotted name: `asset.symbol`. */
interface Field {
  readonly name: string
  /** The path of the field on the wire: its keys, joined by dots. */
  readonly place: string
  /** The number of records in which the field is dropped. */
  readonly records: number
}

/**
 * The differences between the records of an answer and the contract.
 *
 * @since 0.1.0
 * @category models
 */
export interface AnswerReport {
  /** The number of records. Without records, the report says nothing about fields. */
  readonly records: number
  /** Fields whose type is not the assumed type. Records keep these fields under `extra`. */
  readonly dropped: ReadonlyArray<Field>
  /** Fields that no record has. */
  readonly missing: ReadonlyArray<Field>
  /** The dotted paths of the keys on the wire that the SDK does not read. */
  readonly unused: ReadonlyArray<string>
}

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields => Predicate.isReadonlyObject(value) && !Array.isArray(value)

const getExtra = ({ extra }: Fields): Fields => (isFields(extra) ? extra : {})

/**
 * The records of a result: the items of a page or of a list, or the result itself.
 *
 * @since 0.1.0
 * @category getters
 */
export const recordsIn = (result: unknown): ReadonlyArray<Fields> => {
  const items = isFields(result) && Array.isArray(result["items"]) ? result["items"] : result
  return (Array.isArray(items) ? items : [items]).filter(isFields)
}

/** Compares records with the fields that they can have. `within` is the path of field names to the records. */
const compareRecords = (
  found: Record<"dropped" | "missing", Array<Field>> & { readonly unused: Array<string> },
  records: ReadonlyArray<Fields>,
  fields: FieldNames,
  place: Wire["place"],
  within: ReadonlyArray<string>
): void => {
  const joinPlace = (...names: ReadonlyArray<string>): string =>
    place(["data", ...within, ...names])
      .slice(place(["data"]).length)
      .join(".")
  const parent = within.length === 0 ? "" : `${joinPlace()}.`
  const keys = records.flatMap((record) => Object.keys(getExtra(record))).filter((key) => !fields.has(key))
  found.unused.push(...[...new Set(keys)].toSorted().map((key) => parent + key))
  for (const [name, inner] of fields) {
    const having = records.filter((record) => Object.hasOwn(record, name))
    const dropped = records.filter((record) => Object.hasOwn(getExtra(record), name)).length
    const field = { name: [...within, name].join("."), place: joinPlace(name), records: dropped }
    if (dropped > 0) found.dropped.push(field)
    if (records.length > 0 && having.length + dropped === 0) found.missing.push(field)
    if (inner.size === 0) continue
    const held = having.flatMap((record) => recordsIn(record[name]))
    compareRecords(found, held, inner, place, [...within, name])
  }
}

/**
 * Compares the result of an operation with its contract and its wire format. Without `wire`, the assumed format counts.
 *
 * @example
 * ```ts
 * import * as AnswerReport from "@effect-custody/core/AnswerReport"
 * import { Wires } from "@effect-custody/core/Wires"
 * import { Wallets } from "@effect-custody/sdk"
 * import { Effect } from "effect"
 *
 * const unused = Effect.gen(function* () {
 *   const { wire } = yield* Wires
 *   const wallets = yield* Wallets.list()
 *   return AnswerReport.make(Wallets.list, wire(Wallets.list), wallets).unused
 * })
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (declaration: Declaration, wire: Wire | undefined, result: unknown): AnswerReport => {
  const records = recordsIn(result)
  const found = { dropped: [], missing: [], unused: [] }
  compareRecords(found, records, fieldNames(declaration), wire?.place ?? identity, [])
  return { records: records.length, ...found }
}

/**
 * Logs the dropped fields of a result. Each entry has the field's name, its place on the wire (if different), and the
 * number of records.
 */
export const logDropped = (declaration: Declaration, wire: Wire, result: unknown): Effect.Effect<void> => {
  const { dropped } = make(declaration, wire, result)
  if (dropped.length === 0) return Effect.void
  const list = dropped.map(({ name, place: at, records }) => `${name}${at === name ? "" : ` at ${at}`} (${records})`)
  return OperatorLog.report("answer.dropped", `${declaration.operation}: ${list.join(", ")}`)
}
