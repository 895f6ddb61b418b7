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
import type { Unread } from "../Operation.ts"
import type { Wire } from "../Wire.ts"
import { raw } from "./unread.ts"
import * as FalseSuccess from "./falseSuccess.ts"
import * as ListAnswer from "./listAnswer.ts"
import * as Quick from "./quickDecoder.ts"

type Json = Readonly<Record<string, unknown>>

/** Why the envelope of a success says that it is an error: by its status, by its code, or in another form. */
export const contradiction = (envelope: unknown): string | undefined => {
  const said = FalseSuccess.contradiction(envelope)
  if (said !== undefined || !Predicate.isReadonlyObject(envelope)) return said
  const { [FalseSuccess.unreadable]: unreadable } = envelope
  return typeof unreadable === "string" ? unreadable : undefined
}

/** The type of a contract's payload. */
const payloadOf = (success: Schema.Top): SchemaAST.AST | undefined =>
  SchemaAST.isObjects(success.ast)
    ? success.ast.propertySignatures.find(({ name }) => name === "data")?.type
    : undefined

/** The envelope without odd parts that no caller needs, and with a list under `items` as its payload. */
const tidied = ({ data, message, meta, status, ...rest }: Json, isList: boolean): Json => {
  const { holder, rows } = isList ? ListAnswer.rowsOf(data) : { holder: undefined, rows: data }
  const about = meta ?? holder?.["meta"] ?? holder
  return {
    ...rest,
    ...(typeof message === "string" ? { message } : {}),
    ...(Number.isSafeInteger(status) ? { status } : {}),
    ...(data === undefined ? {} : { data: rows }),
    ...(about === undefined ? {} : { meta: ListAnswer.understood(about) })
  }
}

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

/** Whether a field helps to find a record again. */
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

/** What helps to find a payload that does not fit. */
const identity = (envelope: unknown): Readonly<Record<string, string>> => {
  const payload = Predicate.isReadonlyObject(envelope) ? envelope["data"] : undefined
  return [...objectsOf(payload), ...objectsOf(envelope)].map(tellingFields).find(hasId) ?? {}
}

/** Keeps fields of another type than assumed under the `extra` of their record, unchanged. */
const keepingAll = (sent: unknown, decoded: unknown): unknown => {
  if (Array.isArray(sent) && Array.isArray(decoded)) return decoded.map((item, at) => keepingAll(sent[at], item))
  if (!Predicate.isReadonlyObject(sent) || !Predicate.isReadonlyObject(decoded)) return decoded
  const { extra } = decoded
  if (!Predicate.isReadonlyObject(extra)) return decoded
  const dropped = Object.entries(sent).filter(
    ([name, value]) => (value ?? null) !== null && !Object.hasOwn(decoded, name) && !Object.hasOwn(extra, name)
  )
  const kept = Record.map(decoded, (value, name) => (name === "extra" ? value : keepingAll(sent[name], value)))
  return dropped.length === 0
    ? kept
    : { ...kept, extra: { ...extra, ...Object.fromEntries(dropped.map(([name, value]) => [name, raw(value)])) } }
}

/** Reads the envelopes of a contract's successes. */
export const make = (success: Schema.Top) => {
  const decode = Schema.decodeUnknownResult(success as Schema.Codec<unknown, unknown>)
  const payload = payloadOf(success)
  const isList = payload !== undefined && SchemaAST.isArrays(payload)
  const holdsRecords = Quick.recordOf(isList ? payload.rest[0] : payload) !== undefined
  const quick = Quick.envelope(success)

  /** The decoded envelope, with every field of its records. */
  const whole = (sent: Json, decoded: unknown): unknown => {
    if (!holdsRecords || !Predicate.isReadonlyObject(decoded)) return decoded
    return { ...decoded, data: keepingAll(sent["data"], decoded["data"]) }
  }

  const read = (envelope: unknown): Result.Result<unknown, Schema.SchemaError> => {
    const quickly = quick === undefined ? Quick.none : quick(envelope)
    if (quickly !== Quick.none) return Result.succeed(quickly)
    const asItIs = decode(envelope)
    if (!Predicate.isReadonlyObject(envelope)) return asItIs
    if (Result.isSuccess(asItIs)) return Result.succeed(whole(envelope, asItIs.success))
    const tidy = tidied(envelope, isList)
    return Result.map(decode(tidy), (decoded) => whole(tidy, decoded))
  }

  return {
    read,
    unread: (envelope: unknown, place: Wire["place"]): Unread => {
      const result = read(envelope)
      return {
        issue: Result.isFailure(result) ? issueOf(result.failure, place) : undefined,
        payload: identity(envelope)
      }
    }
  }
}
