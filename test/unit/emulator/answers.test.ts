import { assert, describe, it } from "@effect/vitest"
import { CustodyEmulator } from "@effect-custody/emulator"
import { Effect, Schema } from "effect"
import { type Answer, details, generate, refresh, send, session } from "./support.ts"

const inProcess = Effect.provide(CustodyEmulator.layerHttpClient)

const isExactly = (answer: Answer, status: number, text: string) => {
  assert.strictEqual(answer.text, text)
  assert.strictEqual(answer.status, status)
  assert.strictEqual(answer.contentType, "application/json")
}

/** The error body of the specification. */
const body = (status: number, message: string, code: string) =>
  `{"status":${status},"message":"${message}","errors":{"message":"${message}"},"code":"${code}"}`

const invalid = (fields: string, status = 422) =>
  `{"status":${status},"message":"Validation failed","errors":{"message":"Validation failed",${fields}},"code":"E00402"}`

describe("answers, byte by byte", () => {
  it.effect("an API key that is none: 400, E00401", () =>
    Effect.gen(function* () {
      isExactly(yield* generate("ak_unknown"), 400, body(400, "Invalid API key", "E00401"))
    }).pipe(inProcess)
  )

  it.effect("no access token: 401, E40001", () =>
    Effect.gen(function* () {
      isExactly(yield* details(), 401, body(401, "Invalid access token", "E40001"))
    }).pipe(inProcess)
  )

  it.effect("an access token that is none: 401, E40001", () =>
    Effect.gen(function* () {
      isExactly(yield* details("at_unknown"), 401, body(401, "Invalid access token", "E40001"))
      const { accessToken } = yield* session()
      isExactly(yield* details(`Bearer ${accessToken}`), 401, body(401, "Invalid access token", "E40001"))
    }).pipe(inProcess)
  )

  it.effect("an expired access token: 498, E40003", () =>
    Effect.gen(function* () {
      const { accessToken } = yield* session()
      yield* (yield* CustodyEmulator).expireTokens
      isExactly(yield* details(accessToken), 498, body(498, "Token has expired", "E40003"))
    }).pipe(inProcess)
  )

  it.effect("a refresh token that is none, or dead: 401, E01402", () =>
    Effect.gen(function* () {
      isExactly(yield* refresh("rt_unknown"), 401, body(401, "Invalid refresh token", "E01402"))
      isExactly(yield* refresh(""), 401, body(401, "Invalid refresh token", "E01402"))
      const { refreshToken } = yield* session()
      yield* refresh(refreshToken)
      isExactly(yield* refresh(refreshToken), 401, body(401, "Invalid refresh token", "E01402"))
    }).pipe(inProcess)
  )

  it.effect("a body that is not JSON, or not an object: 400, E40000", () =>
    Effect.gen(function* () {
      const notJson = body(400, "Request body is not JSON", "E40000")
      isExactly(yield* send("/auth/generate-tokens", { body: "{" }), 400, notJson)
      const notObject = body(400, "Request body is not a JSON object", "E40000")
      for (const text of ["[]", "null", `"key"`, "1"]) {
        isExactly(yield* send("/auth/generate-tokens", { body: text }), 400, notObject)
      }
    }).pipe(inProcess)
  )

  it.effect("an unknown path, and a method that the path does not have: 404 without a code", () =>
    Effect.gen(function* () {
      isExactly(
        yield* send("/vaults/nothing"),
        404,
        `{"status":404,"message":"Cannot GET /api/integration/vaults/nothing"}`
      )
      isExactly(
        yield* send("/vaults/details?x=1", { method: "POST", body: {} }),
        404,
        `{"status":404,"message":"Cannot POST /api/integration/vaults/details"}`
      )
      for (const path of ["", "/", "/vaults/details/", "/Vaults/details", "//vaults/details", "/vaults/%zz"]) {
        assert.strictEqual((yield* send(path)).status, 404, path)
      }
    }).pipe(inProcess)
  )

  it.effect("vault details: 200, in the envelope", () =>
    Effect.gen(function* () {
      const { accessToken } = yield* session()
      isExactly(
        yield* details(accessToken),
        200,
        `{"message":"Vault details","data":{"id":"1","name":"Vault 1","type":"SEGREGATED"},"status":200}`
      )
    }).pipe(inProcess)
  )
})

