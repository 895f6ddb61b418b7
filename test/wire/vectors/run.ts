/** Runs vectors through the whole client, against a plain server that plays what they say. */
import { Assets } from "@effect-custody/assets"
import { Authentication, TokenStore } from "@effect-custody/authentication"
import { Clients } from "@effect-custody/clients"
import { Amount, type CustodyClient, Environment, Upload, RetryPolicy } from "@effect-custody/core"
import * as Operation from "@effect-custody/core/siblings/Operation"
import { FiatGateway } from "@effect-custody/fiat-gateway"
import { Nfts } from "@effect-custody/nfts"
import { PaymentOrders } from "@effect-custody/payment-orders"
import { Custody } from "@effect-custody/sdk"
import { Tokens } from "@effect-custody/tokens"
import { Transactions } from "@effect-custody/transactions"
import { Vaults } from "@effect-custody/vaults"
import { Wallets } from "@effect-custody/wallets"
import { assert } from "@effect/vitest"
import * as BigDecimal from "effect/BigDecimal"
import * as Cause from "effect/Cause"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { originFor, type Transport } from "../../support/clients/wireClient.ts"
import { withoutWaiting } from "../../support/clock.ts"
import { type Answer, header, json, type Received, text, wireServer } from "../../support/servers/wireServer.ts"
import { accessToken, type ExpectedRequest, type Vector } from "./corpus.ts"
import type { Json, Part, Response } from "./operation.ts"

/** A function of the API, as its name finds it. */
export interface AnyEndpoint extends Operation.Any {
  (input: unknown): Effect.Effect<unknown, { readonly _tag: string }, CustodyClient>
  readonly operation: string
}

const isEndpoint = (u: unknown): u is AnyEndpoint => typeof u === "function" && Operation.TypeId in u

/** Every function of the API, by its operation's name. */
export const operations: ReadonlyMap<string, AnyEndpoint> = new Map(
  [Authentication, Clients, Wallets, Vaults, Transactions, Assets, Tokens, Nfts, PaymentOrders, FiatGateway].flatMap(
    (namespace) =>
      Object.values<unknown>(namespace)
        .filter(isEndpoint)
        .map((endpoint) => [endpoint.operation, endpoint] as const)
  )
)

const isRecord = (u: unknown): u is Readonly<Record<string, unknown>> => Predicate.isObject(u) && !Array.isArray(u)

const isFile = (value: Json): value is { readonly name: string; readonly contentType: string; readonly text: string } =>
  isRecord(value) && typeof value["contentType"] === "string"

/** A value of a vector's input as our functions take it. */
const ours = (name: string, operation: string, value: Json): unknown => {
  if (typeof value === "string") {
    if (["amount", "initialSupply"].includes(name)) return Amount.fromStringUnsafe(value)
    if (["apiKey", "refreshToken"].includes(name)) return Redacted.make(value)
    if (operation === "transactions.list" && ["from", "to"].includes(name)) return DateTime.makeUnsafe(value)
  }
  if (!isFile(value)) return value
  return Upload.fromBytes({
    name: value.name,
    contentType: value.contentType,
    bytes: new TextEncoder().encode(value.text)
  })
}

/** A vector's input as our functions take it. */
export const inputOf = ({ input, operation }: Pick<Vector, "input" | "operation">): unknown =>
  Object.fromEntries(Object.entries(input).map(([name, value]) => [name, ours(name, operation, value)]))

/** A result as plain JSON, as a client in any language has it: with the fields that a record does not name among the others. */
const plain = (value: unknown): unknown => {
  if (BigDecimal.isBigDecimal(value)) return Amount.format(Amount.fromBigDecimalUnsafe(value))
  if (Redacted.isRedacted(value)) return Redacted.value(value)
  if (DateTime.isDateTime(value)) return DateTime.formatIso(value)
  if (Array.isArray(value)) return value.map(plain)
  if (!isRecord(value)) return value
  const { extra, ...named } = value
  return Object.fromEntries(
    Object.entries({ ...(isRecord(extra) ? extra : {}), ...named })
      .filter(([, member]) => member !== undefined)
      .map(([name, member]) => [name, plain(member)])
  )
}

/** What an error says of the members that a vector names. */
const projected = (error: Readonly<Record<string, any>>, names: ReadonlyArray<string>): unknown => {
  const members: Record<string, () => unknown> = {
    tag: () => error["_tag"],
    code: () => error["code"] ?? null,
    // What the service says. Our own message says the operation, the status and the code too.
    message: () => error["summary"] ?? error["message"],
    lookUp: () => error["lookUp"] ?? null,
    retryAfterSeconds: () => Duration.toSeconds(error["retryAfter"]),
    paths: () => error["issues"].map(({ path }: { readonly path: unknown }) => path)
  }
  return Object.fromEntries(names.map((name) => [name, members[name]?.() ?? error[name] ?? null]))
}

