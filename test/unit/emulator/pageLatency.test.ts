import { assert, describe, it } from "@effect/vitest"
import { CustodyEmulator } from "@effect-custody/emulator"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { details } from "./support.ts"

describe("latency", () => {
  it.effect("holds every answer back, and is told as the time that it took", () =>
    Effect.gen(function* () {
      const { received, setDurations } = yield* CustodyEmulator
      yield* setDurations({ latency: "200 millis" })
      const calling = yield* Effect.forkChild(details(), { startImmediately: true })
      yield* TestClock.adjust("199 millis")
      assert.isUndefined(calling.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* Fiber.join(calling)).status, 401)
      assert.strictEqual((yield* received)[0]?.took, 200)
    }).pipe(Effect.provide(CustodyEmulator.layerHttpClient))
  )

  it.effect("does not keep a request from the journal whose client gave up", () =>
    Effect.gen(function* () {
      const { counts, setDurations } = yield* CustodyEmulator
      yield* setDurations({ latency: "1 second" })
      const calling = yield* Effect.forkChild(details(), { startImmediately: true })
      yield* TestClock.adjust("500 millis")
      yield* Fiber.interrupt(calling)
      yield* TestClock.adjust("500 millis")
      assert.deepStrictEqual((yield* counts).byOperation["vaults.details"], { 401: 1 })
    }).pipe(Effect.provide(CustodyEmulator.layerHttpClient))
  )
})
