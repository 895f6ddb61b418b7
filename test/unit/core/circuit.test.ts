/** A circuit breaker over a store of the user's own, which hangs or fails: no call waits for it or falls with it. */
import { Amount, onDefect, RetryPolicy } from "@effect-custody/core"
import { Transactions } from "@effect-custody/transactions"
import { Vaults } from "@effect-custody/vaults"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Fiber from "effect/Fiber"
import * as CircuitBreaker from "effect/persistence/CircuitBreaker"
import { TestClock } from "effect/testing"
import { layer, script, sent, succeeded, waiting } from "../../support/clients/scripted.ts"

const payout = Transactions.send({
  clientId: "alice",
  assetId: "usdc",
  to: "0x52908400098527886E0F7030069857D2E4169EE7",
  amount: Amount.of("12.50")
})
const taken = succeeded({ id: "t-1" })

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

const dies = () => Effect.die(new Error("no connection to the cache"))
const fails = () =>
  Effect.fail(
    new CircuitBreaker.CircuitBreakerError({
      reason: new CircuitBreaker.CircuitBreakerStoreError({ message: "no connection to the cache" })
    })
  )

/** What becomes of a call within so much time. */
const within = <A, E, R>(call: Effect.Effect<A, E, R>, time: "0 seconds" | "1 second") =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(Effect.exit(call))
    yield* TestClock.adjust(time)
    const ended = fiber.pollUnsafe()
    yield* Fiber.interrupt(fiber)
    return ended === undefined ? undefined : yield* ended
  })

describe("a circuit breaker whose store", () => {
  const stores: ReadonlyArray<readonly [name: string, store: Partial<Store>, time: "0 seconds" | "1 second"]> = [
    ["hangs after the answer", { record: () => Effect.never }, "0 seconds"],
    ["dies after the answer", { record: dies }, "0 seconds"],
    ["fails after the answer", { record: fails }, "0 seconds"],
    ["hangs before the request is sent", { admit: () => Effect.never }, "1 second"],
    ["dies before the request is sent", { admit: dies }, "0 seconds"],
    ["fails before the request is sent", { admit: fails }, "0 seconds"]
  ]
  for (const [name, store, time] of stores) {
    it.effect(`${name} stops no call: each is sent once`, () =>
      Effect.gen(function* () {
        yield* script(taken)
        const ended = Effect.map(Effect.all([within(payout, time), within(Vaults.details(), time)]), (exits) =>
          exits.map((exit) => exit?._tag)
        )
        assert.deepStrictEqual(yield* ended, ["Success", "Success"])
        assert.lengthOf(yield* sent, 2)
      }).pipe(Effect.provide([over(store), layer()]))
    )
  }

  it.effect("hangs does not keep a call longer than its deadline", () =>
    Effect.gen(function* () {
      yield* script(waiting)
      const exit = yield* within(payout.pipe(RetryPolicy.within("1 second")), "1 second")
      assert(exit !== undefined && Exit.isFailure(exit))
    }).pipe(Effect.provide([over({ record: () => Effect.never }), layer()]))
  )

  it.effect("fails, where the breaker is told to stop then, says that, and nothing is sent", () =>
    Effect.gen(function* () {
      yield* script(taken)
      const error = yield* Effect.flip(payout.pipe(RetryPolicy.provide(RetryPolicy.none)))
      assert.deepInclude<object>(error, {
        _tag: "TransportError",
        phase: "NotSent",
        reason: "the store of the circuit breaker failed"
      })
      assert.lengthOf(yield* sent, 0)
    }).pipe(Effect.provide([over({ admit: fails }, "fail"), layer()]))
  )

  it.effect("dies is told to the hook for defects", () => {
    const told: Array<string> = []
    const hook = Layer.succeed(onDefect, ({ during }) => Effect.sync(() => void told.push(during)))
    return Effect.gen(function* () {
      yield* script(taken)
      yield* payout
      assert.deepStrictEqual(told, ["the store of the circuit breaker failed"])
    }).pipe(Effect.provide([over({ record: dies }), layer(), hook]))
  })
})
