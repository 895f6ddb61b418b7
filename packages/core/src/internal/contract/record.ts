/** Records of answers: from the service's JSON to ours, and back. Pure. */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { Defaults, Origin } from "../../ContractFile.ts"
import * as Path from "./path.ts"
import type { RecordShape, Shape } from "./shape.ts"
import * as Values from "./values.ts"

type Json = Readonly<Record<string, unknown>>

/** Both ways of a value that may hold others. What cannot be written or read is left out. */
export interface Mapping {
  readonly read: (value: unknown, beside: Values.Beside) => unknown
  readonly write: (value: unknown, beside: Values.Beside) => unknown
}

/** What is said of a record. */
export interface Said {
  readonly origins: Readonly<Record<string, Origin>>
  /** The path into the record in which its fields stand. */
  readonly within: Path.Segments
}

export const nothing: Said = { origins: {}, within: [] }

/** A field: its name, where it stands, and how its value travels. */
interface Field {
  readonly name: string
  /** From the root of the record. */
  readonly path: Path.Segments
  /** Where it is looked for if it is not there. */
  readonly beside: Path.Segments | undefined
  readonly mapping: Mapping | undefined
}

/** What is said of a field. */
export const originOf = (name: string, { origins }: Said): Origin | undefined =>
  Object.hasOwn(origins, name) ? origins[name] : undefined

/** Where a field stands. */
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
  /** The keys of the record, and of the object within it, that are read. Others are kept under their own names. */
  const taken = new Set(fields.filter(({ path }) => path.length === 1).map(({ path }) => path[0]!))
  const takenWithin = new Set(
    fields
      .filter(({ path }) => path.length === within.length + 1 && within.every((segment, at) => path[at] === segment))
      .map(({ path }) => path.at(-1)!)
  )
  const besides = new Set(fields.flatMap(({ beside }) => beside ?? []))

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
    const unread = new Set<string>()
    for (const field of fields) {
      const value = found(field)
      if (value === undefined) continue
      const ours = field.mapping === undefined ? value : field.mapping.read(value, plainly)
      if (ours === undefined) unread.add(field.path.at(-1)!)
      else entries.push([field.name, ours])
    }
    const keep = (object: unknown, isTaken: (key: string) => boolean): void => {
      if (!Predicate.isReadonlyObject(object)) return
      for (const [key, value] of Object.entries(object)) {
        // A key of ours that the contract takes from elsewhere would be read as ours.
        if (shapes.has(key) || (isTaken(key) && !unread.has(key))) continue
        entries.push([key, value])
      }
    }
    keep(raw, (key) => taken.has(key) || besides.has(key) || key === within[0])
    if (within.length > 0) keep(Path.at(raw, within), (key) => takenWithin.has(key))
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

/** How a value of an answer travels, or `undefined` if it travels as it is. */
export const make = (shape: Shape, origin: Origin | undefined, defaults: Defaults): Mapping | undefined => {
  switch (shape._tag) {
    case "Leaf":
      return ofLeaf(Values.make(shape, typeof origin === "object" ? origin : {}, defaults), shape.kind === "id")
    case "List":
      return ofList(make(shape.item, origin, defaults))
    case "Record":
      return ofRecord(shape, nothing, defaults)
  }
}

/** How the payload of an answer travels, or `undefined` if it travels as it is. */
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
