import { TokenStore } from "@effect-custody/authentication"
import { Wire, ServiceContract } from "@effect-custody/contract"
import { Environment, RetryPolicy } from "@effect-custody/core"
import { Authentication, Custody, CustodyApi, Vaults } from "@effect-custody/sdk"
import { Recording, WireLog } from "@effect-custody/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"

type Api = typeof CustodyApi

const response = { accessToken: "session.jwt", refreshToken: "session.renewal.0" }
const code = Wire.code({
  method: "POST",
  path: "/sessions",
  request: ({ apiKey }: { readonly apiKey: string }) => ({ body: { own: [apiKey] } }),
  answer: ({ body }) => {
    const { jwt, renewal } = (body as any).result.session
    return { accessToken: jwt, refreshToken: renewal[0], vaultId: 1 }
  }
})

const contracts = (
  [
    ["other names, nested", { path: "/sessions", fields: { apiKey: "credentials.secret" }, response }],
    ["a key in a header", { path: "/sessions", fields: { apiKey: { in: "header", at: "X-API-Key" } }, response }],
    ["code", code]
  ] as const
).map(
  ([name, generateTokens]) =>
    [
      name,
      {
        defaults: { prefix: "/v2", payload: "result" },
        operations: { "vaults.details": { path: "/treasury" }, "authentication.generateTokens": generateTokens }
      } as ServiceContract.ContractOf<Api>
    ] as const
)

const service = Layer.succeed(
  HttpClient.HttpClient,
  HttpClient.make((request) =>
    Effect.succeed(
      HttpClientResponse.fromWeb(
        request,
        request.url.endsWith("/sessions")
          ? Response.json(
              { result: { session: { jwt: "canary-access", renewal: ["canary-refresh"] }, vaultId: 1 } },
              { status: 201 }
            )
          : Response.json({ result: { id: 1, name: "of canary-access", more: "canary-refresh" } })
      )
    )
  )
)

const run = (contract: ServiceContract.ContractOf<Api>, http: Layer.Layer<HttpClient.HttpClient, any>) =>
  Vaults.details().pipe(
    Effect.provide(
      Custody.layer({
        environment: Environment.local("http://127.0.0.1:9/api/integration"),
        apiKey: Redacted.make("canary-key"),
        retry: RetryPolicy.none
      }).pipe(Layer.provide([TokenStore.layerMemory, http]), Layer.provide(ServiceContract.layer(contract, CustodyApi)))
    )
  )

describe.each(contracts)("WireLog under a contract with %s", (_, contract) => {
  const logged = (ofLog: Layer.Layer<never, any>) =>
    Effect.gen(function* () {
      const log = yield* WireLog
      const http = Layer.succeed(HttpClient.HttpClient, yield* HttpClient.HttpClient)
      const { name } = yield* run(contract, http)
      const entries = yield* log.entries
      return { name, entries, everything: JSON.stringify(entries) + (yield* log.transcript) }
    }).pipe(Effect.provide(WireLog.layer.pipe(Layer.provide([service, ofLog]))))

  it.effect("the log holds no secret, names the operations, and can be replayed", () =>
    Effect.gen(function* () {
      const inForce = ServiceContract.layer(contract, CustodyApi)
      const { entries, everything, name } = yield* logged(inForce)
      assert.deepStrictEqual(
        entries.map(({ operation }) => operation),
        ["authentication.generateTokens", "vaults.details"]
      )
      assert.notInclude(everything, "canary")
      assert.strictEqual(name, "of canary-access")
      const compiled = yield* Effect.provide(ServiceContract.ServiceContract.use(Effect.succeed), inForce)
      const vectors = Recording.vectors(entries, compiled)
      assert.deepStrictEqual(
        vectors.map(({ request }) => request.path),
        ["/v2/treasury"]
      )
      if (typeof compiled.wire(Authentication.generateTokens)?.inverse !== "object") return
      const replayed = yield* run(contract, Recording.layer(vectors).pipe(Layer.provide(inForce)))
      assert.strictEqual(replayed.name, `of ${entries[1]?.headers["x-access-token"]}`)
    })
  )

  it.effect("the log holds no secret without knowing the contract", () =>
    Effect.gen(function* () {
      const { everything } = yield* logged(Layer.empty)
      assert.notInclude(everything, "canary")
    })
  )
})
