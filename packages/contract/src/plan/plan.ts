/** What a contract says about one operation, compiled once for both sides: the client and the emulator. Pure. */
import * as Result from "effect/Result"
import type { Defaults, Differences, Place } from "../language/ContractFile.ts"
import type { Route } from "@effect-custody/core/unstable/Wires"
import type { Sign } from "@effect-custody/core/unstable/FalseSuccess"
import type { OperationShape, Part, Shape } from "@effect-custody/core/unstable/Shape"
import * as Errors from "./errors.ts"
import * as Paging from "./paging.ts"
import * as Path from "./path.ts"
import * as Record from "./record.ts"
import * as Values from "./values.ts"

/** Where a field of the input goes. */
export type Target =
  | { readonly in: "path" | "query" | "header"; readonly name: string }
  | { readonly in: "body"; readonly path: Path.Segments }

export interface Field {
  readonly name: string
  /** The part of our JSON that it is in. */
  readonly part: Part
  readonly shape: Shape
  readonly isOptional: boolean
  readonly place: Exclude<Place, string>
  /** `undefined`: it is not sent. */
  readonly target: Target | undefined
  readonly conversion: Values.Conversion | undefined
}

export interface Constant {
  readonly path: Path.Segments
  readonly value: string | number | boolean
}

export interface Plan {
  readonly shape: OperationShape
  readonly said: Differences
  readonly defaults: Defaults
  readonly route: Route
  readonly fields: ReadonlyMap<string, Field>
  readonly constants: ReadonlyArray<Constant>
  readonly body: OperationShape["body"]
  /** `undefined`: pages are asked for by the fields of the input. */
  readonly paging: Paging.PagingWire | undefined
  readonly meta: ReturnType<typeof Paging.ofMeta>
  /** The statuses of a success, or `undefined` for any 2xx. */
  readonly success: ReadonlySet<number> | undefined
  readonly doubtful: ReadonlySet<number>
  /** Where an answer says that it is a success, if the contract knows. */
  readonly sign: Sign | undefined
  /** Where the payload is; none: it is the body. */
  readonly payloadAt: Path.Segments
  /** Whether the contract names that place: then a null in it comes from the service. */
  readonly isPayloadSaid: boolean
  readonly payload: Record.Mapping | undefined
  /** Where the fields of the record of the payload come from. */
  readonly origins: Record.Origins
  readonly errors: Errors.ErrorWire
}

export const parametersOf = (path: string): ReadonlyArray<string> =>
  path
    .split("/")
    .filter((segment) => segment.startsWith(":"))
    .map((segment) => segment.slice(1))

export const isList = ({ payload }: OperationShape): boolean => payload._tag === "List"

/** The value that a shape is, or that each item of it is. */
export const leafOf = (shape: Shape): (Shape & { readonly _tag: "Leaf" }) | undefined =>
  shape._tag === "List" ? leafOf(shape.item) : shape._tag === "Leaf" ? shape : undefined

const ofEach = (conversion: Values.Conversion): Values.Conversion => ({
  write: (value, beside) =>
    Array.isArray(value)
      ? Result.all(value.map((each) => conversion.write(each, beside)))
      : conversion.write(value, beside),
  read: (value, beside) =>
    Array.isArray(value) ? value.map((each) => conversion.read(each, beside)) : conversion.read(value, beside)
})

const targetOf = (
  name: string,
  part: Part,
  place: Field["place"],
  path: string,
  casing: Defaults["casing"]
): Target => {
  const isParameter = parametersOf(path).includes(place.at ?? name)
  const at = place.in ?? (isParameter ? "path" : part)
  if (at === "path") return { in: at, name: place.at ?? name }
  const key = place.at ?? Path.cased(name, casing)
  return at === "body" ? { in: at, path: Path.segmentsOf(key) } : { in: at, name: key }
}

const fieldsOf = (shape: OperationShape, said: Differences, defaults: Defaults): ReadonlyArray<Field> =>
  [...shape.input].map(([name, input]): Field => {
    const given = said.fields?.[name] ?? defaults.fields?.[name] ?? {}
    const place = typeof given === "string" ? { at: given } : given
    const leaf = leafOf(input.shape)
    const conversion = leaf && Values.make(name, leaf, place, defaults)
    return {
      name,
      ...input,
      place,
      target:
        given === "omit"
          ? undefined
          : targetOf(name, input.part, place, said.path ?? shape.route.path, defaults.casing),
      conversion: conversion && input.shape._tag === "List" ? ofEach(conversion) : conversion
    }
  })

/** The service's names of the input fields, with ours: errors name fields. */
const theirNames = (fields: ReadonlyArray<Field>): ReadonlyMap<string, string> =>
  new Map(
    fields.flatMap(({ name, target }) =>
      target === undefined ? [] : [[target.in === "body" ? target.path.at(-1)! : target.name, name]]
    )
  )

/** Where the payload is according to the contract; `null`: it is the body; `undefined`: the contract does not say. */
const payloadPath = (shape: OperationShape, said: Differences, defaults: Defaults): string | null | undefined => {
  const places = isList(shape)
    ? [said.items, said.payload, defaults.items, defaults.payload]
    : [said.payload, defaults.payload]
  return places.find((each) => each !== undefined)
}

/** Compiles what a contract says about an operation, with the defaults of its API. */
export const make = (shape: OperationShape, said: Differences, defaults: Defaults): Plan => {
  const fields = fieldsOf(shape, said, defaults)
  const constants = Object.entries(said.constants ?? {}).map(([at, value]) => ({ path: Path.segmentsOf(at), value }))
  const saidPaging = said.paging ?? defaults.paging
  const paging = shape.isPaged && saidPaging !== undefined ? Paging.make(saidPaging, defaults.casing) : undefined
  const errors = { ...defaults.errors, ...said.errors }
  const success = said.success ?? defaults.success
  const origins = { ...defaults.response, ...said.response }
  const payloadAt = payloadPath(shape, said, defaults)
  const hasBody = constants.length > 0 || fields.some(({ target }) => target?.in === "body")
  return {
    shape,
    said,
    defaults,
    route: {
      method: said.method ?? shape.route.method,
      path: `${defaults.prefix ?? ""}${said.path ?? shape.route.path}`
    },
    fields: new Map(fields.map((field) => [field.name, field])),
    constants,
    body: hasBody ? (shape.body === "None" ? "Json" : shape.body) : "None",
    paging,
    meta: Paging.ofMeta(said.meta ?? defaults.meta, defaults.casing, paging?.first ?? 1),
    success: success === undefined ? undefined : new Set(success),
    doubtful: new Set(shape.safety === "read" ? [] : errors.doubtful),
    sign: errors.when === undefined ? undefined : { at: Path.segmentsOf(errors.when.at), success: errors.when.success },
    payloadAt: payloadAt === null ? [] : Path.segmentsOf(payloadAt ?? "data"),
    isPayloadSaid: payloadAt !== undefined,
    payload: Record.ofPayload(shape.payload, origins, defaults),
    origins,
    errors: Errors.make(errors, theirNames(fields))
  }
}
