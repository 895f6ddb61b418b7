import { TokenStore } from "@effect-custody/authentication"
import { Adapter } from "@effect-custody/contract"
import { CustodyClient, Environment, RetryPolicy } from "@effect-custody/core"
import { NodeCustody } from "@effect-custody/node"
import { Custody, CustodyApi, Transactions } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import * as Result from "effect/Result"
import { generated } from "../support/clients/wireClient.ts"
import { json, wireServer, type WireServer } from "../support/servers/wireServer.ts"
import { categories } from "./vectors/operations.ts"
import { inputOf, operations } from "./vectors/run.ts"

type Call = Effect.Effect<unknown, { readonly _tag: string }, CustodyClient>

const organization = { subdomain: "acme", host: "custody.example" }

/** The environments behind which customers' money may be, an address elsewhere that is called local among them. */
const real = [
  ["production", Environment.production(organization)],
  ["a sandbox", Environment.sandbox(organization)],
  ["an address that is local in name only", Environment.at("https://acme.custody.example/api/integration")],
  // A tunnel may lead from there to production.
  ["an address on the loopback", Environment.at("http://localhost/api/integration")]
] as const

/** The HTTP client of a world in which the service's name leads to the plain server. */
const rewritten = (server: WireServer) =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.map(
      HttpClient.HttpClient,
      HttpClient.mapRequest((request) =>
        HttpClientRequest.setUrl(
          request,
          request.url.replace(/^(?:https:\/\/acme\.custody\.example|http:\/\/localhost)/, server.origin)
        )
      )
    )
  ).pipe(Layer.provide(NodeCustody.layerHttpClient()))

/** A client with a key and without a session, which it would start first. */
const realClient = (environment: Environment.Environment, server: WireServer) =>
  Layer.fresh(
    Custody.layer({ environment, apiKey: Redacted.make("one-time-key"), retry: RetryPolicy.none }).pipe(
      Layer.provide([TokenStore.layerMemory, rewritten(server)])
    )
  )

/** Each operation with a valid input. */
const calls = Object.values(categories)
  .flat()
  .map(({ operation, safety, successes: [{ input, response }] }) => {
    const call: Call = operations.get(operation)!(inputOf({ operation, input }))
    return { operation, safety, call, answer: json(response.status, response.json) }
  })

const specified = ["authentication.generateTokens", "authentication.refreshToken", "vaults.details"]

describe.each(real)("the operations on %s", (_, environment) => {
  const assumed = calls.filter(({ operation }) => !specified.includes(operation))
  const isSent = ({ safety }: (typeof calls)[number]) => environment.kind === "sandbox" && safety === "read"

  it.live("each assumed operation fails with UnconfirmedEndpoint, and sends nothing, except a read of a sandbox", () =>
    Effect.gen(function* () {
      const server = yield* wireServer(() => generated)
      assert.lengthOf(assumed, CustodyApi.operations.length - specified.length)
      const refused = assumed.filter((each) => !isSent(each))
      assert.lengthOf(refused, environment.kind === "sandbox" ? 15 : 44)
      yield* Effect.forEach(refused, ({ call, operation }) =>
        Effect.gen(function* () {
          const outcome = yield* Effect.result(call)
          assert(Result.isFailure(outcome), operation)
          assert.deepInclude<object>(outcome.failure, { _tag: "UnconfirmedEndpoint", operation })
        })
      ).pipe(Effect.provide(realClient(environment, server)))
      assert.lengthOf(server.received, 0)
      assert.strictEqual(server.connections(), 0)
    })
  )

  it.live("each assumed read of a sandbox is sent, with one warning for its operation", () =>
    Effect.gen(function* () {
      const sent = assumed.filter(isSent)
      let next = 0
      const server = yield* wireServer(({ target }) => {
        if (target.endsWith("/auth/generate-tokens")) return generated
        return sent[Math.floor(next++ / 2)]!.answer
      })
      const warnings: Array<string> = []
      const logger = Logger.make(({ fiber, message }) => {
        const event = fiber.getRef(References.CurrentLogAnnotations)["custody.event"]
        if (event === "call.unconfirmed") warnings.push(String(message))
      })
      yield* Effect.forEach(sent, ({ call }) => Effect.andThen(call, call)).pipe(
        Effect.provide([realClient(environment, server), Logger.layer([logger])])
      )
      assert.strictEqual(next, 2 * sent.length)
      assert.lengthOf(sent, environment.kind === "sandbox" ? 29 : 0)
      for (const { operation } of sent) {
        assert.lengthOf(
          warnings.filter((line) => line.includes(` ${operation} is sent as "GET /`)),
          1,
          operation
        )
      }
      assert.lengthOf(warnings, sent.length)
    })
  )

  it.live("an assumed read that is sent stays unconfirmed, so that a ledger refuses it", () =>
    Effect.gen(function* () {
      const server = yield* wireServer(() => generated)
      const { isConfirmed } = yield* CustodyClient.factsOf(Transactions.list).pipe(
        Effect.provide(realClient(environment, server))
      )
      assert.isFalse(isConfirmed)
    })
  )

  it.live("the three specified operations are sent", () =>
    Effect.gen(function* () {
      const answers = new Map(calls.map(({ answer, operation }) => [operation, answer]))
      const server = yield* wireServer(({ target }) =>
        target.endsWith("/vaults/details") ? answers.get("vaults.details")! : generated
      )
      for (const { call, operation } of calls.filter(({ operation: name }) => specified.includes(name))) {
        const outcome = yield* Effect.result(call).pipe(Effect.provide(realClient(environment, server)))
        assert.isTrue(Result.isSuccess(outcome), operation)
      }
      assert.deepStrictEqual(
        server.received.map(({ target }) => target.replace("/api/integration", "")),
        ["/auth/generate-tokens", "/auth/refresh-token", "/auth/generate-tokens", "/vaults/details"]
      )
    })
  )

  it.live("acceptAssumed sends all operations as assumed", () =>
    Effect.gen(function* () {
      let next = 0
      const server = yield* wireServer((request) => {
        // The session's own start comes before the first call that needs a token.
        const isStart = request.target.endsWith("/auth/generate-tokens") && request.body.includes("one-time-key")
        return isStart ? generated : calls[next++]!.answer
      })
      yield* Effect.forEach(calls, ({ call }) => call).pipe(
        Effect.provide([Adapter.acceptAssumed, realClient(environment, server)])
      )
      assert.strictEqual(next, CustodyApi.operations.length)
      assert.lengthOf(server.received, next + 1)
    })
  )
})
