import { Authentication } from "@effect-custody/authentication"
import { Amount, type CustodyClient, Environment } from "@effect-custody/core"
import * as Sender from "@effect-custody/core/siblings/Sender"
import { Transport } from "@effect-custody/core/siblings/Transport"
import { Transactions, Vaults } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Zlib from "node:zlib"
import { account, against, details, exchanged, serverWithSession, transports } from "../support/clients/wireClient.ts"
import {
  type Answer,
  bytes,
  bytesThenReset,
  chunked,
  header,
  json,
  reset,
  text,
  wireServer
} from "../support/servers/wireServer.ts"

type Call = Effect.Effect<unknown, object, CustodyClient>

const exchange = Authentication.generateTokens({ apiKey: Redacted.make("k-1") })

const payout = { clientId: "alice", assetId: "usdc", to: "0xabc", amount: Amount.of("12.50") }

const head = "HTTP/1.1 200 OK"
const jsonType = "Content-Type: application/json"
const whole = `{"message":"Vault details","data":{"id":"42","name":"Treasury"},"status":200}`

/** Answers of which only a part arrives. */
const partial: ReadonlyArray<readonly [string, Answer]> = [
  ["a reset after the request was read", reset],
  ["the end of the connection without a byte", bytes()],
  ["something that is not HTTP", bytes("220 mail.example ESMTP", "")],
  ["a body that ends before its content-length", bytes(head, jsonType, "Content-Length: 4000", "", whole)],
  ["a body that is reset before its content-length", bytesThenReset(head, jsonType, "Content-Length: 4000", "", whole)],
  ["chunks that are reset", bytesThenReset(head, jsonType, "Transfer-Encoding: chunked", "", "5", `{"mes`, "")]
]

/** Limits that a test can reach. */
const limits = { attemptTimeout: Duration.millis(200), maxResponseBytes: 10_000 }

const large = `{"message":"","data":{"name":"${"x".repeat(20_000)}"},"status":200}`

describe.each(transports)("broken exchanges over $name", (transport) => {
  it.live.each(partial)("a call that gets %s was sent once, and fails as what may have been processed", ([, answer]) =>
    Effect.gen(function* () {
      const server = yield* serverWithSession(() => answer)
      const failed = (call: Call) => against(Effect.succeed(server), transport, () => Effect.flip(call))
      const { received } = server
      assert.deepInclude<object>(yield* failed(Vaults.details()), { _tag: "TransportError", phase: "MaybeProcessed" })
      assert.deepStrictEqual(account(received), [exchanged, "GET /api/integration/vaults/details access-0"])
      const unknown = { _tag: "OutcomeUnknown", operation: "transactions.send" }
      assert.deepInclude<object>(yield* failed(Transactions.send(payout)), unknown)
      assert.lengthOf(received, 4)
      const start = yield* wireServer(() => answer)
      const error = yield* against(Effect.succeed(start), transport, () => Effect.flip(exchange))
      assert.deepInclude<object>(error, { _tag: "OutcomeUnknown", operation: "authentication.generateTokens" })
      assert.lengthOf(start.received, 1)
    })
  )
})

