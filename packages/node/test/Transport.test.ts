/**
 * Whether a request that failed can have reached the service: each cause is made to happen on a real socket. The table
 * of docs/errors-and-retries.md has a row for each of them.
 */
import { Environment } from "@effect-custody/core"
import * as Sender from "@effect-custody/core/siblings/Sender"
import { type ExchangeResult, Transport } from "@effect-custody/core/siblings/Transport"
import { NodeCustody } from "@effect-custody/node"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import type { Socket } from "node:net"
import { deafPort } from "../../../test/support/servers/deafServer.ts"
import { type Connection, data, frameServer, headers, reset } from "../../../test/support/servers/frameServer.ts"
import { closedPort } from "../../../test/support/servers/ports.ts"
import { isWhole, rawServer } from "../../../test/support/servers/rawServer.ts"
import { selfSigned } from "../../../test/support/servers/selfSigned.ts"

type Phase = "NotSent" | "MaybeProcessed"

/** The transports, and what each can be expected to know. */
const transports = [
  {
    name: "undici",
    knows: true,
    keepsAlive: true,
    layer: NodeCustody.layerHttpClient({ connections: 1, reuse: "all" })
  },
  { name: "fetch", knows: false, keepsAlive: true, layer: FetchHttpClient.layer },
  { name: "node:http", knows: false, keepsAlive: false, layer: NodeHttpClient.layerNodeHttp }
] as const

type Known = (typeof transports)[number]

const request = HttpClientRequest.post("/transactions/send").pipe(
  HttpClientRequest.bodyText(JSON.stringify({ amount: "12.50" }), "application/json")
)

const limits = { attemptTimeout: Duration.seconds(5), maxResponseBytes: 10_000 }

const transportTo = (origin: string, transport: Known, bounds: Partial<typeof limits> = {}) =>
  Transport.layer({ environment: Environment.at(origin), limits: { ...limits, ...bounds } }).pipe(
    Layer.provide(Layer.fresh(transport.layer))
  )

const sentWith = (progress: Sender.SendProgress, what = request) =>
  Transport.use((transport) => transport.send(what, Redacted.make("token"), { progress }))

const sent = Effect.suspend(() => sentWith(Sender.makeProgress()))

const sendTo = (origin: string, transport: Known, bounds: Partial<typeof limits> = {}): Effect.Effect<ExchangeResult> =>
  sent.pipe(Effect.provide(transportTo(origin, transport, bounds)), Effect.orDie)

const loopback = (port: number, scheme = "http") => `${scheme}://127.0.0.1:${port}`

const assertPhase = (outcome: ExchangeResult, phase: Phase) => {
  assert.strictEqual(outcome._tag, "NotAnswered")
  if (outcome._tag === "NotAnswered") assert.strictEqual(outcome.phase, phase, outcome.reason)
}

const answer = (status: string, body: string, headers = "") =>
  `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n${headers}\r\n${body}`

