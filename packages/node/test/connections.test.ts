/** A stray answer on a kept connection never becomes the answer to another request. */
import { accessTokenHeader } from "@effect-custody/core/siblings/Secrets"
import { NodeCustody } from "@effect-custody/node"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type { Socket } from "node:net"
import { isWhole, rawServer } from "../../../test/support/servers/rawServer.ts"

const answer = (text: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`

/** Answers each request with the number of its connection and its own: `1.2` is the second request of connection 1. */
const counting = (respond: (socket: Socket, own: string, nth: number) => void) =>
  Effect.gen(function* () {
    const closed = yield* Deferred.make<void>()
    const seen = new Map<number, number>()
    const server = yield* rawServer({
      onConnection: (socket) => socket.on("close", () => Deferred.doneUnsafe(closed, Effect.void)),
      onData: (socket, { connection, text }) => {
        const requests = text.split(/(?=(?:GET|POST) \/)/)
        if (!isWhole(requests.at(-1)!) || requests.length === seen.get(connection)) return
        seen.set(connection, requests.length)
        respond(socket, `${connection}.${requests.length}`, requests.length)
      }
    })
    return { ...server, closed: Deferred.await(closed) }
  })

const withToken = HttpClientRequest.setHeader(accessTokenHeader, "token")
const read = (port: number) => withToken(HttpClientRequest.get(`http://127.0.0.1:${port}/vaults/details`))
const write = (port: number) =>
  HttpClientRequest.bodyJsonUnsafe(withToken(HttpClientRequest.post(`http://127.0.0.1:${port}/transactions/send`)), {
    amount: "1"
  })
const refresh = (port: number) => HttpClientRequest.post(`http://127.0.0.1:${port}/auth/refresh-token`)

const readText = (request: HttpClientRequest.HttpClientRequest) =>
  Effect.flatMap(HttpClient.execute(request), (response) => response.text)

/** The stray answer reaches the client when the next request is written: no client can see it before. */
const underWay = counting((socket, own, nth) =>
  socket.write(nth === 1 ? answer(own) : answer("not yours") + answer(own))
)

describe("a stray answer on an idle connection", () => {
  for (const { layer, name } of [
    { name: "undici", layer: () => NodeCustody.layerHttpClient() },
    { name: "fetch", layer: () => FetchHttpClient.layer }
  ]) {
    for (const together of [true, false]) {
      it.live(
        `a stray answer that comes ${together ? "with" : "after"} the real one ends the connection over ${name}`,
        () =>
          Effect.gen(function* () {
            const server = yield* counting((socket, own) => {
              if (together) socket.write(answer(own) + answer("not yours"))
              else socket.write(answer(own), () => setImmediate(() => socket.write(answer("not yours"))))
            })
            assert.strictEqual(yield* readText(read(server.port)), "1.1")
            yield* server.closed
            assert.strictEqual(yield* readText(read(server.port)), "2.1")
          }).pipe(Effect.provide(layer()))
      )
    }
  }
})

describe("a stray answer that is under way when the next request is written", () => {
  const layer = NodeCustody.layerHttpClient
  for (const [kind, request] of Object.entries({ write, refresh })) {
    it.live(`a ${kind} never gets a stray answer: its connection carries nothing else`, () =>
      Effect.gen(function* () {
        const server = yield* underWay
        const answers = yield* Effect.replicateEffect(readText(request(server.port)), 3)
        assert.deepStrictEqual(answers, ["1.1", "2.1", "3.1"])
      }).pipe(Effect.provide(layer({ connections: 1 })))
    )
  }

  it.live("a read never gets a stray answer if no connection is reused", () =>
    Effect.gen(function* () {
      const server = yield* underWay
      const answers = yield* Effect.replicateEffect(readText(read(server.port)), 3)
      assert.deepStrictEqual(answers, ["1.1", "2.1", "3.1"])
    }).pipe(Effect.provide(layer({ connections: 1, reuse: "none" })))
  )
})