describe.each(transports)("the limits of answers over $name", (transport) => {
  const oversized: ReadonlyArray<readonly [string, Answer]> = [
    ["announces more bytes than the limit", json(200, large)],
    ["grows past the limit in chunks", chunked(200, ["x".repeat(20_000)])],
    ["says no with more bytes than the limit", text(502, "text/html", "x".repeat(20_000))]
  ]
  for (const [what, answer] of oversized) {
    it.live(`an answer that ${what} is refused, and the next call is served`, () =>
      Effect.gen(function* () {
        const server = yield* serverWithSession((_, nth) => (nth === 0 ? answer : details))
        yield* against(
          Effect.succeed(server),
          transport,
          () =>
            Effect.gen(function* () {
              const error = yield* Effect.flip(Vaults.details())
              assert.deepInclude<object>(error, {
                _tag: "TransportError",
                phase: "MaybeProcessed",
                reason: "the answer is larger than limits.maxResponseBytes, 10000 bytes"
              })
              assert.deepInclude<object>(yield* Vaults.details(), { id: "42" })
            }),
          { limits }
        )
      })
    )
  }

  it.live("the client asks for no compression, and refuses an answer that unpacks past the limit", () =>
    Effect.gen(function* () {
      const bomb = text(200, "application/json", Zlib.gzipSync(large), { "content-encoding": "gzip" })
      const server = yield* serverWithSession(() => bomb)
      const error = yield* against(Effect.succeed(server), transport, () => Effect.flip(Vaults.details()), { limits })
      const asked = header(server.received[1]!, "accept-encoding").join()
      assert.strictEqual(asked, "identity")
      assert.strictEqual(error._tag, "TransportError")
    })
  )

  it.live("an answer with tokens is read up to 256 KiB, for any limit of calls", () =>
    Effect.gen(function* () {
      const calledAfter = (padding: number) => {
        const data = { accessToken: "access", refreshToken: "refresh", vaultId: 1 }
        const tokens = json(201, { message: "x".repeat(padding), data, status: 201 })
        const server = wireServer(({ target }) => (target.endsWith("generate-tokens") ? tokens : details))
        return against(server, transport, () => Effect.result(Vaults.details()), {
          limits: { maxResponseBytes: 512 * 1024 }
        })
      }
      assert.strictEqual((yield* calledAfter(250_000))._tag, "Success")
      const refused = yield* calledAfter(1_000_000)
      assert(refused._tag === "Failure" && refused.failure._tag === "NoSession")
      assert.include(refused.failure.reason, "262144 bytes")
    })
  )
})

describe.each(transports)("a token that no header can carry, over $name", (transport) => {
  it.live("a token that no header can carry is not sent, and its request is certainly not sent", () =>
    Effect.gen(function* () {
      const server = yield* wireServer(() => details)
      const layer = Transport.layer({ environment: Environment.at(server.baseUrl) })
      const { send } = yield* Effect.provide(Transport, Layer.provide(layer, transport.layer))
      for (const token of ["", "line\nbreak", "beyond latin-1: \u20ac", "x".repeat(100_000)]) {
        const answer = yield* send(HttpClientRequest.post("/transactions"), Redacted.make(token), {
          progress: Sender.makeProgress()
        })
        assert.deepStrictEqual<object>(answer, {
          _tag: "NotAnswered",
          phase: "NotSent",
          reason: "no header can carry the access token"
        })
      }
      assert.lengthOf(server.received, 0)
    })
  )
})

describe.each(transports)("a request that must not start any more, over $name", (transport) => {
  it.live(`it is ${transport.name === "fetch" ? "sent, because fetch cannot ask" : "certainly not sent"}`, () =>
    Effect.gen(function* () {
      const server = yield* serverWithSession(() => json(201, { message: "", data: { id: "t-1" }, status: 201 }))
      let asked = 0
      const mayStart = () => {
        asked++
        return false
      }
      const send = Effect.provideService(Transactions.send(payout), Sender.MayStart, mayStart)
      const sent = yield* against(Effect.succeed(server), transport, () => Effect.result(send))
      const isSent = transport.name === "fetch"
      assert.strictEqual(asked, isSent ? 0 : 1)
      assert.lengthOf(
        server.received.filter(({ target }) => target.includes("/transactions")),
        isSent ? 1 : 0
      )
      if (isSent) return
      assert(sent._tag === "Failure")
      assert.deepInclude<object>(sent.failure, { _tag: "NotSent", reason: "TOO_LATE_TO_SEND" })
    })
  )
})

describe.each(transports)("redirects over $name", (transport) => {
  for (const status of [302, 307]) {
    it.live(`a ${status} to another origin is not followed, and that origin receives nothing`, () =>
      Effect.gen(function* () {
        const other = yield* wireServer(() => details)
        const elsewhere = text(status, "text/plain", "moved", {
          location: `${other.origin}/api/integration/vaults/details`
        })
        const server = yield* serverWithSession(() => elsewhere)
        const read = yield* against(Effect.succeed(server), transport, () => Effect.flip(Vaults.details()))
        assert.deepInclude<object>(read, { _tag: "UnexpectedResponse", status })
        const tokens = yield* against(
          wireServer(() => elsewhere),
          transport,
          () => Effect.flip(exchange)
        )
        assert.strictEqual<string>(tokens._tag, "OutcomeUnknown")
        assert.strictEqual(other.connections(), 0)
        assert.strictEqual(server.received.length, 2)
      })
    )
  }
})
