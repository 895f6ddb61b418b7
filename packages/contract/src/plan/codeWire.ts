/** Compiles the mappings of a wire in code: of a request, and of a record. Pure. */
import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import { constVoid } from "effect/Function"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { isSegment, omitUndefined, queryObjection } from "@effect-custody/core/AssumedWire"
import * as CanonicalJson from "@effect-custody/core/CanonicalJson"
import * as Declaration from "@effect-custody/core/Declaration"
import * as ExactJson from "@effect-custody/core/ExactJson"
import * as Multipart from "@effect-custody/core/Multipart"
import type { Shape } from "@effect-custody/core/Shape"
import { isHeaderValue } from "@effect-custody/core/Text"
import type { Encoded, Issue, Parts } from "@effect-custody/core/Wires"
import type { OperationShape } from "../language/contract.ts"
import { severalWords } from "../language/formats.ts"
import type { Code } from "../language/Wire.ts"
import type { RequestMapping, Sent, Theirs } from "./fields.ts"
import type { Mapping } from "./record.ts"

type Json = Readonly<Record<string, unknown>>
type Issues = ReadonlyArray<Issue>

/** Throws for a promise, because nothing awaits it. Handles its rejection, which would otherwise end the process. */
const sync = <A>(value: A): A => {
  if (!Predicate.isPromiseLike(value)) return value
  value.then(constVoid, constVoid)
  throw new Error("the code of the contract gave a promise, and nothing waits for it")
}

/** Removes the undefined fields of plain objects. */
const present = (value: unknown): unknown => {
  if (Array.isArray(sync(value))) return (value as ReadonlyArray<unknown>).map(present)
  const isPlain = typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype
  return isPlain && !Multipart.isFile(value) ? Record.map(omitUndefined(value as Json), present) : value
}

const unnamed = (message: string): Issues => [{ path: [], message }]

/** Runs code of the contract, which may throw and has to give an object. */
const run = (code: (value: never) => unknown, value: unknown): Result.Result<Json, Issues> =>
  Result.try({
    try: () => {
      const made = present(code(value as never))
      if (Predicate.isReadonlyObject(made)) return made
      throw new Error("the code of the contract gave no object")
    },
    catch: (error) => unnamed(error instanceof Error ? error.message : "the code of the contract failed")
  })

const formatter = SchemaIssue.makeFormatterStandardSchemaV1()

const toIssues = ({ issue }: Schema.SchemaError): Issues =>
  formatter(issue).issues.map(({ message, path = [] }) => ({
    path: path.map((segment) => String(typeof segment === "object" ? segment.key : segment)),
    message
  }))

type Convert = (value: unknown) => Result.Result<any, Issues>

/** The two directions of a schema. A transformation in it may throw. */
const directions = (schema: Schema.Top, onExcessProperty: "error" | "ignore") => {
  const guarded =
    (convert: (value: unknown) => Result.Result<unknown, Schema.SchemaError>): Convert =>
    (value) =>
      Result.flatMap(
        Result.try({ try: () => convert(value), catch: (error) => unnamed(String(error)) }),
        Result.mapError(toIssues)
      )
  const codec = schema as Schema.Codec<unknown, unknown>
  return {
    decode: guarded(Schema.decodeUnknownResult(codec, { onExcessProperty })),
    encode: guarded(Schema.encodeUnknownResult(codec, { onExcessProperty, errors: "all" }))
  }
}

/** The input of an operation as one object of the SDK's values, and as the encoded parts. */
const inputCodec = (declaration: Declaration.Declaration) => {
  const empty = Schema.Struct({})
  const { params = empty, payload = empty, query = empty } = Declaration.codecs(declaration)
  const parts = directions(Schema.Struct({ params, query, body: payload }), "error")
  const names = {
    params: Object.keys(declaration.params),
    query: Object.keys(declaration.query),
    body: Object.keys(Declaration.payloadFields(declaration))
  }
  const known = Object.values(names).flat()
  return {
    decode: (encoded: Parts): Result.Result<Json, Issues> =>
      Result.map(parts.decode(encoded), ({ body, params, query }) => ({ ...params, ...query, ...body })),
    encode: (ours: Json): Result.Result<Parts, Issues> => {
      const unknown = Object.keys(ours).filter((name) => !known.includes(name))
      if (unknown.length > 0) return Result.fail(unnamed(`the code of the contract gave ${unknown.join(", ")}`))
      const pick = (list: ReadonlyArray<string>) => Record.filter(ours, (_, name) => list.includes(name))
      return parts.encode(Record.map(names, pick))
    }
  }
}

