/**
 * The wires of adapters. That of functions runs them, reads each change back before it is sent, and turns whatever a
 * function throws into a refusal. That of an assumed endpoint renames keys around the assumed wire. Pure.
 */
import { isBodiless, isSuccess, metaNames, refusal as refusalIn } from "@effect-custody/core/siblings/Answer"
import * as Declaration from "@effect-custody/core/siblings/Declaration"
import * as ExactJson from "@effect-custody/core/siblings/ExactJson"
import * as Operation from "@effect-custody/core/siblings/Operation"
import { FastDecoder } from "@effect-custody/core/siblings/Operation"
import * as Secrets from "@effect-custody/core/siblings/Secrets"
import * as Wires from "@effect-custody/core/siblings/Wires"
import type { Issue, Reading, Received, RequestInput, Wire, WireInput } from "@effect-custody/core/siblings/Wires"
import { isHeaderValue } from "@effect-custody/core/Text"
import * as Upload from "@effect-custody/core/Upload"
import * as BigDecimal from "effect/BigDecimal"
import * as Data from "effect/Data"
import * as Equal from "effect/Equal"
import { constVoid, identity, memoize } from "effect/Function"
import type * as HttpBody from "effect/http/HttpBody"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as UrlParams from "effect/http/UrlParams"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type { Adapter, Answer, Asked, Sent, Service } from "./model.ts"
import type { Shape } from "./siblings/Shape.ts"
import * as Shapes from "./siblings/Shape.ts"

type Json = Readonly<Record<string, unknown>>
// Running functions of an adapter.

/** `true` for an object without a class. */
export const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** Throws for a promise, because nothing awaits it. Handles its rejection, which would otherwise end the process. */
const sync = <A>(value: A): A => {
  if (typeof value !== "object" || value === null || isPlain(value) || !Predicate.isPromiseLike(value)) return value
  value.then(constVoid, constVoid)
  throw new Error("the adapter gave a promise, and nothing waits for it")
}

/** What is thrown to refuse fields of an input. */
class Refused extends Data.TaggedError("Refused")<{ readonly issues: ReadonlyArray<Issue> }> {}

const refuse = (names: ReadonlyArray<string>, message: string): void => {
  if (names.length > 0) throw new Refused({ issues: names.map((name) => ({ path: [name], message })) })
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : "the adapter failed")

const run = <A>(code: () => A): Result.Result<A, string> => Result.try({ try: () => sync(code()), catch: messageOf })

/** Makes a request, or says which fields of its input cannot be sent. */
const sending = (code: () => HttpClientRequest.HttpClientRequest): ReturnType<Wire["request"]> =>
  Result.try({
    try: code,
    catch: (error) => (error instanceof Refused ? error.issues : [{ path: [], message: messageOf(error) }])
  })

/** Removes the undefined fields of plain objects. */
const present = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(sync(value))) return (value as ReadonlyArray<unknown>).map(present)
  if (!isPlain(value) || Upload.isFile(value)) return value
  const made: { [name: string]: unknown } = {}
  for (const [name, inner] of Object.entries(value)) if (inner !== undefined) made[name] = present(inner)
  return made
}

// The parts that both kinds share.

const multipartFields = new WeakMap<HttpBody.HttpBody, Json>()

/** A multipart body, whose fields `back` can read. */
export const multipartBody = (fields: Json): HttpBody.HttpBody => {
  const given = Wires.omitUndefined(fields)
  const wrong = Object.keys(given).filter((name) => Wires.multipartObjection(given[name]) !== undefined)
  if (wrong.length > 0) throw new Error(`${wrong.join(", ")} cannot be sent in multipart/form-data`)
  const body = Wires.multipart(given)
  multipartFields.set(body, given)
  return body
}

/** The text of a body of bytes. */
export const bodyText = ({ body }: HttpClientRequest.HttpClientRequest): string =>
  body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : ""

/** The JSON of a body, or the fields of a multipart one. */
export const bodyFields = (request: HttpClientRequest.HttpClientRequest): unknown => {
  const text = bodyText(request)
  return multipartFields.get(request.body) ?? (text === "" ? undefined : ExactJson.parse(text))
}

/** The path and the query of a request, whose query may be in its address. */
export const address = ({ url, urlParams }: HttpClientRequest.HttpClientRequest) => {
  const [path = "", search = ""] = url.split("?", 2)
  return { path, query: new URLSearchParams([search, UrlParams.toString(urlParams)].filter(Boolean).join("&")) }
}

