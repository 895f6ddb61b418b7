/** The HTTP client over undici: its requests, its answers, and answers that stay incomplete. */
import * as Sender from "@effect-custody/core/siblings/Sender"
import { NodeCustody } from "@effect-custody/node"
import { assert, describe, it } from "@effect/vitest"
import * as ByteSize from "effect/ByteSize"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import type { Socket } from "node:net"
import * as Zlib from "node:zlib"
import { isWhole, rawServer } from "../../../test/support/servers/rawServer.ts"

const http = Effect.provide(NodeCustody.layerHttpClient({ connections: 1 }))

const body = JSON.stringify({ data: { accessToken: "access-1", refreshToken: "refresh-1" }, filler: "x".repeat(2_000) })

const head = (headers: string, status = "200 OK") => `HTTP/1.1 ${status}\r\n${headers}\r\n\r\n`

/** A server that answers each whole request. */
const answering = (answer: (socket: Socket) => void) =>
  rawServer({ onData: (socket, { text }) => isWhole(text) && answer(socket) })

const get = (port: number) => HttpClient.get(`http://127.0.0.1:${port}/vaults/details`)

describe("requests of the HTTP client", () => {
  it.live("the client sends path, query and headers as given, and asks for no compression", () =>
    Effect.gen(function* () {
      const server = yield* answering((socket) => socket.write(`${head("content-length: 2")}{}`))
      const url = `http://127.0.0.1:${server.port}`
      const request = HttpClientRequest.get(`${url}/clients/a%2Fb/./c d`, { urlParams: { q: "ä &", page: "2" } })
      yield* HttpClient.execute(HttpClientRequest.setHeader(request, "X-ACCESS-TOKEN", "token"))
      yield* HttpClient.get(`${url}/wallets/w-1`, { urlParams: { "sort key": "a+b" } })
      const [first, second] = server.received().split("\r\n\r\n")
      assert.match(first!, /^GET \/clients\/a%2Fb\/c%20d\?q=%C3%A4\+%26&page=2 HTTP\/1.1\r\n/)
      assert.match(first!, /\r\nx-access-token: token\r\n/)
      assert.match(first!, /\r\naccept-encoding: identity/)
      assert.match(second!, /^GET \/wallets\/w-1\?sort\+key=a%2Bb HTTP\/1.1\r\n/)
    }).pipe(http)
  )

  it.live("the client sends nothing if a header is not valid, and says so", () =>
    Effect.gen(function* () {
      const server = yield* answering((socket) => socket.end())
      const progress = Sender.makeProgress()
      const request = HttpClientRequest.get(`http://127.0.0.1:${server.port}/`)
      const bad = HttpClientRequest.setHeader(request, "x-access-token", "a\r\nb")
      const error = yield* HttpClient.execute(bad).pipe(
        Effect.provideService(Sender.SendProgress, progress),
        Effect.flip
      )
      assert.strictEqual(error.reason._tag, "TransportError")
      assert.strictEqual(progress.stage, "Waiting")
      assert.strictEqual(server.connections(), 0)
    }).pipe(http)
  )
})

describe("answers to the HTTP client", () => {
  it.live("the client reads the status, the headers and the body", () =>
    Effect.gen(function* () {
      const cookies = "set-cookie: a=1\r\nset-cookie: b=2"
      const server = yield* answering((socket) =>
        socket.write(`${head(`content-length: ${body.length}\r\n${cookies}`, "498 Token Expired")}${body}`)
      )
      const response = yield* get(server.port)
      assert.strictEqual(response.status, 498)
      assert.strictEqual(response.headers["content-length"], String(body.length))
      assert.deepStrictEqual(Object.keys(response.cookies.cookies), ["a", "b"])
      assert.strictEqual(yield* response.text, body)
    }).pipe(http)
  )

  it.live("the client reads the answer after an informational one", () =>
    Effect.gen(function* () {
      const server = yield* answering((socket) =>
        socket.write(`${head("link: </style.css>", "103 Early Hints")}${head("content-length: 2")}{}`)
      )
      const response = yield* get(server.port)
      assert.deepStrictEqual([response.status, yield* response.text], [200, "{}"])
    }).pipe(http)
  )
})

describe("answers that are too large", () => {
  const small = Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(1_000))

  it.live.each([
    ["that says so", head("content-length: 200000")],
    ["that does not say so", `${head("transfer-encoding: chunked")}186a0\r\n`]
  ])("a too large body %s is refused, and its connection is not reused", ([, start]) =>
    Effect.gen(function* () {
      const server = yield* answering((socket) => socket.write(start + "x".repeat(100_000)))
      const response = yield* small(get(server.port))
      assert.strictEqual((yield* Effect.flip(response.text)).reason._tag, "DecodeError")
      yield* small(get(server.port))
      assert.strictEqual(server.connections(), 2)
    }).pipe(http)
  )
})

describe("an incomplete answer", () => {
  const half = body.slice(0, body.length / 2)

  it.live.each([
    ["a length", head(`content-length: ${body.length}`), half, half],
    ["chunks", head("transfer-encoding: chunked"), `${half.length.toString(16)}\r\n${half}\r\n`, half],
    ["gzip", head("content-encoding: gzip\r\ncontent-length: 9999"), Zlib.gzipSync(body), body],
    ["zstd", head("content-encoding: zstd\r\ncontent-length: 9999"), Zlib.zstdCompressSync(body), body]
  ] as const)("the client keeps the part of a cut answer with %s", ([, start, sent, readable]) =>
    Effect.gen(function* () {
      for (const end of ["end", "resetAndDestroy"] as const) {
        const server = yield* answering((socket) => {
          socket.write(start)
          // What is written is on its way before a reset takes it away.
          socket.write(sent, () => setTimeout(() => socket[end](), 20))
        })
        const progress = Sender.makeProgress()
        const response = yield* Effect.provideService(get(server.port), Sender.SendProgress, progress)
        assert.strictEqual(response.status, 200)
        assert.strictEqual((yield* Effect.flip(response.text)).reason._tag, "DecodeError")
        assert.strictEqual(progress.received?.ending, "Cut")
        assert.strictEqual(progress.received?.text(), readable)
      }
    }).pipe(http)
  )

  it.live("the client keeps the part of an answer that has arrived when its caller gives up", () =>
    Effect.gen(function* () {
      const written = yield* Deferred.make<void>()
      const server = yield* answering((socket) => {
        socket.write(`${head(`content-length: ${body.length}`)}${half}`, () =>
          Deferred.doneUnsafe(written, Effect.void)
        )
      })
      const progress = Sender.makeProgress()
      const fiber = yield* get(server.port).pipe(Effect.provideService(Sender.SendProgress, progress), Effect.forkChild)
      yield* Deferred.await(written)
      yield* Effect.repeat(Effect.yieldNow, { until: () => progress.received?.text() === half })
      assert.strictEqual(progress.received?.status, 200)
      assert.strictEqual(progress.received?.ending, "Open")
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(progress.received?.text(), half)
    }).pipe(http)
  )
})