/** Throws for a value that JSON would silently drop or change. */
const refuseUnsendable = (key: string, value: unknown): unknown => {
  if (["function", "symbol"].includes(typeof value) || (typeof value === "number" && !Number.isFinite(value))) {
    throw new Error(`${key} is ${String(value)}, which cannot be sent`)
  }
  return Multipart.isFile(value) ? null : sync(value)
}

/** The parts of a request as the service will read them, or why they cannot be sent. */
const received = (sent: Theirs, isMultipart: boolean): Result.Result<Theirs, Issues> =>
  Result.try({
    try: () => {
      const { body, headers, params, query } = sent
      // oxlint-disable-next-line effecttsgo/prefer-schema-over-json -- the service reads what JSON makes of the body.
      const text = JSON.stringify(body, refuseUnsendable)
      const unusable = [
        ...Object.keys(params).filter((name) => !isSegment(String(params[name]))),
        ...Object.keys(headers).filter((name) => !isHeaderValue(String(headers[name]))),
        ...Object.keys(query).filter((name) => queryObjection(query[name]) !== undefined),
        ...(isMultipart ? Object.keys(body).filter((name) => Multipart.objection(body[name]) !== undefined) : [])
      ]
      if (unusable.length > 0) throw new Error(`${unusable.join(", ")} cannot be sent in its place as it is`)
      return isMultipart ? sent : { ...sent, body: ExactJson.parse(text) as Json }
    },
    catch: (error) => unnamed(error instanceof Error ? error.message : "the request cannot be sent")
  })

const millis = (time: unknown): number => Date.parse(String(time))

/**
 * `true` if a request holds a value of the input: the same decimal, or a time less than a second away, on the side on
 * which a range gets no smaller.
 */
const isHeld = (name: string, shape: Shape | undefined, sent: unknown, found: unknown): boolean => {
  if (Object.is(sent, found)) return true
  if (sent === undefined || found === undefined) return false
  const kind = shape?._tag === "Leaf" ? shape.kind : undefined
  if (kind === "amount") {
    const [one, other] = [sent as string, found as string].map(BigDecimal.fromString)
    return Option.isSome(one!) && Option.isSome(other!) && BigDecimal.equals(one.value, other.value)
  }
  if (kind === "time") {
    const later = (millis(found) - millis(sent)) * (name === "to" ? 1 : -1)
    return later >= 0 && later < 1_000
  }
  if (shape?._tag === "List" && Array.isArray(sent) && Array.isArray(found)) {
    return sent.length === found.length && sent.every((each, at) => isHeld(name, shape.item, each, found[at]))
  }
  return !Multipart.isFile(sent) && CanonicalJson.hash([sent]) === CanonicalJson.hash([found])
}

const fieldsOf = ({ body, params, query }: Parts): Json => omitUndefined({ ...params, ...query, ...body })

/** Names each field of an input that a request does not hold as it was given. */
const findLost = ({ input }: OperationShape, sent: Json, found: Json): Issues =>
  [...new Set([...Object.keys(sent), ...Object.keys(found)])].flatMap((name) => {
    if (isHeld(name, input.get(name)?.shape, sent[name], found[name])) return []
    if (found[name] === undefined) return [{ path: [name], message: "is not sent under the contract: leave it out" }]
    const message = sent[name] === undefined ? "is not given, and would be sent" : "would not be sent as it is given"
    return [{ path: [name], message }]
  })