/** Says what a request must not be: the access token goes to no other address, and a change is no read. */
const objectionTo = (
  { headers, method, url }: HttpClientRequest.HttpClientRequest,
  { safety }: Declaration.Declaration
): string | undefined => {
  if (!/^\/(?![/\\])/.test(url)) return `${url} is not a path below the base address`
  if (safety !== "read" && !Declaration.methods[safety].some((each) => each === method)) {
    return `${method} is no method of a ${safety}`
  }
  const wrong = Object.entries(headers).find(([, value]) => !isHeaderValue(value))
  return wrong && `the header ${wrong[0]} cannot be sent`
}

/** Completes a request as all requests of the service are. */
const complete = (own: HttpClientRequest.HttpClientRequest, operation: Declaration.Declaration, service: Service) => {
  if (!HttpClientRequest.isHttpClientRequest(sync(own))) throw new Error("the adapter gave no request")
  const request = sync(service.request === undefined ? own : service.request(own, operation))
  const objection = objectionTo(own, operation) ?? objectionTo(request, operation)
  if (objection !== undefined) throw new Error(objection)
  return request
}

/**
 * Keeps the one-time secret of a session's request out of logs and errors, wherever the adapter puts it. A function that
 * throws may say the secret.
 */
const withoutSecrets = ({ safety }: Declaration.Declaration, request: Wire["request"]): Wire["request"] => {
  if (safety !== "session") return request
  return (input) => {
    const secrets = new Secrets.Secrets()
    const { body } = input.encoded
    for (const secret of body._tag === "None" ? [] : Object.values(body.fields)) secrets.add(String(secret))
    const message = "a secret must stand in a body of text, or in the header authorization, cookie or x-api-key"
    return request(input).pipe(
      Result.flatMap((made) => Result.fromNullishOr(Secrets.conceal(made, secrets), () => [{ path: [], message }])),
      Result.mapError((issues) =>
        issues.map((one) => (secrets.areIn(one.message) ? { ...one, message: Secrets.redacted } : one))
      )
    )
  }
}

const headerOf =
  (headers: Received["headers"] = {}) =>
  (name: string): string | undefined =>
    [headers[name.toLowerCase()]].flat()[0]

const payloadOf = ({ body }: Received, { payload }: Service, operation: Declaration.Declaration): unknown => {
  if (payload !== undefined) return Result.getOrUndefined(run(() => payload(body, operation)))
  return Predicate.isReadonlyObject(body) ? body["data"] : undefined
}

/** Reads the answers that nothing denies to be a success. Any answer to a session's request may hold tokens. */
const answering = (
  operation: Declaration.Declaration,
  { refusal }: Service,
  read: (received: Received, input: WireInput | undefined) => Reading
): Wire["answer"] => {
  const expected = { at: [], isList: Declaration.isList(operation), isRead: operation.safety === "read" }
  return (received, input) => {
    const { body, status } = received
    if (operation.safety === "session") {
      return Result.orElse(read(received, input), () => Result.succeed({ envelope: body }))
    }
    if (!isSuccess(status)) return undefined
    const own = refusal === undefined ? undefined : Result.merge(run(() => refusal(body, status)))
    const denied = own ?? refusalIn({ ...expected, status, body, isStatusNamed: false })
    return denied === undefined ? read(received, input) : Result.fail(denied)
  }
}

/** The names of the service for those of the SDK, and back. A key under one of our names that it calls otherwise is dropped. */
const renaming = (names: Service["names"]) => {
  type Table = ReadonlyMap<string, readonly [name: string, shape: Shape]>
  const make = (table: (fields: NonNullable<Shape["fields"]>) => Table) => {
    const tableOf = memoize(table)
    const rename = (shape: Shape, value: unknown): unknown => {
      if (Array.isArray(value)) return value.map((each) => rename(shape, each))
      const { fields } = shape
      if (names === undefined || fields === undefined || !Predicate.isReadonlyObject(value)) return value
      const own = tableOf(fields)
      return Object.fromEntries(
        Object.entries(value).flatMap(([key, inner]) => {
          const found = own.get(key)
          return found !== undefined ? [[found[0], rename(found[1], inner)]] : fields.has(key) ? [] : [[key, inner]]
        })
      )
    }
    return rename
  }
  return {
    toTheirs: make((fields) => new Map([...fields].map(([name, shape]) => [name, [names!(name), shape]]))),
    toOurs: make((fields) => new Map([...fields].map(([name, shape]) => [names!(name), [name, shape]])))
  }
}