describe.each(transports)("the send phase of a request over $name", (transport) => {
  const certain: Phase = transport.knows ? "NotSent" : "MaybeProcessed"

  it.live(`over ${transport.name}, a refused connection or an unknown name means not sent`, () =>
    Effect.gen(function* () {
      for (const origin of [loopback(closedPort), "https://nowhere.invalid"]) {
        assertPhase(yield* sendTo(origin, transport), "NotSent")
      }
    })
  )

  it.live(
    `over ${transport.name}, a connection that comes too late means ${transport.knows ? "not sent" : "in doubt"}`,
    () =>
      Effect.gen(function* () {
        const outcome = yield* sendTo(loopback(yield* deafPort), transport, { attemptTimeout: Duration.millis(300) })
        assertPhase(outcome, certain)
      })
  )

  it.live(`over ${transport.name}, an untrusted certificate means not sent, and no byte arrives`, () =>
    Effect.gen(function* () {
      const server = yield* rawServer({ tls: selfSigned() })
      const outcome = yield* sendTo(loopback(server.port, "https"), transport)
      assertPhase(outcome, "NotSent")
      yield* Effect.sleep("50 millis")
      assert.strictEqual(server.received(), "")
    })
  )

  it.live.each([
    ["a server without TLS", (socket: Socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")],
    ["a reset in the TLS handshake", (socket: Socket) => socket.resetAndDestroy()]
  ] as const)(`over ${transport.name}, %s means ${transport.knows ? "not sent" : "in doubt"}`, ([, act]) =>
    Effect.gen(function* () {
      const server = yield* rawServer({ onData: act })
      assertPhase(yield* sendTo(loopback(server.port, "https"), transport), certain)
    })
  )

  const whole = answer("201 Created", `{"message":"Sent","data":{"id":"t-1"},"status":201}`)
  it.live.each([
    ["reset before the server read it", (socket: Socket) => socket.resetAndDestroy(), ""],
    ["reset after the server read it", (socket: Socket) => socket.resetAndDestroy(), "whole"],
    ["answered with half a header", (socket: Socket) => socket.end("HTTP/1.1 201 Created\r\ncontent-ty"), "whole"],
    ["answered with half a body", (socket: Socket) => socket.end(whole.slice(0, -20)), "whole"]
  ] as const)(`over ${transport.name}, a request that was %s may have been processed`, ([, act, when]) =>
    Effect.gen(function* () {
      const server = yield* rawServer({
        onData: (socket, { text }) => (when === "" || isWhole(text)) && act(socket)
      })
      assertPhase(yield* sendTo(loopback(server.port), transport), "MaybeProcessed")
      assert.strictEqual(server.requests(), 1)
    })
  )

  it.live(`over ${transport.name}, a 498 with half a body is an answer`, () =>
    Effect.gen(function* () {
      const expired = answer("498 Token Expired", `{"status":498,"message":"Token has expired","code":"E01403"}`)
      const server = yield* rawServer({
        onData: (socket, { text }) => isWhole(text) && socket.end(expired.slice(0, -20))
      })
      const outcome = yield* sendTo(loopback(server.port), transport)
      assert.strictEqual(outcome._tag === "Answered" && outcome.status, 498)
    })
  )

  it.effect(`over ${transport.name}, a request without an answer in time may have been processed`, () =>
    Effect.gen(function* () {
      const arrived = yield* Deferred.make<void>()
      const server = yield* rawServer({
        onData: (_, { text }) => isWhole(text) && Deferred.doneUnsafe(arrived, Effect.void)
      })
      const call = yield* Effect.forkChild(sendTo(loopback(server.port), transport))
      yield* Deferred.await(arrived)
      yield* TestClock.adjust(limits.attemptTimeout)
      assertPhase(yield* Fiber.join(call), "MaybeProcessed")
      assert.strictEqual(server.requests(), 1)
    })
  )

  it.live.each([
    ["a write with a body", request],
    ["a write without a body", HttpClientRequest.post("/transactions/cancel")],
    ["a deletion", HttpClientRequest.delete("/transactions/cancel")]
  ] as const)(`over ${transport.name}, %s that was answered 421 is not sent again`, ([, write]) =>
    Effect.gen(function* () {
      const server = yield* rawServer({
        onData: (socket, { text }) => isWhole(text) && socket.end(answer("421 Misdirected Request", "{}"))
      })
      const outcome = yield* sentWith(Sender.makeProgress(), write).pipe(
        Effect.provide(transportTo(loopback(server.port), transport))
      )
      assert.strictEqual(outcome._tag === "Answered" && outcome.status, 421)
      assert.strictEqual(server.requests(), 1)
      if (write === request) assert.include(server.received(), "content-length: 18\r\n")
      assert.notInclude(server.received(), "chunked")
    })
  )

  if (transport.keepsAlive)
    it.live(
      `over ${transport.name}, a request on a just closed connection may have been processed, and is not sent again`,
      () =>
        Effect.gen(function* () {
          const server = yield* rawServer({
            onData: (socket, { text }) => {
              if (text.split(" HTTP/1.1\r\n").length > 2) socket.resetAndDestroy()
              else if (isWhole(text)) socket.write(answer("200 OK", "{}"))
            }
          })
          const outcomes = yield* Effect.gen(function* () {
            const first = yield* sent
            // Until the answer has set the connection free.
            yield* Effect.sleep("20 millis")
            return [first, yield* sent] as const
          }).pipe(Effect.provide(transportTo(loopback(server.port), transport)))
          assert.strictEqual(outcomes[0]._tag, "Answered")
          assertPhase(outcomes[1], "MaybeProcessed")
          assert.strictEqual(server.connections(), 1)
          assert.strictEqual(server.requests(), 2)
        })
    )

  it.live(`over ${transport.name}, a written request that its caller aborts may have been processed`, () =>
    Effect.gen(function* () {
      const arrived = yield* Deferred.make<void>()
      const server = yield* rawServer({
        onData: (_, { text }) => isWhole(text) && Deferred.doneUnsafe(arrived, Effect.void)
      })
      const progress = Sender.makeProgress()
      const fiber = yield* sentWith(progress).pipe(
        Effect.provide(transportTo(loopback(server.port), transport)),
        Effect.forkChild
      )
      yield* Deferred.await(arrived)
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(progress.stage, transport.knows ? "Written" : "Unknown")
    })
  )
})

/** A server of one connection, which tells when the first request has arrived, and how to answer it. */
const busyServers = [
  {
    name: "HTTP/1.1",
    make: (onFirst: (release: () => void) => void) =>
      Effect.map(
        rawServer({
          onData: (socket, { text }) => isWhole(text) && onFirst(() => socket.write(answer("200 OK", "{}")))
        }),
        ({ port, requests }) => ({ origin: loopback(port), requests })
      )
  },
  {
    name: "HTTP/2",
    make: (onFirst: (release: () => void) => void) =>
      frameServer({
        onRequest: ({ write }, stream) => onFirst(() => write(headers(stream, 200, { end: true })))
      })
  }
]

describe.each(busyServers)("a request that waits for a connection over $name", ({ make }) => {
  const layer = NodeCustody.layerHttpClient({ connections: 1 })

  /** One connection, which another request holds until it is released. */
  const withBusyConnection = <A, E>(
    bounds: Partial<typeof limits>,
    program: (server: {
      readonly requests: () => number
      readonly release: () => void
    }) => Effect.Effect<A, E, Transport>
  ) =>
    Effect.gen(function* () {
      const busy = yield* Deferred.make<() => void>()
      const server = yield* make((release) => Deferred.doneUnsafe(busy, Effect.succeed(release)))
      const over = (bound: Partial<typeof limits>) =>
        Effect.provide(Transport.layer({ environment: Environment.at(server.origin), limits: { ...limits, ...bound } }))
      return yield* Effect.gen(function* () {
        yield* Effect.forkChild(sent.pipe(over({})))
        const release = yield* Deferred.await(busy)
        return yield* program({ requests: server.requests, release }).pipe(over(bounds))
      }).pipe(Effect.provide(Layer.fresh(layer)))
    })

  it.effect("a request that times out while it waits for a connection is never sent", () =>
    withBusyConnection({ attemptTimeout: Duration.millis(100) }, ({ release, requests }) =>
      Effect.gen(function* () {
        const call = yield* Effect.forkChild(sent)
        yield* TestClock.adjust("100 millis")
        assertPhase(yield* Fiber.join(call), "NotSent")
        release()
        yield* TestClock.withLive(Effect.sleep("100 millis"))
        assert.strictEqual(requests(), 1)
      })
    )
  )

  it.live("a request that its caller aborts while it waits for a connection is never sent", () =>
    withBusyConnection({}, ({ release, requests }) =>
      Effect.gen(function* () {
        const progress = Sender.makeProgress()
        const fiber = yield* Effect.forkChild(sentWith(progress))
        yield* Effect.sleep("50 millis")
        yield* Fiber.interrupt(fiber)
        assert.strictEqual(progress.stage, "Waiting")
        release()
        yield* Effect.sleep("100 millis")
        assert.strictEqual(progress.stage, "Waiting")
        assert.strictEqual(requests(), 1)
      })
    )
  )
})

describe("the send phase of a request over HTTP/2", () => {
  const [undici] = transports

  it.live.each([
    ["refused with REFUSED_STREAM", ({ write }: Connection, stream: number) => write(reset(stream, 7)), "NotSent"],
    ["cancelled", ({ write }: Connection, stream: number) => write(reset(stream, 8)), "MaybeProcessed"]
  ] as const)("a request that was %s", ([, onRequest, phase]) =>
    Effect.gen(function* () {
      const server = yield* frameServer({ onRequest })
      assertPhase(yield* sendTo(server.origin, undici), phase)
      assert.strictEqual(server.requests(), 1)
    })
  )

  it.live("a 498 with half a body is an answer", () =>
    Effect.gen(function* () {
      const server = yield* frameServer({
        onRequest: ({ socket, write }, stream) => {
          write(headers(stream, 498), data(stream, `{"status":498,`, false))
          socket.end()
        }
      })
      const outcome = yield* sendTo(server.origin, undici)
      assert.strictEqual(outcome._tag === "Answered" && outcome.status, 498)
    })
  )

  it.effect("a request without an answer in time may have been processed, and its stream is cancelled", () =>
    Effect.gen(function* () {
      const arrived = yield* Deferred.make<void>()
      const cancelled = yield* Deferred.make<void>()
      const server = yield* frameServer({
        onRequest: () => Deferred.doneUnsafe(arrived, Effect.void),
        onReset: (code) => Deferred.doneUnsafe(cancelled, code === 8 ? Effect.void : Effect.die(code))
      })
      const fiber = yield* Effect.gen(function* () {
        const call = yield* Effect.forkChild(sent)
        yield* Deferred.await(arrived)
        yield* TestClock.adjust(limits.attemptTimeout)
        assertPhase(yield* Fiber.join(call), "MaybeProcessed")
        yield* Deferred.await(cancelled)
      }).pipe(Effect.provide(transportTo(server.origin, undici)), Effect.forkChild)
      yield* Fiber.join(fiber)
      assert.strictEqual(server.requests(), 1)
    })
  )

  it.live("a written request that its caller aborts may have been processed", () =>
    Effect.gen(function* () {
      const arrived = yield* Deferred.make<void>()
      const server = yield* frameServer({ onRequest: () => Deferred.doneUnsafe(arrived, Effect.void) })
      const progress = Sender.makeProgress()
      const fiber = yield* sentWith(progress).pipe(Effect.provide(transportTo(server.origin, undici)), Effect.forkChild)
      yield* Deferred.await(arrived)
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(progress.stage, "Written")
    })
  )
})

describe("the send phase by the error alone", () => {
  const failing = (cause: unknown) =>
    Layer.succeed(
      HttpClient.HttpClient,
      HttpClient.make((failed) =>
        Effect.fail(
          new HttpClientError.HttpClientError({
            reason: new HttpClientError.TransportError({ request: failed, cause })
          })
        )
      )
    )
  const phaseOf = (cause: unknown) =>
    sent.pipe(
      Effect.provide(
        Transport.layer({ environment: Environment.at("http://localhost") }).pipe(Layer.provide(failing(cause)))
      ),
      Effect.map((outcome) => outcome._tag === "NotAnswered" && outcome.phase)
    )
  const failure = (code: string, syscall?: string) => Object.assign(new Error(code), { code, syscall })

  it.effect.each([
    ["a connection that timed out", failure("UND_ERR_CONNECT_TIMEOUT"), "NotSent"],
    ["no route while connecting", failure("EHOSTUNREACH", "connect"), "NotSent"],
    ["no route while reading", failure("EHOSTUNREACH", "read"), "MaybeProcessed"],
    ["no route at an unknown time", failure("EHOSTUNREACH"), "MaybeProcessed"],
    ["a time-out of the system while connecting", failure("ETIMEDOUT", "connect"), "NotSent"],
    ["a time-out of the system while writing", failure("ETIMEDOUT", "write"), "MaybeProcessed"],
    ["a broken pipe", failure("EPIPE", "write"), "MaybeProcessed"],
    ["a reset", failure("ECONNRESET", "read"), "MaybeProcessed"],
    ["an error without a code", new Error("fetch failed"), "MaybeProcessed"],
    ["no error at all", undefined, "MaybeProcessed"],
    ["a cause that was refused", new TypeError("fetch failed", { cause: failure("ECONNREFUSED") }), "NotSent"],
    ["a cause that was reset", new TypeError("fetch failed", { cause: failure("ECONNRESET") }), "MaybeProcessed"],
    [
      "two addresses, both without a connection",
      Object.assign(new AggregateError([failure("ECONNREFUSED", "connect"), failure("ENETUNREACH", "connect")]), {
        code: "ENETUNREACH"
      }),
      "NotSent"
    ],
    [
      "two addresses, one of them reset",
      Object.assign(new AggregateError([failure("ECONNREFUSED", "connect"), failure("ECONNRESET", "read")]), {
        code: "ECONNREFUSED"
      }),
      "MaybeProcessed"
    ]
  ] as const)("the send phase after %s", ([, cause, phase]) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* phaseOf(cause), phase)
    })
  )
})
