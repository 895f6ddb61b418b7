/**
 * The plan of an operation: its differences and the contract's defaults, resolved for the client and the emulator.
 * Pure.
 */
import * as Result from "effect/Result"
import * as CodeWire from "./code.ts"
import type { Defaults, Differences, Place } from "../language/ContractFile.ts"
import { queryName } from "@effect-custody/core/unstable/AssumedWire"
import { pathParameters, type Route } from "@effect-custody/core/unstable/Declaration"
import type { Sign } from "@effect-custody/core/unstable/FalseSuccess"
import type { Part, Shape } from "@effect-custody/core/unstable/Shape"
import { differences as differencesOf, type Entry, isCode, type OperationShape } from "../language/contract.ts"
import type { Code } from "../language/Wire.ts"
import * as Errors from "./errors.ts"
import * as Paging from "./paging.ts"
import * as Path from "./path.ts"
import * as Record from "./record.ts"
import * as Values from "../language/values.ts"

/** The place of an input field in a request. `isJoined`: commas join the values of a list. */
export type Target =
  | { readonly in: "path" | "query"; readonly name: string; readonly isJoined: boolean }
  | { readonly in: "body"; readonly path: Path.Segments }

export interface Field {
  readonly name: string
  /** The part of the SDK's JSON that holds the field. */
  readonly part: Part
  readonly shape: Shape
  readonly isOptional: boolean
  readonly place: Exclude<Place, string>
  /** `undefined` if the field is not sent. */
  readonly target: Target | undefined
  readonly conversion: Values.Conversion | undefined
}

export interface Plan {
  readonly shape: OperationShape
  readonly differences: Differences
  readonly defaults: Defaults
  readonly route: Route
  readonly fields: ReadonlyMap<string, Field>
  readonly constants: ReadonlyArray<{ readonly path: Path.Segments; readonly value: string | number | boolean }>
  readonly body: OperationShape["body"]
  /** `undefined` if the page and the limit are ordinary fields of the input. */
  readonly paging: Paging.PagingWire | undefined
  readonly meta: ReturnType<typeof Paging.makeMeta>
  /** The statuses of a success, or `undefined` for any 2xx. */
  readonly success: ReadonlySet<number> | undefined
  readonly doubtful: ReadonlySet<number>
  /** How to recognise a success from the body of an answer, if the contract defines that. */
  readonly sign: Sign | undefined
  /** The path of the payload; empty if the body itself is the payload. */
  readonly payloadAt: Path.Segments
  /**
   * `true` if the contract defines `payloadAt`. A null at that path then proves that the service, not a proxy,
   * answered.
   */
  readonly namesPayload: boolean
  readonly payload: Record.Mapping | undefined
  /** The mapping of requests, if it is code. Then `fields` and `constants` have no effect. */
  readonly code: CodeWire.RequestCode | undefined
  /** The media type of JSON, if it is not `application/json`. */
  readonly mediaType: string | undefined
  /** The filters of a list that were seen to work. */
  readonly proven: ReadonlyArray<string>
  /** The fields of the input that the answer repeats. */
  readonly echoes: ReadonlyArray<string> | undefined
  /** The origin of each field of the payload's record. */
  readonly origins: Record.Origins
  readonly errors: Errors.ErrorWire
}

export const isList = ({ payload }: OperationShape): boolean => payload._tag === "List"

/** The shape of a single value, or of each item of a list. */
export const innerLeaf = (shape: Shape): (Shape & { readonly _tag: "Leaf" }) | undefined =>
  shape._tag === "List" ? innerLeaf(shape.item) : shape._tag === "Leaf" ? shape : undefined

const forEachItem = (conversion: Values.Conversion): Values.Conversion => ({
  write: (value) => (Array.isArray(value) ? Result.all(value.map(conversion.write)) : conversion.write(value)),
  read: (value) => (Array.isArray(value) ? value.map(conversion.read) : conversion.read(value))
})

const resolveTarget = (
  name: string,
  part: Part,
  place: Field["place"],
  path: string,
  casing: Defaults["casing"]
): Target => {
  const isParameter = pathParameters(path).includes(place.at ?? name)
  const at = isParameter ? "path" : part
  const isJoined = place.explode === false
  if (at === "path") return { in: at, name: place.at ?? name, isJoined }
  const key = place.at ?? (casing === undefined && at === "query" ? queryName(name) : Path.cased(name, casing))
  return at === "body" ? { in: at, path: Path.parse(key) } : { in: at, name: key, isJoined }
}

