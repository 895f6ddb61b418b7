/**
 * A test that passes under the assumed wire passes under any: the same program, which calls each operation,
 * gives the same results under every contract, wherever it runs. Under the assumed wire, a validator that is not ours
 * checks each exchange against the OpenAPI document.
 */
import { TokenStore } from "@effect-custody/authentication"
import { Amount, type CustodyClient, Environment } from "@effect-custody/core"
import { CustodyEmulator } from "@effect-custody/emulator"
import { NodeCustody } from "@effect-custody/node"
import * as Sdk from "@effect-custody/sdk"
import { Authentication, Clients, Custody, CustodyApi, Transactions, Vaults, Wallets } from "@effect-custody/sdk"
import { HttpApi } from "@effect-custody/sdk/HttpApi"
import { CustodyTest } from "@effect-custody/testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as Struct from "effect/Struct"
import { layerOf, type Service, services } from "../support/servers/dialects/contracts.ts"
import { frontClient, frontServer } from "../support/servers/dialects/front.ts"
import { makeJudge } from "../support/servers/dialects/judge.ts"
import { callEachFrom } from "../../packages/emulator/test/operations.ts"

const base = "/api/integration"

type Wrap = (inner: HttpClient.HttpClient) => HttpClient.HttpClient

/** The SDK at an address, over a transport. */
const clientAt = (url: string, contract: Layer.Layer<never>, wrap: Wrap) =>
  Layer.unwrap(
    Effect.map(CustodyEmulator.useSync(({ issueApiKey }) => issueApiKey()).pipe(Effect.flatten), (apiKey) =>
      Custody.layer({ environment: Environment.emulator(url), apiKey })
    )
  ).pipe(
    Layer.provide([
      Layer.effect(HttpClient.HttpClient, Effect.map(HttpClient.HttpClient, wrap)),
      Layer.fresh(TokenStore.layerMemory),
      contract
    ]),
    Layer.orDie
  )

type Program = Effect.Effect<unknown, unknown, CustodyClient | CustodyEmulator>

/** What a service tells beside its records differs: counts of lists, where the next page is, fields that nobody knows. */
const told = new Set(["meta", "nextCursor", "hasNext", "extra"])

const recordsOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(recordsOf)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      if (told.has(name)) return []
      // An id without a brand is a text or a number, as the service sends it.
      return [[name, name === "id" ? String(inner) : recordsOf(inner)] as const]
    })
  )
}

/** A list of many pages, and what the service says no to: what does not exist, a wrong key, too much money; and an expired token, which is replaced. */
const rest = Effect.gen(function* () {
  const { expireTokens } = yield* CustodyEmulator
  const wallets = yield* Stream.runCollect(Wallets.stream({ limit: 2 }))
  const to = "0x52908400098527886E0F7030069857D2E4169EE7"
  const nobody = yield* Effect.flip(Clients.get({ externalId: "nobody" }))
  const wrongKey = yield* Effect.flip(Authentication.generateTokens({ apiKey: Redacted.make("wrong") }))
  const tooMuch = yield* Effect.flip(
    Transactions.send({ clientId: "alice", assetId: "usdc", to, amount: Amount.of("5000000") })
  )
  yield* expireTokens
  yield* Vaults.details()
  return { wallets: wallets.map(({ id }) => id), errors: [nobody, wrongKey, tooMuch].map(({ _tag }) => _tag) }
})

const calls: Program = Effect.zipWith(callEachFrom(1), rest, (results, others) =>
  recordsOf({ ...results, rest: others })
)

/** The results, with the fields that the service gives. */
const givenBy = ({ fewer = {} }: Service, results: unknown) =>
  Object.fromEntries(
    Object.entries(results as Readonly<Record<string, object>>).map(([name, result]) => [
      name,
      fewer[name] === undefined ? result : Struct.pick(result, fewer[name] as ReadonlyArray<never>)
    ])
  )

