/** Records of answers: from the service's JSON to ours, and back. Pure. */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { Defaults, Origin } from "../../ContractFile.ts"
import * as Path from "./path.ts"
import type { RecordShape, Shape } from "./shape.ts"
import { Unread } from "./unread.ts"
import * as Values from "./values.ts"

type Json = Readonly<Record<string, unknown>>

/** Both directions for a value that may contain others. What cannot be read or written becomes `undefined`. */
export interface Mapping {
  readonly read: (value: unknown, beside: Values.Beside) => unknown
  readonly write: (value: unknown, beside: Values.Beside) => unknown
}

/** What a contract says about a record. */
export interface Said {
  readonly origins: Readonly<Record<string, Origin>>
  /** The path in the record to the object with its fields. */
  readonly within: Path.Segments
}

/** What a contract says about the record that a field holds. */
export const inside = (origin: Origin | undefined): Said => ({
  origins: typeof origin === "object" ? (origin.fields ?? {}) : {},
  within: []
})

/** A field: its name, its place, and how its value is converted. */
interface Field {
  readonly name: string
  /** From the root of the record. */
  readonly path: Path.Segments
  /** Where it is looked for if it is not there. */
  readonly beside: Path.Segments | undefined
  readonly mapping: Mapping | undefined
}

/** What a contract says about a field. */
export const originOf = (name: string, { origins }: Said): Origin | undefined =>
  Object.hasOwn(origins, name) ? origins[name] : undefined

/** The place of a field. */
export const placeOf = (name: string, said: Said, casing: Defaults["casing"]): Pick<Field, "path" | "beside"> => {
  const { within } = said
  const origin = originOf(name, said)
  if (typeof origin === "string") return { path: Path.segmentsOf(origin), beside: undefined }
  if (origin?.at !== undefined) return { path: Path.segmentsOf(origin.at), beside: undefined }
  if (origin?.name !== undefined) return { path: [origin.name], beside: undefined }
  const cased = Path.cased(name, casing)
  return { path: [...within, cased], beside: within.length === 0 ? undefined : [cased] }
}

const ofLeaf = (conversion: Values.Conversion | undefined, isId: boolean): Mapping | undefined =>
  conversion && {
    read: (value, beside) => (value === null ? null : conversion.read(value, beside)),
    // Some ids are the caller's own, such as those of clients.
    write: (value, beside) =>
      value === null ? null : Result.getOrElse(conversion.write(value, beside), () => (isId ? value : undefined))
  }

const ofList = (item: Mapping | undefined): Mapping | undefined =>
  item && {
    read: (value, beside) => (Array.isArray(value) ? value.map((each) => item.read(each, beside)) : value),
    write: (value, beside) => (Array.isArray(value) ? value.map((each) => item.write(each, beside)) : value)
  }

const isAsItIs = (fields: ReadonlyArray<Field>): boolean =>
  fields.every(({ mapping, name, path }) => mapping === undefined && path.length === 1 && path[0] === name)

const ofRecord = ({ fields: shapes }: RecordShape, said: Said, defaults: Defaults): Mapping | undefined => {
  const fields = [...shapes].map(([name, shape]): Field => ({
    name,
    ...placeOf(name, said, defaults.casing),
    mapping: make(shape, originOf(name, said), defaults)
  }))
  if (isAsItIs(fields)) return undefined
  const { within } = said
  const isWithin = within.length > 0
  const unplaced = Path.without(fields.flatMap(({ beside, path }) => [path, ...(beside === undefined ? [] : [beside])]))
  const outside = Path.without([within])

  const read = (raw: unknown): unknown => {
    if (!Predicate.isReadonlyObject(raw) || Array.isArray(raw)) return raw
    const found = (field: Field): unknown =>
      Path.at(raw, field.path) ?? (field.beside === undefined ? undefined : Path.at(raw, field.beside))
    const plainly: Values.Beside = (name) => {
      const field = fields.find((each) => each.name === name)
      const value = field === undefined ? undefined : found(field)
      return field?.mapping === undefined ? value : field.mapping.read(value, () => undefined)
    }
    const entries: Array<readonly [string, unknown]> = []
    for (const field of fields) {
      const value = found(field)
      if (value === undefined) continue
      const ours = field.mapping === undefined ? value : field.mapping.read(value, plainly)
      entries.push([field.name, ours === undefined ? new Unread(value) : ours])
    }
    const left = unplaced(raw)
    const inner = isWithin ? Path.at(left, within) : undefined
    for (const object of [isWithin ? outside(left) : left, Predicate.isReadonlyObject(inner) ? inner : {}]) {
      for (const [key, value] of Object.entries(object)) {
        // A key with the name of one of our fields, which the contract reads from elsewhere, must not be taken for that
        // field.
        if (!shapes.has(key)) entries.push([key, value])
      }
    }
    return Object.fromEntries(entries)
  }

  const write = (ours: unknown): unknown => {
    if (!Predicate.isReadonlyObject(ours) || Array.isArray(ours)) return ours
    const record: Record<string, unknown> = {}
    const beside: Values.Beside = (name) => ours[name]
    for (const [name, value] of Object.entries(ours as Json)) {
      const field = fields.find((each) => each.name === name)
      if (field === undefined) Path.put(record, [...within, name], value)
      else {
        const theirs = field.mapping === undefined ? value : field.mapping.write(value, beside)
        if (theirs !== undefined) Path.put(record, field.path, theirs)
      }
    }
    return record
  }
  return { read, write }
}

/** How a value of an answer is converted, or `undefined` if it stays as it is. */
export const make = (shape: Shape, origin: Origin | undefined, defaults: Defaults): Mapping | undefined => {
  switch (shape._tag) {
    case "Leaf":
      return ofLeaf(Values.make(shape, typeof origin === "object" ? origin : {}, defaults), shape.kind === "id")
    case "List":
      return ofList(make(shape.item, origin, defaults))
    case "Record":
      return ofRecord(shape, inside(origin), defaults)
  }
}

/** Where one of our fields is in a value. Indices of lists may be left out. */
export const place = (shape: Shape, said: Said, casing: Defaults["casing"], names: Path.Segments): Path.Segments => {
  const [first, ...rest] = names
  if (first === undefined) return []
  if (shape._tag === "List") {
    return Path.isIndex(first)
      ? [first, ...place(shape.item, said, casing, rest)]
      : place(shape.item, said, casing, names)
  }
  const field = shape._tag === "Record" ? shape.fields.get(first) : undefined
  if (field === undefined) return names
  return [...placeOf(first, said, casing).path, ...place(field, inside(originOf(first, said)), casing, rest)]
}

/** How the payload of an answer is converted, or `undefined` if it stays as it is. */
export const ofPayload = (shape: Shape, said: Said, defaults: Defaults): Mapping | undefined => {
  switch (shape._tag) {
    case "Leaf":
      return make(shape, undefined, defaults)
    case "List":
      return ofList(ofPayload(shape.item, said, defaults))
    case "Record":
      return ofRecord(shape, said, defaults)
  }
}
