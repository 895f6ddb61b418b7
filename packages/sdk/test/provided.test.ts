/** A hook and a policy that are provided to the layer of a client, or to its calls. */
import { TokenStore } from "@effect-custody/authentication"
import { Environment, onUncertain, RetryPolicy, TokenService } from "@effect-custody/core"
import { Amount, Custody, Transactions, Vaults } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { answer, stubHttp } from "../../../test/support/clients/stubHttp.ts"

const tokens = { accessToken: "access-0", refreshToken: "refresh-0", expiresAt: 4_102_444_800_000, vaultId: 1 }

/** A client of a service that issues tokens, and gives this answer to every other request. */
const makeClient = (respond: Effect.Effect<Response>, options: Partial<Custody.Options> = {}) => {
  const http = stubHttp(({ url }) =>
    url.endsWith("/auth/generate-tokens")
      ? Effect.sync(() => answer(201, { message: "", data: tokens, status: 201 }))
      : respond
  )
  const environment = Environment.emulator("http://127.0.0.1:4010/api/integration")
  const layer = Custody.layer({ environment, apiKey: Redacted.make("one-time-api-key"), ...options }).pipe(
    Layer.provide([http.layer, Layer.fresh(TokenStore.layerMemory)])
  )
  return { layer, calls: () => http.sent.filter(({ url }) => !url.includes("/auth/")).length }
}

const busy = Effect.sync(() => answer(503, {}))

const payout = Transactions.send({
  clientId: "alice",
  assetId: "usdc",
  to: "0x52908400098527886E0F7030069857D2E4169EE7",
  amount: Amount.of("12.50")
})

/** Lets an hour pass, in small steps at first, so that the session begins before the deadline. */
const anHour = <A, E, R>(program: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(Effect.exit(program))
    for (let second = 0; second < 100; second++) yield* TestClock.adjust("1 second")
    yield* TestClock.adjust("1 hour")
    return yield* Fiber.join(fiber)
  })

describe("onUncertain", () => {
  const receiver = () => {
    const operations: Array<string> = []
    const layer = Layer.succeed(onUncertain, ({ operation }) => Effect.sync(() => void operations.push(operation)))
    return { operations, layer }
  }

  it.effect("the client's onUncertain receives an interrupted payout, unless the call has its own", () =>
    Effect.gen(function* () {
      const [ofClient, ofCall] = [receiver(), receiver()]
      /** A payout that is interrupted while the service is silent. */
      const interrupted = Effect.gen(function* () {
        yield* (yield* TokenService).current
        const fiber = yield* Effect.forkChild(payout)
        yield* TestClock.adjust("10 seconds")
        yield* Fiber.interrupt(fiber)
      })
      const client = () => makeClient(Effect.never).layer.pipe(Layer.provide(ofClient.layer))
      yield* interrupted.pipe(Effect.provide(client()))
      assert.deepStrictEqual([ofClient.operations, ofCall.operations], [["transactions.send"], []])
      yield* interrupted.pipe(Effect.provide([client(), ofCall.layer]))
      assert.deepStrictEqual([ofClient.operations, ofCall.operations], [["transactions.send"], ["transactions.send"]])
    })
  )
})

describe("a retry policy", () => {
  const twice = RetryPolicy.makeUnsafe({ read: { attempts: 2 } })
  const never = Layer.succeed(RetryPolicy.RetryPolicy, RetryPolicy.none)

  it.effect(
    "the policy of the call wins, then the option's, then the policy that is provided to the client's layer",
    () =>
      Effect.gen(function* () {
        const once = makeClient(busy)
        yield* anHour(Vaults.details()).pipe(Effect.provide(Layer.provide(once.layer, never)))
        assert.strictEqual(once.calls(), 1)
        const { calls, layer } = makeClient(busy, { retry: twice })
        yield* Effect.gen(function* () {
          yield* anHour(Vaults.details())
          assert.strictEqual(calls(), 2)
          yield* anHour(Vaults.details().pipe(RetryPolicy.provide(RetryPolicy.makeUnsafe({ read: { attempts: 3 } }))))
          assert.strictEqual(calls(), 5)
        }).pipe(Effect.provide(Layer.provide(layer, never)))
      })
  )
})

describe("Custody.layerConfig", () => {
  it.effect("layerConfig() reads the service and the API key from a nested provider, over any HttpClient", () =>
    Effect.gen(function* () {
      const http = stubHttp(({ url }) =>
        Effect.sync(() =>
          answer(201, url.includes("/auth/") ? { data: tokens } : { data: { id: "v-1" }, message: "", status: 200 })
        )
      )
      const env = {
        TREASURY_CUSTODY_BASE_URL: "http://127.0.0.1:4010/api/integration",
        TREASURY_CUSTODY_API_KEY: "one-time-api-key"
      }
      const provider = ConfigProvider.nested(ConfigProvider.fromEnv({ env }), "TREASURY")
      const live = Custody.layerConfig().pipe(
        Layer.provide([http.layer, Layer.fresh(TokenStore.layerMemory), ConfigProvider.layer(provider)])
      )
      assert.strictEqual((yield* Effect.provide(Vaults.details(), live)).id, "v-1")
      assert.isTrue(http.sent.every(({ url }) => url.startsWith("http://127.0.0.1:4010/api/integration/")))
    })
  )
})
