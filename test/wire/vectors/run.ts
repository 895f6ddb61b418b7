/** Runs vectors through the whole client, against a plain server that plays what they say. */
import { Assets } from "@effect-custody/assets"
import { Authentication, TokenStore } from "@effect-custody/authentication"
import { Clients } from "@effect-custody/clients"
import { Amount, type CustodyClient, Environment, type Operation, Upload, RetryPolicy } from "@effect-custody/core"
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
import { withoutWaiting } from "../../support/clock.ts"
import { type Answer, header, json, type Received, text, wireServer } from "../../support/servers/wireServer.ts"
import { accessToken, type ExpectedRequest, type Vector } from "./corpus.ts"
import type { Json, Part, Response } from "./operations.ts"

/** A function of the API, as its name finds it. */
export type AnyOperation = Operation.Operation<unknown, unknown> & {
  (input: unknown): Effect.Effect<unknown, { readonly _tag: string }, CustodyClient>
}

const isOperation = (u: unknown): u is AnyOperation => typeof u === "function" && "operation" in u

/** Every function of the API, by its operation's name. */
export const operations: ReadonlyMap<string, AnyOperation> = new Map(
  [Authentication, Clients, Wallets, Vaults, Transactions, Assets, Tokens, Nfts, PaymentOrders, FiatGateway].flatMap(
    (namespace) =>
      Object.values<unknown>(namespace)
        .filter(isOperation)
        .map((operation) => [operation.operation, operation] as const)
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
export const plain = (value: unknown): unknown => {
  if (BigDecimal.isBigDecimal(value)) return Amount.format(Amount.fromBigDecimal(value))
  if (Redacted.isRedacted(value)) return Redacted.value(value)
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

const queryOf = (query: URLSearchParams): Readonly<Record<string, string | ReadonlyArray<string>>> =>
  Object.fromEntries(
    [...new Set(query.keys())].map((name) => {
      const values = query.getAll(name)
      return [name, values.length === 1 ? values[0]! : values]
    })
  )

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

const assertHeaders = (received: Received, expected: ExpectedRequest["headers"], token: string): void => {
  for (const [name, value] of Object.entries(expected)) {
    const wanted = name === "x-access-token" && value === accessToken ? token : value
    const values = header(received, name).map((found) => (name === "content-type" ? found.split(";")[0]! : found))
    assert.deepStrictEqual(values, wanted === null ? [] : [wanted], `the header ${name}`)
  }
}

/** That a request is the expected one, to the byte of its body. */
const assertRequest = (received: Received, base: string, expected: ExpectedRequest, token: string): void => {
  const url = new URL(received.target, "http://host")
  assert.strictEqual(received.method, expected.method)
  assert.strictEqual(url.pathname, `${base}${expected.path}`)
  assert.deepStrictEqual(queryOf(url.searchParams), expected.query)
  assertHeaders(received, expected.headers, token)
  if (expected.multipart !== undefined) {
    const boundary = /boundary=(.+)$/.exec(header(received, "content-type")[0] ?? "")?.[1] ?? ""
    assert.match(boundary, /^[\w-]{1,70}$/)
    assert.deepStrictEqual(partsOf(received.body, boundary), expected.multipart)
  } else {
    assert.strictEqual(received.body, expected.json === undefined ? "" : JSON.stringify(expected.json))
  }
  const length = received.body === "" && expected.json === undefined ? undefined : Buffer.byteLength(received.body)
  const announced = header(received, "content-length")[0]
  if (length !== undefined) assert.strictEqual(announced, String(length))
  else assert.include([undefined, "0"], announced)
}

/** The service of one vector. */
const serviceOf = (base: string, vector: Vector) => {
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
    for (const { expected, received, token } of came) assertRequest(received, base, expected, token)
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
    const outcome = yield* Effect.result(operation(inputOf(vector)))
    if (vector.error === undefined) {
      if (Result.isFailure(outcome)) assert.fail(`it failed with ${outcome.failure._tag}`)
      assert.deepStrictEqual(plain(outcome.success), vector.result)
    } else {
      if (Result.isSuccess(outcome)) assert.fail(`it succeeded: ${JSON.stringify(plain(outcome.success))}`)
      assert.deepStrictEqual(projected(outcome.failure, Object.keys(vector.error)), vector.error)
    }
  })

/** Runs vectors, each against a service and with a session of its own; gives what went wrong. */
export const run = (
  vectors: ReadonlyArray<Vector>
): Effect.Effect<ReadonlyArray<string>, never, HttpClient.HttpClient | import("effect/Scope").Scope> =>
  Effect.gen(function* () {
    const services = vectors.map((vector, index) => serviceOf(`/${index}/api/integration`, vector))
    const server = yield* wireServer((received) => {
      const service = services[Number(/^\/(\d+)\//.exec(received.target)?.[1])]
      return service === undefined ? json(404, {}) : service.answer(received)
    })
    const faults = yield* Effect.forEach(
      vectors,
      (vector, index) =>
        call(vector).pipe(
          Effect.provide(clientOf(Environment.local(`${server.origin}/${index}/api/integration`))),
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
