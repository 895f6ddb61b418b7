/** Checks an input and encodes its parts. Pure. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { RequestInvalid } from "../errors/SdkError.ts"
import * as Multipart from "../values/Multipart.ts"
import * as AssumedWire from "./AssumedWire.ts"
import * as CreatedRecords from "./createdRecords.ts"
import * as Declaration from "./Declaration.ts"
import * as Input from "./input.ts"
import type { Codec, Prepared } from "./Operation.ts"
import type { Encoded } from "./Wires.ts"

type Json = Readonly<Record<string, unknown>>
type Issues = RequestInvalid["issues"]

const makeEncoder = (schema: Schema.Top | undefined, fields: Schema.Struct.Fields = {}) => {
  if (schema === undefined) return () => Result.succeed<Json>({})
  const names = Object.keys(fields)
  const encode = Schema.encodeUnknownResult(schema as Schema.Codec<unknown, Json>, { errors: "all" })
  return (input: Json): Result.Result<Json, Schema.SchemaError> => encode(Input.pick(input, names))
}

/** Encodes the parts of an input. A codec may throw on an object of a foreign class. */
const makeEncode = (declaration: Declaration.Declaration): ((input: Json) => Result.Result<Encoded, Issues>) => {
  const { isMultipart, params, payload, query } = declaration
  const codecs = Declaration.codecs(declaration)
  const toParams = makeEncoder(codecs.params, params)
  const toQuery = makeEncoder(codecs.query, query)
  const toBody = makeEncoder(codecs.payload, Declaration.payloadFields(declaration))
  const tag = payload === undefined ? undefined : isMultipart ? "Multipart" : "Json"
  return (input) => {
    try {
      const params = toParams(input)
      if (Result.isFailure(params)) return Result.fail(Input.toIssues(params.failure))
      const query = toQuery(input)
      if (Result.isFailure(query)) return Result.fail(Input.toIssues(query.failure))
      const body = toBody(input)
      if (Result.isFailure(body)) return Result.fail(Input.toIssues(body.failure))
      return Result.succeed({
        params: params.success as Encoded["params"],
        query: query.success,
        body: tag === undefined ? { _tag: "None" } : { _tag: tag, fields: body.success }
      })
    } catch (error) {
      return Result.fail([Input.unreadable([], error)])
    }
  }
}

/** Says what no wire can carry: each part has its own limits. */
const findUnsendable = ({ body, params, query }: Encoded): Issues => {
  const misleading = Input.findIssues(params, AssumedWire.segmentObjection)
  if (misleading.length > 0) return misleading
  const unsendable = body._tag === "Multipart" ? Input.findIssues(body.fields, Multipart.objection) : []
  return unsendable.length > 0 ? unsendable : Input.findIssues(query, AssumedWire.queryObjection)
}

/** Makes the function that checks and encodes the inputs of an endpoint. */
export const make = <A>(declaration: Declaration.Declaration): Codec<A>["prepare"] => {
  const { existing, operation, payload } = declaration
  const fields = Declaration.fields(declaration)
  const known = Object.keys(fields)
  const isKnown = new Set(known)
  const defined = new Set(known.filter((name) => Input.isDefined(fields[name]!.ast)))
  const encode = makeEncode(declaration)
  const findExisting = existing && CreatedRecords.make<A>(existing)
  const none: Prepared<A> | undefined =
    known.length === 0 && payload === undefined
      ? { encoded: { params: {}, query: {}, body: { _tag: "None" } }, existing: undefined }
      : undefined
  const invalid = (issues: Issues) => Result.fail(new RequestInvalid({ operation, issues: Input.boundIssues(issues) }))
  const undefinedObjection = (value: unknown, name: string): string | undefined =>
    value === undefined && defined.has(name)
      ? "is undefined. Leave the field out if no value is meant: that changes what is moved"
      : undefined

  return (value) => {
    const input = value ?? {}
    if (typeof input !== "object")
      return invalid([{ path: [], message: `Expected an object with the fields ${known.join(", ")}` }])
    const names = Input.tryRead([], () => Object.keys(input))
    if (Result.isFailure(names)) return invalid(names.failure)
    const unknown = names.success.filter((name) => !isKnown.has(name))
    if (unknown.length > 0) {
      const message = `is not a field of this endpoint, whose fields are ${known.length === 0 ? "none" : known.join(", ")}`
      return invalid(unknown.map((name) => ({ path: [name], message })))
    }
    if (none !== undefined) return Result.succeed(none)
    const values = Input.readFields(input, known)
    if (Result.isFailure(values)) return invalid(values.failure)
    const missing = Input.findIssues(values.success, undefinedObjection)
    if (missing.length > 0) return invalid(missing)
    const encoded = encode(values.success)
    if (Result.isFailure(encoded)) return invalid(encoded.failure)
    const unsendable = findUnsendable(encoded.success)
    if (unsendable.length > 0) return invalid(unsendable)
    const found = findExisting?.(values.success)
    const unreadable =
      found === undefined ? [] : CreatedRecords.unreadableNames(found, existing!.lookupInput, values.success)
    if (unreadable.length > 0) return invalid(unreadable)
    return Result.succeed({ encoded: encoded.success, existing: found })
  }
}
