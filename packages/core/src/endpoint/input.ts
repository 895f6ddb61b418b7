/** Reads the values of an input, and says what is wrong with them. Pure. */
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaAST from "effect/SchemaAST"
import type { InputInvalid } from "../errors/SdkError.ts"
import type { Issue } from "./Wires.ts"

type Json = Readonly<Record<string, unknown>>

/** `true` if an input or its class has a field. The fields that every object has do not count. */
const hasField = (input: object, name: string): boolean => {
  let holder: object | null = input
  while (holder !== null && holder !== Object.prototype) {
    if (Object.hasOwn(holder, name)) return true
    holder = Object.getPrototypeOf(holder)
  }
  return false
}

/** `true` for an optional field that may be left out, but must not be `undefined`. */
export const isDefined = (field: SchemaAST.AST): boolean => SchemaAST.resolveAt("custodyDefined")(field) === true

type Issues = InputInvalid["issues"]

/** The exception for a field that is too deep or too large. */
class Excess {
  readonly message: string
  constructor(message: string) {
    this.message = message
  }
}

/** Limits the depth of a value, because `JSON.stringify` makes a recursive call for each level. */
const maxDepth = 256

/**
 * Limits the total length of a field's strings and keys, because the SDK copies them several times. Files are exempt.
 */
const maxSize = 4 * 1024 * 1024

/** The maximum number of values in a field, at all levels: as many as an answer may have. */
const maxValues = 200_000

const isPlain = (value: object): boolean => [Object.prototype, null].includes(Object.getPrototypeOf(value))

/** Copies a value. Reads each part only once, because a getter may return a different value the next time. */
const copyField = (field: unknown): unknown => {
  if (typeof field !== "object" && typeof field !== "string") return field
  let size = 0
  let values = 0
  const measure = (text: string): string => {
    size += text.length
    if (size > maxSize) throw new Excess(`is larger than ${maxSize} characters`)
    return text
  }
  const copy = (value: unknown, depth: number): unknown => {
    if (++values > maxValues) throw new Excess(`holds more than ${maxValues} values`)
    if (typeof value === "string") return measure(value)
    if (Redacted.isRedacted(value)) copy(Redacted.value(value), depth)
    if (typeof value !== "object" || value === null) return value
    if (depth === maxDepth) throw new Excess(`is nested deeper than ${maxDepth} levels`)
    if (Array.isArray(value)) return Array.from(value, (item) => copy(item, depth + 1))
    if (!isPlain(value)) return value
    return Object.fromEntries(Object.keys(value).map((name) => [measure(name), copy((value as Json)[name], depth + 1)]))
  }
  return copy(field, 0)
}

/** The issue of a value that throws when it is read. */
export const unreadable = (path: ReadonlyArray<string>, error: unknown): Issue => ({
  path,
  message: error instanceof Excess ? error.message : "could not be read"
})

/** Reads each named field once, or says what is wrong with the fields. */
export const readFields = (input: object, names: Iterable<string>): Result.Result<Json, Issues> => {
  // This object has no prototype, because a codec reads inherited fields too.
  const fields: Record<string, unknown> = Object.create(null)
  let issues: Issues = []
  for (const name of names) {
    try {
      if (hasField(input, name)) fields[name] = copyField((input as Json)[name])
    } catch (error) {
      issues = [...issues, unreadable([name], error)]
    }
  }
  return issues.length > 0 ? Result.fail(issues) : Result.succeed(fields)
}

/** Selects the named fields that are not `undefined`. */
export const pick = (fields: Json, names: ReadonlyArray<string>): Json => {
  const picked: Record<string, unknown> = Object.create(null)
  for (const name of names) {
    const value = fields[name]
    if (value !== undefined) picked[name] = value
  }
  return picked
}

const noIssues: ReadonlyArray<Issue> = []

export const findIssues = (
  fields: Json,
  objection: (value: unknown, name: string) => string | undefined
): ReadonlyArray<Issue> => {
  let issues = noIssues
  for (const name of Object.keys(fields)) {
    const message = objection(fields[name], name)
    if (message !== undefined) issues = [...issues, { path: [name], message }]
  }
  return issues
}

const noAmount = 'Expected an amount: Amount.of("12.50"), or Amount.fromString for a text that is not in the code'

const formatter = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => {
    const message = SchemaIssue.defaultLeafHook(issue)
    return message === "Expected BigDecimal" ? noAmount : message
  }
})

export const toIssues = (error: Schema.SchemaError): Issues =>
  formatter(error.issue).issues.map(({ message, path }) => ({
    path: (path ?? []).map((segment) => {
      const key = typeof segment === "object" ? segment.key : segment
      return typeof key === "number" ? key : String(key)
    }),
    message
  }))

/** Limits the number and the length of issues, so that a person can read them. */
export const boundIssues = (issues: Issues): Issues =>
  issues.slice(0, 32).map(({ message, path }) => ({
    path: path.slice(0, 16).map((segment) => (typeof segment === "string" ? segment.slice(0, 64) : segment)),
    message: message.slice(0, 512)
  }))

/**
 * The type of an {@link exact} field.
 *
 * @since 0.1.0
 * @category models
 */
export interface exact<S extends Schema.Constraint> extends Schema.optionalKey<S> {
  readonly "~custodyDefined": true
}

/**
 * Makes an optional field of an input. A caller may leave the field out, but must not set it to `undefined`, because an
 * accidental `undefined` must not change what the call moves. In every other optional field, `undefined` means absent.
 *
 * @since 0.1.0
 * @category constructors
 */
export const exact = <S extends Schema.Top>(schema: S): exact<S> =>
  Schema.optionalKey(schema).annotate({ custodyDefined: true }) as exact<S>
