/** A peer that has died without a word: its silence is waited for in real time. */
import { accessTokenHeader } from "@effect-custody/core/siblings/Secrets"
import { NodeCustody } from "@effect-custody/node"
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as TestClock from "effect/testing/TestClock"
import { data, frameServer, headers } from "../../../test/support/servers/frameServer.ts"

it.effect("a quiet connection to a dead peer is given up, and the request is sent once on another", () =>
  Effect.gen(function* () {
    const server = yield* frameServer({
      answersPings: false,
      onRequest: ({ nth, write }, stream) => write(headers(stream, 200), data(stream, `"${nth}"`))
    })
    const send = HttpClientRequest.post(`${server.origin}/transactions/send`).pipe(
      HttpClientRequest.setHeader(accessTokenHeader, "token"),
      HttpClientRequest.bodyJsonUnsafe({ amount: "1" }),
      HttpClient.execute,
      Effect.flatMap(({ text }) => text)
    )
    assert.strictEqual(yield* send, `"1"`)
    yield* TestClock.adjust("1 hour")
    assert.strictEqual(yield* send, `"2"`)
    assert.strictEqual(server.requests(), 2)
  }).pipe(Effect.provide(NodeCustody.layerHttpClient()))
)
