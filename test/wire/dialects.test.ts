/**
 * Services whose whole API has a wire of its own, under the contract of each: the same program and the same money
 * simulation run unchanged, over a server of `node:http` and over the emulator that speaks the contract.
 */
import { ServiceContract } from "@effect-custody/contract"
import { Environment } from "@effect-custody/core"
import { CustodyEmulator, Fault } from "@effect-custody/emulator"
import { TokenStore } from "@effect-custody/authentication"
import { NodeCustody } from "@effect-custody/node"
import { Custody, CustodyApi, Wallets } from "@effect-custody/sdk"
import { CustodyTest } from "@effect-custody/testing"
import { assert, describe, it } from "@effect/vitest"
import { BigDecimal, Duration, Effect, Layer, Result, Stream } from "effect"
import { TestConsole } from "effect/testing"
import { day } from "../../examples/payments/day.ts"
import { World } from "../../examples/payments/World.ts"
import { layerOf, services } from "../support/servers/dialects/contracts.ts"
import { frontClient, frontServer } from "../support/servers/dialects/front.ts"
import { findMistake, simulate } from "../simulation/money/simulation.ts"

/** What all clients have of an asset. */
const held = Effect.fnUntraced(function* (assetId: string) {
  const wallets = yield* Stream.runCollect(Wallets.stream({ assetId, limit: 2 }))
  return Object.fromEntries(
    wallets.map(({ balance, clientId }) => [clientId, balance && BigDecimal.format(BigDecimal.normalize(balance))])
  )
})

/** The day, with an answer that is lost, and what has become of it. */
const wholeDay = (run: (program: typeof day) => Effect.Effect<unknown, unknown, any>) =>
  Effect.gen(function* () {
    const emulator = yield* CustodyEmulator
    yield* emulator.faults.next("transactions.send", Fault.answerLost())
    yield* run(day)
    const operations = (yield* emulator.ledger).map(({ operation }) => operation)
    assert.deepStrictEqual(operations, [
      "clients.createMany",
      "paymentOrders.create",
      "paymentOrders.selectAsset",
      "transactions.send",
      "transactions.transfer",
      "tokens.create",
      "tokens.mint",
      "fiatGateway.createPaymentLink",
      "fiatGateway.refund"
    ])
    // 99.90 EUR of USDC, less 40 to the supplier and 25.50 to bob.
    assert.deepStrictEqual(yield* held("usdc"), { alice: "43.086957", bob: "25.5" })
    assert.strictEqual((yield* emulator.counts).refreshes, 2)
    const story = (yield* TestConsole.logLines).join("\n")
    // An amount in minor units has all of its digits.
    for (const part of [/The history has it/, /The service says no/, /carol has 250(?:\.0+)? ACME30\./]) {
      assert.match(story, part)
    }
  })

describe.each(services)("the dialect of $dialect.name", (service) => {
  const { code = {}, contract, dialect } = service

  it("a contract file expresses the dialect, except for a few operations", () => {
    assert.isAtMost(Object.keys(code).length, 6)
    const checked = ServiceContract.fromJson(JSON.stringify(contract), CustodyApi)
    assert.deepStrictEqual(Result.isFailure(checked) ? checked.failure : [], [])
  })

  it.effect("the example's day runs over the emulator with the dialect", () =>
    wholeDay((program) => CustodyTest.fastForward()(program)).pipe(
      Effect.provide(
        Layer.provideMerge(World.layer, CustodyEmulator.layer).pipe(Layer.provide(Layer.orDie(layerOf(service))))
      )
    )
  )

  it.live("the example's day runs over a server with the dialect", () =>
    Effect.gen(function* () {
      const { baseUrl, issueApiKey } = yield* CustodyEmulator
      const front = yield* frontServer(dialect, baseUrl)
      // The answer that is lost is waited for in real time.
      const limits = { attemptTimeout: Duration.seconds(2) }
      const client = Custody.layer({
        environment: Environment.local(front),
        apiKey: yield* issueApiKey(),
        limits
      }).pipe(Layer.provide([NodeCustody.layerHttpClient(), Layer.fresh(TokenStore.layerMemory), layerOf(service)]))
      yield* wholeDay((program) => program).pipe(Effect.provide(Layer.mergeAll(World.layer, client, TestConsole.layer)))
    }).pipe(
      Effect.scoped,
      Effect.provide(CustodyEmulator.layerServer({ durations: { pendingFor: 1, broadcastingFor: 1 } }))
    )
  )

  it.effect.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])(
    "the money simulation finds no mistake in schedule %i over the dialect",
    (seed) =>
      Effect.gen(function* () {
        const { accounts, history, strangers } = yield* simulate(seed, frontClient(dialect), layerOf(service))
        assert.deepStrictEqual(accounts.map(findMistake).filter(Boolean), [], history.join("\n"))
        assert.strictEqual(strangers, 0)
      })
  )
})
