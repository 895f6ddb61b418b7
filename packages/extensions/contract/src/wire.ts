/**
 * The wires of adapters. That of functions runs them, reads each change back before it is sent, and turns whatever a
 * function throws into a refusal. That of an assumed endpoint renames keys around the assumed wire. Pure.
 */
import { isBodiless, isSuccess, metaNames, readRows, refusal as refusalIn } from "@effect-custody/core/siblings/Answer"
import * as Declaration from "@effect-custody/core/siblings/Declaration"
import * as ExactJson from "@effect-custody/core/siblings/ExactJson"
import * as Operation from "@effect-custody/core/siblings/Operation"
import { FastDecoder } from "@effect-custody/core/siblings/Operation"
import * as Secrets from "@effect-custody/core/siblings/Secrets"
import * as Wires from "@effect-custody/core/siblings/Wires"
import type { Encoded, Issue, Reading, Received, Wire, WireInput } from "@effect-custody/core/siblings/Wires"
import { isHeaderValue } from "@effect-custody/core/Text"
import * as Upload from "@effect-custody/core/Upload"
import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import * as Equal from "effect/Equal"
import { constVoid, identity } from "effect/Function"
import type * as HttpBody from "effect/http/HttpBody"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as UrlParams from "effect/http/UrlParams"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Adapter, Answer, Asked, Sent, Service } from "./model.ts"

type Json = Readonly<Record<string, unknown>>
type Issues = ReadonlyArray<Issue>

// Running functions of an adapter.

/** Throws for a promise, because nothing awaits it. Handles its rejection, which would otherwise end the process. */
const sync = <A>(value: A): A => {
  if (!Predicate.isPromiseLike(value)) return value
  value.then(constVoid, constVoid)
  throw new Error("the adapter gave a promise, and nothing waits for it")
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : "the adapter failed")

const run = <A>(code: () => A): Result.Result<A, string> => Result.try({ try: () => sync(code()), catch: messageOf })

const issue = (message: string, path: ReadonlyArray<string> = []): Issue => ({ path, message })
const unnamed = (message: string): Issues => [issue(message)]

/** Removes the undefined fields of plain objects. */
const present = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(sync(value))) return (value as ReadonlyArray<unknown>).map(present)
  if (Object.getPrototypeOf(value) !== Object.prototype || Upload.isFile(value)) return value
  const fields: Record<string, unknown> = {}
  for (const name of Object.keys(value)) {
    const inner = (value as Json)[name]
    if (inner !== undefined) fields[name] = typeof inner === "object" ? present(inner) : inner
  }
  return fields
}

const isKept = (shape: Declaration.Shape): boolean =>
  shape._tag === "Record"
    ? [...shape.fields.values()].every(isKept)
    : shape._tag === "List"
      ? isKept(shape.item)
      : shape.kind !== "coded"

/**
 * Takes the record of an adapter as the endpoint's codec keeps it, which spares writing and reading its amounts and times:
 * without its undefined fields. Throws for a value of another kind.
 */