/** The parts of an input, whose end of a range is rounded up to a whole second if asked. */
const inputParts = ({ body, params, query }: Encoded, isWide: boolean): Parts => {
  const own = omitUndefined(query)
  const to = isWide && own["to"] !== undefined ? Math.ceil(millis(own["to"]) / 1_000) * 1_000 : Number.NaN
  return {
    params,
    query: Number.isNaN(to) ? own : { ...own, to: DateTime.formatIso(DateTime.makeUnsafe(to)) },
    body: body._tag === "None" ? {} : omitUndefined(body.fields)
  }
}

export const request = (shape: OperationShape, code: NonNullable<Code["request"]>): RequestMapping => {
  const { body = {}, headers = {}, params = {}, query = {} } = code
  const ours = inputCodec(shape.declaration)
  const isMultipart = shape.body === "Multipart"
  const strings = (fields: Schema.Struct.Fields) => Schema.toCodecStringTree(Schema.Struct(fields))
  const theirs = directions(
    Schema.Struct({
      params: strings(params),
      query: Schema.toCodecArrayFromSingle(strings(query)),
      headers: strings(headers),
      body: isMultipart ? Schema.Struct(body) : Schema.toCodecJson(Schema.Struct(body))
    }),
    "error"
  )
  const read = (request: unknown): Result.Result<Parts, Issues> =>
    theirs.decode(request).pipe(
      Result.flatMap((decoded) => run(code.read, decoded)),
      Result.flatMap(ours.encode)
    )
  const hasSeveral = (made: Json): Issues =>
    Object.entries({ params, query, headers, body }).flatMap(([part, fields]) =>
      Object.entries(fields).flatMap(([name, field]) => {
        const message = severalWords(field as Schema.Top, (made[part] as Json | undefined)?.[name])
        return message === undefined ? [] : [{ path: [name], message }]
      })
    )
  const write = (encoded: Encoded, isWide: boolean): Result.Result<Theirs, Issues> =>
    Result.gen(function* () {
      const given = inputParts(encoded, isWide)
      const made = yield* run(code.write, yield* ours.decode(given))
      const several = hasSeveral(made)
      if (several.length > 0) return yield* Result.fail(several)
      const sent: Theirs = yield* theirs.encode({ params: {}, query: {}, headers: {}, body: {}, ...made })
      const found = yield* read(yield* received(sent, isMultipart))
      const lost = findLost(shape, fieldsOf(inputParts(encoded, false)), fieldsOf(found))
      return lost.length > 0 ? yield* Result.fail(lost) : sent
    })
  const hasTo = shape.input.get("to")?.part === "query"
  return {
    sent: [
      ...Object.keys(params).map((name): Sent => ({ name, target: { in: "path", name } })),
      ...Object.keys(query).map((name): Sent => ({ name, target: { in: "query", name } })),
      ...Object.keys(body).map((name): Sent => ({ name, target: { in: "body", path: [name] } }))
    ],
    // A service with whole seconds gets the second after the end of a range, so that the range loses no row.
    write: (encoded) =>
      Result.orElse(write(encoded, false), (lost) => (hasTo ? write(encoded, true) : Result.fail(lost))),
    read: ({ headers: all, ...parts }) =>
      read({ ...parts, headers: Record.filter(all, (_, name) => Object.hasOwn(headers, name)) })
  }
}

/** The mapping of records. An unreadable record becomes `undefined`. */
export const record = ({ declaration }: OperationShape, code: NonNullable<Code["answer"]>): Mapping => {
  const ours = directions(Schema.toCodecJson(declaration.success), "ignore")
  const theirs = directions(code.record, "ignore")
  const via = (from: Convert, map: (value: never) => unknown, to: Convert) => (value: unknown) =>
    from(value).pipe(
      Result.flatMap((decoded) => run(map, decoded)),
      Result.flatMap(to)
    )
  const read = via(theirs.decode, code.read, ours.encode)
  const write = via(ours.decode, code.write, theirs.encode)
  return {
    read: (value) => Result.getOrUndefined(read(value)),
    write: (value) =>
      Result.getOrThrowWith(write(value), (issues) => {
        const [{ message, path } = { message: "", path: [] }] = issues
        return new Error(
          `${declaration.operation}: the contract's code cannot write the record: ${path.join(".")} ${message}`
        )
      })
  }
}
