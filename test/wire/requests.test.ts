import { Authentication } from "@effect-custody/authentication"
import { Telemetry, Vaults } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import {
  account,
  against,
  details,
  exchanged,
  generated,
  refreshed,
  serverWithSession,
  transports
} from "../support/clients/wireClient.ts"
import { header, json, wireServer } from "../support/servers/wireServer.ts"

const secret = (value: string) => Redacted.make(value)

describe.each(transports)("requests over $name", (transport) => {
  it.live("generate-tokens sends the key as JSON, without a token, and takes the four fields of its 201", () =>
    Effect.gen(function* () {
      const server = yield* wireServer(() => generated)
      const tokens = yield* against(Effect.succeed(server), transport, () =>
        Authentication.generateTokens({ apiKey: secret("k-1") })
      )
      assert.strictEqual(Redacted.value(tokens.accessToken), "access-0")
      assert.strictEqual(Redacted.value(tokens.refreshToken), "refresh-0")
      assert.strictEqual(tokens.expiresAt, 4102444800000)
      assert.strictEqual(tokens.vaultId, 42)

      assert.strictEqual(server.received.length, 1)
      const [request] = server.received
      assert.strictEqual(request!.method, "POST")
      assert.strictEqual(request!.target, "/api/integration/auth/generate-tokens")
      assert.strictEqual(request!.body, `{"apiKey":"k-1"}`)
      assert.deepStrictEqual(header(request!, "content-type"), ["application/json"])
      assert.deepStrictEqual(header(request!, "content-length"), ["16"])
      assert.deepStrictEqual(header(request!, "accept"), ["application/json"])
      for (const name of ["x-access-token", "cookie", "authorization"]) {
        assert.deepStrictEqual(header(request!, name), [], name)
      }
    })
  )

  it.live(
    "refresh-token sends the refresh token as JSON, without an access token, and takes the three fields of its 201",
    () =>
      Effect.gen(function* () {
        const server = yield* wireServer(() => refreshed(1))
        const tokens = yield* against(Effect.succeed(server), transport, () =>
          Authentication.refreshToken({ refreshToken: secret("refresh-0") })
        )
        assert.strictEqual(Redacted.value(tokens.accessToken), "access-1")
        assert.strictEqual(Redacted.value(tokens.refreshToken), "refresh-1")
        assert.strictEqual(tokens.expiresAt, 4102444800000)
        assert.notProperty(tokens, "vaultId")

        assert.strictEqual(server.received.length, 1)
        const [request] = server.received
        assert.strictEqual(request!.method, "POST")
        assert.strictEqual(request!.target, "/api/integration/auth/refresh-token")
        assert.strictEqual(request!.body, `{"refreshToken":"refresh-0"}`)
        assert.deepStrictEqual(header(request!, "content-type"), ["application/json"])
        assert.deepStrictEqual(header(request!, "content-length"), ["28"])
        for (const name of ["x-access-token", "cookie", "authorization"]) {
          assert.deepStrictEqual(header(request!, name), [], name)
        }
      })
  )

  it.live("vault details is a GET with the raw access token, without a body or its type", () =>
    Effect.gen(function* () {
      const server = yield* serverWithSession(() => details)
      const vault = yield* against(Effect.succeed(server), transport, () => Vaults.details())
      assert.deepStrictEqual<object>(vault, { id: "42", name: "Treasury", extra: {} })

      assert.deepStrictEqual(account(server.received), [exchanged, "GET /api/integration/vaults/details access-0"])
      const [, request] = server.received
      assert.deepStrictEqual(header(request!, "x-access-token"), ["access-0"])
      assert.deepStrictEqual(header(request!, "accept"), ["application/json"])
      for (const name of ["content-type", "content-length", "transfer-encoding", "cookie", "authorization"]) {
        assert.deepStrictEqual(header(request!, name), [], name)
      }
    })
  )

  it.live("neither a cookie that the service sets nor the trace of the caller goes back to it", () =>
    Effect.gen(function* () {
      const server = yield* serverWithSession(() =>
        json(200, { message: "", data: {}, status: 200 }, { "set-cookie": "sid=1; Path=/" })
      )
      yield* against(Effect.succeed(server), transport, () =>
        Effect.andThen(Vaults.details(), Vaults.details()).pipe(Effect.withSpan("caller"))
      )
      assert.strictEqual(server.received.length, 3)
      for (const request of server.received) {
        for (const name of ["cookie", "traceparent", "b3"]) assert.deepStrictEqual(header(request, name), [], name)
      }
    })
  )

  it.live(
    "where it is asked for, the trace of the caller goes to the service, as W3C writes it and in no other way",
    () =>
      Effect.gen(function* () {
        const server = yield* serverWithSession(() => details)
        const caller = yield* against(Effect.succeed(server), transport, () =>
          Effect.andThen(Vaults.details(), Effect.currentSpan).pipe(Effect.withSpan("caller"))
        ).pipe(Effect.provide(Telemetry.layer({ traceContext: true })))
        assert.strictEqual(server.received.length, 2)
        for (const request of server.received) {
          const [traceparent = ""] = header(request, "traceparent")
          assert.match(traceparent, /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
          assert.strictEqual(traceparent.split("-")[1], caller.traceId)
          for (const name of ["b3", "tracestate", "baggage"]) assert.deepStrictEqual(header(request, name), [], name)
        }
      })
  )

  it.live(
    "the session exchanges its key once, before the first call, and each call goes with the token it brought",
    () =>
      Effect.gen(function* () {
        const server = yield* serverWithSession(() => details)
        yield* against(Effect.succeed(server), transport, () =>
          Effect.all([Vaults.details(), Vaults.details(), Vaults.details()], { concurrency: "unbounded" })
        )
        const read = "GET /api/integration/vaults/details access-0"
        assert.deepStrictEqual(account(server.received), [exchanged, read, read, read])
      })
  )

  it.live("a key that is empty or longer than 255 characters is refused before it is sent, one of 255 is sent", () =>
    Effect.gen(function* () {
      const server = yield* wireServer(() => generated)
      const send = (apiKey: string) => Authentication.generateTokens({ apiKey: secret(apiKey) })
      yield* against(Effect.succeed(server), transport, () =>
        Effect.gen(function* () {
          const empty = yield* Effect.flip(send(""))
          assert.deepInclude(empty, { _tag: "RequestInvalid", operation: "authentication.generateTokens" })
          const long = yield* Effect.flip(send("k".repeat(256)))
          assert.strictEqual(long._tag, "RequestInvalid")
          assert.strictEqual(server.received.length, 0)
          yield* send("k".repeat(255))
          assert.strictEqual(server.received.length, 1)
        })
      )
      assert.strictEqual(server.received[0]?.body, `{"apiKey":"${"k".repeat(255)}"}`)
    })
  )

  it.live("the bytes of a key or token outside ASCII are UTF-8 in the body", () =>
    Effect.gen(function* () {
      const server = yield* wireServer(() => generated)
      yield* against(Effect.succeed(server), transport, () =>
        Authentication.generateTokens({ apiKey: secret(`ключ "1"\\`) })
      )
      assert.strictEqual(server.received[0]?.body, String.raw`{"apiKey":"ключ \"1\"\\"}`)
    })
  )
})
