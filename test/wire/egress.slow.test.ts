/** The way out of a company's network: a real proxy, a certificate authority of one's own, and mutual TLS. */
import { Amount, Environment, RetryPolicy } from "@effect-custody/core"
import { NodeCustody } from "@effect-custody/node"
import { Custody, TokenStore, Transactions, Vaults } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Http from "node:http"
import * as Http2 from "node:http2"
import * as Https from "node:https"
import type { AddressInfo, Socket } from "node:net"
import type { TlsOptions } from "node:tls"
import { apiKey, details, generated, refreshed, refusal } from "../support/clients/wireClient.ts"
import { closedPort } from "../support/servers/ports.ts"
import { rawServer } from "../support/servers/rawServer.ts"
import { selfSigned } from "../support/servers/selfSigned.ts"
import { hasTinyproxy, tinyproxy, withTinyproxy } from "../support/servers/tinyproxy.ts"
import { json } from "../support/servers/wireServer.ts"

const login = { user: "payments", password: "passWordOfTheProxy1" }
const proxyAt = (port: number, { password, user } = login) =>
  Redacted.make(`http://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}`)

const protocols = ["HTTP/1.1", "HTTP/2"] as const

interface Received {
  readonly target: string
  readonly protocol: string
}

/** A service over TLS with a certificate that Node does not trust. Its first access token is expired. */
const startService = (
  protocol: (typeof protocols)[number],
  options: { readonly tls?: TlsOptions; readonly onPayout?: () => void } = {}
) =>
  Effect.gen(function* () {
    const own = selfSigned("an authority of the company")
    const received: Array<Received> = []
    const sockets = new Set<Socket>()
    const onRequest: Http.RequestListener = (request, response) => {
      const target = `${request.method} ${request.url?.replace("/api/integration", "")}`
      received.push({ target, protocol: request.httpVersion })
      request.resume().on("end", () => {
        if (target.endsWith("/auth/generate-tokens")) generated(response)
        else if (target.endsWith("/auth/refresh-token")) refreshed(1)(response)
        else if (request.headers["x-access-token"] === "access-0") refusal(498, "E01403", "expired")(response)
        else if (target.startsWith("GET")) details(response)
        else if (options.onPayout !== undefined) options.onPayout()
        else json(201, { message: "ok", data: { id: "t-1", status: "PENDING" }, status: 201 })(response)
      })
    }
    const tls = { ...own, ...options.tls }
    const server =
      protocol === "HTTP/2"
        ? Http2.createSecureServer(tls, onRequest as unknown as Parameters<typeof Http2.createSecureServer>[1])
        : Https.createServer(tls, onRequest)
    server.on("connection", (socket: Socket) => sockets.add(socket))
    server.on("sessionError", () => {})
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
      () =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void))
          for (const socket of sockets) socket.destroy()
        })
    )
    return { port: (server.address() as AddressInfo).port, ca: own.cert, received }
  })

/** A client of a service on a port, with its own session. It never retries. */
const clientOf = (port: number, egress: NodeCustody.Egress) =>
  Layer.fresh(
    Custody.layer({
      environment: Environment.emulator(`https://127.0.0.1:${port}/api/integration`),
      apiKey: Redacted.make(apiKey),
      retry: RetryPolicy.none
    }).pipe(Layer.provide([NodeCustody.layerHttpClient(egress), TokenStore.layerMemory]))
  )

const payout = Transactions.send({ clientId: "alice", assetId: "usdc", to: "0xabc", amount: Amount.of("12.50") })

const targets = (received: ReadonlyArray<Received>) => received.map(({ target }) => target)

describe.skipIf(!hasTinyproxy)(withTinyproxy("a proxy with a login"), () => {
  it.live.each(protocols)("a start, a refresh, a read and a payout over %s go through tunnels", (protocol) =>
    Effect.gen(function* () {
      const service = yield* startService(protocol)
      const proxy = yield* tinyproxy(login)
      const client = clientOf(service.port, { proxy: proxyAt(proxy.port), ca: service.ca })
      yield* Effect.provide(Effect.andThen(Vaults.details(), Effect.exit(payout)), client)
      assert.deepStrictEqual(targets(service.received), [
        "POST /auth/generate-tokens",
        "GET /vaults/details",
        "POST /auth/refresh-token",
        "GET /vaults/details",
        "POST /transactions/send"
      ])
      assert.isTrue(service.received.every((request) => protocol.startsWith(`HTTP/${request.protocol[0]}`)))
      const tunnels = proxy.tunnels()
      assert.isAtLeast(tunnels.length, 3)
      assert.deepStrictEqual([...new Set(tunnels)], [`127.0.0.1:${service.port}`])
    })
  )

  it.live.each(protocols)("a host of noProxy is reached directly over %s", (protocol) =>
    Effect.gen(function* () {
      const service = yield* startService(protocol)
      const proxy = proxyAt(closedPort)
      const client = clientOf(service.port, { proxy, noProxy: "localhost,127.0.0.1", ca: service.ca })
      yield* Effect.provide(Vaults.details(), client)
    })
  )

  it.live.each(protocols)("a tunnel over %s that is cut after the first byte leaves a payout unknown", (protocol) =>
    Effect.gen(function* () {
      const proxy = yield* tinyproxy(login)
      const service = yield* startService(protocol, { onPayout: proxy.kill })
      const client = clientOf(service.port, { proxy: proxyAt(proxy.port), ca: service.ca })
      const [unknown, unsent] = yield* Effect.provide(
        Effect.andThen(
          Vaults.details(),
          Effect.all([Effect.flip(payout), Effect.flip(Effect.andThen(Effect.sleep("200 millis"), Vaults.details()))])
        ),
        client
      )
      assert.strictEqual(unknown._tag, "OutcomeUnknown")
      assert.strictEqual(service.received.filter(({ target }) => target === "POST /transactions/send").length, 1)
      assert.deepInclude<object>(unsent, { _tag: "TransportError", phase: "NotSent", reason: "PROXY_ECONNREFUSED" })
    })
  )

  it.live("a refused login, or a host that the proxy cannot reach, is certainly not sent", () =>
    Effect.gen(function* () {
      const proxy = yield* tinyproxy(login)
      const service = yield* startService("HTTP/2")
      const missing = Redacted.make(`http://127.0.0.1:${proxy.port}`)
      const wrong = proxyAt(proxy.port, { ...login, password: "wrong" })
      const reasons: Array<unknown> = []
      for (const [port, address] of [
        [service.port, missing],
        [service.port, wrong],
        [closedPort, proxyAt(proxy.port)]
      ] as const) {
        const error = yield* Effect.flip(Effect.provide(payout, clientOf(port, { proxy: address, ca: service.ca })))
        assert.deepInclude<object>(error, { _tag: "RefreshUnavailable", phase: "NotSent" })
        reasons.push(/PROXY_\d+/.exec(error.message)?.[0])
      }
      // Tinyproxy answers a wrong login with 401.
      assert.deepStrictEqual(reasons, ["PROXY_407", "PROXY_401", "PROXY_500"])
      assert.deepStrictEqual(service.received, [])
    })
  )
})

