/**
 * Reads the envelope of a success. Only the payload must fit the contract. Another field of the envelope makes the
 * outcome of a write unknown only if it holds the status or the code of an error. Pure.
 *
 * Specification: "Success envelope".
 */
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"
import * as Declaration from "./Declaration.ts"
import type { Wire } from "./Wires.ts"
import { readRows, readMeta } from "../answer/ListAnswer.ts"
import * as FastDecoder from "../values/FastDecoder.ts"

type Json = Readonly<Record<string, unknown>>

const formatter = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: ({ _tag }) => (_tag === "MissingKey" ? "is missing" : "does not match the contract"),
  checkHook: () => "does not match the contract"
})

/** The maximum length of an issue, in characters. */
const maxIssue = 200

/** Describes the first place that does not fit the schema, with the service's names and without the value. */
export const describeIssue = ({ issue }: Schema.SchemaError, place: Wire["place"]): string => {
  const [first] = formatter(issue).issues
  const path = place((first?.path ?? []).map((segment) => String(typeof segment === "object" ? segment.key : segment)))
  return `${path.length === 0 ? "the answer" : path.join(".")} ${first?.message ?? "cannot be read"}`.slice(0, maxIssue)
}

const isIdentifying = (name: string): boolean => /^(?:id|status|hash|reference)$|(?:Id|_id|ID)$/.test(name)

/** The maximum length of an identifying value, in characters. */
const maxValue = 128

/** The number of levels of nested objects in which an answer is searched for an id. */
const maxDepth = 3

/** Selects the texts and numbers that identify an object. */
const identifyingFields = (object: Json): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(object)
      .filter(([name, value]) => isIdentifying(name) && (typeof value === "string" || typeof value === "number"))
      .map(([name, value]) => [name, String(value)])
      .filter(([, value]) => value !== undefined && value.length > 0 && value.length <= maxValue)
  )

/** Lists the nested objects of an answer, the outer ones first. */
const nestedObjects = (answer: unknown, depth = 0): ReadonlyArray<Json> => {
  if (depth > maxDepth || !Predicate.isReadonlyObject(answer) || Array.isArray(answer)) return []
  return [answer, ...Object.values(answer).flatMap((value) => nestedObjects(value, depth + 1))]
}

const hasId = (fields: Json): boolean => Object.keys(fields).some((name) => name !== "status")

/** The fields that identify the record in an answer whose payload cannot be read. */
export const identity = (envelope: unknown): Readonly<Record<string, string>> => {
  const payload = Predicate.isReadonlyObject(envelope) ? envelope["data"] : undefined
  return [...nestedObjects(payload), ...nestedObjects(envelope)].map(identifyingFields).find(hasId) ?? {}
}

/** Reads a list's `meta`, and converts its counts to numbers. */
const decodeMeta = (about: unknown): Json =>
  Record.map(readMeta(about), (value) => (typeof value === "string" ? Number(value) : value))

/** The payload of an envelope and, for a list, its `meta`. */
export interface Opened {
  readonly data: unknown
  readonly meta?: Json
}

/** Makes the reader of a success: it returns the payload and, for a list, its `meta`. */
export const reader = (declaration: Declaration.Declaration) => {
  const payload = Declaration.codecs(declaration).data
  const isList = SchemaAST.isArrays(payload.ast)
  const decodePayload = FastDecoder.make(payload)
  const decode = Schema.decodeUnknownResult(Schema.Struct({ data: payload as Schema.Codec<unknown, unknown> }))

  return (envelope: unknown): Result.Result<Opened, Schema.SchemaError> => {
    if (!Predicate.isReadonlyObject(envelope)) return decode(envelope)
    const { holder, rows } = isList ? readRows(envelope["data"]) : { holder: undefined, rows: envelope["data"] }
    const data = decodePayload(rows)
    if (data === FastDecoder.none) return decode(rows === undefined ? {} : { data: rows })
    const about = envelope["meta"] ?? holder?.["meta"] ?? holder
    return Result.succeed(isList && about !== undefined ? { data, meta: decodeMeta(about) } : { data })
  }
}
