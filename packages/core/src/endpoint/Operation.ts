/**
 * An endpoint that a client can call: its declaration, and the two directions that are made from it at first use. An
 * input becomes the parts of a request, and an answer that belongs to the call becomes its payload. Pure.
 *
 * Specification: "Success envelope".
 *
 * @siblings `authentication`, `contract`, `emulator` and `cli` encode inputs and read answers as the client does.
 */
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { readMeta, readRows } from "../answer/Answer.ts"
import { InputInvalid } from "../errors/SdkError.ts"
import * as ExactJson from "../json/ExactJson.ts"
import * as FastDecoder from "../values/fastDecoder.ts"
import * as Text from "../values/Text.ts"
import * as Declaration from "./Declaration.ts"
import * as Input from "./input.ts"
import * as Wires from "./Wires.ts"
import type { Encoded, Received, RequestInput, Success, Wire, WireInput } from "./Wires.ts"

export * as FastDecoder from "../values/fastDecoder.ts"

/** The key of an endpoint's codec. */
export const TypeId = "~effect-custody/core/Operation"

/** An endpoint for `CustodyClient.call`. */
export interface Operation<out A, out E> extends Declaration.Declaration {
  readonly "~Error"?: E
  readonly [TypeId]: Codec<A>
}

/** Any endpoint. */
export interface Any extends Operation<unknown, unknown> {}

/**
 * Finds the records that an attempt of a call may have created, by the names that the caller chose. Also checks that a
 * success shows exactly these names.
 */
export interface Existing<out A> {
  readonly operation: Any
  readonly reads: ReadonlyArray<ExistingRead>
  /** Makes the payload of the call from the records that `reads` found. */
  readonly payload: (found: ReadonlyArray<unknown>) => A
  /**
   * Returns the payload of an answer with its records in the order of the input. Fails unless the payload shows each
   * name of the input once, and no other name.
   */
  readonly confirmed: (payload: unknown) => Result.Result<A, string>
}

export interface ExistingRead {
  readonly input: unknown
  /** `true` if a record shows the requested name. With `isExact`, the spelling must be the same as in the input. */
  readonly matches: (record: unknown, isExact: boolean) => boolean
}

/** A checked input, and the look-up of the records that it creates. */
export interface Prepared<out A> extends Pick<RequestInput, "encoded" | "given"> {
  readonly existing: Existing<A> | undefined
}

/** The two directions of an endpoint, between the function's values and the SDK's JSON. Pure. */
export interface Codec<out A> {
  /** Checks and encodes an input. Reads the input once. */
  readonly prepare: (input: unknown) => Result.Result<Prepared<A>, InputInvalid>
  /** Decodes the payload of a success, or says what is wrong with it. */
  readonly decode: (success: Success, place: Wire["place"]) => Result.Result<A, string>
  /** The wire without a contract. */
  readonly wire: Wire
}

export const codec = <A, E>(operation: Operation<A, E>): Codec<A> => operation[TypeId]

export const encode = (operation: Any, input: unknown): Result.Result<Encoded, InputInvalid> =>
  Result.map(codec(operation).prepare(input), ({ encoded }) => encoded)

/** Hashes an encoded input: see `ExactJson.hash`. */
export const fingerprint = (encoded: Encoded): string => ExactJson.hash(encoded)

// From an input to the parts of a request.

type Json = Readonly<Record<string, unknown>>
type Issues = InputInvalid["issues"]

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
  const misleading = Input.findIssues(params, Wires.segmentObjection)
  if (misleading.length > 0) return misleading
  const unsendable = body._tag === "Multipart" ? Input.findIssues(body.fields, Wires.multipartObjection) : []
  return unsendable.length > 0 ? unsendable : Input.findIssues(query, Wires.queryObjection)
}

/**
 * Finds the names in an input that the look-up's read would refuse. Nothing may be created under such a name, because
 * no look-up could find it.
 */
const unreadableNames = (
  { operation, reads }: Existing<unknown>,
  lookupInput: Declaration.Existing["lookupInput"],
  input: Json
): Issues =>
  reads.flatMap((read, at) => {
    const encoded = encode(operation, read.input)
    if (Result.isSuccess(encoded)) return []
    return encoded.failure.issues.map(({ message, path: [name] }) => {
      const from = lookupInput[String(name)]
      return { path: from === undefined ? [] : Array.isArray(input[from]) ? [from, at] : [from], message }
    })
  })