const answerOf = ({ headers = {}, json: value, status, text: body }: Response): Answer =>
  body === undefined
    ? json(status, value, headers)
    : text(status, headers["content-type"] ?? "text/plain", body, headers)

const partHead =
  /^Content-Disposition: form-data; name="([^"]*)"(?:; filename="([^"]*)")?(?:\r\nContent-Type: ([^\r\n]+))?$/

const unquoted = (name: string): string => name.replaceAll("%22", '"').replaceAll("%0D", "\r").replaceAll("%0A", "\n")

/** The parts of a multipart body, read as RFC 7578 has it, with nothing before, between and after them. */
export const partsOf = (body: string, boundary: string): ReadonlyArray<Part> => {
  assert.isTrue(body.startsWith(`--${boundary}\r\n`), "a multipart body begins with its boundary")
  assert.isTrue(body.endsWith(`\r\n--${boundary}--\r\n`), "a multipart body ends with its closing boundary")
  return body
    .slice(`--${boundary}\r\n`.length, -`\r\n--${boundary}--\r\n`.length)
    .split(`\r\n--${boundary}\r\n`)
    .map((part): Part => {
      const end = part.indexOf("\r\n\r\n")
      const found = partHead.exec(part.slice(0, end))
      assert(found !== null, `a part has an unexpected head: ${part.slice(0, end)}`)
      const [, name = "", filename, contentType = ""] = found
      const content = part.slice(end + 4)
      return filename === undefined
        ? { name: unquoted(name), text: content }
        : { name: unquoted(name), filename: unquoted(filename), contentType, text: content }
    })
}

/** What a transport may say of itself. Everything else in a head is ours. */
const ofTransport = new Set([
  "host",
  "connection",
  "user-agent",
  "accept-language",
  "accept-encoding",
  "sec-fetch-mode",
  "cache-control",
  "pragma"
])

const headOf = ({ headers }: Received): Readonly<Record<string, string>> =>
  Object.fromEntries(
    headers
      .map(([name, value]) => [name.toLowerCase(), value] as const)
      .filter(([name]) => !ofTransport.has(name))
      .map(([name, value]) => [name, name === "content-type" ? value.split(";")[0]! : value])
  )

/** How a head tells the size of its body: a POST without one says so, and fetch does not tell that of a stream. */
const sizeOf = ({ body, method }: Received, isStream: boolean, transport: string): Readonly<Record<string, string>> => {
  if (method === "GET") return {}
  return isStream && transport === "fetch"
    ? { "transfer-encoding": "chunked" }
    : { "content-length": String(Buffer.byteLength(body)) }
}

const searchOf = (query: ExpectedRequest["query"]): string => {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((one) => [name, one] as [string, string])
  )
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs).toString()}`
}

/** That a request is the expected one, to the byte: its line, its head and its body. */
const assertRequest = (
  received: Received,
  base: string,
  { headers, json: body, method, multipart, path, query }: ExpectedRequest,
  token: string,
  transport: string
): void => {
  assert.strictEqual(received.method, method)
  assert.strictEqual(received.target, `${base}${path}${searchOf(query)}`)
  const head = Object.entries(headers).flatMap(([name, value]) =>
    value === null ? [] : [[name, name === "x-access-token" ? token : value]]
  )
  const size = sizeOf(received, multipart !== undefined, transport)
  assert.deepStrictEqual(headOf(received), { ...Object.fromEntries(head), ...size })
  if (multipart === undefined) {
    assert.strictEqual(received.body, body === undefined ? "" : JSON.stringify(body))
  } else {
    const boundary = /boundary=(.+)$/.exec(header(received, "content-type")[0] ?? "")?.[1] ?? ""
    assert.match(boundary, /^[\w-]{1,70}$/)
    assert.deepStrictEqual(partsOf(received.body, boundary), multipart)
  }
}

/** The service of one vector. */
const serviceOf = (base: string, vector: Vector, transport: string) => {
  const queue = [...(vector.earlier ?? [])]
  const came: Array<{ readonly received: Received; readonly expected: ExpectedRequest; readonly token: string }> = []
  const faults: Array<string> = []
  let rotations = 0
  const name = (kind: string) => (rotations === 0 ? `stored-${kind}-token` : `${kind}-token-${rotations}`)
  const answer = (received: Received): Answer => {
    const path = new URL(received.target, "http://host").pathname
    if (path === `${base}/auth/refresh-token` && vector.operation !== "authentication.refreshToken") {
      if (received.body !== JSON.stringify({ refreshToken: name("refresh") })) faults.push("an old token was refreshed")
      rotations++
      const data = { accessToken: name("access"), refreshToken: name("refresh"), expiresAt: 4102444800000 }
      return json(201, { message: "Created", data, status: 201 })
    }
    const token = name("access")
    const lookUp = vector.lookUps?.find(
      ({ request }) => request.method === received.method && `${base}${request.path}` === path
    )
    const expected = lookUp?.request ?? vector.request
    if (expected !== null) came.push({ received, expected, token })
    else faults.push(`${received.method} ${received.target} was sent`)
    const response = lookUp?.response ?? queue.shift() ?? vector.response
    return response === undefined ? json(418, {}) : answerOf(response)
  }
  const check = (): void => {
    assert.deepStrictEqual(faults, [])
    for (const { expected, received, token } of came) assertRequest(received, base, expected, token, transport)
    const times = came.filter(({ expected }) => expected === vector.request).length
    const takesToken = !vector.operation.startsWith("authentication.")
    if (vector.request === null) assert.strictEqual(times, 0)
    else if (takesToken && vector.error?.tag === "TokenExpired")
      assert.isAtLeast(times, 2, "an expired token is refreshed first")
    else assert.strictEqual(times, 1 + (vector.earlier?.length ?? 0), "how often it was sent")
    for (const { request } of vector.lookUps ?? []) {
      assert.lengthOf(
        came.filter(({ expected }) => expected === request),
        1,
        `how often ${request.path} was looked up`
      )
    }
  }
  return { answer, check }
}

/** A session that is stored already, and in its best years. */
export const storedSession = (environment: Environment.Environment): Layer.Layer<TokenStore> =>
  Layer.fresh(
    Layer.effectDiscard(
      Effect.orDie(
        TokenStore.use((store) =>
          store.compareAndSwap("default", 0, {
            environment: environment.baseUrl,
            session: {
              generation: 0,
              accessToken: Redacted.make(accessToken),
              refreshToken: Redacted.make("stored-refresh-token"),
              obtainedAt: 0
            },
            spentKeys: []
          })
        )
      )
    ).pipe(Layer.provideMerge(TokenStore.layerMemory))
  )

/** A client with a stored session, that sends everything once. */
export const clientOf = (environment: Environment.Environment) =>
  Custody.layer({ environment, retry: RetryPolicy.none, diagnostics: "bodies" }).pipe(
    Layer.provide(storedSession(environment))
  )

/** What an assertion says, with both sides of it. */
const told = (error: unknown): string => {
  const { actual, expected, message } = error as { readonly [key: string]: unknown }
  return `${String(message)}: ${JSON.stringify(actual)} is not ${JSON.stringify(expected)}`
}

/** Calls a vector's operation, and holds what became of it to the vector. */
const call = (vector: Vector) =>
  Effect.gen(function* () {
    const operation = operations.get(vector.operation)
    assert(operation !== undefined, `there is no operation ${vector.operation}`)
    // Whatever the order in which a caller writes them, fields go in that of the contract.
    const input = Object.fromEntries(Object.entries(inputOf(vector) as object).toReversed())
    const outcome = yield* Effect.result(operation(input))
    if (vector.error === undefined) {
      if (Result.isFailure(outcome)) assert.fail(`it failed with ${outcome.failure._tag}`)
      assert.deepStrictEqual(plain(outcome.success), vector.result)
    } else {
      if (Result.isSuccess(outcome)) assert.fail(`it succeeded: ${JSON.stringify(plain(outcome.success))}`)
      assert.deepStrictEqual(projected(outcome.failure, Object.keys(vector.error)), vector.error)
    }
  })

/** Runs vectors over a transport, each against a service and with a session of its own; gives what went wrong. */
export const run = (
  vectors: ReadonlyArray<Vector>,
  transport: Transport
): Effect.Effect<ReadonlyArray<string>, never, HttpClient.HttpClient | import("effect/Scope").Scope> =>
  Effect.gen(function* () {
    const services = vectors.map((vector, index) => serviceOf(`/${index}/api/integration`, vector, transport.name))
    const server = yield* wireServer((received) => {
      const service = services[Number(/^\/(\d+)\//.exec(received.target)?.[1])]
      return service === undefined ? json(404, {}) : service.answer(received)
    })
    const faults = yield* Effect.forEach(
      vectors,
      (vector, index) =>
        call(vector).pipe(
          Effect.provide(clientOf(Environment.emulator(`${originFor(server, transport)}/${index}/api/integration`))),
          withoutWaiting,
          Effect.andThen(Effect.sync(() => services[index]!.check())),
          Effect.as([]),
          Effect.sandbox,
          Effect.catch((cause) => Effect.succeed([`${vector.operation} ${vector.name}: ${told(Cause.squash(cause))}`]))
        ),
      { concurrency: 32 }
    )
    return faults.flat()
  })
