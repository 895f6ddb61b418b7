/** Converts the records of answers between the service's JSON and ours. Pure. */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { Defaults, Origin, OriginFields } from "../language/ContractFile.ts"
import { type RecordShape, getRecord, type Shape } from "@effect-custody/core/unstable/Shape"
import { Unread } from "@effect-custody/core/unstable/FastDecoder"
import * as Path from "./path.ts"
import * as Values from "./values.ts"

/**
 * Converts a value, including the values inside it, in both directions. A value that cannot be converted becomes
 * `undefined`.
 */
export interface Mapping {
  readonly read: (value: unknown, sibling: Values.Sibling) => unknown
  readonly write: (value: unknown, sibling: Values.Sibling) => unknown
}

/** The origin of each field of a record. */
export type Origins = Readonly<Record<string, Origin>>

export const originFields = (name: string, origins: Origins): OriginFields => {
  const origin = origins[name]
  return typeof origin === "string" ? { at: origin } : (origin ?? {})
}

export const fieldPath = (name: string, { at }: OriginFields, casing: Defaults["casing"]): Path.Segments =>
  at === undefined ? [Path.cased(name, casing)] : Path.parse(at)

const listMapping = (item: Mapping | undefined): Mapping | undefined =>
  item && {
    read: (value, sibling) => (Array.isArray(value) ? value.map((each) => item.read(each, sibling)) : value),
    write: (value, sibling) => (Array.isArray(value) ? value.map((each) => item.write(each, sibling)) : value)
  }

/** A field of a record, with its path from the root of the record and the conversion of its value. */
interface Field {
  readonly name: string
  readonly path: Path.Segments
  readonly mapping: Mapping | undefined
}

const recordMapping = (shape: RecordShape, origins: Origins, defaults: Defaults): Mapping | undefined => {
  const fields = new Map(
    [...shape.fields].map(([name, inner]): readonly [string, Field] => {
      const origin = originFields(name, origins)
      const path = fieldPath(name, origin, defaults.casing)
      return [name, { name, path, mapping: fieldMapping(name, inner, origin, defaults) }]
    })
  )
  const paths = [...fields.values()].map(({ path }) => path)
  if ([...fields.values()].every(({ mapping, name, path }) => mapping === undefined && path.join(".") === name)) {
    return undefined
  }

  const read = (raw: unknown): unknown => {
    if (!Predicate.isReadonlyObject(raw) || Array.isArray(raw)) return raw
    const ours = ({ mapping, path }: Field, sibling: Values.Sibling): unknown => {
      const value = Path.at(raw, path)
      if (value === undefined || mapping === undefined) return value
      const read = mapping.read(value, sibling)
      return read === undefined ? new Unread(value) : read
    }
    const findSibling: Values.Sibling = (name) => {
      const field = fields.get(name)
      return field && ours(field, () => undefined)
    }
    const known = [...fields.values()].map((field) => [field.name, ours(field, findSibling)] as const)
    return Object.fromEntries([
      ...known.filter(([, value]) => value !== undefined),
      // Keep the service's other keys. Drop a key that has the name of one of our fields, because the contract reads
      // that field from a different path.
      ...Object.entries(Path.without(raw, paths)).filter(([name]) => !fields.has(name))
    ])
  }

  const write = (ours: unknown): unknown => {
    if (!Predicate.isReadonlyObject(ours) || Array.isArray(ours)) return ours
    const record: Record<string, unknown> = {}
    for (const [name, value] of Object.entries(ours)) {
      const { mapping, path = [name] }: Partial<Field> = fields.get(name) ?? {}
      const theirs = mapping === undefined ? value : mapping.write(value, (other) => ours[other])
      if (theirs !== undefined) Path.put(record, path, theirs)
    }
    return record
  }
  return { read, write }
}

/** The mapping of an answer's field, or `undefined` if the field needs no conversion. */
const fieldMapping = (name: string, shape: Shape, origin: OriginFields, defaults: Defaults): Mapping | undefined => {
  switch (shape._tag) {
    case "List":
      return listMapping(fieldMapping(name, shape.item, origin, defaults))
    case "Record":
      return recordMapping(shape, origin.fields ?? {}, defaults)
    case "Leaf": {
      const conversion = Values.make(name, shape, origin, defaults)
      return (
        conversion && {
          read: (value, sibling) => (value === null ? null : conversion.read(value, sibling)),
          // The caller chooses some ids, such as client ids. If such an id cannot be converted, write it unchanged.
          write: (value, sibling) =>
            value === null
              ? null
              : Result.getOrElse(conversion.write(value, sibling), () => (shape.kind === "id" ? value : undefined))
        }
      )
    }
  }
}

/** The mapping of a payload, or `undefined` if the payload needs no conversion. */
export const payloadMapping = (shape: Shape, origins: Origins, defaults: Defaults): Mapping | undefined =>
  fieldMapping("", shape, { fields: origins }, defaults)

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
  const origin = originFields(first, origins)
  return [...fieldPath(first, origin, casing), ...place(inner, origin.fields ?? {}, casing, rest)]
}
