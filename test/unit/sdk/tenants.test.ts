import { TokenStore } from "@effect-custody/authentication"
import { ConfigurationInvalid, Environment } from "@effect-custody/core"
import { Custody, Vaults } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { answer, stubHttp } from "../../support/clients/stubHttp.ts"

const environment = Environment.local("http://127.0.0.1:4010/api/integration")

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

const optionsOf = ({ apiKey, ...rest }: Tenant): Custody.Options => ({
  environment,
  ...rest,
  ...(apiKey === undefined ? {} : { apiKey: Redacted.make(apiKey) })
})

/** For whom a call was answered, or why it was not sent. */
const who = <E extends { readonly message: string }, R>(client: Layer.Layer<any, E, R>) =>
  Effect.match(Effect.provide(Vaults.details(), client), {
    onFailure: ({ message }) => message,
    onSuccess: ({ name }) => name
  })

const refusal = (identity: string) =>
  `identity: another client has the session "${identity}" of the same store, and another API key: ` +
  `each client needs an identity of its own, or a store of its own`

const mapOf = (tenants: Readonly<Record<string, Tenant>>) =>
  Custody.makeLayerMap((name: string) => optionsOf(tenants[name]!))

describe("a map of clients", () => {
  it.effect("names a session after its key where the options say that they give no identity", () =>
    Effect.gen(function* () {
      const clients = yield* mapOf({
        acme: { apiKey: "acme's key", identity: undefined },
        globex: { apiKey: "globex' key", identity: undefined }
      })
      assert.strictEqual(yield* who(clients.get("acme")), "token of acme's key")
      assert.strictEqual(yield* who(clients.get("globex")), "token of globex' key")
    }).pipe(Effect.provide(below()))
  )

  it.effect("refuses a second API key for one session, even when the first client is released", () =>
    Effect.gen(function* () {
      const clients = yield* mapOf({
        acme: { apiKey: "acme's key", identity: "main" },
        globex: { apiKey: "globex' key", identity: "main" }
      })
      assert.strictEqual(yield* who(clients.get("acme")), "token of acme's key")
      assert.strictEqual(yield* who(clients.get("globex")), refusal("main"))
      assert.strictEqual(yield* who(clients.get("acme")), "token of acme's key")
    }).pipe(Effect.provide(below()))
  )

  it.effect("lets keys share a session with one API key, or none", () =>
    Effect.gen(function* () {
      const clients = yield* mapOf({
        payouts: { apiKey: "acme's key", identity: "acme" },
        reports: { apiKey: "acme's key", identity: "acme" },
        audit: { identity: "acme" }
      })
      for (const name of ["payouts", "reports", "audit"]) {
        assert.strictEqual(yield* who(clients.get(name)), "token of acme's key")
      }
    }).pipe(Effect.provide(below()))
  )

  it.effect("fails with the ConfigurationInvalid that its options throw, and is built anew on the next use", () => {
    let isRegistered = false
    return Effect.gen(function* () {
      const clients = yield* Custody.makeLayerMap(
        (key) => {
          if (!isRegistered) throw new ConfigurationInvalid({ option: "tenant", reason: `there is no ${key}` })
          return optionsOf({ apiKey: `${key}'s key` })
        },
        { idleTimeToLive: "10 minutes" }
      )
      assert.strictEqual(yield* who(clients.get("acme")), "tenant: there is no acme")
      isRegistered = true
      assert.strictEqual(yield* who(clients.get("acme")), "token of acme's key")
    }).pipe(Effect.provide(below()))
  })
})

describe("two clients over one store", () => {
  /** As in the documentation: `TokenStore.layerMemory` is a constant, so a program has one store for all its clients. */
  const client = (tenant: Tenant) =>
    Custody.layer(optionsOf(tenant)).pipe(Layer.provide([TokenStore.layerMemory, service()]))

  /** For whom a client is answered that is used inside another one. */
  const inside = (outer: Tenant, inner: Tenant) =>
    Effect.andThen(Vaults.details(), who(client(inner))).pipe(Effect.provide(client(outer)))

  it.effect("are refused where they have one session and two API keys", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* inside({ apiKey: "a" }, { apiKey: "b" }), refusal("default"))
    })
  )

  it.effect("act for their own organization where each has an identity", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* inside({ apiKey: "a" }, { apiKey: "b", identity: "b" }), "token of b")
    })
  )

  it.effect("share a session with one API key, or none", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* inside({ apiKey: "a" }, { apiKey: "a" }), "token of a")
      assert.strictEqual(yield* inside({ apiKey: "a" }, {}), "token of a")
    })
  )

  it.effect("may have another API key one after the other: it is kept for the next session", () =>
    Effect.gen(function* () {
      const store = yield* TokenStore
      const live = (apiKey: string) =>
        Custody.layer(optionsOf({ apiKey })).pipe(Layer.provide([Layer.succeed(TokenStore, store), service()]))
      assert.strictEqual(yield* who(live("a")), "token of a")
      assert.strictEqual(yield* who(live("b")), "token of a")
    }).pipe(Effect.provide(Layer.fresh(TokenStore.layerMemory)))
  )
})
