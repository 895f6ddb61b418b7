/** A circuit breaker over a store that fails: what a call says is true in each case. */
import { Amount, RetryPolicy } from "@effect-custody/core"
import { Transactions } from "@effect-custody/transactions"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as CircuitBreaker from "effect/persistence/CircuitBreaker"
import { layer, script, sent, succeeded } from "../../support/clients/scripted.ts"

const payout = Transactions.send({
  clientId: "alice",
  assetId: "usdc",
  to: "0x52908400098527886E0F7030069857D2E4169EE7",
  amount: Amount.of("12.50")
}).pipe(RetryPolicy.provide(RetryPolicy.none))

type Store = typeof CircuitBreaker.CircuitBreakerStore.Service

/** A breaker over a store that is closed, but for what is given. */
const over = (store: Partial<Store>, onStoreError: "allow" | "fail" = "allow") =>
  Layer.effect(
    RetryPolicy.CircuitBreaker,
    CircuitBreaker.make({ tripPolicy: CircuitBreaker.consecutive(5), openDuration: "1 second", onStoreError })
  ).pipe(
    Layer.provide(
      Layer.succeed(CircuitBreaker.CircuitBreakerStore, {
        admit: () => Effect.succeed({ generation: 0, probe: false, consecutiveOpenings: 0, transition: undefined }),
        record: () => Effect.undefined,
        state: () => Effect.die("nobody asks"),
        ...store
      })
    )
  )

const fails = () =>
  Effect.fail(
    new CircuitBreaker.CircuitBreakerError({
      reason: new CircuitBreaker.CircuitBreakerStoreError({ message: "no connection to the cache" })
    })
  )

describe("a circuit breaker whose store", () => {
  it.effect.each([
    ["fails before the request is sent", { admit: fails }],
    ["fails after the answer", { record: fails }]
  ] as const)("%s stops no call: it is sent once", ([, store]) =>
    Effect.gen(function* () {
      yield* script(succeeded({ id: "t-1" }))
      assert.strictEqual((yield* payout).id, "t-1")
      assert.lengthOf(yield* sent, 1)
    }).pipe(Effect.provide([over(store), layer()]))
  )

  it.effect("fails, where the breaker is told to stop then, says that, and nothing is sent", () =>
    Effect.gen(function* () {
      yield* script(succeeded({ id: "t-1" }))
      assert.deepInclude<object>(yield* Effect.flip(payout), {
        _tag: "TransportError",
        phase: "NotSent",
        reason: "the store of the circuit breaker failed"
      })
      assert.lengthOf(yield* sent, 0)
    }).pipe(Effect.provide([over({ admit: fails }, "fail"), layer()]))
  )

  it.effect("dies after the answer leaves the outcome of a write unknown", () =>
    Effect.gen(function* () {
      yield* script(succeeded({ id: "t-1" }))
      assert.strictEqual((yield* Effect.flip(payout))._tag, "OutcomeUnknown")
      assert.lengthOf(yield* sent, 1)
    }).pipe(Effect.provide([over({ record: () => Effect.die(new Error("no connection")) }), layer()]))
  )
})
