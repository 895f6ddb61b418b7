import { assert, describe, it } from "@effect/vitest"
import { CustodyEmulator } from "@effect-custody/emulator"
import { Duration, Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { details, generate, refresh, session } from "./support.ts"

const inProcess = Effect.provide(CustodyEmulator.layerHttpClient)

describe("sessions", () => {
  it.effect("an API key is exchanged for a pair, its expiry in milliseconds and the vault", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const emulator = yield* CustodyEmulator
      const apiKey = yield* emulator.issueApiKey({ vaultId: 7 })
      const { json, status, text } = yield* generate(Redacted.value(apiKey))
      assert.strictEqual(status, 201)
      assert.strictEqual(
        text,
        `{"message":"Vault API keys were generated","data":{"accessToken":"${json.data.accessToken}",` +
          `"refreshToken":"${json.data.refreshToken}","expiresAt":1700000900000,"vaultId":7},"status":201}`
      )
      assert.match(json.data.accessToken, /^at_[A-Za-z0-9]{40}$/)
      assert.match(json.data.refreshToken, /^rt_[A-Za-z0-9]{40}$/)
      assert.match(Redacted.value(apiKey), /^ak_[A-Za-z0-9]{40}$/)
    }).pipe(inProcess)
  )

  it.effect("an API key is exchanged once", () =>
    Effect.gen(function* () {
      const apiKey = Redacted.value(yield* (yield* CustodyEmulator).issueApiKey())
      assert.strictEqual((yield* generate(apiKey)).status, 201)
      const again = yield* generate(apiKey)
      assert.deepStrictEqual([again.status, again.json.code], [400, "E00401"])
    }).pipe(inProcess)
  )

  it.effect("a refresh gives a new pair without the vault, and spends the token", () =>
    Effect.gen(function* () {
      const first = yield* session()
      yield* TestClock.adjust("1 minute")
      const { json, status, text } = yield* refresh(first.refreshToken)
      assert.strictEqual(status, 201)
      assert.strictEqual(
        text,
        `{"message":"Tokens were refreshed","data":{"accessToken":"${json.data.accessToken}",` +
          `"refreshToken":"${json.data.refreshToken}","expiresAt":960000},"status":201}`
      )
      assert.notStrictEqual(json.data.accessToken, first.accessToken)
      assert.notStrictEqual(json.data.refreshToken, first.refreshToken)
      assert.strictEqual((yield* details(json.data.accessToken)).status, 200)
    }).pipe(inProcess)
  )

  it.effect("an access token is accepted until its expiry, and expired from then on", () =>
    Effect.gen(function* () {
      const { accessToken } = yield* session()
      yield* TestClock.adjust(Duration.millis(15 * 60_000 - 1))
      assert.strictEqual((yield* details(accessToken)).status, 200)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* details(accessToken)).status, 498)
    }).pipe(inProcess)
  )

  it.effect("a refresh token works long after the access token has expired", () =>
    Effect.gen(function* () {
      const { refreshToken } = yield* session()
      yield* TestClock.adjust("30 days")
      assert.strictEqual((yield* refresh(refreshToken)).status, 201)
    }).pipe(inProcess)
  )

  it.effect("the reuse of a dead refresh token revokes the whole session", () =>
    Effect.gen(function* () {
      const first = yield* session()
      const { data: second } = (yield* refresh(first.refreshToken)).json
      assert.strictEqual((yield* refresh(first.refreshToken)).status, 401)
      assert.strictEqual((yield* details(second.accessToken)).status, 401)
      assert.strictEqual((yield* refresh(second.refreshToken)).status, 401)
    }).pipe(inProcess)
  )

  it.effect("the loss of one session is not the loss of another", () =>
    Effect.gen(function* () {
      const lost = yield* session()
      const other = yield* session({ vaultId: 2 })
      yield* refresh(lost.refreshToken)
      yield* refresh(lost.refreshToken)
      assert.strictEqual((yield* details(other.accessToken)).json.data.id, "2")
      assert.strictEqual((yield* refresh(other.refreshToken)).status, 201)
    }).pipe(inProcess)
  )

  it.effect("the old access token outlives the rotation until its own expiry", () =>
    Effect.gen(function* () {
      const first = yield* session()
      yield* TestClock.adjust("5 minutes")
      yield* refresh(first.refreshToken)
      assert.strictEqual((yield* details(first.accessToken)).status, 200)
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual((yield* details(first.accessToken)).status, 498)
    }).pipe(inProcess)
  )

  it.effect("two emulators of one seed issue the same secrets, and of two seeds different ones", () =>
    Effect.gen(function* () {
      const pairOf = (seed: number) => session().pipe(Effect.provide(CustodyEmulator.layerHttpClientWith({ seed })))
      const [one, same, other] = yield* Effect.all([pairOf(1), pairOf(1), pairOf(2)])
      assert.deepStrictEqual(one, same)
      assert.notStrictEqual(one.accessToken, other.accessToken)
      assert.notStrictEqual(one.refreshToken, other.refreshToken)
    })
  )

  it.effect("10,000 secrets are all different", () =>
    Effect.gen(function* () {
      const { issueApiKey } = yield* CustodyEmulator
      const keys = yield* Effect.all(Array.from({ length: 10_000 }, () => issueApiKey()))
      assert.strictEqual(new Set(keys.map(Redacted.value)).size, 10_000)
    }).pipe(inProcess)
  )
})