const shapeOf = (fields?: Iterable<readonly [string, Shape]>): Shape => ({
  fields: fields && new Map(fields),
  isList: false,
  known: []
})

const counts = metaNames.map((name) => [name, shapeOf()] as const)

/** What `make` is given, without its types. */
export interface Functions {
  readonly without?: ReadonlyArray<string>
  readonly request: (input: Json, asked: Asked) => HttpClientRequest.HttpClientRequest
  readonly back?: (sent: Sent) => Json
  readonly answer: Schema.Top
  readonly read: (payload: any, answer: Answer) => unknown
  readonly next?: (answer: Answer & { readonly payload: any }, rows: number, asked: Asked) => unknown
  readonly proven?: ReadonlyArray<string>
}

/** What is a wire beside its request and the reading of its answer: what errors are, and which filters work. */
const wireOf = (
  operation: Operation.Any,
  service: Service,
  { proven, without = [] }: Pick<Functions, "proven" | "without">,
  request: (input: RequestInput) => HttpClientRequest.HttpClientRequest,
  read: (received: Received, input: WireInput | undefined) => Reading,
  rename: (errors: unknown) => unknown = identity
): Wire => ({
  route: operation.route,
  request: withoutSecrets(operation, (input) => sending(() => request(input))),
  answer: answering(operation, service, read),
  proven,
  omits: without,
  place: identity,
  isDoubtful: (status) => service.doubtful?.(status) === true,
  error: (body) => {
    const { error } = service
    const listsNotFound = error !== undefined || service.doubtful?.(404) === true
    if (error === undefined) {
      const hasErrors = Predicate.isReadonlyObject(body) && "errors" in body
      return { body: hasErrors ? { ...body, errors: rename(body["errors"]) } : body, tag: undefined, listsNotFound }
    }
    const { code, errors, means, message } = Result.getOrElse(
      run(() => error(body)),
      (): ReturnType<typeof error> => ({})
    )
    const own = { code: code === undefined ? undefined : String(code), message, errors: rename(errors) }
    return { body: Wires.omitUndefined(own), tag: means, listsNotFound, isOwn: code !== undefined }
  }
})

// The wire of functions.

const whole = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined

const askedOf = ({ cursor, encoded: { query } }: WireInput): Asked => {
  const limit = Number(query["limit"] ?? 10)
  const page = Number(query["page"] ?? 1)
  return { page: whole(cursor) ?? page, offset: whole(cursor) ?? (page - 1) * limit, limit, cursor }
}

/** Notes which fields a function looks at. A spread would hide it. */
const watched = <A extends object>(value: A) => {
  const seen = new Set<PropertyKey>()
  const look = (name: PropertyKey): boolean => (seen.add(name), true)
  const proxy = new Proxy(value, {
    get: (target, name) => look(name) && (Reflect.get(target, name) as unknown),
    has: (target, name) => look(name) && Reflect.has(target, name),
    ownKeys: () => {
      throw new Error("name the fields of the input: a spread hides what is sent")
    }
  })
  return { proxy, seen }
}

const isSame = (one: unknown, other: unknown): boolean =>
  BigDecimal.isBigDecimal(one) && BigDecimal.isBigDecimal(other)
    ? BigDecimal.equals(one, other)
    : Equal.equals(one, other)

const notSent = "is not sent by the adapter: leave it out"

/** Names each field of an input that the service would not find in the request as it was given. */
const differences = (given: Json, found: Json): ReadonlyArray<Issue> =>
  [...new Set([...Object.keys(given), ...Object.keys(found)])].flatMap((name) => {
    if (isSame(given[name], found[name])) return []
    const added = name in given ? "would not be sent as it is given" : "is not given, and would be sent"
    return [{ path: [name], message: found[name] === undefined ? notSent : added }]
  })

/** A request for the way back. Most of them look at the body alone. */
const sentOf = (own: HttpClientRequest.HttpClientRequest, request: HttpClientRequest.HttpClientRequest): Sent => ({
  method: request.method,
  get path() {
    return new URL(address(own).path, "http://localhost").pathname.split("/").slice(1).map(decodeURIComponent)
  },
  get query() {
    return address(request).query
  },
  header: headerOf(request.headers),
  body: bodyFields(request)
})

