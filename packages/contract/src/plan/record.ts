/** Converts the records of answers between the service's JSON and the SDK's JSON. Pure. */
import { isReadonlyObject as isObject } from "effect/Predicate"
import * as Result from "effect/Result"
import type { Defaults, Place, PlaceFields } from "../language/ContractFile.ts"
import { type RecordShape, getRecord, type Shape } from "@effect-custody/core/Shape"
import { Unread } from "@effect-custody/core/FastDecoder"
import * as Path from "./path.ts"
import * as Values from "../language/values.ts"

/** Converts a value, including the values inside it, in both directions. An unreadable value becomes `undefined`. */
export interface Mapping {
  readonly read: (value: unknown) => unknown
  readonly write: (value: unknown) => unknown
}

export type Origins = Readonly<Record<string, Place>>

const originFields = (origin: Place = {}): PlaceFields => (typeof origin === "string" ? { at: origin } : origin)

const fieldPath = (name: string, { at }: PlaceFields, casing: Defaults["casing"]): Path.Segments =>
  at === undefined ? [Path.cased(name, casing)] : Path.parse(at)

/** A field of a record, with its path from the root of the record and the conversion of its value. */
interface Field {
  readonly name: string
  readonly path: Path.Segments
  readonly mapping: Mapping | undefined
}

const recordMapping = (shape: RecordShape, origins: Origins, defaults: Defaults): Mapping | undefined => {
  const all = [...shape.fields].map(([name, inner]): Field => {
    const origin = originFields(origins[name])
    return {
      name,
      path: fieldPath(name, origin, defaults.casing),
      mapping: fieldMapping(name, inner, origin, defaults)
    }
  })
  if (all.every(({ mapping, name, path }) => mapping === undefined && path.join(".") === name)) return undefined
  const fields = new Map(all.map((field) => [field.name, field]))
  const paths = all.map(({ path }) => path)
  return {
    read: (raw) => {
      if (!isObject(raw)) return raw
      const known = all.map(({ mapping, name, path }) => {
        const value = Path.at(raw, path)
        if (value === undefined || value === null || mapping === undefined) return [name, value] as const
        return [name, mapping.read(value) ?? new Unread(value)] as const
      })
      return Object.fromEntries([
        ...known.filter(([, value]) => value !== undefined),
        // Keep the service's other keys. Drop a key that has the name of one of our fields, because the contract reads
        // that field from a different path.
        ...Object.entries(Path.without(raw, paths)).filter(([name]) => !fields.has(name))
      ])
    },
    write: (ours) => {
      if (!isObject(ours)) return ours
      const record: Record<string, unknown> = {}
      for (const [name, value] of Object.entries(ours)) {
        const { mapping, path = [name] }: Partial<Field> = fields.get(name) ?? {}
        Path.put(record, path, mapping === undefined ? value : mapping.write(value))
      }
      return record
    }
  }
}

const forEachItem = (convert: Mapping["read"]) => (value: unknown) =>
  Array.isArray(value) ? value.map(convert) : value

/** The mapping of a list, whose items have this mapping. */
export const ofItems = ({ read, write }: Mapping): Mapping => ({ read: forEachItem(read), write: forEachItem(write) })

/** The mapping of a field, or `undefined` if the field needs no conversion. */
const fieldMapping = (
  name: string,
  shape: Shape,
  origin: PlaceFields,
  defaults: Defaults,
  origins: Origins = {}
): Mapping | undefined => {
  switch (shape._tag) {
    case "List": {
      const item = fieldMapping(name, shape.item, origin, defaults, origins)
      return item && ofItems(item)
    }
    case "Record":
      return recordMapping(shape, origins, defaults)
    case "Leaf": {
      const conversion = Values.make(name, shape, origin, defaults, false)
      return (
        conversion && {
          read: (value) => (value === null ? null : conversion.read(value)),
          // A value that cannot be converted is written unchanged, such as an id that the caller chose.
          write: (value) => (value === null ? null : Result.getOrElse(conversion.write(value), () => value))
        }
      )
    }
  }
}

/** The mapping of a payload, or `undefined` if the payload needs no conversion. */
export const payloadMapping = (shape: Shape, origins: Origins, defaults: Defaults): Mapping | undefined =>
  fieldMapping("", shape, {}, defaults, origins)

/** Converts a path in our payload to the path in the service's payload. The given path may leave out list indices. */
export const place = (
  shape: Shape,
  origins: Origins,
  casing: Defaults["casing"],
  [first, ...rest]: Path.Segments
): Path.Segments => {
  if (first === undefined) return []
  if (shape._tag === "List" && Path.isIndex(first)) return [first, ...place(shape.item, origins, casing, rest)]
  const inner = getRecord(shape)?.fields.get(first)
  if (inner === undefined) return [first, ...rest]
  return [...fieldPath(first, originFields(origins[first]), casing), ...place(inner, {}, casing, rest)]
}
