/** Records of answers: from the service's JSON to ours, and back. Pure. */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { Defaults, Origin, OriginFields } from "../language/ContractFile.ts"
import { type RecordShape, recordOf, type Shape } from "@effect-custody/core/unstable/Shape"
import { Unread } from "@effect-custody/core/unstable/FastDecoder"
import * as Path from "./path.ts"
import * as Values from "./values.ts"

/** Both directions for a value that may contain others. What cannot be read or written becomes `undefined`. */
export interface Mapping {
  readonly read: (value: unknown, beside: Values.Beside) => unknown
  readonly write: (value: unknown, beside: Values.Beside) => unknown
}

/** Where the fields of a record come from. */
export type Origins = Readonly<Record<string, Origin>>

export const originOf = (name: string, origins: Origins): OriginFields => {
  const origin = origins[name]
  return typeof origin === "string" ? { at: origin } : (origin ?? {})
}

export const pathOf = (name: string, { at }: OriginFields, casing: Defaults["casing"]): Path.Segments =>
  at === undefined ? [Path.cased(name, casing)] : Path.segmentsOf(at)

const ofList = (item: Mapping | undefined): Mapping | undefined =>
  item && {
    read: (value, beside) => (Array.isArray(value) ? value.map((each) => item.read(each, beside)) : value),
    write: (value, beside) => (Array.isArray(value) ? value.map((each) => item.write(each, beside)) : value)
  }

/** A field of a record: its path from the root of the record, and how its value is converted. */
interface Field {
  readonly name: string
  readonly path: Path.Segments
  readonly mapping: Mapping | undefined
}

const ofRecord = (shape: RecordShape, origins: Origins, defaults: Defaults): Mapping | undefined => {
  const fields = new Map(
    [...shape.fields].map(([name, inner]): readonly [string, Field] => {
      const origin = originOf(name, origins)
      const path = pathOf(name, origin, defaults.casing)
      return [name, { name, path, mapping: ofField(name, inner, origin, defaults) }]
    })
  )
  const paths = [...fields.values()].map(({ path }) => path)
  if ([...fields.values()].every(({ mapping, name, path }) => mapping === undefined && path.join(".") === name)) {
    return undefined
  }

  const read = (raw: unknown): unknown => {
    if (!Predicate.isReadonlyObject(raw) || Array.isArray(raw)) return raw
    const ours = ({ mapping, path }: Field, beside: Values.Beside): unknown => {
      const value = Path.at(raw, path)
      if (value === undefined || mapping === undefined) return value
      const read = mapping.read(value, beside)
      return read === undefined ? new Unread(value) : read
    }
    const plainly: Values.Beside = (name) => {
      const field = fields.get(name)
      return field && ours(field, () => undefined)
    }
    const known = [...fields.values()].map((field) => [field.name, ours(field, plainly)] as const)
    return Object.fromEntries([
      ...known.filter(([, value]) => value !== undefined),
      // A key with the name of one of our fields, which the contract reads from elsewhere, must not be taken for that
      // field.
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

/** How a field of an answer is converted, or `undefined` if it stays as it is. */
const ofField = (name: string, shape: Shape, origin: OriginFields, defaults: Defaults): Mapping | undefined => {
  switch (shape._tag) {
    case "List":
      return ofList(ofField(name, shape.item, origin, defaults))
    case "Record":
      return ofRecord(shape, origin.fields ?? {}, defaults)
    case "Leaf": {
      const conversion = Values.make(name, shape, origin, defaults)
      return (
        conversion && {
          read: (value, beside) => (value === null ? null : conversion.read(value, beside)),
          // Some ids are the caller's own, such as those of clients.
          write: (value, beside) =>
            value === null
              ? null
              : Result.getOrElse(conversion.write(value, beside), () => (shape.kind === "id" ? value : undefined))
        }
      )
    }
  }
}

/** How the payload of an answer is converted, or `undefined` if it stays as it is. */
export const ofPayload = (shape: Shape, origins: Origins, defaults: Defaults): Mapping | undefined =>
  ofField("", shape, { fields: origins }, defaults)

/** Where one of our fields is in a payload. Indices of lists may be left out. */
export const place = (
  shape: Shape,
  origins: Origins,
  casing: Defaults["casing"],
  [first, ...rest]: Path.Segments
): Path.Segments => {
  if (first === undefined) return []
  if (shape._tag === "List" && Path.isIndex(first)) return [first, ...place(shape.item, origins, casing, rest)]
  const inner = recordOf(shape)?.fields.get(first)
  if (inner === undefined) return [first, ...rest]
  const origin = originOf(first, origins)
  return [...pathOf(first, origin, casing), ...place(inner, origin.fields ?? {}, casing, rest)]
}
