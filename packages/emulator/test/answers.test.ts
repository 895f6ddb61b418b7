import { assert, describe, it } from "@effect/vitest"
import { CustodyEmulator } from "@effect-custody/emulator"
import { CustodyApi } from "@effect-custody/sdk"
import { Effect, Schema } from "effect"
import type { HttpMethod } from "effect/http"
import { details, generate, refresh, send, session } from "./support.ts"

const inProcess = Effect.provide(CustodyEmulator.layerHttpClient)

/** The error body of the specification. */
const body = (status: number, message: string, code: string) =>
  `{"status":${status},"message":"${message}","errors":{"message":"${message}"},"code":"${code}"}`

const expired = Effect.gen(function* () {
  const { accessToken } = yield* session()
  yield* (yield* CustodyEmulator).expireTokens
  return yield* details(accessToken)
})

const spent = Effect.gen(function* () {
  const { refreshToken } = yield* session()
  yield* refresh(refreshToken)
  return yield* refresh(refreshToken)
})

describe("answers, byte by byte", () => {
  const invalidAccessToken = body(401, "Invalid access token", "E40001")
  const invalidRefreshToken = body(401, "Invalid refresh token", "E01402")
  const notObject = body(400, "Request body is not a JSON object", "E40000")
  const sent = (text: string) => send("/auth/generate-tokens", { body: text })
  it.effect.each([
    ["an API key that is none", generate("ak_unknown"), 400, body(400, "Invalid API key", "E00401")],
    ["no access token", details(), 401, invalidAccessToken],
    ["an access token that is none", details("at_unknown"), 401, invalidAccessToken],
    ["an expired access token", expired, 498, body(498, "Token has expired", "E40003")],
    ["a refresh token that is none", refresh("rt_unknown"), 401, invalidRefreshToken],
    ["an empty refresh token", refresh(""), 401, invalidRefreshToken],
    ["a spent refresh token", spent, 401, invalidRefreshToken],
    ["a body that is not JSON", sent("{"), 400, body(400, "Request body is not JSON", "E40000")],
    ["a body that is a list", sent("[]"), 400, notObject],
    ["a body that is null", sent("null"), 400, notObject],
    [
      "an unknown path",
      send("/vaults/nothing"),
      404,
      `{"status":404,"message":"Cannot GET /api/integration/vaults/nothing","errors":{"message":"Cannot GET /api/integration/vaults/nothing"}}`
    ],
    [
      "a method that the path does not have",
      send("/vaults/details?x=1", { method: "POST", body: {} }),
      404,
      `{"status":404,"message":"Cannot POST /api/integration/vaults/details","errors":{"message":"Cannot POST /api/integration/vaults/details"}}`
    ],
    [
      "vault details",
      Effect.flatMap(session(), ({ accessToken }) => details(accessToken)),
      200,
      `{"message":"Vault details","data":{"id":"1","name":"Vault 1","type":"SEGREGATED"},"status":200}`
    ]
  ] as const)("%s", ([, call, status, text]) =>
    Effect.gen(function* () {
      const answer = yield* call
      assert.deepStrictEqual([answer.status, answer.contentType, answer.text], [status, "application/json", text])
    }).pipe(inProcess)
  )
})

const absent = { apiKey: ["must be a string", "must not exceed 255 characters", "should not be empty"] }
const keys = "/auth/generate-tokens"
const payout = { clientId: "a", assetId: "b", to: "c", amount: "1" }

const wrong: ReadonlyArray<
  readonly [what: string, path: string, body: unknown, fields: object, method?: HttpMethod.HttpMethod]
> = [
  ["a missing API key", keys, {}, absent],
  ["a null API key", keys, { apiKey: null }, absent],
  ["an empty body", keys, "", absent],
  ["an empty API key", keys, { apiKey: "" }, { apiKey: ["should not be empty"] }],
  ["a long API key", keys, { apiKey: "k".repeat(256) }, { apiKey: ["must not exceed 255 characters"] }],
  ["an API key that is an object", keys, { apiKey: { a: 1 } }, { apiKey: ["must be a string"] }],
  ["two fields", keys, { a: 1, apiKey: "" }, { a: ["should not exist"], apiKey: ["should not be empty"] }],
  ["a query of an operation without one", `${keys}?x=1`, { apiKey: "k" }, { x: ["should not exist"] }],
  ["a missing refresh token", "/auth/refresh-token", {}, { refreshToken: ["must be a string"] }],
  ["a field of another type", "/transactions/send", { ...payout, note: 5 }, { note: ["must be a string"] }],
  [
    "missing fields",
    "/transactions/transfer",
    { fromClientId: "a", toClientId: "b" },
    { assetId: ["must be a string", "should not be empty"], amount: ['must be a decimal such as "12.50"'] }
  ],
  [
    "an amount that is none",
    "/transactions/send",
    { ...payout, amount: "1,5" },
    { amount: ['must be a decimal such as "12.50"'] }
  ],
  [
    "an amount of zero",
    "/transactions/send",
    { ...payout, amount: 0 },
    { amount: ["An amount to move must be greater than 0"] }
  ],
  ["an item of a list", "/clients/create-many", { externalIds: ["a", 5] }, { "externalIds.1": ["must be a string"] }],
  ["a limit of zero", "/clients?limit=0", undefined, { limit: ["must be a value greater than 0"] }],
  [
    "an order that is none",
    "/clients?order=up",
    undefined,
    { order: ["must be one of the following values: asc, desc"] }
  ],
  ["a date that is none", "/transactions?from=soon", undefined, { from: ["must be an ISO 8601 date"] }],
  [
    "a status that is none",
    "/payment-vault-orders?status=DONE",
    undefined,
    { status: ["must be one of the following values: PENDING, COMPLETED, CANCELLED, REJECTED, ERROR"] }
  ],
  ["an unknown query", "/assets?colour=red", undefined, { colour: ["should not exist"] }],
  ["metadata that is a list", "/tokens/1/metadata", { metadata: [] }, { metadata: ["must be an object"] }, "PUT"]
]