const requesting = (
  declaration: Declaration.Declaration,
  { back, request, without = [] }: Functions,
  service: Service
) => {
  const isPaged = Declaration.isPaged(declaration)
  return (wireInput: RequestInput): HttpClientRequest.HttpClientRequest => {
    const { limit, page, ...paged } = present(wireInput.given) as Json
    const input = isPaged ? paged : Wires.omitUndefined({ ...paged, limit, page })
    const given = watched(input)
    const asked = watched(askedOf(wireInput))
    const own = sync(request(given.proxy, asked.proxy))
    refuse(
      Object.keys(input).filter((name) => without.includes(name) || !given.seen.has(name)),
      notSent
    )
    const { cursor } = wireInput
    const pages = cursor === undefined ? ["page", "offset"] : ["cursor", "page", "offset"]
    const isFurther = cursor !== undefined || (isPaged && Number(page ?? 1) > 1)
    if (isFurther && !pages.some((name) => asked.seen.has(name))) {
      refuse(["page"], "the adapter sends no page by its number: continue with Page.stream or Page.after")
    }
    const completed = complete(own, declaration, service)
    const lost = back === undefined ? [] : differences(input, present(back(sentOf(own, completed))) as Json)
    if (lost.length > 0) throw new Refused({ issues: lost })
    return completed
  }
}

// The record of an adapter.

const noExtra: Json = Object.freeze({})

const wrongKind = (name: string): Error => new Error(`${name} is of another kind than its field`)

/**
 * The codec of a value that an adapter has read, from the type of the SDK's value. The codec refuses a text in place of an
 * amount or a time, leaves out undefined fields, and keeps fields that the SDK does not have under `extra`.
 */
const taken = (type: SchemaAST.AST, name = "its record"): Schema.Top => {
  const codec: Schema.Top = Schema.make(type)
  const [item] = SchemaAST.isArrays(type) ? type.rest : []
  if (item !== undefined) return Schema.Array(taken(item, name))
  if (SchemaAST.isDeclaration(type)) {
    const decode = FastDecoder.make(codec)
    return FastDecoder.annotate(codec, (value) => {
      if (typeof value === "object") return decode(value)
      throw wrongKind(name)
    })
  }
  if (!SchemaAST.isObjects(type) || type.propertySignatures.length === 0) return codec
  const optionalNames = new Set(
    type.propertySignatures.flatMap(({ name, type }) => (SchemaAST.isOptional(type) ? name : []))
  )
  const all = type.propertySignatures.map(({ name, type }) => [String(name), taken(type, String(name))] as const)
  const { extra, ...fields } = Object.fromEntries(all)
  const optional = Record.filter(fields, (_, name) => optionalNames.has(name))
  const required = Record.filter(fields, (_, name) => !optionalNames.has(name))
  if (extra === undefined) return Schema.Struct({ ...required, ...Record.map(optional, Schema.optionalKey) })
  const decode = FastDecoder.record(required, optional, noExtra)
  return FastDecoder.annotate(codec, (value) => {
    const found = decode(value)
    const others = found === FastDecoder.none ? noExtra : (found as { readonly extra: Json }).extra
    const names = others === noExtra ? [] : Object.keys(fields)
    const wrong = names.find((name) => typeof (others[name] ?? {}) !== "object")
    if (wrong !== undefined) throw wrongKind(wrong)
    return found
  })
}

/** Makes the SDK's record from an adapter's. */
const recordReader = (data: Schema.Top) => {
  const codec = taken(SchemaAST.toType(data.ast))
  const fast = FastDecoder.make(codec)
  const slow = Schema.decodeUnknownResult(codec as Schema.Codec<unknown>)
  return (record: unknown): unknown => {
    const found = fast(record)
    return found === FastDecoder.none ? Result.getOrThrow(slow(present(record))) : found
  }
}

/** Makes the tokens of a session, as they stand in the specification's body, from an adapter's record. */
const tokenReader = (data: Schema.Top) => {
  const encode = Schema.encodeUnknownResult(Schema.toCodecJson(data) as unknown as Schema.Codec<unknown>)
  return (record: unknown): unknown => Result.getOrThrow(encode(present(record)))
}

