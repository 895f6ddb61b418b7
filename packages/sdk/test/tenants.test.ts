import { TokenStore } from "@effect-custody/authentication"
import { ConfigurationInvalid, Environment } from "@effect-custody/core"
import { Custody, Vaults } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { answer, stubHttp } from "../../../test/support/clients/stubHttp.ts"

const environment = Environment.emulator("http://127.0.0.1:4010/api/integration")

/** A service that issues a token for each API key, and names the vault after the token of a call. */
const service = () =>
  stubHttp(({ body, headers, url }) =>
    Effect.sync(() => {
      if (!url.endsWith("/auth/generate-tokens")) {
        return answer(200, { message: "", data: { id: 1, name: headers["x-access-token"] }, status: 200 })
      }
      const accessToken = `token of ${JSON.parse(body).apiKey}`
      const data = { accessToken, refreshToken: "refresh", expiresAt: 4_102_444_800_000, vaultId: 1 }
      return answer(201, { message: "", data, status: 201 })
    })
  ).layer

const below = () => Layer.mergeAll(service(), Layer.fresh(TokenStore.layerMemory))

interface Tenant {
  readonly apiKey?: string
  readonly identity?: string | undefined
}

const clientOptions = ({ apiKey, ...rest }: Tenant): Custody.Options => ({
  environment,
  ...rest,
  ...(apiKey === undefined ? {} : { apiKey: Redacted.make(apiKey) })
})

/** The organization that a call was answered for, or the reason why it was not sent. */
const who = <E extends { readonly message: string }, R>(client: Layer.Layer<any, E, R>) =>
  Effect.match(Effect.provide(Vaults.details(), client), {
    onFailure: ({ message }) => message,
    onSuccess: ({ name }) => name
  })

const refusal = (identity: string) =>
  `identity: another client has the session "${identity}" of the same store, and another API key: ` +
  `each client needs an identity of its own, or a store of its own`

/** The keys of the tenants, such as a vault has them. */
class Keys extends Context.Service<Keys, (key: string) => string>()("test/Keys") {}

describe("a map of clients", () => {
  const unnamed = { acme: { apiKey: "acme", identity: undefined }, globex: { apiKey: "globex", identity: undefined } }
  const oneSession = { acme: { apiKey: "acme", identity: "main" }, globex: { apiKey: "globex", identity: "main" } }
  const shared = { acme: { apiKey: "acme", identity: "main" }, audit: { identity: "main" } }

  it.effect.each([
    ["gives a session without a name the name of its key", unnamed, ["token of acme", "token of globex"]],
    ["refuses a second API key for one session", oneSession, ["token of acme", refusal("main")]],
    ["lets keys share a session with one API key, or none", shared, ["token of acme", "token of acme"]]
  ] as const)("a map of clients %s", ([, tenants, expected]) =>
    Effect.gen(function* () {
      const clients = yield* Custody.makeLayerMap((name: string) =>
        clientOptions((tenants as Record<string, Tenant>)[name]!)
      )
      for (const [at, name] of Object.keys(tenants).entries()) {
        assert.strictEqual(yield* who(clients.get(name)), expected[at])
      }
    }).pipe(Effect.provide(below()))
  )

  it.effect(
    "a client fails with the error of the effect that looks up its options, and looks them up again on the next use",
    () => {
      let isRegistered = false
      return Effect.gen(function* () {
        const clients = yield* Custody.makeLayerMap(
          Effect.fnUntraced(function* (key: string) {
            if (!isRegistered) {
              return yield* new ConfigurationInvalid({ option: "tenant", reason: `there is no ${key}` })
            }
            return clientOptions({ apiKey: (yield* Keys)(key) })
          }),
          { idleTimeToLive: "10 minutes" }
        )
        assert.strictEqual(yield* who(clients.get("acme")), "tenant: there is no acme")
        isRegistered = true
        assert.strictEqual(yield* who(clients.get("acme")), "token of acme's key")
      }).pipe(
        Effect.provideService(Keys, (key) => `${key}'s key`),
        Effect.provide(below())
      )
    }
  )
})

describe("two clients over one store", () => {
  /** As in the documentation: `TokenStore.layerMemory` is a constant, so a program has one store for all its clients. */
  const client = (tenant: Tenant) =>
    Custody.layer(clientOptions(tenant)).pipe(Layer.provide([TokenStore.layerMemory, service()]))

  it.effect.each([
    ["are refused with one session and two API keys", { apiKey: "b" }, refusal("default")],
    ["act for their own organizations with an identity each", { apiKey: "b", identity: "b" }, "token of b"],
    ["share a session with one API key", { apiKey: "a" }, "token of a"],
    ["share a session with one API key or none", {}, "token of a"]
  ] as const)("two clients over one store %s", ([, inner, expected]) =>
    Effect.gen(function* () {
      const answered = yield* Effect.andThen(Vaults.details(), who(client(inner))).pipe(
        Effect.provide(client({ apiKey: "a" }))
      )
      assert.strictEqual(answered, expected)
    })
  )

  it.effect("a second client may have another API key after the first client, and keeps it for the next session", () =>
    Effect.gen(function* () {
      const store = yield* TokenStore
      for (const apiKey of ["a", "b"]) {
        const live = Layer.provide(Custody.layer(clientOptions({ apiKey })), [
          Layer.succeed(TokenStore, store),
          service()
        ])
        assert.strictEqual(yield* who(live), "token of a")
      }
    }).pipe(Effect.provide(Layer.fresh(TokenStore.layerMemory)))
  )
})
