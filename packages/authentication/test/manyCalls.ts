import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { makeWorld } from "../../../test/support/worlds/sessionWorld.ts"

/** Makes many calls when an access token has expired: they share one refresh, and all succeed. */
export const atExpiry = Effect.fnUntraced(function* (calls: number) {
  const world = yield* makeWorld()
  const { read } = yield* world.started()
  yield* world.emulator.expireTokens
  yield* Effect.all(
    Array.from({ length: calls }, () => read),
    { concurrency: "unbounded", discard: true }
  )
  assert.deepInclude(yield* world.emulator.counts, { refreshes: 1, rotations: 1 })
})