const keeper = (shape: Declaration.Shape, at = "its record"): ((value: unknown) => unknown) => {
  const refuse = (expected: string): never => {
    throw new Error(`${at} is no ${expected}`)
  }
  if (shape._tag === "List") {
    const item = keeper(shape.item, at)
    return (value) => {
      sync(value)
      return Array.isArray(value) ? value.map((each) => item(each)) : refuse("list")
    }
  }
  if (shape._tag === "Record") {
    const fields = new Map([...shape.fields].map(([name, field]) => [name, keeper(field, name)]))
    return (value) => {
      sync(value)
      if (!Predicate.isReadonlyObject(value)) return refuse("record")
      const kept: Record<string, unknown> = {}
      for (const name of Object.keys(value)) {
        const inner = value[name]
        if (inner !== undefined) kept[name] = (fields.get(name) ?? present)(inner)
      }
      return kept
    }
  }
  switch (shape.kind) {
    case "amount":
      return (value) => (BigDecimal.isBigDecimal(value) ? value : refuse("amount"))
    case "time":
      return (value) => (DateTime.isDateTime(value) ? value : refuse("time"))
    case "id":
      return (value) => (typeof value === "string" || typeof value === "number" ? value : refuse("id"))
    default:
      return present
  }
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
  request: HttpClientRequest.HttpClientRequest,
  { safety }: Declaration.Declaration
): string | undefined => {
  const { method, url } = request
  if (!/^\/(?![/\\])/.test(url)) return `${url} is not a path below the base address`
  if (safety !== "read" && !Declaration.methods[safety].some((each) => each === method)) {
    return `${method} is no method of a ${safety}`
  }
  const wrong = Object.entries(request.headers).find(([, value]) => !isHeaderValue(value))
  return wrong && `the header ${wrong[0]} cannot be sent`
}

/** Completes a request as all requests of the service are. */
const complete = (
  own: HttpClientRequest.HttpClientRequest,
  operation: Declaration.Declaration,
  service: Service
): Result.Result<HttpClientRequest.HttpClientRequest, Issues> => {
  const made = run(() => {
    if (!HttpClientRequest.isHttpClientRequest(own)) throw new Error("the adapter gave no request")
    const request = service.request === undefined ? own : service.request(own, operation)
    const objection = objectionTo(own, operation) ?? objectionTo(request, operation)
    if (objection !== undefined) throw new Error(objection)
    return request
  })
  return Result.mapError(made, unnamed)
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
    return request(input).pipe(
      Result.flatMap((made) =>
        Result.fromNullishOr(Secrets.conceal(made, secrets), () =>
          unnamed("a secret must stand in a body of text, or in the header authorization, cookie or x-api-key")
        )
      ),
      Result.mapError((issues) =>
        issues.map(({ message, path }) => issue(secrets.areIn(message) ? Secrets.redacted : message, path))
      )
    )
  }
}

const headerOf =
  (headers: Received["headers"] = {}) =>
  (name: string): string | undefined => {
    const value = headers[name.toLowerCase()]
    return typeof value === "object" ? value[0] : value
  }

/** Says why a 2xx is no success, before its payload is read. */
const refusalOf = (
  { body, status }: Received,
  { refusal }: Service,
  operation: Declaration.Declaration
): string | undefined => {
  const own = refusal === undefined ? undefined : Result.merge(run(() => refusal(body, status)))
  return (
    own ??
    refusalIn({
      status,
      body,
      at: [],
      isList: Declaration.isList(operation),
      isRead: operation.safety === "read",
      isStatusNamed: false
    })
  )
}

const payloadOf = ({ body }: Received, { payload }: Service, operation: Declaration.Declaration): unknown =>
  payload === undefined
    ? Predicate.isReadonlyObject(body)
      ? body["data"]
      : undefined
    : Result.getOrUndefined(run(() => payload(body, operation)))

/** What errors are and which filters work. */
const common = (
  service: Service,
  { proven, without = [] }: Pick<Functions, "proven" | "without">,
  rename: (errors: unknown) => unknown = identity
): Pick<Wire, "error" | "isDoubtful" | "omits" | "proven"> => ({
  proven,
  omits: without,
  isDoubtful: (status) => service.doubtful?.(status) === true,
  error: (body) => {
    const { error } = service
    const listsNotFound = error !== undefined || service.doubtful?.(404) === true
    const said = error === undefined ? undefined : Result.getOrUndefined(run(() => error(body)))
    if (error === undefined) {
      const renamed =
        Predicate.isReadonlyObject(body) && "errors" in body ? { ...body, errors: rename(body["errors"]) } : body
      return { body: renamed, tag: undefined, listsNotFound }
    }
    const { code, errors, means, message } = said ?? {}
    const own = Wires.omitUndefined({
      code: code === undefined ? undefined : String(code),
      message,
      errors: rename(errors)
    })
    return { body: own, tag: means, listsNotFound, isOwn: code !== undefined }
  }
})

