/** HTTP/2: what is certainly not processed, what may have been, and when a connection is used again. */
import { Environment } from "@effect-custody/core"
import { accessTokenHeader } from "@effect-custody/core/siblings/Secrets"
import * as Sender from "@effect-custody/core/siblings/Sender"
import { NodeCustody } from "@effect-custody/node"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as TestClock from "effect/testing/TestClock"
import type * as Http from "node:http"
import * as Http2 from "node:http2"
import * as Https from "node:https"
import type { AddressInfo } from "node:net"
import type * as Tls from "node:tls"
import {
  type Connection,
  data,
  frameServer,
  goaway,
  headers,
  reset,
  settings
} from "../../../test/support/servers/frameServer.ts"
import { closedPort } from "../../../test/support/servers/ports.ts"
import { trusted } from "../../../test/support/servers/trusted.ts"

const http = Effect.provide(NodeCustody.layerHttpClient())

const withToken = HttpClientRequest.setHeader(accessTokenHeader, "token")
const read = (origin: string) => withToken(HttpClientRequest.get(`${origin}/vaults/details`))
const write = (origin: string) =>
  HttpClientRequest.bodyJsonUnsafe(withToken(HttpClientRequest.post(`${origin}/transactions/send`)), { amount: "1" })
const refresh = (origin: string) =>
  HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.post(`${origin}/auth/refresh-token`), { refreshToken: "r" })

/** The answer to a request, or the stage that it has reached. */
const send = (request: HttpClientRequest.HttpClientRequest, mayStart?: () => boolean) =>
  Effect.suspend(() => {
    const progress = Sender.makeProgress(mayStart)
    return HttpClient.execute(request).pipe(
      Effect.flatMap((response) => Effect.map(response.text, (text) => `${response.status} ${text}`)),
      Effect.catch(() => Effect.sync(() => progress.stage)),
      Effect.provideService(Sender.SendProgress, progress)
    )
  })

const answer = ({ nth, write }: Connection, stream: number) =>
  write(headers(stream, 200, { fields: [["content-type", "application/json"]] }), data(stream, `"${nth}.${stream}"`))

/** Answers with what it received. */
const echo = (request: Http2.Http2ServerRequest, response: Http2.Http2ServerResponse) => {
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    const { headers, httpVersion, method, url } = request
    response.end(
      JSON.stringify({
        httpVersion,
        line: `${method} ${url}`,
        authority: headers[":authority"] ?? headers.host,
        type: headers["content-type"],
        length: headers["content-length"],
        encoding: headers["accept-encoding"],
        body: Buffer.concat(chunks).toString()
      })
    )
  })
}