/** The results, with the rows of the requested page alone in the lists that come whole. */
const firstPage = ({ whole = [] }: Service, results: any, expected: any) => ({
  ...results,
  ...Object.fromEntries(
    whole.map((name) => {
      const { items, ...rest } = results[name]
      return [name, { ...rest, items: items.slice(0, expected[name].items.length) }]
    })
  )
})

/** An emulator without sockets, and the SDK that asks it through what stands between. */
const between = (spoken: Layer.Layer<never>, contract: Layer.Layer<never>, wrap: Wrap) =>
  calls.pipe(
    Effect.provide(
      clientAt(`http://localhost${base}`, contract, wrap).pipe(
        Layer.provideMerge(Layer.fresh(CustodyEmulator.layerHttpClient).pipe(Layer.provide(spoken)))
      )
    )
  )

/** A server of sockets, and the SDK at its address. */
const overSocket = (spoken: Layer.Layer<never>, contract: Layer.Layer<never>, front?: Service["dialect"]) =>
  Effect.gen(function* () {
    const { baseUrl } = yield* CustodyEmulator
    const url = front === undefined ? baseUrl : yield* frontServer(front, baseUrl)
    return yield* Effect.provide(
      calls,
      clientAt(url, contract, (inner) => inner).pipe(Layer.provide(NodeCustody.layerHttpClient()))
    )
  }).pipe(
    Effect.scoped,
    Effect.provide(Layer.fresh(Layer.orDie(CustodyEmulator.layerServer())).pipe(Layer.provide(spoken)))
  )

const isEndpoint = (
  u: unknown
): u is ((input: unknown) => Effect.Effect<unknown, any, CustodyClient>) & { readonly operation: string } =>
  typeof u === "function" && "operation" in u

const endpoints = Object.values(Sdk)
  .flatMap((namespace): ReadonlyArray<unknown> => (typeof namespace === "object" ? Object.values(namespace) : []))
  .filter(isEndpoint)

/** Stubs of all operations. Each asks an emulator of the assumed wire. */
const overStubs = (contract: Layer.Layer<never>) =>
  Effect.gen(function* () {
    const emulator = yield* Effect.context<CustodyClient | CustodyEmulator>()
    const stubs = Object.fromEntries(
      endpoints.map((endpoint) => [
        endpoint.operation,
        (input: unknown) => Effect.provideContext(endpoint(input), emulator)
      ])
    )
    return yield* Effect.provide(calls, CustodyTest.stub(stubs).pipe(Layer.provide(contract)))
  }).pipe(Effect.provide(Layer.fresh(CustodyEmulator.layer)))

const assumed = Layer.empty
const asAssumed = between(assumed, assumed, (inner) => inner)

it.effect("the assumed document matches the requests of the SDK and the answers of the emulator", () =>
  Effect.gen(function* () {
    const judge = makeJudge(OpenApi.fromApi(HttpApi))
    yield* between(assumed, assumed, judge.between(base))
    assert.deepStrictEqual(judge.objections, [])
    assert.deepStrictEqual(
      [...judge.seen].toSorted(),
      CustodyApi.operations.map(({ operation }) => operation).toSorted()
    )
  })
)

describe.each(services)("the dialect of $dialect.name", (service) => {
  const { dialect } = service
  const contract = Layer.orDie(layerOf(service))
  const assertSame = Effect.fnUntraced(function* (results: unknown) {
    const expected = yield* asAssumed
    assert.deepStrictEqual(givenBy(service, firstPage(service, results, expected)), givenBy(service, expected))
  })

  it.effect("the results are the same over the service, and over the emulator that speaks the contract", () =>
    Effect.gen(function* () {
      yield* assertSame(yield* between(assumed, contract, frontClient(dialect)))
      yield* assertSame(yield* between(contract, contract, (inner) => inner))
    })
  )

  it.effect("the results are the same over stubs", () => Effect.flatMap(overStubs(contract), assertSame))

  it.effect("the results are the same over the emulator as a server, and over the service's own server", () =>
    Effect.gen(function* () {
      yield* assertSame(yield* overSocket(contract, contract))
      yield* assertSame(yield* overSocket(assumed, contract, dialect))
    })
  )
})
