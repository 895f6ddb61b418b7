import { TokenService } from "@effect-custody/core"
import { assert, describe, it } from "@effect/vitest"
import { CustodyEmulator, Fault } from "@effect-custody/emulator"
import { Vaults } from "@effect-custody/sdk"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

describe("a ready client", () => {
  it.effect("calls the emulator without sockets", () =>
    Effect.gen(function* () {
      const { id, name } = yield* Vaults.details()
      assert.deepStrictEqual([id, name], ["1", "Vault 1"])
      assert.deepStrictEqual(yield* (yield* CustodyEmulator).counts, {
        requests: 2,
        refreshes: 0,
        rotations: 0,
        byOperation: { "authentication.generateTokens": { 201: 1 }, "vaults.details": { 200: 1 } }
      })
    }).pipe(Effect.provide(CustodyEmulator.layer))
  )

  it.effect("rotates when the test's clock has passed the expiry", () =>
    Effect.gen(function* () {
      const emulator = yield* CustodyEmulator
      yield* Vaults.details()
      yield* emulator.setQuirks({ oldAccessTokenOutlivesRotation: false })
      yield* TestClock.adjust("16 minutes")
      yield* Vaults.details()
      const { refreshes, rotations } = yield* emulator.counts
      assert.deepStrictEqual([refreshes, rotations], [1, 1])
      const { generation } = yield* (yield* TokenService).current
      assert.strictEqual(generation, 1)
    }).pipe(Effect.provide(CustodyEmulator.layer))
  )

  it.effect("1,000 calls with an expired token cause one refresh on the server's own count", () =>
    Effect.gen(function* () {
      const emulator = yield* CustodyEmulator
      yield* Vaults.details()
      yield* emulator.expireTokens
      yield* Effect.all(
        Array.from({ length: 1_000 }, () => Vaults.details()),
        { concurrency: "unbounded" }
      )
      const { byOperation, refreshes } = yield* emulator.counts
      assert.strictEqual(refreshes, 1)
      assert.strictEqual(byOperation["vaults.details"]?.[200], 1_001)
      // They overlap: had each call had the emulator for itself, only the first would have been refused.
      assert.isAbove(byOperation["vaults.details"]?.[498] ?? 0, 1)
    }).pipe(Effect.provide(CustodyEmulator.layer))
  )

  it.effect("each test, and each fresh layer, has an emulator of its own", () =>
    Effect.gen(function* () {
      yield* Vaults.details()
      const { requests } = yield* (yield* CustodyEmulator).counts
      assert.strictEqual(requests, 2)
    }).pipe(Effect.provide(CustodyEmulator.layer))
  )

  it.effect("a client that gives up does not stop a request that is on its way", () =>
    Effect.gen(function* () {
      const emulator = yield* CustodyEmulator
      yield* Vaults.details()
      yield* emulator.faults.next("vaults.details", Fault.delayed({ request: "1 hour" }))
      const call = yield* Effect.forkChild(Vaults.details())
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(call)
      assert.strictEqual((yield* emulator.counts).byOperation["vaults.details"]?.[200], 1)
      yield* TestClock.adjust("1 hour")
      assert.strictEqual((yield* emulator.counts).byOperation["vaults.details"]?.[498], 1)
    }).pipe(Effect.provide(CustodyEmulator.layer))
  )
})
