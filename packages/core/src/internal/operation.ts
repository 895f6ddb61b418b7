/** From a contract to the operation that a client calls. Pure. */
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"
import type * as Contract from "../Contract.ts"
import type { Encoded, EncodedBody, Operation, Route } from "../Operation.ts"
import { RequestInvalid } from "../SdkError.ts"
import * as ErrorAnswer from "./errorAnswer.ts"
import * as Envelope from "./envelope.ts"
import * as Existing from "./existing.ts"
import { contractOf, partsOf } from "./httpApi.ts"
import * as Paging from "./contract/paging.ts"
import { fieldNames, isList, needsPayload } from "./contract/shape.ts"
import * as Wire from "./contract/wire.ts"
import * as Upload from "./upload.ts"

const namesOf = (schema: Schema.Top | undefined): ReadonlyArray<string> =>
  schema !== undefined && SchemaAST.isObjects(schema.ast)
    ? schema.ast.propertySignatures.map((signature) => String(signature.name))
    : []

const picked = (input: Readonly<Record<string, unknown>>, names: ReadonlyArray<string>): Record<string, unknown> =>
  Object.fromEntries(
    names.filter((name) => Object.hasOwn(input, name) && input[name] !== undefined).map((name) => [name, input[name]])
  )

/** How deep the values of an input may be nested: JSON is written with a call per level. */
const deepest = 256

/** How many characters all texts of a field may have, with the names inside it: several copies of them are made. Files are streams. */
const largest = 4 * 1024 * 1024

/** How many values a field may hold, all together: as many as an answer may. */
const mostValues = 200_000

/** Why a field is too deep or too large, if it is. It walks what JSON walks: lists and plain objects. */
const excess = (value: unknown): string | undefined => {
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
const objectionsTo = (
  fields: Readonly<Record<string, unknown>>,
  objection: (value: unknown) => string | undefined
): RequestInvalid["issues"] =>
  Object.keys(fields).flatMap((name) => {
    const message = objection(fields[name])
    return message === undefined ? [] : [{ path: [name], message }]
  })

const formatter = SchemaIssue.makeFormatterStandardSchemaV1()

const issuesOf = (error: Schema.SchemaError): RequestInvalid["issues"] =>
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
const boundedIssues = (issues: RequestInvalid["issues"]): RequestInvalid["issues"] =>
  issues.slice(0, mostIssues).map(({ message, path }) => ({
    path: path
      .slice(0, mostSegments)
      .map((segment) => (typeof segment === "string" ? segment.slice(0, longestSegment) : segment)),
    message: message.slice(0, longestMessage)
  }))

/** Encodes one part of an input; nothing where the contract has no such part. */
const encoderOf = (schema: Schema.Top | undefined) => {
  const names = namesOf(schema)
  if (schema === undefined) {
    const nothing = Result.succeed({})
    return { names, encode: () => nothing }
  }
  const encode = Schema.encodeUnknownResult(schema as Schema.Codec<unknown, unknown>, { errors: "all" })
  return {
    names,
    encode: (input: Readonly<Record<string, unknown>>) =>
      Result.map(encode(picked(input, names)), (encoded) => encoded as Readonly<Record<string, unknown>>)
  }
}

/** How what an input creates is found again. */
const existingOf = <A>(
  group: HttpApiGroup.Constraint,
  existing: Contract.Existing
): Operation<A, unknown>["existing"] => {
  const name = existing.operation
  const contract = contractOf(group, name.slice(name.indexOf(".") + 1))
  return Existing.make(
    operationOf(group, contract, ({ data }) => data),
    existing
  )
}

/** The operation of a contract. `open` takes the payload out of the envelope. */
export const operationOf = <A>(
  group: HttpApiGroup.Constraint,
  contract: Contract.Any,
  open: (envelope: any) => A
): Operation<A, unknown> => {
  const { errors, method, name, params, path, payload, query, success } = partsOf(contract)
  const operation = `${group.identifier}.${name}`
  const route: Route = { method, path }
  const encoders = { params: encoderOf(params), query: encoderOf(query), body: encoderOf(payload?.schema) }
  const known = new Set(Object.values(encoders).flatMap(({ names }) => names))
  const envelope = Envelope.make(success)
  // New tokens are kept, whatever else their answer says.
  const contradiction = contract.safety === "session" ? () => undefined : Envelope.contradiction

  const declared = new Set(errors.map((error) => String(SchemaAST.resolveAt("custodyError")(error.ast))))

  const bodyOf = (fields: Readonly<Record<string, unknown>>): EncodedBody => {
    if (payload === undefined) return { _tag: "None" }
    return { _tag: payload.isMultipart ? "Multipart" : "Json", fields }
  }
  /** The encoded input of an operation that takes none. */
  const empty: Encoded | undefined =
    known.size === 0 && payload === undefined ? { params: {}, query: {}, body: { _tag: "None" } } : undefined
  const invalid = (issues: RequestInvalid["issues"]) =>
    Result.fail(new RequestInvalid({ operation, issues: boundedIssues(issues) }))

  return {
    operation,
    route,
    provenance: contract.provenance,
    safety: contract.safety,
    section: contract.section,
    lookUp: contract.lookUp,
    existing: contract.existing === undefined ? undefined : existingOf(group, contract.existing),
    declared,
    encode: (given) => {
      const input = given ?? {}
      if (typeof input !== "object")
        return invalid([{ path: [], message: `Expected an object with the fields ${[...known].join(", ")}` }])
      const fields = input as Readonly<Record<string, unknown>>
      const unknown = Object.keys(fields).filter((name) => !known.has(name))
      if (unknown.length > 0) {
        const fields = [...known].join(", ")
        const message = `is not a field of this endpoint, whose fields are ${fields === "" ? "none" : fields}`
        return invalid(unknown.map((name) => ({ path: [name], message })))
      }
      if (empty !== undefined) return Result.succeed(empty)
      const exceeding = objectionsTo(fields, excess)
      if (exceeding.length > 0) return invalid(exceeding)
      const encoded = Result.all({
        params: encoders.params.encode(fields),
        query: encoders.query.encode(fields),
        body: Result.map(encoders.body.encode(fields), bodyOf)
      })
      if (Result.isFailure(encoded)) return invalid(issuesOf(encoded.failure))
      const { body, params } = encoded.success
      const misleading = Object.entries(params).filter(([, value]) => !Wire.isSegment(String(value)))
      if (misleading.length > 0) {
        return invalid(misleading.map(([name]) => ({ path: [name], message: "cannot be a segment of a path" })))
      }
      const unsendable = body._tag === "Multipart" ? objectionsTo(body.fields, Upload.unsendable) : []
      if (unsendable.length > 0) return invalid(unsendable)
      return Result.succeed(encoded.success as Encoded)
    },
    wire: Wire.assumed(route, {
      isSecret: contract.safety === "session",
      isPaged: known.has("page"),
      isList: isList(success),
      isRead: contract.safety === "read",
      needsPayload: needsPayload(success, contract.safety)
    }),
    decode: (body, place) => {
      const issue = contradiction(body)
      if (issue !== undefined) return Result.fail(issue)
      return Result.mapBoth(envelope.read(body), {
        onSuccess: (decoded) => open(Paging.continued(body, decoded)),
        onFailure: (error) => Envelope.issueOf(error, place)
      })
    },
    decodeError: (answer) => ErrorAnswer.fromAnswer(operation, declared, contract.safety !== "session", answer),
    fields: () => fieldNames(success),
    unread: (body, place) => {
      const unread = envelope.unread(body, place)
      return { ...unread, issue: contradiction(body) ?? unread.issue }
    }
  }
}
