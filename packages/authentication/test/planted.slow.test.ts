/** Plants a bug in the layer of `TokenService`, and expects that a check of `oneProcess.ts` finds it. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { vi } from "vitest"
import { callsShareOneRefresh, rotationOutlivesItsCaller, tokensAreStoredBeforeUse } from "./oneProcess.ts"

const planted = vi.hoisted((): { bug: "two permits" | "cut by its caller" | "used before stored" | undefined } => ({
  bug: undefined
}))

vi.mock("effect/Semaphore", async (original) => {
  const real = await original<typeof import("effect/Semaphore")>()
  return { ...real, make: (permits: number) => real.make(planted.bug === "two permits" ? permits + 1 : permits) }
})

vi.mock("effect/Effect", async (original) => {
  const real = await original<typeof import("effect/Effect")>()
  return {
    ...real,
    forkIn: (...given: ReadonlyArray<{ readonly uninterruptible?: boolean }>) =>
      planted.bug === "cut by its caller" && given[1]?.uninterruptible === true
        ? (effect: Effect.Effect<unknown>) => real.forkChild(effect, given[1])
        : (real.forkIn as (...given: ReadonlyArray<unknown>) => unknown)(...given)
  }
})

vi.mock("../src/recordStore.ts", async (original) => {
  const real = await original<typeof import("../src/recordStore.ts")>()
  const make: typeof real.make = (...given) => {
    const store = real.make(...given)
    const persist: typeof store.persist = (record, claimed) =>
      planted.bug === "used before stored"
        ? Effect.as(Effect.forkDetach(store.persist(record, claimed)), record)
        : store.persist(record, claimed)
    return { ...store, persist }
  }
  return { ...real, make }
})

const checks = {
  "two permits": callsShareOneRefresh(100),
  "cut by its caller": rotationOutlivesItsCaller,
  "used before stored": tokensAreStoredBeforeUse
} as const

describe("a check of one process", () => {
  for (const [bug, check] of Object.entries(checks)) {
    it.effect(`finds the bug "${bug}", and passes without it`, () =>
      Effect.gen(function* () {
        yield* check
        planted.bug = bug as keyof typeof checks
        const exit = yield* Effect.exit(check)
        planted.bug = undefined
        assert.isTrue(Exit.isFailure(exit))
      })
    )
  }
})
