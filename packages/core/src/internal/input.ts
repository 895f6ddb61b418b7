/** The values of an input, and what is wrong with them. Pure. */
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import type { RequestInvalid } from "../SdkError.ts"
import type { Issue } from "../Wire.ts"

/** Whether an input has a field: its own, or one of its class. A field of every object counts for nothing. */
const hasField = (input: object, name: string): boolean => {
  let holder: object | null = input
  while (holder !== null && holder !== Object.prototype) {
    if (Object.hasOwn(holder, name)) return true
    holder = Object.getPrototypeOf(holder)
  }
  return false
}

/** An object without a prototype: a codec reads inherited fields too. */
const bare = (entries: ReadonlyArray<readonly [name: string, value: unknown]>): Readonly<Record<string, unknown>> => {
  const fields: Record<string, unknown> = Object.create(null)
  for (const [name, value] of entries) fields[name] = value
  return fields
}

type Issues = RequestInvalid["issues"]

/** Reads what belongs to the caller: a getter or a proxy may throw. */
export const reading = <A>(path: ReadonlyArray<string>, read: () => A): Result.Result<A, Issues> =>
  Result.try({ try: read, catch: () => [{ path, message: "could not be read" }] })

/**
 * The values of the named fields, or which of them cannot be read. Each is read once, lists and plain objects inside it
 * too, because a getter may return another value the next time.
 */
export const valuesOf = (
  input: object,
  names: Iterable<string>
): Result.Result<Readonly<Record<string, unknown>>, Issues> => {
  const entries: Array<readonly [name: string, value: unknown]> = []
  const issues: Array<Issues[number]> = []
  for (const name of names) {
    const read = reading([name], () => {
      if (hasField(input, name)) entries.push([name, copied((input as Readonly<Record<string, unknown>>)[name])])
    })
    if (Result.isFailure(read)) issues.push(...read.failure)
  }
  return issues.length > 0 ? Result.fail(issues) : Result.succeed(bare(entries))
}

/** The fields with these names that have a value. */
export const picked = (fields: Readonly<Record<string, unknown>>, names: ReadonlyArray<string>) =>
  bare(names.filter((name) => fields[name] !== undefined).map((name) => [name, fields[name]]))

/** How deep the values of an input may be nested: JSON is written with a call per level. */
const deepest = 256

/** How many characters all texts of a field may have, with the names inside it: several copies of them are made. Files are streams. */
const largest = 4 * 1024 * 1024

/** How many values a field may hold, all together: as many as an answer may. */
const mostValues = 200_000

/** A copy of a value, in which each part was read once. What {@link excess} refuses is not copied further. */
const copied = (value: unknown): unknown => {
  let left = mostValues
  const copy = (outer: unknown, depth: number): unknown => {
    if (typeof outer !== "object" || outer === null || depth === deepest) return outer
    const isList = Array.isArray(outer)
    if (!isList && !isPlain(outer)) return outer
    const names = isList ? [] : Object.keys(outer)
    left -= isList ? outer.length : names.length
    if (left < 0) return outer
    if (isList) return Array.from(outer, (inner) => copy(inner, depth + 1))
    return Object.fromEntries(
      names.map((name) => [name, copy((outer as Readonly<Record<string, unknown>>)[name], depth + 1)])
    )
  }
  return copy(value, 0)
}

/** Why a field is too deep or too large, if it is. It walks what JSON walks: lists and plain objects. */
export const excess = (value: unknown): string | undefined => {
  let size = 0
  let values = 1
  const left: Array<readonly [value: unknown, depth: number]> = [[value, 0]]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const [outer, depth] = next
    if (typeof outer === "string") size += outer.length
    else if (Redacted.isRedacted(outer)) left.push([Redacted.value(outer), depth])
    else if (typeof outer === "object" && outer !== null) {
      if (depth === deepest) return `is nested deeper than ${deepest} levels`
      if (!Array.isArray(outer) && !isPlain(outer)) continue
      const names = Array.isArray(outer) ? [] : Object.keys(outer)
      const inner: ReadonlyArray<unknown> = Array.isArray(outer) ? outer : Object.values(outer)
      values += inner.length
      if (values > mostValues) return `holds more than ${mostValues} values`
      for (const name of names) size += name.length
      for (const value of inner) left.push([value, depth + 1])
    }
    if (size > largest) return `is larger than ${largest} characters`
  }
  return undefined
}

const isPlain = (value: object): boolean => [Object.prototype, null].includes(Object.getPrototypeOf(value))

/** What is wrong with fields, by their names. */
export const objectionsTo = (
  fields: Readonly<Record<string, unknown>>,
  objection: (value: unknown, name: string) => string | undefined
): ReadonlyArray<Issue> =>
  Object.keys(fields).flatMap((name) => {
    const message = objection(fields[name], name)
    return message === undefined ? [] : [{ path: [name], message }]
  })

const formatter = SchemaIssue.makeFormatterStandardSchemaV1()

export const issuesOf = (error: Schema.SchemaError): RequestInvalid["issues"] =>
  formatter(error.issue).issues.map(({ message, path }) => ({
    path: (path ?? []).map((segment) => {
      const key = typeof segment === "object" ? segment.key : segment
      return typeof key === "number" ? key : String(key)
    }),
    message
  }))

const mostIssues = 32
const mostSegments = 16
const longestSegment = 64
const longestMessage = 512

/** At most as many issues as a person reads, each short enough for a log line. */
export const boundedIssues = (issues: RequestInvalid["issues"]): RequestInvalid["issues"] =>
  issues.slice(0, mostIssues).map(({ message, path }) => ({
    path: path
      .slice(0, mostSegments)
      .map((segment) => (typeof segment === "string" ? segment.slice(0, longestSegment) : segment)),
    message: message.slice(0, longestMessage)
  }))
