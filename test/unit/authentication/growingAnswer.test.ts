/** An answer with new tokens that does not end: how often it is read. */
import { TokenStore } from "@effect-custody/authentication"
import { Environment, SendProgress, TokenService } from "@effect-custody/core"
import { Custody } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"

const tokens = `{"data":{"accessToken":"access-0","refreshToken":"refresh-0","expiresAt":4102444800000,"vaultId":42}`

describe("an answer that goes on arriving", () => {
  it.effect("is not read while it grows, and once when it does not", () =>
    Effect.gen(function* () {
      let size = 100
      let text = "{"
      let reads = 0
      const received: SendProgress.Received = {
        status: 201,
        headers: {},
        ending: "Open",
        get size() {
          return size
        },
        text: () => {
          reads++
          return text
        },
        response: undefined
      }
      const http = HttpClient.make((_request, _url, _signal, fiber) => {
        fiber.getRef(SendProgress.SendProgress)!.received = received
        return Effect.never
      })
      const layer = Custody.layer({
        environment: Environment.local("http://127.0.0.1:1/api/integration"),
        apiKey: Redacted.make("key")
      }).pipe(Layer.provide([Layer.succeed(HttpClient.HttpClient, http), TokenStore.layerMemory]))
      const start = Effect.flatMap(TokenService, ({ current }) => current)
      const fiber = yield* Effect.forkChild(Effect.provide(start, layer))
      for (let looks = 0; looks < 10; looks++) {
        yield* TestClock.adjust("500 millis")
        size++
      }
      assert.strictEqual(reads, 0)
      yield* TestClock.adjust("500 millis")
      yield* TestClock.adjust("500 millis")
      const once = reads
      assert.isAtLeast(once, 1)
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(reads, once)
      text = tokens
      size++
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(fiber)).generation, 0)
    })
  )
})