const resolveFields = (shape: OperationShape, differences: Differences, defaults: Defaults): ReadonlyArray<Field> =>
  [...shape.input].map(([name, input]): Field => {
    const entry = differences.fields?.[name] ?? defaults.fields?.[name] ?? {}
    const place = typeof entry === "string" ? { at: entry } : entry
    const leaf = innerLeaf(input.shape)
    const takesList = input.shape._tag === "List" || place.explode !== undefined
    const conversion = leaf && Values.make(name, leaf, place, defaults, takesList ? "all" : "none")
    return {
      name,
      ...input,
      place,
      target:
        entry === "omit"
          ? undefined
          : resolveTarget(name, input.part, place, differences.path ?? shape.declaration.route.path, defaults.casing),
      conversion: conversion && input.shape._tag === "List" ? forEachItem(conversion) : conversion
    }
  })

/** Maps the service's names of input fields to ours, because error bodies contain the service's names. */
const theirNames = (fields: ReadonlyArray<Field>): ReadonlyMap<string, string> =>
  new Map(
    fields.flatMap(({ name, target }) =>
      target === undefined ? [] : [[target.in === "body" ? target.path.at(-1)! : target.name, name]]
    )
  )

/** Combines an operation's differences from its assumed wire with the contract's defaults. */
export const make = (shape: OperationShape, entry: Entry | undefined, defaults: Defaults): Plan => {
  const differences = differencesOf(entry)
  const { answer, request }: Partial<Code> = isCode(entry) ? entry : {}
  const code = request && CodeWire.request(shape, request)
  const row = answer && CodeWire.record(shape, answer)
  const fields = resolveFields(shape, differences, defaults)
  const constants = Object.entries(differences.constants ?? {}).map(([at, value]) => ({ path: Path.parse(at), value }))
  const route = {
    method: differences.method ?? shape.declaration.route.method,
    path: `${defaults.prefix ?? ""}${differences.path ?? shape.declaration.route.path}`
  }
  // Code sees nothing of a list's page, so there is always a paging beside it.
  const pagingEntry = differences.paging ?? defaults.paging ?? (code && { style: "page" })
  const paging =
    shape.isPaged && pagingEntry !== undefined ? Paging.make(pagingEntry, defaults.casing, route.path) : undefined
  const errors = { ...defaults.errors, ...differences.errors }
  const success = differences.success ?? defaults.success
  const origins = row === undefined ? { ...defaults.response, ...differences.response } : {}
  const items = isList(shape) ? [differences.items, differences.payload, defaults.items] : [differences.payload]
  const payloadAt = [...items, defaults.payload].find((each) => each !== undefined)
  const hasBody = code?.hasBody ?? (constants.length > 0 || fields.some(({ target }) => target?.in === "body"))
  return {
    shape,
    differences,
    defaults,
    route,
    fields: new Map(fields.map((field) => [field.name, field])),
    constants,
    body: hasBody ? (shape.body === "None" ? "Json" : shape.body) : "None",
    paging,
    meta: Paging.makeMeta(differences.total ?? defaults.total, defaults.casing, paging?.first ?? 1),
    success: success === undefined ? undefined : new Set(success),
    doubtful: new Set(shape.declaration.safety === "read" ? [] : errors.doubtful),
    sign: errors.when === undefined ? undefined : { at: Path.parse(errors.when.at), success: errors.when.success },
    payloadAt: payloadAt === null ? [] : Path.parse(payloadAt ?? "data"),
    namesPayload: payloadAt !== undefined,
    payload:
      row === undefined
        ? Record.payloadMapping(shape.payload, origins, defaults)
        : isList(shape)
          ? Record.ofItems(row)
          : row,
    code,
    mediaType: shape.declaration.safety === "session" ? undefined : defaults.mediaType,
    proven: differences.proven ?? [],
    echoes: differences.echoes,
    origins,
    errors: Errors.make(errors, theirNames(code === undefined ? fields : []))
  }
}
