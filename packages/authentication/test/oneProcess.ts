/** What a process promises to its calls. `planted.test.ts` shows that each check fails if the promise is broken. */
import { TokenStore } from "@effect-custody/authentication"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { letTime, makeWorld, pass } from "../../../test/support/worlds/sessionWorld.ts"

/**
 * Many calls get a 498 together, because the access token has expired: they share one rotation, and all succeed. A second
 * rotation would read the record again, although the store lets it send nothing.
 */
export const callsShareOneRefresh = Effect.fnUntraced(function* (calls: number) {
  const { emulator: service, place, started } = yield* makeWorld()
  const { compareAndSwap, load } = place.store()
  let reads = 0
  const store = TokenStore.of({ load: (identity) => Effect.suspend(() => (reads++, load(identity))), compareAndSwap })
  const process = yield* started({ store })
  yield* service.expireTokens
  reads = 0
  yield* letTime(
    Effect.all(
      Array.from({ length: calls }, () => process.read),
      { concurrency: "unbounded", discard: true }
    )
  )
  assert.strictEqual(reads, 1)
  assert.deepInclude(yield* service.counts, { refreshes: 1, rotations: 1 })
})

/** The caller that began the rotation is interrupted, at any step of it: the others get the new token. */
export const rotationOutlivesItsCaller = Effect.gen(function* () {
  for (let steps = 0; steps < 40; steps += 3) {
    const { emulator: service, started } = yield* makeWorld()
    const { tokens } = yield* started()
    const first = yield* Effect.forkChild(tokens.rotate(0))
    const second = yield* Effect.forkChild(tokens.rotate(0))
    const third = yield* Effect.forkChild(tokens.rotate(0))
    for (let step = 0; step < steps; step++) yield* Effect.yieldNow
    yield* Fiber.interrupt(first)
    yield* Fiber.interrupt(third)
    assert.strictEqual((yield* Fiber.join(second)).generation, 1)
    assert.deepInclude(yield* service.counts, { refreshes: 1, rotations: 1 })
  }
})

/** The store takes a second to write the new tokens: until then, no call gets them. */
export const tokensAreStoredBeforeUse = Effect.gen(function* () {
  const { emulator: service, place: store, started } = yield* makeWorld()
  const { tokens } = yield* started({ timing: { proactive: false } })
  // The first write is the claim, the second has the new tokens.
  yield* store.next("compareAndSwap", undefined, { wait: 1_000 })
  const caller = yield* Effect.forkChild(tokens.rotate(0))
  yield* pass(500)
  assert.strictEqual((yield* service.counts).rotations, 1)
  assert.isUndefined(caller.pollUnsafe())
  assert.strictEqual((yield* tokens.current).generation, 0)
  yield* pass(600)
  assert.strictEqual((yield* Fiber.join(caller)).generation, 1)
  assert.strictEqual((yield* store.record).session?.generation, 1)
})