/** Makes the function that checks and encodes the inputs of an endpoint. */
const makePrepare = <A>(declaration: Declaration.Declaration): Codec<A>["prepare"] => {
  const { existing, operation, payload } = declaration
  const fields = Declaration.fields(declaration)
  const known = Object.keys(fields)
  const isKnown = new Set(known)
  const defined = new Set(known.filter((name) => Input.isDefined(fields[name]!.ast)))
  const encodeParts = makeEncode(declaration)
  const readExisting = existing && (existing.read() as Any)
  const none: Prepared<A> | undefined =
    known.length === 0 && payload === undefined
      ? { encoded: { params: {}, query: {}, body: { _tag: "None" } }, given: {}, existing: undefined }
      : undefined
  const invalid = (issues: Issues) => Result.fail(new InputInvalid({ operation, issues: Input.boundIssues(issues) }))
  const undefinedObjection = (value: unknown, name: string): string | undefined =>
    value === undefined && defined.has(name)
      ? "is undefined. Leave the field out if no value is meant: that changes what is moved"
      : undefined

  return (value) => {
    const input = value ?? {}
    if (typeof input !== "object")
      return invalid([{ path: [], message: `Expected an object with the fields ${known.join(", ")}` }])
    // A proxy may throw.
    const names = Result.try(() => Object.keys(input))
    if (Result.isFailure(names)) return invalid([Input.unreadable([], names.failure)])
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
    const encoded = encodeParts(values.success)
    if (Result.isFailure(encoded)) return invalid(encoded.failure)
    const unsendable = findUnsendable(encoded.success)
    if (unsendable.length > 0) return invalid(unsendable)
    const checked = { encoded: encoded.success, given: values.success }
    if (existing === undefined) return Result.succeed({ ...checked, existing: undefined })
    const found = created<A>(existing, readExisting!, values.success)
    const unreadable = unreadableNames(found, existing.lookupInput, values.success)
    if (unreadable.length > 0) return invalid(unreadable)
    return Result.succeed({ ...checked, existing: found })
  }
}

// From an answer to the payload of the call.

const formatter = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: ({ _tag }) => (_tag === "MissingKey" ? "is missing" : "does not match the contract"),
  checkHook: () => "does not match the contract"
})

/** The maximum length of an issue, in characters. */
const maxIssue = 200

/** Describes the first place that does not fit the schema, with the service's names and without the value. */
const describeIssue = ({ issue }: Schema.SchemaError, place: Wire["place"]): string => {
  const [first] = formatter(issue).issues
  const path = place((first?.path ?? []).map((segment) => String(typeof segment === "object" ? segment.key : segment)))
  return `${path.length === 0 ? "the answer" : path.join(".")} ${first?.message ?? "cannot be read"}`.slice(0, maxIssue)
}

/** The payload of an envelope and, for a list, what the service says of the whole. */
interface Opened {
  readonly data: unknown
  readonly meta?: Json
}

/**
 * Makes the reader of an envelope. Only the payload must fit the contract. Another field of the envelope makes the
 * outcome of a write unknown only if it holds the status or the code of an error.
 */
export const makeOpen = (declaration: Declaration.Declaration) => {
  const payload = Declaration.codecs(declaration).data
  const isList = Declaration.isList(declaration)
  const decodePayload = FastDecoder.make(payload)
  const rowsOrRecord = payload as Schema.Codec<unknown, unknown>
  const decode = Schema.decodeUnknownResult(Schema.Struct({ data: rowsOrRecord }))
  const decodeItems = Schema.decodeUnknownResult(Schema.Struct({ data: Schema.Struct({ items: rowsOrRecord }) }))

  return (envelope: unknown): Result.Result<Opened, Schema.SchemaError> => {
    if (!Predicate.isReadonlyObject(envelope)) return decode(envelope)
    const { holder, rows } = isList ? readRows(envelope["data"]) : { holder: undefined, rows: envelope["data"] }
    const data = decodePayload(rows)
    if (data === FastDecoder.none) {
      return holder === undefined
        ? decode(rows === undefined ? {} : { data: rows })
        : Result.map(decodeItems(envelope), ({ data }) => ({ data: data.items }))
    }
    const meta = isList ? readMeta(envelope["meta"] ?? holder?.["meta"] ?? holder) : {}
    return Result.succeed(Record.isEmptyRecord(meta) ? { data } : { data, meta })
  }
}

const toPage = ({ data, meta }: Opened, { hasNext, nextCursor }: Success): object => ({
  items: data,
  meta,
  ...(nextCursor === undefined ? {} : { nextCursor }),
  ...(hasNext === undefined ? {} : { hasNext })
})

/** Makes the codec of an endpoint from its declaration. */
export const make = <A>(declaration: Declaration.Declaration): Codec<A> => {
  const open = makeOpen(declaration)
  return {
    prepare: makePrepare<A>(declaration),
    decode: (success, place) => {
      const opened = success.isDecoded === true ? Result.succeed(success.envelope as Opened) : open(success.envelope)
      if (Result.isFailure(opened)) return Result.fail(describeIssue(opened.failure, place))
      return Result.succeed((declaration.isList ? toPage(opened.success, success) : opened.success.data) as A)
    },
    wire: Wires.assumedWire(declaration)
  }
}

// Whether an answer belongs to its call: a read shows the requested record …

/** Normalizes a name: `tx_hash`, `txHash` and `TX-HASH` become equal. */
const plain = (name: string): string => name.replaceAll(/[_-]/g, "").toLowerCase()

/** The {@link plain} names of fields that may hold the requested id if none of the `idFields` does. */
const otherId = /^(?:externalid|guid|(?:transaction|tx)?hash|reference(?:id)?|requestid|txid|uuid)$/

