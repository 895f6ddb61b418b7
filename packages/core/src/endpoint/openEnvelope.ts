/**
 * Reads the envelope of a success. Only the payload has to fit the contract: nothing else in an answer makes the outcome
 * of a write unknown, except the status or the code of an error. Pure.
 *
 * Specification: "Success envelope".
 */
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"
import type { Wire } from "./Wires.ts"
import { unreadable } from "../answer/FalseSuccess.ts"
import { readRows, understood } from "../answer/ListAnswer.ts"
import * as FastDecoder from "../values/FastDecoder.ts"

type Json = Readonly<Record<string, unknown>>

/** Why the wire has found that the answer is no success, or cannot be read. */
export const refusal = (envelope: unknown): string | undefined => {
  const found = Predicate.isReadonlyObject(envelope) ? envelope[unreadable] : undefined
  return typeof found === "string" ? found : undefined
}

const payloadOf = ({ ast }: Schema.Top): SchemaAST.AST =>
  (SchemaAST.isObjects(ast) ? ast.propertySignatures : []).find(({ name }) => name === "data")?.type ??
  SchemaAST.unknown

const formatter = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: ({ _tag }) => (_tag === "MissingKey" ? "is missing" : "does not match the contract"),
  checkHook: () => "does not match the contract"
})

/** The longest description of what does not fit, in characters. */
const longestIssue = 200

/** The place that does not fit, as the service calls it, without its value. */
export const issueOf = ({ issue }: Schema.SchemaError, place: Wire["place"]): string => {
  const [first] = formatter(issue).issues
  const path = place((first?.path ?? []).map((segment) => String(typeof segment === "object" ? segment.key : segment)))
  return `${path.length === 0 ? "the answer" : path.join(".")} ${first?.message ?? "cannot be read"}`.slice(
    0,
    longestIssue
  )
}

const isTelling = (name: string): boolean => /^(?:id|status|hash|reference)$|(?:Id|_id|ID)$/.test(name)

/** The longest value that is kept, in characters. */
const longestValue = 128

/** How deep an answer is searched for an id. */
const deepest = 3

/** The texts and numbers of an object that help to find it again. */
const tellingFields = (object: Json): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(object)
      .filter(([name, value]) => isTelling(name) && (typeof value === "string" || typeof value === "number"))
      .map(([name, value]) => [name, String(value)])
      .filter(([, value]) => value !== undefined && value.length > 0 && value.length <= longestValue)
  )

/** The objects of an answer, the outer ones first, from the payload on. */
const objectsOf = (answer: unknown, depth = 0): ReadonlyArray<Json> => {
  if (depth > deepest || !Predicate.isReadonlyObject(answer) || Array.isArray(answer)) return []
  return [answer, ...Object.values(answer).flatMap((value) => objectsOf(value, depth + 1))]
}

const hasId = (fields: Json): boolean => Object.keys(fields).some((name) => name !== "status")

const identity = (envelope: unknown): Readonly<Record<string, string>> => {
  const payload = Predicate.isReadonlyObject(envelope) ? envelope["data"] : undefined
  return [...objectsOf(payload), ...objectsOf(envelope)].map(tellingFields).find(hasId) ?? {}
}

/** What the service says about the whole list, with its counts as numbers. */
const metaIn = (about: unknown): Json =>
  Record.map(understood(about), (value) => (typeof value === "string" ? Number(value) : value))

/** Reads the envelopes of a contract's successes: its payload, and for a list what it says about the whole list. */
export const make = (success: Schema.Top) => {
  const payload = payloadOf(success)
  const isList = SchemaAST.isArrays(payload)
  const decodePayload = FastDecoder.make(Schema.make(payload))
  const decode = Schema.decodeUnknownResult(
    Schema.Struct({ data: Schema.make<Schema.Codec<unknown, unknown>>(payload) })
  )

  const read = (envelope: unknown): Result.Result<Json, Schema.SchemaError> => {
    if (!Predicate.isReadonlyObject(envelope)) return decode(envelope)
    const { holder, rows } = isList ? readRows(envelope["data"]) : { holder: undefined, rows: envelope["data"] }
    const data = decodePayload(rows)
    if (data === FastDecoder.none) return decode(rows === undefined ? {} : { data: rows })
    const about = envelope["meta"] ?? holder?.["meta"] ?? holder
    return Result.succeed(isList && about !== undefined ? { data, meta: metaIn(about) } : { data })
  }

  return {
    read,
    unread: (envelope: unknown, place: Wire["place"]) => {
      const result = read(envelope)
      return {
        issue: Result.isFailure(result) ? issueOf(result.failure, place) : undefined,
        payload: identity(envelope)
      }
    }
  }
}