describe("a proxy that opens no tunnel", () => {
  const answers: ReadonlyArray<readonly [reason: string, answer: string | undefined]> = [
    ["PROXY_407", "HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 4\r\n\r\nno\r\n"],
    ["PROXY_502", "HTTP/1.1 502 Bad Gateway\r\n\r\n<html>"],
    ["PROXY_200", "HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"],
    ["PROXY_HPE_", "220 mail.example ESMTP\r\n\r\n"],
    ["PROXY_ECONNRESET", undefined]
  ]
  it.live.each(answers)("the reason of a call is %s, and the call was certainly not sent", ([reason, answer]) =>
    Effect.gen(function* () {
      const proxy = yield* rawServer({
        onData: (socket) => void (answer === undefined ? socket.destroy() : socket.end(answer))
      })
      const client = clientOf(443, { proxy: proxyAt(proxy.port) })
      const error = yield* Effect.flip(Effect.provide(payout, client))
      assert.deepInclude<object>(error, { _tag: "RefreshUnavailable", phase: "NotSent" })
      assert.include(error.message, reason)
      assert.match(proxy.received(), /^CONNECT 127\.0\.0\.1:443 HTTP\/1\.1\r\n/)
    })
  )

  it.live("a proxy over TLS has to show a certificate that is trusted", () =>
    Effect.gen(function* () {
      const tls = selfSigned("an authority of proxies")
      const refuse = (socket: Socket) => void socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n")
      const { port } = yield* rawServer({ tls, onData: refuse })
      const proxy = Redacted.make(`https://127.0.0.1:${port}`)
      for (const [egress, reason] of [
        [{ proxy }, "PROXY_DEPTH_ZERO_SELF_SIGNED_CERT"],
        [{ proxy, ca: tls.cert }, "PROXY_502"]
      ] as const) {
        const error = yield* Effect.flip(Effect.provide(payout, clientOf(443, egress)))
        assert.deepInclude<object>(error, { _tag: "RefreshUnavailable", phase: "NotSent" })
        assert.include(error.message, reason)
      }
    })
  )

  it.live("a tunnel that is cut before TLS is complete is certainly not sent", () =>
    Effect.gen(function* () {
      const proxy = yield* rawServer({
        onData: (socket, { text }) =>
          text.endsWith("\r\n\r\n") ? void socket.write("HTTP/1.1 200 OK\r\n\r\n") : void socket.destroy()
      })
      const error = yield* Effect.flip(Effect.provide(payout, clientOf(443, { proxy: proxyAt(proxy.port) })))
      assert.deepInclude<object>(error, { _tag: "RefreshUnavailable", phase: "NotSent" })
    })
  )
})

describe("certificates", () => {
  it.live.each(protocols)("a service over %s with an authority that is not trusted receives nothing", (protocol) =>
    Effect.gen(function* () {
      const service = yield* startService(protocol)
      const error = yield* Effect.flip(Effect.provide(payout, clientOf(service.port, {})))
      assert.deepInclude<object>(error, { _tag: "RefreshUnavailable", phase: "NotSent" })
      assert.deepStrictEqual(service.received, [])
      yield* Effect.provide(Vaults.details(), clientOf(service.port, { ca: service.ca }))
    })
  )

  it.live.each(protocols)(
    "mutual TLS over %s, direct and through a proxy, needs the client's certificate",
    (protocol) =>
      Effect.gen(function* () {
        const { cert, key } = selfSigned("an authority of clients")
        const tls = { requestCert: true, rejectUnauthorized: true, ca: cert }
        const service = yield* startService(protocol, { tls })
        const clientCertificate = { certificate: cert, key: Redacted.make(key) }
        yield* Effect.flip(Effect.provide(Vaults.details(), clientOf(service.port, { ca: service.ca })))
        assert.deepStrictEqual(service.received, [])
        const proxied = hasTinyproxy ? [{ proxy: proxyAt((yield* tinyproxy(login)).port) }] : []
        for (const way of [{}, ...proxied]) {
          yield* Effect.provide(Vaults.details(), clientOf(service.port, { ...way, ca: service.ca, clientCertificate }))
        }
      })
  )
})
