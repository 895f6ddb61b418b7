import { assert, describe, it } from "@effect/vitest"
import { CustodyEmulator, Fault } from "@effect-custody/emulator"
import { DateTime, Effect, Fiber, Redacted, Stream } from "effect"
import { TestClock } from "effect/testing"
import { inspect } from "node:util"
import { details, generate, refresh, send, session } from "./support.ts"

const inProcess = Effect.provide(CustodyEmulator.layerHttpClient)

describe("controls", () => {
  it.effect("what was received is reported with its token's generation, and without any secret", () =>
    Effect.gen(function* () {
      const emulator = yield* CustodyEmulator
      const apiKey = yield* emulator.issueApiKey()
      const { data: first } = (yield* generate(Redacted.value(apiKey))).json
      yield* TestClock.adjust("1 second")
      const { data: second } = (yield* refresh(first.refreshToken)).json
      yield* details(second.accessToken)
      yield* details("at_CANARY")
      yield* send("/nothing?q=1")
      const received = yield* emulator.received
      assert.deepStrictEqual(
        received.map(({ at, code, method, operation, path, sequence, status, token }) => [
          sequence,
          DateTime.toEpochMillis(at),
          method,
          path,
          operation,
          status,
          code,
          token
        ]),
        [
          [
            1,
            0,
            "POST",
            "/api/integration/auth/generate-tokens",
            "authentication.generateTokens",
            201,
            undefined,
            { kind: "apiKey" }
          ],
          [
            2,
            1_000,
            "POST",
            "/api/integration/auth/refresh-token",
            "authentication.refreshToken",
            201,
            undefined,
            { kind: "refreshToken", session: 1, generation: 0 }
          ],
          [
            3,
            1_000,
            "GET",
            "/api/integration/vaults/details",
            "vaults.details",
            200,
            undefined,
            { kind: "accessToken", session: 1, generation: 1 }
          ],
          [
            4,
            1_000,
            "GET",
            "/api/integration/vaults/details",
            "vaults.details",
            401,
            "E40001",
            { kind: "accessToken" }
          ],
          [5, 1_000, "GET", "/api/integration/nothing", undefined, 404, undefined, undefined]
        ]
      )
      assert.include(received[2]!.headers, "x-access-token")
      const everything = inspect([emulator, received, yield* emulator.counts, yield* emulator.sessions], { depth: 20 })
      const secrets = [Redacted.value(apiKey), first.accessToken, first.refreshToken, second.accessToken, "CANARY"]
      for (const secret of secrets) assert.notInclude(everything, secret)
    }).pipe(inProcess)
  )

  it.effect("counts are by operation and status, and tell refreshes from rotations", () =>
    Effect.gen(function* () {
      const emulator = yield* CustodyEmulator
      const { refreshToken } = yield* session()
      yield* refresh(refreshToken)
      yield* refresh(refreshToken)
      yield* send("/nothing")
      assert.deepStrictEqual(yield* emulator.counts, {
        requests: 4,
        refreshes: 2,
        rotations: 1,
        byOperation: {
          "authentication.generateTokens": { 201: 1 },
          "authentication.refreshToken": { 201: 1, 401: 1 },
          none: { 404: 1 }
        }
      })
    }).pipe(inProcess)
  )

  it.effect("tokens that expire now leave later ones alone, and can be refreshed", () =>
    Effect.gen(function* () {
      const emulator = yield* CustodyEmulator
      const first = yield* session()
      yield* emulator.expireTokens
      assert.strictEqual((yield* details(first.accessToken)).status, 498)
      const { data: second } = (yield* refresh(first.refreshToken)).json
      assert.strictEqual((yield* details(second.accessToken)).status, 200)
    }).pipe(inProcess)
  )

  it.effect("revoked sessions accept nothing, and a new API key starts anew", () =>
    Effect.gen(function* () {
      const emulator = yield* CustodyEmulator
      const revoked = yield* session()
      yield* emulator.revokeSessions
      assert.strictEqual((yield* details(revoked.accessToken)).json.code, "E40001")
      assert.strictEqual((yield* refresh(revoked.refreshToken)).json.code, "E01402")
      const { accessToken } = yield* session()
      assert.strictEqual((yield* details(accessToken)).status, 200)
      const times = { startedAt: 0, rotatedAt: 0, expiresAt: 900_000 }
      assert.deepStrictEqual(yield* emulator.sessions, [
        { session: 1, vaultId: 1, generation: 0, revoked: true, ...times },
        { session: 2, vaultId: 1, generation: 0, revoked: false, ...times }
      ])
    }).pipe(inProcess)
  )

  it.effect("a new lifetime holds for the tokens that are issued from then on", () =>
    Effect.gen(function* () {
      const emulator = yield* CustodyEmulator
      const before = yield* session()
      yield* emulator.setTokenLifetime("2 seconds")
      const after = yield* session()
      assert.deepStrictEqual([before.expiresAt, after.expiresAt], [900_000, 2_000])
    }).pipe(inProcess)
  )

  it.effect("exchanges are reported as they end", () =>
    Effect.gen(function* () {
      const { exchanges } = yield* CustodyEmulator
      const told = yield* exchanges.pipe(
        Stream.take(2),
        Stream.runCollect,
        Effect.forkChild({ startImmediately: true })
      )
      yield* Effect.yieldNow
      yield* details()
      yield* send("/nothing")
      assert.deepStrictEqual(
        (yield* Fiber.join(told)).map(({ status }) => status),
        [401, 404]
      )
    }).pipe(inProcess)
  )

  it.effect("faults that are pending can be seen and cleared", () =>
    Effect.gen(function* () {
      const { faults } = yield* CustodyEmulator
      yield* faults.next("vaults.details", Fault.serverError(), { times: 3 })
      yield* faults.next("*", Fault.html())
      yield* details()
      assert.deepStrictEqual(yield* faults.pending, { "vaults.details": 2, "*": 1 })
      yield* faults.clear
      assert.strictEqual((yield* details()).status, 401)
    }).pipe(inProcess)
  )
})