/** Node's own server, with HTTP/2 or without. */
const echoServer = (hasHttp2: boolean) =>
  Effect.acquireRelease(
    Effect.callback<Tls.Server>((resume) => {
      const server = hasHttp2
        ? Http2.createSecureServer({ ...trusted, allowHTTP1: true }, echo)
        : Https.createServer(trusted, echo as unknown as Http.RequestListener)
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.sync(() => server.close())
  ).pipe(Effect.map((server) => `https://127.0.0.1:${(server.address() as AddressInfo).port}`))

const readJson = (request: HttpClientRequest.HttpClientRequest) =>
  Effect.map(
    Effect.flatMap(HttpClient.execute(request), ({ json }) => json),
    (json) => json as Readonly<Record<string, string>>
  )

describe("the protocol of an https origin", () => {
  it.live("reads, writes and authentication use HTTP/2 if the service speaks it, and carry the same request", () =>
    Effect.gen(function* () {
      const origin = yield* echoServer(true)
      const authority = new URL(origin).host
      assert.deepInclude(yield* readJson(write(origin)), {
        httpVersion: "2.0",
        line: "POST /transactions/send",
        authority,
        type: "application/json",
        length: "14",
        encoding: "identity",
        body: `{"amount":"1"}`
      })
      for (const request of [read(origin), refresh(origin)]) {
        assert.strictEqual((yield* readJson(request))["httpVersion"], "2.0")
      }
      const form = new FormData()
      form.set("name", "gold")
      const upload = withToken(HttpClientRequest.bodyFormData(HttpClientRequest.post(`${origin}/tokens/create`), form))
      const { body, type } = yield* readJson(upload)
      assert.match(type!, /^multipart\/form-data; boundary=/)
      assert.include(body!, `name="name"\r\n\r\ngold`)
    }).pipe(http)
  )

  it.live("all requests use HTTP/1.1 if ALPN chooses it", () =>
    Effect.gen(function* () {
      const origin = yield* echoServer(false)
      for (const request of [write(origin), read(origin), refresh(origin)]) {
        assert.strictEqual((yield* readJson(request))["httpVersion"], "1.1")
      }
    }).pipe(http)
  )

  it.live("negotiateProtocol says which protocol a service speaks, and sends nothing", () =>
    Effect.gen(function* () {
      const server = yield* frameServer({})
      const protocolAt = (origin: string) => NodeCustody.negotiateProtocol(Environment.at(`${origin}/api`))
      assert.strictEqual(yield* protocolAt(server.origin), "HTTP/2")
      assert.strictEqual(yield* protocolAt(yield* echoServer(false)), "HTTP/1.1")
      assert.isUndefined(yield* protocolAt(`https://127.0.0.1:${closedPort}`))
      assert.strictEqual(server.requests(), 0)
    })
  )

  it.live("reads and writes share a connection; each authentication request has one of its own", () =>
    Effect.gen(function* () {
      const server = yield* frameServer({ onRequest: answer })
      assert.strictEqual(yield* send(write(server.origin)), `200 "1.1"`)
      assert.strictEqual(yield* send(read(server.origin)), `200 "1.3"`)
      assert.strictEqual(yield* send(refresh(server.origin)), `200 "2.1"`)
      assert.strictEqual(yield* send(refresh(server.origin)), `200 "3.1"`)
      assert.strictEqual(yield* send(write(server.origin)), `200 "1.5"`)
    }).pipe(http)
  )

  it.live("the connections say goodbye and close when the client's scope ends", () =>
    Effect.gen(function* () {
      const server = yield* frameServer({ onRequest: answer })
      yield* send(write(server.origin)).pipe(http)
      assert.isAbove(server.farewells(), 0)
      yield* Effect.repeat(Effect.sleep("1 millis"), { until: () => server.open() === 0 })
    })
  )
})

describe("a request over HTTP/2 whose answer does not come", () => {
  const codes = [
    "NO_ERROR",
    "PROTOCOL_ERROR",
    "INTERNAL_ERROR",
    "FLOW_CONTROL_ERROR",
    "SETTINGS_TIMEOUT",
    "STREAM_CLOSED",
    "FRAME_SIZE_ERROR",
    "REFUSED_STREAM",
    "CANCEL",
    "COMPRESSION_ERROR",
    "CONNECT_ERROR",
    "ENHANCE_YOUR_CALM",
    "INADEQUATE_SECURITY",
    "HTTP_1_1_REQUIRED"
  ].map((name, code) => [name, code] as const)

  it.live.each(codes)(
    "after RST_STREAM with %s, only REFUSED_STREAM before an answer proves that nothing was processed",
    ([name, code]) =>
      Effect.gen(function* () {
        const before = yield* frameServer({ onRequest: ({ write }, stream) => write(reset(stream, code)) })
        const certain = name === "REFUSED_STREAM" ? "Refused" : "Written"
        assert.strictEqual(yield* send(write(before.origin)), certain)
        // After the head of an answer, even REFUSED_STREAM proves nothing.
        for (const head of [100, 200]) {
          const after = yield* frameServer({
            onRequest: ({ write }, stream) => write(headers(stream, head), reset(stream, code))
          })
          const outcome = yield* send(write(after.origin))
          assert.notStrictEqual(outcome, "Refused", `after ${head}`)
          assert.notStrictEqual(outcome, "Waiting", `after ${head}`)
        }
      }).pipe(http)
  )

  it.live.each(codes)(
    "after GOAWAY with %s, the streams beyond its last one are certainly not processed, and no others",
    ([, code]) =>
      Effect.gen(function* () {
        // The first stream may have been processed; the second was certainly not.
        const held: Array<number> = []
        const server = yield* frameServer({
          onRequest: (connection, stream) => {
            held.push(stream)
            if (held.length === 2) connection.write(goaway(held[0]!, code))
            if (held.length === 2) connection.socket.end()
          }
        })
        const outcomes = yield* Effect.all([send(write(server.origin)), send(write(server.origin))], {
          concurrency: "unbounded"
        })
        assert.deepStrictEqual(outcomes, ["Written", "Refused"])
      }).pipe(http)
  )

  it.live.each([
    ["closes the socket", ({ socket }: Connection) => socket.end()],
    ["resets the socket", ({ cut }: Connection) => cut()],
    ["sends bytes that are no frame", ({ socket }: Connection) => socket.write("HTTP/1.1 200 OK\r\n\r\n")],
    [
      "cuts the body by the end of the socket",
      ({ socket, write }: Connection) => {
        write(headers(1, 200), data(1, "{", false))
        socket.end()
      }
    ],
    [
      "cuts the body with RST_STREAM and no error",
      ({ write }: Connection) =>
        write(headers(1, 200, { fields: [["content-length", "10"]] }), data(1, "{", false), reset(1, 0))
    ]
  ] as const)("a service that %s may have processed the request", ([, act]) =>
    Effect.gen(function* () {
      const server = yield* frameServer({ onRequest: act })
      assert.strictEqual(yield* send(write(server.origin)), "Written")
      assert.strictEqual(server.requests(), 1)
    }).pipe(http)
  )
})

describe("a connection of HTTP/2", () => {
  it.live("a request that may not start any more is not sent", () =>
    Effect.gen(function* () {
      const server = yield* frameServer({ onRequest: answer })
      assert.strictEqual(yield* send(write(server.origin), () => false), "Waiting")
      assert.strictEqual(server.requests(), 0)
    }).pipe(http)
  )

  it.live("after a GOAWAY, the streams of the connection end, and the next request opens another", () =>
    Effect.gen(function* () {
      const server = yield* frameServer({
        onRequest: (connection, stream, nth) => {
          if (nth === 1) connection.write(goaway(stream))
          answer(connection, stream)
        }
      })
      assert.strictEqual(yield* send(write(server.origin)), `200 "1.1"`)
      assert.strictEqual(yield* send(write(server.origin)), `200 "2.1"`)
    }).pipe(http)
  )

  it.live("a service that says goodbye to each connection at once is asked once", () =>
    Effect.gen(function* () {
      const server = yield* frameServer({ settings: Buffer.concat([settings({ 3: 0 }), goaway(0)]) })
      assert.include(["Waiting", "Refused"], yield* send(write(server.origin)))
      assert.strictEqual(server.connections(), 1)
    }).pipe(http)
  )

  it.live("a request waits while the service allows no further stream, and is not sent if its caller gives up", () =>
    Effect.gen(function* () {
      const arrived = yield* Deferred.make<() => void>()
      const settled = yield* Deferred.make<void>()
      const server = yield* frameServer({
        settings: settings({ 3: 1 }),
        onSettled: () => Deferred.doneUnsafe(settled, Effect.void),
        onRequest: (connection, stream, nth) => {
          if (nth > 1) return answer(connection, stream)
          Deferred.doneUnsafe(
            arrived,
            Effect.succeed(() => answer(connection, stream))
          )
        }
      })
      const first = yield* Effect.forkChild(send(read(server.origin)))
      const release = yield* Deferred.await(arrived)
      yield* Deferred.await(settled)
      const abandoned = Sender.makeProgress()
      const second = yield* Effect.forkChild(
        Effect.provideService(HttpClient.execute(write(server.origin)), Sender.SendProgress, abandoned)
      )
      const third = yield* Effect.forkChild(send(write(server.origin)))
      yield* Effect.sleep("50 millis")
      assert.strictEqual(server.requests(), 1)
      yield* Fiber.interrupt(second)
      release()
      assert.strictEqual(yield* Fiber.join(first), `200 "1.1"`)
      assert.strictEqual(yield* Fiber.join(third), `200 "1.3"`)
      assert.strictEqual(abandoned.stage, "Waiting")
      assert.strictEqual(server.requests(), 2)
    }).pipe(http)
  )

  it.effect("a connection that was quiet is used again after a PING was answered", () =>
    Effect.gen(function* () {
      const server = yield* frameServer({ onRequest: answer })
      yield* send(write(server.origin))
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(yield* send(write(server.origin)), `200 "1.3"`)
    }).pipe(http)
  )

  it.live("a 421 is the answer, and the next request opens another connection", () =>
    Effect.gen(function* () {
      const server = yield* frameServer({
        onRequest: ({ nth, write }, stream) => write(headers(stream, nth === 1 ? 421 : 200, { end: true }))
      })
      assert.strictEqual(yield* send(write(server.origin)), "421 ")
      assert.strictEqual(yield* send(write(server.origin)), "200 ")
      assert.strictEqual(server.connections(), 2)
    }).pipe(http)
  )

  it.live("a flood of SETTINGS does not stop a request from being answered", () =>
    Effect.gen(function* () {
      const server = yield* frameServer({
        onRequest: (connection, stream) => {
          for (let batch = 0; batch < 100; batch++) {
            connection.write(...Array.from({ length: 100 }, () => settings({ 3: 100 })))
          }
          answer(connection, stream)
        }
      })
      assert.include(["Written", `200 "1.1"`], yield* send(write(server.origin)))
    }).pipe(http)
  )

  it.live.each([
    ["a head of 1 MB", [["x-large", "x".repeat(16_000)]], 60],
    ["2,000 headers", [["x-many", "y"]], 2_000]
  ] as const)("an answer with %s is refused, and the request may have been processed", ([, fields, times]) =>
    Effect.gen(function* () {
      const many = Array.from({ length: times }, () => fields).flat()
      const server = yield* frameServer({
        onRequest: ({ write }, stream) => write(headers(stream, 200, { end: true, fields: many }))
      })
      assert.strictEqual(yield* send(write(server.origin)), "Written")
    }).pipe(http)
  )
})
