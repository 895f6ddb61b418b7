import { Authentication } from "@effect-custody/authentication"
import { Vaults } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import {
  against,
  generated,
  refusal,
  serverWithSession,
  type Transport,
  transports
} from "../support/clients/wireClient.ts"
import { type Answer, chunked, json, text, wireServer } from "../support/servers/wireServer.ts"
import { printed } from "../support/worlds/observed.ts"

/** What a read fails with when the server answers as told. */
const readFailure = (transport: Transport, answer: Answer) =>
  against(
    serverWithSession(({ target }) => (target.endsWith("/auth/refresh-token") ? generated : answer)),
    transport,
    () => Effect.flip(Vaults.details()),
    { diagnostics: "bodies" }
  )

/** The same for the exchange of a key. */
const exchangeFailure = (transport: Transport, answer: Answer) =>
  against(
    wireServer(() => answer),
    transport,
    () => Effect.flip(Authentication.generateTokens({ apiKey: Redacted.make("k-1") }))
  )

describe.each(transports)("odd answers, over $name", (transport) => {
  it.live("an error with a contradictory code and status has the meaning of the code, and keeps the status", () =>
    Effect.gen(function* () {
      const error = yield* readFailure(transport, refusal(500, "E40000", "Bad request"))
      assert.deepInclude<object>(error, { _tag: "BadRequest", code: "E40000", status: 500 })
      const key = yield* exchangeFailure(transport, refusal(401, "E00401", "Invalid API key"))
      assert.deepInclude<object>(key, { _tag: "InvalidApiKey", code: "E00401", status: 401 })
      const own = yield* readFailure(transport, json(409, { status: 422, message: "No", errors: {}, code: "E50001" }))
      assert.deepInclude<object>(own, { _tag: "UnknownApiError", status: 409 })
    })
  )

  it.live("an error body with fields of other types does no harm", () =>
    Effect.gen(function* () {
      for (const body of [{ code: 40001, message: 7, status: "401", errors: 3 }, [], "E40001", 40001, null, {}]) {
        const error = yield* readFailure(transport, json(400, body))
        assert.deepInclude<object>(error, {
          _tag: "UnknownApiError",
          status: 400,
          code: undefined,
          summary: "HTTP 400",
          errors: {}
        })
      }
    })
  )

  it.live("an error keeps only the code and messages of a body, unless bodies are requested", () =>
    Effect.gen(function* () {
      const answers = [
        text(502, "text/html", "<html>canary</html>"),
        text(200, "text/html", "<html>canary</html>"),
        json(409, { status: 409, message: "No", errors: ["canary"], code: "E50001", debug: "canary" }),
        json(200, { status: 200, message: "canary", data: ["canary"], canary: "canary" }),
        json(200, `{"status":"canary","data":`)
      ]
      for (const answer of answers) {
        const error = yield* against(
          serverWithSession(() => answer),
          transport,
          () => Effect.flip(Vaults.details())
        )
        assert.notProperty(error, "body")
        assert.notInclude(printed(error), "canary")
      }
    })
  )

  it.live("a refusal with an empty or incomplete body is UnknownApiError", () =>
    Effect.gen(function* () {
      const empty = yield* readFailure(transport, text(400, "application/json", ""))
      assert.deepInclude<object>(empty, { _tag: "UnknownApiError", status: 400, summary: "HTTP 400", body: "" })
      const broken = yield* readFailure(transport, json(400, `{"status":400,"code":"E4`))
      assert.deepInclude<object>(broken, { _tag: "UnknownApiError", status: 400, body: `{"status":400,"code":"E4` })
    })
  )

  const unreadable: ReadonlyArray<readonly [string, Answer]> = [
    ["an empty body", text(200, "application/json", "")],
    ["204 without a body", (response) => response.writeHead(204).end()],
    ["a text that is not JSON", text(200, "text/plain", "OK")],
    ["JSON that breaks off", json(200, `{"message":"Vault details","data":{"id":"4`)],
    ["a payload of another kind", json(200, { message: "Vault details", data: [1, 2], status: 200 })],
    ["null", json(200, "null")],
    ["JSON that is nested too deeply", json(200, `{"data":${"[".repeat(100_000)}1.0000000000000001`)]
  ]
  for (const [what, answer] of unreadable) {
    it.live(`a read answered with 200 and ${what} is UnexpectedResponse`, () =>
      Effect.gen(function* () {
        const error = yield* readFailure(transport, answer)
        assert.strictEqual(error._tag, "UnexpectedResponse")
        assert.deepInclude<object>(error, { operation: "vaults.details" })
      })
    )
    it.live(`the exchange of a key answered with 201 and ${what} is OutcomeUnknown`, () =>
      Effect.gen(function* () {
        const error = yield* exchangeFailure(transport, answer)
        assert.strictEqual(error._tag, "OutcomeUnknown")
        assert.deepInclude<object>(error, { operation: "authentication.generateTokens" })
      })
    )
  }

  it.live("a success in chunks, with status 200 instead of 201, is a success", () =>
    Effect.gen(function* () {
      const tokens = yield* against(
        wireServer(() => chunked(200, [`{"data":{"accessToken":"a`, `c","refresh`, `Token":"r"}}`])),
        transport,
        () => Authentication.refreshToken({ refreshToken: Redacted.make("r-1") })
      )
      assert.strictEqual(Redacted.value(tokens.accessToken), "ac")
    })
  )
})
