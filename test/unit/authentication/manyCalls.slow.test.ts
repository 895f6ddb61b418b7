import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { makeWorld } from "../../support/worlds/sessionWorld.ts"

describe("many calls at the expiry of one access token", () => {
  it.effect("11 · 10,000 concurrent 498s cause exactly one refresh, and every replay succeeds", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const { read } = yield* world.started()
      yield* world.emulator.expireTokens
      yield* Effect.all(
        Array.from({ length: 10_000 }, () => read),
        { concurrency: "unbounded", discard: true }
      )
      assert.deepInclude(yield* world.emulator.counts, { refreshes: 1, rotations: 1 })
    })
  )
})
