/** A service that sends an answer too many on a connection that is kept: whom it is given to. */
import { accessTokenHeader } from "@effect-custody/core/unstable/SecretRequest"
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

/** Answers each request by the number of its connection and its own, as told: `1.2` is the second one of the first connection. */
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

const textOf = (request: HttpClientRequest.HttpClientRequest) =>
  Effect.flatMap(HttpClient.execute(request), (response) => response.text)

/** The answer too many reaches the client when the next request is written: no client can see it before. */
const underWay = counting((socket, own, nth) =>
  socket.write(nth === 1 ? answer(own) : answer("not yours") + answer(own))
)

describe("an answer too many that arrives while the connection is idle", () => {
  for (const { layer, name } of [
    { name: "undici", layer: () => NodeCustody.layerHttpClient() },
    { name: "fetch", layer: () => FetchHttpClient.layer }
  ]) {
    for (const together of [true, false]) {
      it.live(`ends the connection over ${name}, where it comes ${together ? "with" : "after"} the real one`, () =>
        Effect.gen(function* () {
          const server = yield* counting((socket, own) => {
            if (together) socket.write(answer(own) + answer("not yours"))
            else socket.write(answer(own), () => setImmediate(() => socket.write(answer("not yours"))))
          })
          assert.strictEqual(yield* textOf(read(server.port)), "1.1")
          yield* server.closed
          assert.strictEqual(yield* textOf(read(server.port)), "2.1")
        }).pipe(Effect.provide(layer()))
      )
    }
  }
})

describe("an answer too many that is under way when the next request is written", () => {
  const layer = NodeCustody.layerHttpClient
  for (const [kind, request] of Object.entries({ write, refresh })) {
    it.live(`is never given to a ${kind}: it has a connection that carries nothing else`, () =>
      Effect.gen(function* () {
        const server = yield* underWay
        const answers = yield* Effect.replicateEffect(textOf(request(server.port)), 3)
        assert.deepStrictEqual(answers, ["1.1", "2.1", "3.1"])
      }).pipe(Effect.provide(layer({ connections: 1 })))
    )
  }

  it.live("is never given to a read either, where no connection is used again", () =>
    Effect.gen(function* () {
      const server = yield* underWay
      const answers = yield* Effect.replicateEffect(textOf(read(server.port)), 3)
      assert.deepStrictEqual(answers, ["1.1", "2.1", "3.1"])
    }).pipe(Effect.provide(layer({ connections: 1, reuse: "none" })))
  )
})
