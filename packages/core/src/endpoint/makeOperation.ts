/** Makes the operation of a contract. Pure. */
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as EndpointSpec from "./EndpointSpec.ts"
import type { Existing, Operation } from "./Operation.ts"
import type { Encoded, EncodedBody, Route } from "./Wires.ts"
import { RequestInvalid } from "../errors/SdkError.ts"
import { isRequestedRecord } from "./requestedRecord.ts"
import * as ErrorAnswer from "../errors/ErrorAnswer.ts"
import * as Envelope from "./openEnvelope.ts"
import * as CreatedRecords from "./createdRecords.ts"
import * as Input from "./input.ts"
import * as ListAnswer from "../answer/ListAnswer.ts"
import { fieldNames, isList, needsPayload } from "./Shape.ts"
import * as AssumedWire from "./AssumedWire.ts"
import * as Multipart from "../values/Multipart.ts"

const getNames = (schema: Schema.Top | undefined): ReadonlyArray<string> =>
  schema !== undefined && SchemaAST.isObjects(schema.ast)
    ? schema.ast.propertySignatures.map((signature) => String(signature.name))
    : []

/** Lists the names of the optional fields that may be left out, but must not be `undefined`. */
const getDefinedNames = (schema: Schema.Top | undefined): ReadonlyArray<string> =>
  schema !== undefined && SchemaAST.isObjects(schema.ast)
    ? schema.ast.propertySignatures.filter(({ type }) => Input.isDefined(type)).map(({ name }) => String(name))
    : []

/** Makes the encoder of one part of an input. The result is `{}` if the contract has no such part. */
const makeEncoder = (schema: Schema.Top | undefined) => {
  const names = getNames(schema)
  if (schema === undefined) {
    const empty: Result.Result<Readonly<Record<string, unknown>>, Schema.SchemaError> = Result.succeed({})
    return { names, encode: () => empty }
  }
  const encode = Schema.encodeUnknownResult(schema as Schema.Codec<unknown, unknown>, { errors: "all" })
  return {
    names,
    encode: (input: Readonly<Record<string, unknown>>) =>
      encode(Input.pick(input, names)) as Result.Result<Readonly<Record<string, unknown>>, Schema.SchemaError>
  }
}

/** Makes the look-up of the records that an input creates. */
const makeExisting = <A>(
  group: HttpApiGroup.Constraint,
  existing: EndpointSpec.Existing
): ((input: Readonly<Record<string, unknown>>) => Existing<A>) => {
  const name = existing.operation
  const contract = EndpointSpec.get(group, name.slice(name.indexOf(".") + 1))
  const read = makeOperation(group, contract, ({ data }) => data)
  // `identityFields` decide whether a record is the created one, so the read needs no `isRequested`.
  return CreatedRecords.make({ ...read, isRequested: undefined }, existing)
}