describe("validation", () => {
  it.effect.each(wrong)("refuses %s, and says why", ([, path, sent, fields, method]) =>
    Effect.gen(function* () {
      const { accessToken: token } = yield* session()
      const { json } = yield* send(path, { token, body: sent, ...(method === undefined ? {} : { method }) })
      const { message: _, ...messages } = json.errors
      assert.deepStrictEqual([json.status, messages], [422, fields])
    }).pipe(inProcess)
  )

  it.effect("checks the token before the rest of the request", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* send("/vaults/details?x=1")).status, 401)
      const { accessToken } = yield* session()
      assert.strictEqual((yield* send("/vaults/details?x=1", { token: accessToken })).status, 422)
    }).pipe(inProcess)
  )

  it.effect("leaves the state unchanged when it refuses a request", () =>
    Effect.gen(function* () {
      const { refreshToken } = yield* session()
      yield* send("/auth/refresh-token", { body: { refreshToken, more: 1 } })
      assert.strictEqual((yield* refresh(refreshToken)).status, 201)
    }).pipe(inProcess)
  )

  it.effect("reads a number exactly that has more digits than a double holds", () =>
    Effect.gen(function* () {
      const { fund, ledger } = yield* CustodyEmulator
      const { accessToken: token } = yield* session()
      yield* send("/clients/create", { token, body: { externalId: "alice" } })
      yield* fund({ clientId: "alice", assetId: "eth", amount: "1000000000000000000000" })
      const sent = `{"clientId":"alice","assetId":"eth","to":"0xabc","amount":100000000000000000000.000000000000000001}`
      const { json } = yield* send("/transactions/send", { token, body: sent })
      assert.strictEqual(json.data.amount, "100000000000000000000.000000000000000001")
      assert.strictEqual((yield* ledger).at(-1)?.input["amount"], "100000000000000000000.000000000000000001")
    }).pipe(inProcess)
  )

  it.effect("repeats no secret in an answer", () =>
    Effect.gen(function* () {
      const { accessToken, refreshToken } = yield* session()
      const secret = "CANARY"
      const answers = yield* Effect.all([
        generate(secret),
        refresh(secret),
        details(secret),
        send(keys, { body: { apiKey: secret.repeat(300) } }),
        send(keys, { body: { apiKey: [secret] } }),
        send("/auth/refresh-token", { body: `{"refreshToken":"${secret}` }),
        details(accessToken)
      ])
      for (const { text } of answers) {
        for (const hidden of [secret, accessToken, refreshToken]) assert.notInclude(text, hidden)
      }
    }).pipe(inProcess)
  )
})

describe("any request", () => {
  it.effect.prop(
    "to any operation is answered, without a defect",
    [Schema.String, Schema.Json],
    ([text, json]) =>
      Effect.gen(function* () {
        const { accessToken: token } = yield* session()
        const encoded = encodeURIComponent(text.toWellFormed())
        for (const {
          route: { method, path }
        } of CustodyApi.operations) {
          const target = `${path.replace(/:\w+|\{\w+\}/, encoded)}?${encoded}=${encoded}`
          const options =
            method === "GET" ? { token } : { token, body: { [text]: json, externalId: json, amount: json } }
          const answer = yield* send(target, { ...options, method: method as HttpMethod.HttpMethod })
          assert.isBelow(answer.status, 500, target)
          assert.strictEqual(answer.json.status, answer.status)
        }
      }).pipe(inProcess),
    { arbitrary: { runs: 20 } }
  )
})

it.effect("errors can be bare, but not those of tokens", () =>
  Effect.gen(function* () {
    const { accessToken } = yield* session()
    const { json, text } = yield* send("/clients/create", { token: accessToken, body: { externalId: "" } })
    assert.deepStrictEqual(Object.keys(json), ["status", "message"], text)
    assert.strictEqual((yield* details()).json.code, "E40001")
  }).pipe(Effect.provide(CustodyEmulator.layerHttpClientWith({ quirks: { bareErrors: true } })))
)