// The wire of functions.

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

const isSame = (one: unknown, other: unknown): boolean => {
  if (BigDecimal.isBigDecimal(one) && BigDecimal.isBigDecimal(other)) return BigDecimal.equals(one, other)
  return Equal.equals(one, other)
}

/** Names each field of an input that a request does not hold as it was given. */
const findLost = (given: Json, found: Json): Issues =>
  [...new Set([...Object.keys(given), ...Object.keys(found)])].flatMap((name) => {
    if (isSame(given[name], found[name])) return []
    if (found[name] === undefined) return [issue("is not sent by the adapter: leave it out", [name])]
    return [issue(name in given ? "would not be sent as it is given" : "is not given, and would be sent", [name])]
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

/** Decodes the parts of an input to the SDK's values. */
const inputReader = (declaration: Declaration.Declaration) => {
  const empty = Schema.Struct({})
  const { params = empty, payload = empty, query = empty } = Declaration.codecs(declaration)
  const decode = Schema.decodeUnknownResult(
    Schema.Struct({ params, query, body: payload }) as unknown as Schema.Codec<
      Record<"params" | "query" | "body", Json>
    >,
    // The input was checked when it was encoded.
    { disableChecks: true }
  )
  return ({ body, params, query }: Encoded): Result.Result<Json, Issues> =>
    Result.match(decode({ params, query, body: body._tag === "None" ? {} : body.fields }), {
      onFailure: ({ message }) => Result.fail(unnamed(message)),
      onSuccess: ({ body, params, query }) => Result.succeed(Wires.omitUndefined({ ...params, ...query, ...body }))
    })
}

const requestMaker = (
  declaration: Declaration.Declaration,
  functions: Functions,
  service: Service
): Wire["request"] => {
  const { back, request: code, without = [] } = functions
  const read = inputReader(declaration)
  const isPaged = Declaration.isPaged(declaration)
  return (wireInput) =>
    Result.gen(function* () {
      const { limit, page, ...paged } = yield* read(wireInput.encoded)
      const input: Json = isPaged ? paged : Wires.omitUndefined({ ...paged, limit, page })
      const refused = without.filter((name) => input[name] !== undefined)
      if (refused.length > 0) {
        return yield* Result.fail(refused.map((name) => issue("is not sent by the adapter: leave it out", [name])))
      }
      const given = watched(input)
      const asked = watched(askedOf(wireInput))
      const own = yield* Result.mapError(
        run(() => code(given.proxy, asked.proxy)),
        unnamed
      )
      const unseen = Object.keys(input).filter((name) => !given.seen.has(name))
      if (unseen.length > 0) {
        return yield* Result.fail(unseen.map((name) => issue("is not sent by the adapter: leave it out", [name])))
      }
      const isFurther = wireInput.cursor !== undefined || (isPaged && Number(page ?? 1) > 1)
      if (isFurther && !["cursor", "page", "offset"].some((name) => asked.seen.has(name))) {
        return yield* Result.fail([issue("the adapter sends no page", ["page"])])
      }
      if (wireInput.cursor === undefined && isFurther && !asked.seen.has("page") && !asked.seen.has("offset")) {
        const message = "the service pages by cursor: continue with Page.stream or Page.after"
        return yield* Result.fail([issue(message, ["page"])])
      }
      const request = yield* complete(own, declaration, service)
      if (back === undefined) return request
      const found = yield* Result.mapError(
        run(() => present(back(sentOf(own, request))) as Json),
        unnamed
      )
      const lost = findLost(input, found)
      return lost.length > 0 ? yield* Result.fail(lost) : request
    })
}

const answerReader = (declaration: Declaration.Declaration, functions: Functions, service: Service): Wire["answer"] => {
  const { isList } = declaration
  const guarded = <A>(convert: () => Result.Result<A, Schema.SchemaError>): Result.Result<A, string> =>
    Result.flatMap(
      run(convert),
      Result.mapError(({ message }) => message)
    )
  const fast = FastDecoder.make(functions.answer)
  const slow = Schema.decodeUnknownResult(functions.answer as unknown as Schema.Codec<unknown>)
  const decode = (payload: unknown): Result.Result<unknown, string> =>
    Result.flatMap(
      run(() => fast(payload)),
      (decoded) => (decoded === FastDecoder.none ? guarded(() => slow(payload)) : Result.succeed(decoded))
    )
  const shape = Declaration.payload(declaration)
  const keep = isKept(shape) ? keeper(shape) : undefined
  const encode = Schema.encodeUnknownResult(
    Schema.toCodecJson(Declaration.data(declaration)) as unknown as Schema.Codec<unknown>
  )
  const toData = (record: () => unknown): Result.Result<unknown, string> =>
    keep === undefined
      ? Result.mapError(
          guarded(() => encode(present(record()))),
          (message) => `its record: ${message}`
        )
      : run(() => keep(record()))
  const read = (received: Received, input: WireInput | undefined): Reading =>
    Result.gen(function* () {
      const payload = payloadOf(received, service, declaration)
      // Without a body, only a status that has none can be the service's own success.
      if (received.body === undefined && !isBodiless(received.status))
        return yield* Result.fail("the answer is no JSON")
      const decoded = yield* decode(payload)
      const { body, headers, status } = received
      const answer = { status, body, header: headerOf(headers) }
      const data = yield* toData(() => functions.read(decoded, answer))
      if (!isList) return { envelope: { data } }
      const { next } = functions
      const rows = (data as ReadonlyArray<unknown>).length
      // Without `next`, another page may follow, and nothing says where it is.
      if (next === undefined || input === undefined) return { envelope: { data }, hasNext: next === undefined }
      const cursor = yield* run(() => next({ ...answer, payload: decoded }, rows, askedOf(input)))
      // A document may show the end of a list as null or as an empty text.
      if (cursor === undefined || cursor === null || cursor === "" || cursor === false) {
        return { envelope: { data }, hasNext: false }
      }
      // Any other value is not the end of the list: more pages may follow.
      if (typeof cursor !== "string" && typeof cursor !== "number")
        return yield* Result.fail("next does not say where the next page is")
      return { envelope: { data }, nextCursor: String(cursor) }
    })
  return (received, input) => {
    if (declaration.safety === "session") {
      // Any answer to a session's request may hold tokens.
      return Result.orElse(read(received, input), () => Result.succeed({ envelope: received.body }))
    }
    if (!isSuccess(received.status)) return undefined
    const refusal = refusalOf(received, service, declaration)
    return refusal === undefined ? read(received, input) : Result.fail(refusal)
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
  if (isChange && back === undefined)
    throw new Error(`${operation.operation} changes something: its adapter needs "back"`)
  return {
    operation,
    isAssumed: false,
    examples: [],
    source: [[request, back, read, next].map(String), describe(answer), without, proven],
    wire: (service) => ({
      route: operation.route,
      request: withoutSecrets(operation, requestMaker(operation, functions, service)),
      answer: answerReader(operation, functions, service),
      ...common(service, functions),
      place: identity
    })
  }
}

// The wire of an assumed endpoint.

/** Renames the keys of a record by its shape. A key under one of our names that the service calls otherwise is dropped. */
const renamed = (
  shape: Declaration.Shape | undefined,
  value: unknown,
  fields: ReadonlyMap<string, Declaration.Shape>,
  names: (name: string) => string
): unknown => {
  if (Array.isArray(value)) {
    const item = shape?._tag === "List" ? shape.item : shape
    return value.map((each) => renamed(item, each, Declaration.getRecord(item ?? leaf)?.fields ?? none, names))
  }
  if (!Predicate.isReadonlyObject(value) || fields.size === 0) return value
  const ours = new Map([...fields.keys()].map((name) => [names(name), name]))
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => {
      const name = ours.get(key)
      if (name === undefined) return fields.has(key) ? [] : [[key, inner]]
      const field = fields.get(name)!
      return [[name, renamed(field, inner, Declaration.getRecord(field)?.fields ?? none, names)]]
    })
  )
}

const leaf: Declaration.Shape = { _tag: "Leaf", kind: "other", known: [] }
const none: ReadonlyMap<string, Declaration.Shape> = new Map()
const counts: ReadonlyMap<string, Declaration.Shape> = new Map(metaNames.map((name) => [name, leaf]))

/** Renames the fields of an input, and those of records in it. */
const toTheirs = (
  fields: Json,
  shapes: ReadonlyMap<string, Declaration.Shape>,
  names: (name: string) => string
): Json =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      const inner = shapes.get(name)
      const own = inner && Declaration.getRecord(inner)?.fields
      const convert = (each: unknown): unknown =>
        Array.isArray(each)
          ? each.map(convert)
          : own !== undefined && Predicate.isReadonlyObject(each)
            ? toTheirs(each, own, names)
            : each
      return [names(name), convert(value)]
    })
  )

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
    const { names = identity, payload } = service
    const shape = Declaration.payload(operation)
    const fields = Declaration.getRecord(shape)?.fields ?? none
    const shapes = new Map([...Declaration.input(operation)].map(([name, field]) => [name, field.shape]))
    const rename = (value: unknown, of: ReadonlyMap<string, Declaration.Shape>) => renamed(shape, value, of, names)
    const rows = (found: unknown): unknown => {
      const { holder, rows } = readRows(found)
      return holder === undefined
        ? rename(rows, fields)
        : { ...(rename(holder, counts) as Json), items: rename(rows, fields) }
    }
    const request: Wire["request"] = (input) => {
      const { body, params, query } = input.encoded
      const refused = (options.without ?? []).filter(
        (name) => (body._tag === "None" ? undefined : body.fields[name]) !== undefined || query[name] !== undefined
      )
      if (refused.length > 0) {
        return Result.fail(refused.map((name) => issue("is not sent by the adapter: leave it out", [name])))
      }
      const encoded: Encoded =
        names === identity
          ? input.encoded
          : {
              params,
              query: toTheirs(query, shapes, (name) => names(name)),
              body: body._tag === "None" ? body : { ...body, fields: toTheirs(body.fields, shapes, names) }
            }
      return Result.flatMap(base.request({ ...input, encoded }), (own) => complete(own, operation, service))
    }
    return {
      route: base.route,
      request: withoutSecrets(operation, request),
      answer: (received, input) => {
        const isSession = operation.safety === "session"
        if (!isSession && !isSuccess(received.status)) return undefined
        const refusal = isSession ? undefined : refusalOf(received, service, operation)
        if (refusal !== undefined) return Result.fail(refusal)
        const { body, status } = received
        if (names === identity && payload === undefined) return base.answer(received, input)
        const found = payloadOf(received, service, operation)
        if (found === undefined && isSession) return Result.succeed({ envelope: body })
        const outer = Predicate.isReadonlyObject(body) ? body : {}
        const { code, message, meta, status: said } = outer
        return base.answer(
          {
            ...received,
            body: Wires.omitUndefined({
              message,
              code: found === outer ? undefined : code,
              status: found === outer ? undefined : said,
              data: Declaration.isList(operation) ? rows(found) : rename(found, fields),
              meta: rename(meta, counts)
            }),
            status
          },
          input
        )
      },
      ...common(service, options, (errors) =>
        names === identity ? errors : renamed(undefined, errors, shapes, names)
      ),
      place: identity
    }
  }
})