/** Makes the operation of a contract. `open` takes the payload out of the envelope. */
export const makeOperation = <A>(
  group: HttpApiGroup.Constraint,
  contract: EndpointSpec.Any,
  open: (envelope: any) => A
): Operation<A, unknown> => {
  const { errors, method, name, params, path, payload, query, success } = EndpointSpec.parts(contract)
  const operation = `${group.identifier}.${name}`
  const route: Route = { method, path }
  const encoders = { params: makeEncoder(params), query: makeEncoder(query), body: makeEncoder(payload?.schema) }
  const known = new Set(Object.values(encoders).flatMap(({ names }) => names))
  const defined = new Set([params, query, payload?.schema].flatMap(getDefinedNames))
  const envelope = Envelope.make(success)
  const existing = contract.existing === undefined ? undefined : makeExisting<A>(group, contract.existing)
  const lookupInput = contract.existing?.lookupInput ?? {}

  const { about } = contract
  const declared = new Set(errors.map((error) => String(SchemaAST.resolveAt("custodyError")(error.ast))))

  const undefinedObjection = (value: unknown, name: string): string | undefined =>
    value === undefined && defined.has(name)
      ? "is undefined. Leave the field out if no value is meant: that changes what is moved"
      : undefined

  const toBody = (fields: Readonly<Record<string, unknown>>): EncodedBody => {
    if (payload === undefined) return { _tag: "None" }
    return { _tag: payload.isMultipart ? "Multipart" : "Json", fields }
  }
  /** The encoded input of an operation without input. */
  const empty: Encoded | undefined =
    known.size === 0 && payload === undefined ? { params: {}, query: {}, body: { _tag: "None" } } : undefined
  const invalid = (issues: RequestInvalid["issues"]) =>
    Result.fail(new RequestInvalid({ operation, issues: Input.boundIssues(issues) }))

  /** Encodes the parts of an input. A codec may throw on an object of a foreign class. */
  const encode = (fields: Readonly<Record<string, unknown>>): Result.Result<Encoded, RequestInvalid["issues"]> => {
    try {
      const params = encoders.params.encode(fields)
      if (Result.isFailure(params)) return Result.fail(Input.toIssues(params.failure))
      const query = encoders.query.encode(fields)
      if (Result.isFailure(query)) return Result.fail(Input.toIssues(query.failure))
      const body = encoders.body.encode(fields)
      if (Result.isFailure(body)) return Result.fail(Input.toIssues(body.failure))
      return Result.succeed({
        params: params.success as Encoded["params"],
        query: query.success,
        body: toBody(body.success)
      })
    } catch (error) {
      return Result.fail([Input.unreadable([], error)])
    }
  }

  const prepare: Operation<A, unknown>["prepare"] = (value) => {
    const input = value ?? {}
    if (typeof input !== "object")
      return invalid([{ path: [], message: `Expected an object with the fields ${[...known].join(", ")}` }])
    const names = Input.tryRead([], () => Object.keys(input))
    if (Result.isFailure(names)) return invalid(names.failure)
    const unknown = names.success.filter((name) => !known.has(name))
    if (unknown.length > 0) {
      const fields = [...known].join(", ")
      const message = `is not a field of this endpoint, whose fields are ${fields === "" ? "none" : fields}`
      return invalid(unknown.map((name) => ({ path: [name], message })))
    }
    if (empty !== undefined) return Result.succeed({ encoded: empty, existing: undefined })
    const values = Input.readFields(input, known)
    if (Result.isFailure(values)) return invalid(values.failure)
    const fields = values.success
    const missing = Input.findIssues(fields, undefinedObjection)
    if (missing.length > 0) return invalid(missing)
    const encoded = encode(fields)
    if (Result.isFailure(encoded)) return invalid(encoded.failure)
    const { body, params, query } = encoded.success
    const misleading = Input.findIssues(params, AssumedWire.segmentObjection)
    if (misleading.length > 0) return invalid(misleading)
    const unsendable = body._tag === "Multipart" ? Input.findIssues(body.fields, Multipart.objection) : []
    if (unsendable.length > 0) return invalid(unsendable)
    const garbled = Input.findIssues(query, AssumedWire.queryObjection)
    if (garbled.length > 0) return invalid(garbled)
    const found = existing?.(fields)
    const unreadable = found === undefined ? [] : CreatedRecords.unreadableNames(found, lookupInput, fields)
    if (unreadable.length > 0) return invalid(unreadable)
    return Result.succeed({ encoded: encoded.success, existing: found })
  }

  return {
    operation,
    route,
    provenance: contract.provenance,
    safety: contract.safety,
    section: contract.section,
    lookUp: contract.lookUp,
    declared,
    prepare,
    encode: (input) => Result.map(prepare(input), ({ encoded }) => encoded),
    wire: AssumedWire.make(route, {
      isSecret: contract.safety === "session",
      isPaged: known.has("page"),
      isList: isList(success),
      isRead: contract.safety === "read",
      needsPayload: needsPayload(success, contract.safety)
    }),
    decode: (body, place) => {
      const issue = Envelope.refusal(body)
      if (issue !== undefined) return Result.fail(issue)
      return Result.mapBoth(envelope.read(body), {
        onSuccess: (decoded) => open(ListAnswer.withCursor(body, decoded)),
        onFailure: (error) => Envelope.describeIssue(error, place)
      })
    },
    isRequested:
      about === undefined
        ? undefined
        : (input, record) => isRequestedRecord(about.idFields, String(input.params[about.parameter]), record),
    decodeError: (answer) => ErrorAnswer.fromAnswer(operation, declared, contract.safety !== "session", answer),
    fields: () => fieldNames(success),
    unread: (body, place) => {
      const unread = envelope.unread(body, place)
      return { ...unread, issue: Envelope.refusal(body) ?? unread.issue }
    }
  }
}
