/**
 * A service with a state of its own, of which a contract says the wire. Neither its wire nor its state shares code with
 * the SDK or the emulator.
 *
 * One such service is enough: a contract knows nothing of state, so a second one would only repeat the other dialects,
 * whose wires the tests beside this one hold against servers that share no code with the SDK but the emulator's state.
 */
import { TokenStore } from "@effect-custody/authentication"
import { Conformance } from "@effect-custody/conformance"
import { Amount, ContractDocument, Environment, WireContract } from "@effect-custody/core"
import { NodeCustody } from "@effect-custody/node"
import { Clients, Custody, CustodyApi, Transactions, Vaults, Wallets } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer, Redacted, Stream } from "effect"
import { HttpClient } from "effect/http"
import { OpenApi } from "effect/http-api"
import { layerOf, services } from "../support/servers/dialects/contracts.ts"
import { makeJudge } from "../support/servers/dialects/judge.ts"
import { ownService } from "../support/servers/dialects/ownService.ts"

const contract = Layer.orDie(layerOf(services[0]!))

const to = "0x52908400098527886E0F7030069857D2E4169EE7"
const payment = (amount: string, note: string) =>
  ({ clientId: "alice", assetId: "usdc", to, amount: Amount.fromStringUnsafe(amount), note }) as const

/** The service, and what a program does with it through the SDK, every exchange held against the contract's document. */
const withService = <A, E>(
  program: (
    service: Effect.Success<typeof ownService>
  ) => Effect.Effect<A, E, Layer.Success<ReturnType<typeof Custody.layer>>>
) =>
  Effect.gen(function* () {
    const service = yield* ownService
    const { said } = yield* WireContract.WireContract
    const judge = makeJudge(ContractDocument.make(OpenApi.fromApi(CustodyApi), said))
    const client = Custody.layer({
      environment: Environment.local(service.baseUrl),
      apiKey: Redacted.make(service.issueApiKey()),
      limits: { attemptTimeout: Duration.seconds(20) }
    }).pipe(
      Layer.provide([
        Layer.effect(HttpClient.HttpClient, Effect.map(HttpClient.HttpClient, judge.between("/api/integration"))).pipe(
          Layer.provide(NodeCustody.layerHttpClient())
        ),
        Layer.fresh(TokenStore.layerMemory)
      ])
    )
    const result = yield* Effect.provide(program(service), client)
    assert.deepStrictEqual(judge.objections, [])
    return result
  }).pipe(Effect.scoped, Effect.provide(contract))

const opened = Effect.fnUntraced(function* (service: Effect.Success<typeof ownService>) {
  yield* Clients.create({ id: "alice" })
  service.fund("alice", "100")
})

describe("a service of which a contract says the wire", () => {
  it.live("sends, follows and tells the balance", () =>
    withService(
      Effect.fnUntraced(function* (service) {
        yield* opened(service)
        const { id, status } = yield* Transactions.send(payment("12.50", "invoice 7"))
        assert.strictEqual(status, "PENDING")
        const done = yield* Transactions.awaitFinal(id)
        assert.strictEqual(done.status, "COMPLETED")
        assert.strictEqual(done.note, "invoice 7")
        const { items } = yield* Wallets.list({ clientId: "alice" })
        assert.strictEqual(Amount.format(items[0]!.balance!), "87.500000")
      })
    )
  )

  it.live("reads a history of many pages whole, and each row once", () =>
    withService(
      Effect.fnUntraced(function* (service) {
        yield* opened(service)
        const sent = yield* Effect.forEach(Array.from({ length: 23 }), (_, at) =>
          Transactions.send(payment("1", `payment ${at}`))
        )
        const read = yield* Stream.runCollect(Transactions.stream({ clientId: "alice", limit: 5 }))
        assert.deepStrictEqual(
          read.map(({ id }) => id),
          sent.map(({ id }) => id)
        )
      })
    )
  )

  it.live("finds a payment again whose answer was lost, and sends it once", () =>
    withService(
      Effect.fnUntraced(function* (service) {
        yield* opened(service)
        service.loseNextAnswer()
        const unknown = yield* Effect.flip(Transactions.send(payment("40", "supplier")))
        assert(unknown._tag === "OutcomeUnknown")
        const found = yield* Transactions.reconcile(unknown, payment("40", "supplier"))
        assert.strictEqual(found._tag, "Found")
        assert.strictEqual(service.sent(), 1)
      })
    )
  )

  it.live("fails with the errors of the specification, under our names", () =>
    withService(
      Effect.fnUntraced(function* (service) {
        yield* opened(service)
        const nobody = yield* Effect.flip(Clients.get({ externalId: "nobody" }))
        assert.strictEqual(nobody._tag, "NotFound")
        const strange = yield* Effect.flip(Transactions.send({ ...payment("1", "x"), assetId: "gold" }))
        assert(strange._tag === "ValidationFailed")
        assert.deepStrictEqual(strange.fields, { assetId: ["is no asset of this vault"] })
        const poor = yield* Effect.flip(Transactions.send(payment("1000", "x")))
        assert.strictEqual(poor._tag, "UnknownApiError")
      })
    )
  )

  it.live("replaces an expired token, and repeats the call", () =>
    withService(
      Effect.fnUntraced(function* (service) {
        yield* opened(service)
        service.expireTokens()
        const { name } = yield* Vaults.details()
        assert.strictEqual(name, "The vault")
      })
    )
  )

  it.live("conforms to the specification, read by the contract", () =>
    Effect.gen(function* () {
      const { baseUrl, issueApiKey } = yield* ownService
      const report = yield* Conformance.run({ baseUrl, apiKey: Redacted.make(issueApiKey()) })
      assert.deepStrictEqual(Conformance.deviations(report), [])
      assert.isUndefined(report.cutShort)
    }).pipe(Effect.scoped, Effect.provide(Layer.merge(NodeCustody.layerHttpClient(), contract)))
  )
})