describe("validation", () => {
  const rejects = (name: string, sent: unknown, fields: string, path = "/auth/generate-tokens") =>
    it.effect(name, () =>
      Effect.gen(function* () {
        isExactly(yield* send(path, { method: "POST", body: sent }), 422, invalid(fields))
      }).pipe(inProcess)
    )

  const absent = `"apiKey":["must be a string","must not exceed 255 characters","should not be empty"]`
  rejects("a missing API key fails every check", {}, absent)
  rejects("a null API key fails every check", { apiKey: null }, absent)
  rejects("an empty body is one without fields", "", absent)
  rejects("an empty API key", { apiKey: "" }, `"apiKey":["should not be empty"]`)
  rejects("an API key of 256 characters", { apiKey: "k".repeat(256) }, `"apiKey":["must not exceed 255 characters"]`)
  rejects("an API key that is a number", { apiKey: 5 }, `"apiKey":["must be a string"]`)
  rejects("an API key that is an object", { apiKey: { a: 1 } }, `"apiKey":["must be a string"]`)
  rejects("a property that is not declared", { apiKey: "k", vault: 1 }, `"vault":["should not exist"]`)
  rejects("a property named __proto__", `{"apiKey":"k","__proto__":{}}`, `"__proto__":["should not exist"]`)
  rejects(
    "every field that is wrong, at once",
    { a: 1, apiKey: "" },
    `"a":["should not exist"],"apiKey":["should not be empty"]`
  )
  rejects("a missing refresh token", {}, `"refreshToken":["must be a string"]`, "/auth/refresh-token")
  rejects("a query that is not declared", { apiKey: "k" }, `"x":["should not exist"]`, "/auth/generate-tokens?x=1")

  it.effect("an API key of 255 characters is only unknown", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* generate("k".repeat(255))).json.code, "E00401")
    }).pipe(inProcess)
  )

  it.effect("the token is asked for before anything else is looked at", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* send("/vaults/details?x=1")).status, 401)
      const { accessToken } = yield* session()
      assert.strictEqual((yield* send("/vaults/details?x=1", { token: accessToken })).status, 422)
    }).pipe(inProcess)
  )

  it.effect("a refused request changes nothing", () =>
    Effect.gen(function* () {
      const { refreshToken } = yield* session()
      yield* send("/auth/refresh-token", { body: { refreshToken, more: 1 } })
      assert.strictEqual((yield* refresh(refreshToken)).status, 201)
    }).pipe(inProcess)
  )

  it.effect("no answer repeats a secret", () =>
    Effect.gen(function* () {
      const { accessToken, refreshToken } = yield* session()
      const secret = "CANARY"
      const answers = yield* Effect.all([
        generate(secret),
        refresh(secret),
        details(secret),
        send("/auth/generate-tokens", { body: { apiKey: secret.repeat(300) } }),
        send("/auth/generate-tokens", { body: { apiKey: [secret] } }),
        send("/auth/refresh-token", { body: `{"refreshToken":"${secret}` }),
        details(accessToken)
      ])
      for (const { text } of answers) {
        for (const hidden of [secret, accessToken, refreshToken]) assert.notInclude(text, hidden)
      }
    }).pipe(inProcess)
  )
})

describe("whatever is sent", () => {
  it.effect.prop("as a body, is answered with a 4xx", [Schema.String, Schema.Json], ([text, json]) =>
    Effect.gen(function* () {
      for (const path of ["/auth/generate-tokens", "/auth/refresh-token"]) {
        for (const sent of [text, JSON.stringify(json), JSON.stringify({ apiKey: json, refreshToken: json })]) {
          const { json: answer, status } = yield* send(path, { method: "POST", body: sent })
          assert.isTrue(status >= 400 && status < 500, sent)
          assert.strictEqual(answer.status, status)
        }
      }
    }).pipe(inProcess)
  )

  it.effect.prop("as a path, a query or a token, is answered with a 4xx", [Schema.String], ([text]) =>
    Effect.gen(function* () {
      const encoded = encodeURIComponent(text.toWellFormed())
      for (const path of [`/${encoded}`, `/vaults/${encoded}`, `/vaults/details?${encoded}=${encoded}`]) {
        const { status } = yield* send(path, { token: encoded })
        assert.isTrue(status >= 400 && status < 500, path)
      }
    }).pipe(inProcess)
  )
})
