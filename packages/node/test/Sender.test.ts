import { Environment } from "@effect-custody/core"
import * as Sender from "@effect-custody/core/siblings/Sender"
import { Transport } from "@effect-custody/core/siblings/Transport"
import { NodeCustody } from "@effect-custody/node"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { identity } from "effect/Function"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { isWhole, rawServer } from "../../../test/support/servers/rawServer.ts"

const node = NodeCustody.layerHttpClient()

const client = Effect.provide(HttpClient.HttpClient, node)

const sendOver = (http: Layer.Layer<HttpClient.HttpClient>, origin: string) =>
  Transport.use(({ send }) =>
    send(HttpClientRequest.get("/x"), Redacted.make("t"), { progress: Sender.makeProgress() })
  ).pipe(Effect.provide(Transport.layer({ environment: Environment.at(origin) }).pipe(Layer.provide(http))))

describe("the sender of a client", () => {
  it.effect("the client over undici carries a sender of its own", () =>
    Effect.map(client, (http) => assert.isDefined(Sender.of(http)))
  )

  it.effect("a client with middleware carries none", () =>
    Effect.map(client, (http) => {
      const wrapped = [
        HttpClient.mapRequest(http, identity),
        HttpClient.mapRequestInput(http, identity),
        HttpClient.transform(http, identity),
        HttpClient.transformResponse(http, identity),
        HttpClient.tap(http, () => Effect.void),
        HttpClient.filterStatusOk(http),
        HttpClient.followRedirects(http),
        HttpClient.retry(http, { times: 1 })
      ]
      for (const one of wrapped) assert.isUndefined(Sender.of(one as HttpClient.HttpClient))
    })
  )

  for (const how of ["provide", "provideMerge"] as const) {
    it.live(`a middleware that is added with Layer.${how} is not bypassed`, () =>
      Effect.gen(function* () {
        const server = yield* rawServer({
          onData: (socket, { text }) => isWhole(text) && socket.end("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}")
        })
        const seen: Array<string> = []
        const counting = Layer.effect(
          HttpClient.HttpClient,
          Effect.map(
            HttpClient.HttpClient,
            HttpClient.mapRequest((request) => (seen.push(request.url), request))
          )
        )
        const origin = `http://127.0.0.1:${server.port}`
        const result = yield* sendOver(
          how === "provide" ? Layer.provide(counting, node) : Layer.provideMerge(counting, node),
          origin
        )
        assert.strictEqual(result._tag, "Answered")
        assert.deepStrictEqual(seen, [`${origin}/x`])
      })
    )
  }
})

describe("a caller waits for the finalizers of a middleware", () => {
  const slowToClose = (began: Deferred.Deferred<void>, log: Array<string>) =>
    Layer.succeed(
      HttpClient.HttpClient,
      HttpClient.make(() =>
        Deferred.succeed(began, undefined).pipe(
          Effect.andThen(Effect.never),
          Effect.ensuring(
            Effect.andThen(
              Effect.sleep("1 second"),
              Effect.sync(() => log.push("closed"))
            )
          )
        )
      )
    )

  it.effect("after an interruption, and after the time limit", () =>
    Effect.gen(function* () {
      for (const end of ["interruption", "time limit"]) {
        const log: Array<string> = []
        const began = yield* Deferred.make<void>()
        const fiber = yield* sendOver(slowToClose(began, log), "http://127.0.0.1:1").pipe(
          Effect.onExit(() => Effect.sync(() => log.push("returned"))),
          Effect.forkChild
        )
        yield* Deferred.await(began)
        if (end === "interruption") yield* Effect.forkChild(Fiber.interrupt(fiber))
        yield* TestClock.adjust(end === "interruption" ? "1 second" : "31 seconds")
        yield* Fiber.await(fiber)
        assert.deepStrictEqual(log, ["closed", "returned"], end)
      }
    })
  )
})
