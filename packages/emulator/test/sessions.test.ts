import { assert, describe, it } from "@effect/vitest"
import { CustodyEmulator } from "@effect-custody/emulator"
import { Authentication, Vaults } from "@effect-custody/sdk"
import { DateTime, Duration, Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { details, generate, refresh, session } from "./support.ts"

type Quirks = Parameters<CustodyEmulator["Service"]["setQuirks"]>[0]

const quirky = (quirks: Quirks) => Effect.provide(CustodyEmulator.layerHttpClientWith({ quirks }))
const inProcess = quirky({})

it.effect("the tokens name the vault by the id of its record, and their expiry as an instant", () =>
  Effect.gen(function* () {
    const { issueApiKey } = yield* CustodyEmulator
    const { expiresAt, vaultId } = yield* Authentication.generateTokens({ apiKey: yield* issueApiKey() })
    assert.strictEqual(vaultId, (yield* Vaults.details()).id)
    assert.strictEqual(expiresAt && DateTime.formatIso(expiresAt), "1970-01-01T00:15:00.000Z")
  }).pipe(Effect.provide(CustodyEmulator.layer))
)

describe("sessions", () => {
  it.effect("an API key is exchanged once, for a pair, its expiry in milliseconds and the vault", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const apiKey = Redacted.value(yield* (yield* CustodyEmulator).issueApiKey({ vaultId: 7 }))
      const { json, status, text } = yield* generate(apiKey)
      assert.strictEqual(status, 201)
      assert.strictEqual(
        text,
        `{"message":"Vault API keys were generated","data":{"accessToken":"${json.data.accessToken}",` +
          `"refreshToken":"${json.data.refreshToken}","expiresAt":1700000900000,"vaultId":7},"status":201}`
      )
      assert.match([apiKey, json.data.accessToken, json.data.refreshToken].join(), /^ak_\w{40},at_\w{40},rt_\w{40}$/)
      assert.strictEqual((yield* generate(apiKey)).json.code, "E00401")
    }).pipe(inProcess)
  )

  it.effect("a refresh gives a new pair without the vault, also long after the expiry, and spends the token", () =>
    Effect.gen(function* () {
      const first = yield* session()
      yield* TestClock.adjust("30 days")
      const { json, status, text } = yield* refresh(first.refreshToken)
      assert.strictEqual(status, 201)
      assert.strictEqual(
        text,
        `{"message":"Tokens were refreshed","data":{"accessToken":"${json.data.accessToken}",` +
          `"refreshToken":"${json.data.refreshToken}","expiresAt":2592900000},"status":201}`
      )
      assert.strictEqual((yield* details(json.data.accessToken)).status, 200)
    }).pipe(inProcess)
  )

  it.effect("the old access token outlives the rotation, until its own expiry", () =>
    Effect.gen(function* () {
      const { accessToken, refreshToken } = yield* session()
      yield* refresh(refreshToken)
      yield* TestClock.adjust(Duration.millis(15 * 60_000 - 1))
      assert.strictEqual((yield* details(accessToken)).status, 200)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* details(accessToken)).status, 498)
    }).pipe(inProcess)
  )

  it.effect("the reuse of a dead refresh token revokes its session, and no other", () =>
    Effect.gen(function* () {
      const first = yield* session()
      const other = yield* session({ vaultId: 2 })
      const { data: second } = (yield* refresh(first.refreshToken)).json
      assert.strictEqual((yield* refresh(first.refreshToken)).status, 401)
      assert.strictEqual((yield* details(second.accessToken)).status, 401)
      assert.strictEqual((yield* refresh(second.refreshToken)).status, 401)
      assert.strictEqual((yield* details(other.accessToken)).json.data.id, "2")
    }).pipe(inProcess)
  )

  it.effect("two emulators of one seed issue the same secrets, and of two seeds different ones", () =>
    Effect.gen(function* () {
      const startSession = (seed: number) =>
        session().pipe(Effect.provide(CustodyEmulator.layerHttpClientWith({ seed })))
      const [one, same, other] = yield* Effect.all([startSession(1), startSession(1), startSession(2)])
      assert.deepStrictEqual(one, same)
      assert.notStrictEqual(one.accessToken, other.accessToken)
    })
  )
})

describe("quirks of sessions", () => {
  it.effect("end the old access token at a rotation", () =>
    Effect.gen(function* () {
      const first = yield* session()
      const { data: second } = (yield* refresh(first.refreshToken)).json
      assert.strictEqual((yield* details(first.accessToken)).json.code, "E40001")
      assert.strictEqual((yield* details(second.accessToken)).status, 200)
    }).pipe(quirky({ oldAccessTokenOutlivesRotation: false }))
  )

  it.effect("repeat the answer of a spent refresh token within the grace, and not after it", () =>
    Effect.gen(function* () {
      const first = yield* session()
      const answer = yield* refresh(first.refreshToken)
      yield* TestClock.adjust("9 seconds")
      assert.strictEqual((yield* refresh(first.refreshToken)).text, answer.text)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* refresh(first.refreshToken)).json.code, "E01402")
    }).pipe(quirky({ refreshReuseGrace: "10 seconds" }))
  )

  it.effect("leave the session alive after the reuse of a dead refresh token", () =>
    Effect.gen(function* () {
      const first = yield* session()
      const { data: second } = (yield* refresh(first.refreshToken)).json
      assert.strictEqual((yield* refresh(first.refreshToken)).status, 401)
      assert.strictEqual((yield* refresh(second.refreshToken)).status, 201)
    }).pipe(quirky({ reuseRevokesSession: false }))
  )

  it.effect("refuse a new access token for a time", () =>
    Effect.gen(function* () {
      const { accessToken } = yield* session()
      assert.strictEqual((yield* details(accessToken)).status, 401)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* details(accessToken)).status, 200)
    }).pipe(quirky({ accessTokenActivation: "1 second" }))
  )

  it.effect("answer the same conditions with the codes of the other set, also after a change", () =>
    Effect.gen(function* () {
      const emulator = yield* CustodyEmulator
      const { accessToken } = yield* session()
      yield* emulator.setQuirks({ tokenExpiredCode: "E01403" })
      assert.strictEqual((yield* details("at_unknown")).json.code, "E01401")
      assert.strictEqual((yield* refresh("rt_unknown")).json.code, "E40002")
      yield* emulator.expireTokens
      assert.strictEqual((yield* details(accessToken)).json.code, "E01403")
    }).pipe(quirky({ invalidAccessTokenCode: "E01401", invalidRefreshTokenCode: "E40002" }))
  )

  it.effect("are checked: an option out of range is refused with its place, and changes nothing", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(
        Effect.provide(CustodyEmulator, CustodyEmulator.layerHttpClientWith({ tokenLifetime: 0 }))
      )
      assert.strictEqual(error._tag, "ConfigurationInvalid")
      assert.match(error.message, /must be a positive, finite duration[^]*tokenLifetime/)
      const emulator = yield* CustodyEmulator
      const refused = yield* Effect.flip(emulator.setQuirks({ refreshReuseGrace: "soon" as never }))
      assert.match(refused.message, /refreshReuseGrace/)
      assert.strictEqual((yield* emulator.settings).quirks.refreshReuseGrace, Duration.zero)
    }).pipe(inProcess)
  )
})