const idTexts = (value: unknown): ReadonlyArray<string> =>
  typeof value === "string" || typeof value === "number" || typeof value === "bigint"
    ? [String(value).toLowerCase()]
    : []

/**
 * `false` only if a record certainly has a different id: the record shows an id under one of `idFields`, and no id in
 * the record is the requested one. Letter case does not matter, because services write UUIDs and hashes in either case.
 */
const isRequested = (about: Declaration.About, { params }: Encoded, record: unknown): boolean => {
  const { idFields, parameter } = about
  const requestedId = String(params[parameter])
  if (!Predicate.isReadonlyObject(record) || idFields.some((name) => record[name] === requestedId)) return true
  const extra = Predicate.isReadonlyObject(record["extra"]) ? record["extra"] : {}
  const own = new Set(idFields.map(plain))
  const values = (isIncluded: (name: string) => boolean): ReadonlyArray<string> =>
    Object.entries({ ...extra, ...record }).flatMap(([name, value]) => (isIncluded(plain(name)) ? idTexts(value) : []))
  const ids = values((name) => own.has(name))
  return ids.length === 0 || [...ids, ...values((name) => otherId.test(name))].includes(requestedId.toLowerCase())
}

// … and a creation shows exactly the names of its input.

/** Joins names into a key. Equal keys mean equal names; a number equals its text. `undefined` if a name is missing. */
const makeKey = (names: ReadonlyArray<unknown>): string | undefined =>
  names.length > 0 && names.every((name) => typeof name === "string" || typeof name === "number")
    ? JSON.stringify(names.map(String))
    : undefined

/**
 * Joins names into a key that ignores the white space around a name, its normalization and its letter case, because a
 * service may change them.
 */
const makeLooseKey = (names: ReadonlyArray<unknown>): string | undefined =>
  makeKey(names.map((name) => (typeof name === "string" ? Text.normalize(name) : name)))

const wrongNames = "the names in it are not those that were requested"

/** Describes the records that an input creates. */
const created = <A>(
  { identityFields, lookupInput }: Declaration.Existing,
  operation: Any,
  input: Json
): Existing<A> => {
  const several = Object.values(lookupInput).find((from) => Array.isArray(input[from]))
  const items: ReadonlyArray<Json> =
    several === undefined
      ? [input]
      : (input[several] as ReadonlyArray<unknown>).map((name) => ({ ...input, [several]: name }))
  const fields = Object.entries(identityFields ?? lookupInput).filter(([, from]) => input[from] !== undefined)
  const names = items.map((item) => fields.map(([, from]) => item[from]))
  const looseKeys = names.map(makeLooseKey)
  // If two names of the input have the same loose key, compare exactly, to tell the names apart.
  const key = new Set(looseKeys).size === looseKeys.length ? makeLooseKey : makeKey
  const keys = names.map(key)
  const readNames = (record: unknown): ReadonlyArray<unknown> =>
    Predicate.isReadonlyObject(record) ? fields.map(([name]) => record[name]) : []
  const payload = (records: ReadonlyArray<unknown>) => (several === undefined ? records[0] : records) as A
  return {
    operation,
    reads: items.map((item, at) => ({
      input: Object.fromEntries(Object.entries(lookupInput).map(([name, from]) => [name, item[from]])),
      matches: (record, isExact) =>
        keys[at] !== undefined &&
        (isExact ? makeKey(readNames(record)) === makeKey(names[at]!) : key(readNames(record)) === keys[at])
    })),
    payload,
    confirmed: (answer) => {
      const records: unknown = several === undefined ? [answer] : answer
      if (!Array.isArray(records) || records.length !== keys.length) return Result.fail(wrongNames)
      const byKey = new Map(records.map((record) => [key(readNames(record)), record]))
      const isExact = byKey.size === new Set(keys).size && keys.every((name) => name !== undefined && byKey.has(name))
      return isExact ? Result.succeed(payload(keys.map((name) => byKey.get(name)))) : Result.fail(wrongNames)
    }
  }
}

/** What an answer must belong to. */
interface Asked<A> extends WireInput {
  readonly operation: Operation<A, unknown>
  readonly wire: Wire
  readonly about: Declaration.About | undefined
  readonly existing: Existing<A> | undefined
}

/** Decodes the payload of an answer, once, and checks that it belongs to the call. `undefined`: no success. */
export const readAnswer = <A>(asked: Asked<A>, received: Received): Result.Result<A, string> | undefined => {
  const { about, encoded, existing, operation, wire } = asked
  const success = wire.answer(received, asked)
  if (success === undefined) return undefined
  if (Result.isFailure(success)) return Result.fail(success.failure)
  const decoded = codec(operation).decode(success.success, wire.place)
  if (Result.isFailure(decoded)) return decoded
  if (about !== undefined && !isRequested(about, encoded, decoded.success)) {
    return Result.fail("the record in it has another id than the one that was asked for")
  }
  return existing === undefined ? decoded : existing.confirmed(decoded.success)
}
