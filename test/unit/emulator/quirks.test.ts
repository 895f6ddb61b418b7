import { assert, describe, it } from "@effect/vitest"
import { CustodyEmulator } from "@effect-custody/emulator"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { details, refresh, session } from "./support.ts"

const quirky = (quirks: Parameters<CustodyEmulator["Service"]["setQuirks"]>[0]) =>
  Effect.provide(CustodyEmulator.layerHttpClientWith({ quirks }))

describe("quirks", () => {
  it.effect("a rotation can end the old access token at once", () =>
    Effect.gen(function* () {
      const first = yield* session()
      const { data: second } = (yield* refresh(first.refreshToken)).json
      const old = yield* details(first.accessToken)
      assert.deepStrictEqual([old.status, old.json.code], [401, "E40001"])
      assert.strictEqual((yield* details(second.accessToken)).status, 200)
    }).pipe(quirky({ oldAccessTokenOutlivesRotation: false }))
  )

  it.effect("within the grace a spent refresh token gets the same answer again, and after it none", () =>
    Effect.gen(function* () {
      const first = yield* session()
      const answer = yield* refresh(first.refreshToken)
      yield* TestClock.adjust("9 seconds")
      assert.strictEqual((yield* refresh(first.refreshToken)).text, answer.text)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* refresh(first.refreshToken)).json.code, "E01402")
      assert.strictEqual((yield* refresh(answer.json.data.refreshToken)).json.code, "E01402")
    }).pipe(quirky({ refreshReuseGrace: "10 seconds" }))
  )

  it.effect("the reuse of a dead refresh token can leave the session as it was", () =>
    Effect.gen(function* () {
      const first = yield* session()
      const { data: second } = (yield* refresh(first.refreshToken)).json
      assert.strictEqual((yield* refresh(first.refreshToken)).status, 401)
      assert.strictEqual((yield* details(second.accessToken)).status, 200)
      assert.strictEqual((yield* refresh(second.refreshToken)).status, 201)
    }).pipe(quirky({ reuseRevokesSession: false }))
  )

  it.effect("a new access token can take its time to be accepted", () =>
    Effect.gen(function* () {
      const { accessToken } = yield* session()
      assert.strictEqual((yield* details(accessToken)).status, 401)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* details(accessToken)).status, 200)
    }).pipe(quirky({ accessTokenActivation: "1 second" }))
  )

  it.effect("the same conditions can carry the codes of the other set", () =>
    Effect.gen(function* () {
      const { accessToken } = yield* session()
      assert.strictEqual((yield* details("at_unknown")).json.code, "E01401")
      assert.strictEqual((yield* refresh("rt_unknown")).json.code, "E40002")
      yield* (yield* CustodyEmulator).expireTokens
      assert.strictEqual((yield* details(accessToken)).json.code, "E01403")
    }).pipe(
      quirky({
        invalidAccessTokenCode: "E01401",
        tokenExpiredCode: "E01403",
        invalidRefreshTokenCode: "E40002"
      })
    )
  )

  it.effect("quirks change under way, and what is not said stays", () =>
    Effect.gen(function* () {
      const emulator = yield* CustodyEmulator
      yield* emulator.setQuirks({ tokenExpiredCode: "E01403" })
      const { accessToken } = yield* session()
      yield* emulator.expireTokens
      assert.strictEqual((yield* details(accessToken)).json.code, "E01403")
      assert.strictEqual((yield* details()).json.code, "E01401")
    }).pipe(quirky({ invalidAccessTokenCode: "E01401" }))
  )

  it.effect("an option out of range is refused with its place, and changes nothing", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(
        Effect.provide(CustodyEmulator, CustodyEmulator.layerHttpClientWith({ tokenLifetime: 0 }))
      )
      assert.strictEqual(error._tag, "ConfigurationInvalid")
      assert.match(error.message, /must be a positive, finite duration[^]*tokenLifetime/)
      const emulator = yield* CustodyEmulator
      const refused = yield* Effect.flip(emulator.setQuirks({ refreshReuseGrace: "soon" as never }))
      assert.match(refused.message, /refreshReuseGrace/)
      yield* emulator.setTokenLifetime("2 seconds")
      assert.strictEqual((yield* session()).expiresAt, 2_000)
    }).pipe(quirky({}))
  )
})
