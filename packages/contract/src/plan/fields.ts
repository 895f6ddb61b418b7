/** Compiles the mapping of requests that a contract says as data: the place of each field, and its value there. Pure. */
import * as Result from "effect/Result"
import { isSegment, omitUndefined, queryName, queryObjection } from "@effect-custody/core/AssumedWire"
import { pathParameters } from "@effect-custody/core/Declaration"
import type { InputField, Leaf, Part, Shape } from "@effect-custody/core/Shape"
import type { Encoded, Issue, Parts, ServerRequest } from "@effect-custody/core/Wires"
import type { Defaults, Differences, PlaceFields } from "../language/ContractFile.ts"
import type { OperationShape } from "../language/contract.ts"
import * as Values from "../language/values.ts"
import * as Path from "./path.ts"

type Json = Readonly<Record<string, unknown>>

/** The parts of a request in the service's JSON. A list in the query repeats its key. */
export type Theirs = Readonly<Record<"params" | "query" | "headers" | "body", Json>>

/** The mapping of requests, which is data or code. */
export interface RequestMapping {
  /** The places of what a request holds. */
  readonly sent: ReadonlyArray<Sent>
  /** Makes the parts of a request from an encoded input, or says why they cannot be sent. */
  readonly write: (encoded: Encoded) => Result.Result<Theirs, ReadonlyArray<Issue>>
  /** Reads the parts of an input from a request, or says what the service would refuse. */
  readonly read: (request: ServerRequest) => Result.Result<Parts, ReadonlyArray<Issue>>
}

/** The place of an input field in a request. */
export type Target =
  | { readonly in: "path" | "query"; readonly name: string }
  | { readonly in: "body"; readonly path: Path.Segments }

/** A field or a constant of a request, and its place. */
export interface Sent {
  readonly name: string
  readonly target: Target
}

export interface Field extends InputField {
  readonly name: string
  readonly place: PlaceFields
  /** `undefined` if the field is not sent. */
  readonly target: Target | undefined
  readonly conversion: Values.Conversion | undefined
}

/** A value that is always in the body. */
export interface Constant {
  readonly path: Path.Segments
  readonly value: string | number | boolean
}

/** The shape of a single value, or of each item of a list. */
export const innerLeaf = (shape: Shape): Leaf | undefined =>
  shape._tag === "List" ? innerLeaf(shape.item) : shape._tag === "Leaf" ? shape : undefined

const forEachItem = (conversion: Values.Conversion): Values.Conversion => ({
  write: (value) => (Array.isArray(value) ? Result.all(value.map(conversion.write)) : conversion.write(value)),
  read: (value) => (Array.isArray(value) ? value.map(conversion.read) : conversion.read(value))
})

const resolveTarget = (
  name: string,
  part: Part,
  { at }: PlaceFields,
  path: string,
  casing: Defaults["casing"]
): Target => {
  if (part === "path" || pathParameters(path).includes(at ?? name)) return { in: "path", name: at ?? name }
  const key = at ?? (casing === undefined && part === "query" ? queryName(name) : Path.cased(name, casing))
  return part === "body" ? { in: part, path: Path.parse(key) } : { in: part, name: key }
}

/** Finds the place of each field of the input under a route with this path. */
export const resolve = (
  { input }: OperationShape,
  differences: Differences,
  defaults: Defaults,
  path: string
): ReadonlyArray<Field> =>
  [...input].map(([name, field]): Field => {
    const entry = differences.fields?.[name] ?? defaults.fields?.[name] ?? {}
    const place = typeof entry === "string" ? { at: entry } : entry
    const leaf = innerLeaf(field.shape)
    const conversion = leaf && Values.make(name, leaf, place, defaults, true)
    return {
      name,
      ...field,
      place,
      target: entry === "omit" ? undefined : resolveTarget(name, field.part, place, path, defaults.casing),
      conversion: conversion && field.shape._tag === "List" ? forEachItem(conversion) : conversion
    }
  })

export const toText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

/** Puts a value in its place. Says why it cannot be there. */
const put = (theirs: Record<keyof Theirs, Record<string, unknown>>, target: Target, value: unknown) => {
  if (target.in === "body") {
    Path.put(theirs.body, target.path, value)
    return undefined
  }
  theirs[target.in === "path" ? "params" : "query"][target.name] = value
  if (target.in === "query") return queryObjection(value)
  return isSegment(toText(value)) ? undefined : "cannot be a segment of a path"
}

const valueAt = ({ body, params, query }: ServerRequest, target: Target): unknown =>
  target.in === "body" ? Path.at(body, target.path) : (target.in === "path" ? params : query)[target.name]

/** The fields of an encoded input that have a value, under the SDK's names. */
const encodedFields = ({ body, params, query }: Encoded): Json =>
  omitUndefined({ ...params, ...query, ...(body._tag === "None" ? {} : body.fields) })

export const mapping = (all: ReadonlyArray<Field>, constants: ReadonlyArray<Constant>): RequestMapping => {
  const fields = new Map(all.map((field) => [field.name, field]))
  const sent = [
    ...constants.map(({ path }): Sent => ({ name: path.join("."), target: { in: "body", path } })),
    ...all.flatMap(({ name, target }) => (target === undefined ? [] : [{ name, target }]))
  ]
  const inBody = sent.flatMap(({ target }) => (target.in === "body" ? [target.path] : []))
  const inQuery = new Set(sent.flatMap(({ target }) => (target.in === "query" ? [target.name] : [])))
  const write: RequestMapping["write"] = (encoded) => {
    const issues: Array<Issue> = []
    const theirs = { params: {}, query: {}, headers: {}, body: {} }
    for (const { path, value } of constants) Path.put(theirs.body, path, value)
    for (const [name, value] of Object.entries(encodedFields(encoded))) {
      const { conversion, target } = fields.get(name) ?? {}
      if (target === undefined) {
        // The service would act as if the caller had not set the field.
        issues.push({ path: [name], message: "is not sent under the contract: leave it out" })
        continue
      }
      const written = conversion === undefined ? Result.succeed(value) : conversion.write(value)
      const message = Result.isFailure(written) ? written.failure : put(theirs, target, written.success)
      if (message !== undefined) issues.push({ path: [name], message })
    }
    return issues.length > 0 ? Result.fail(issues) : Result.succeed(theirs)
  }
  const read: RequestMapping["read"] = (request) => {
    const other = constants.find(({ path, value }) => String(Path.at(request.body, path)) !== String(value))
    if (other !== undefined) return Result.fail([{ path: other.path, message: "is another constant" }])
    const ofPart = (part: Part) =>
      all.flatMap(({ conversion, name, part: own, target }): ReadonlyArray<readonly [string, unknown]> => {
        const value = own === part && target !== undefined ? valueAt(request, target) : undefined
        // An unreadable value stays as it is, so that the service's validation refuses it.
        return value === undefined ? [] : [[name, conversion?.read(value) ?? value]]
      })
    const unknownKeys = Object.entries(request.query).filter(([name]) => !inQuery.has(name))
    return Result.succeed({
      params: Object.fromEntries(ofPart("path")),
      query: Object.fromEntries([...unknownKeys, ...ofPart("query")]),
      body: { ...Path.without(request.body, inBody), ...Object.fromEntries(ofPart("body")) }
    })
  }
  return { sent, write, read }
}