const reading = (declaration: Declaration.Declaration, functions: Functions, service: Service) => {
  const { answer: schema, next, read } = functions
  const fast = FastDecoder.make(schema)
  const slow = Schema.decodeUnknownResult(schema as unknown as Schema.Codec<unknown>)
  const isDecoded = declaration.safety !== "session"
  const toData = (isDecoded ? recordReader : tokenReader)(Declaration.data(declaration))
  return (received: Received, input: WireInput | undefined): Reading => {
    const { body, headers, status } = received
    // Without a body, only a status that has none can be the service's own success.
    if (body === undefined && !isBodiless(status)) return Result.fail("the answer is no JSON")
    const found = payloadOf(received, service, declaration)
    return run(() => {
      const decoded = fast(found)
      const payload = decoded === FastDecoder.none ? Result.getOrThrow(slow(found)) : decoded
      const answer = { status, body, header: headerOf(headers) }
      const data = toData(sync(read(payload, answer)))
      const success = { envelope: { data }, isDecoded }
      if (!declaration.isList) return success
      // Without `next`, another page may follow, and nothing says where it is.
      if (next === undefined || input === undefined) return { ...success, hasNext: next === undefined }
      const cursor = sync(next({ ...answer, payload }, (data as ReadonlyArray<unknown>).length, askedOf(input)))
      if (cursor === undefined || cursor === null || cursor === "" || cursor === false) {
        return { ...success, hasNext: false }
      }
      // Any other value names no page.
      const isPlace = typeof cursor === "string" || (typeof cursor === "number" && Number.isFinite(cursor))
      if (!isPlace) throw new Error("next does not say where the next page is")
      return { ...success, nextCursor: String(cursor) }
    })
  }
}

/** A schema as text, with what its formats depend on and the text of its functions. */
const describe = (schema: Schema.Top): unknown =>
  // oxlint-disable-next-line effecttsgo/prefer-schema-over-json -- a schema is no value of a schema.
  JSON.stringify(schema.ast, (_, value: unknown) =>
    typeof value === "function" || typeof value === "bigint" ? String(value) : value
  )

export const make = <E extends Operation.Any>(operation: E, functions: Functions): Adapter<E> => {
  const { answer, back, next, proven, read, request, without } = functions
  const isChange = operation.safety === "write" || operation.safety === "keyed"
  if (isChange && back === undefined) {
    throw new Error(`${operation.operation} changes something: its adapter needs "back"`)
  }
  return {
    operation,
    isAssumed: false,
    examples: [],
    source: [[request, back, read, next].map(String), describe(answer), without, proven],
    wire: (service) =>
      wireOf(
        operation,
        service,
        functions,
        requesting(operation, functions, service),
        reading(operation, functions, service)
      )
  }
}

// The wire of an assumed endpoint.

const none: Reading = Result.fail("it has no payload")

export const assumed = <E extends Operation.Any>(
  operation: E,
  options: Pick<Functions, "proven" | "without">
): Adapter<E> => ({
  operation,
  isAssumed: true,
  examples: [],
  source: ["assumed", options.without, options.proven],
  wire: (service) => {
    const base = Operation.codec(operation).wire
    const { toOurs, toTheirs } = renaming(service.names)
    const inputShape = shapeOf([...Shapes.input(operation)].map(([name, { shape }]) => [name, shape]))
    const shape = Shapes.payload(operation)
    const held = shape.isList ? shapeOf([["items", shape], ...counts]) : shape
    return wireOf(
      operation,
      service,
      options,
      (input) => {
        const { body, query } = input.encoded
        const fields = body._tag === "None" ? {} : body.fields
        refuse(
          (options.without ?? []).filter((name) => (fields[name] ?? query[name]) !== undefined),
          notSent
        )
        const encoded = {
          ...input.encoded,
          query: toTheirs(inputShape, query) as Json,
          body: body._tag === "None" ? body : { ...body, fields: toTheirs(inputShape, fields) as Json }
        }
        const own = Result.getOrThrowWith(base.request({ ...input, encoded }), (issues) => new Refused({ issues }))
        return complete(own, operation, service)
      },
      (received, input) => {
        const { body } = received
        const { names, payload } = service
        if (names === undefined && payload === undefined) return base.answer(received, input) ?? none
        const found = payloadOf(received, service, operation)
        if (found === undefined && operation.safety === "session") return none
        const data = toOurs(Array.isArray(found) ? shape : held, found)
        const outer = Predicate.isReadonlyObject(body) && found !== body ? body : {}
        const ours = { ...outer, data, meta: toOurs(shapeOf(counts), outer["meta"]) }
        return base.answer({ ...received, body: ours }, input) ?? none
      },
      (errors) => toOurs(inputShape, errors)
    )
  }
})
