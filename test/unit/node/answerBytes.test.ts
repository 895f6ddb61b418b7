/** What an answer may cost the client over undici: how often its body is decoded. */
import { SendProgress } from "@effect-custody/core"
import { NodeCustody } from "@effect-custody/node"
import { afterEach, assert, beforeEach, describe, it, vi } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import { syncBuiltinESMExports } from "node:module"
import Zlib from "node:zlib"
import { isWhole, rawServer } from "../../support/servers/rawServer.ts"

const http = Effect.provide(NodeCustody.layerHttpClient({ connections: 1 }))

const body = JSON.stringify({ data: { accessToken: "access-1", refreshToken: "refresh-1" } })

/** The answer to a request, and how it was reported. */
const answered = Effect.fnUntraced(function* (encoding: string, bytes: Buffer) {
  const server = yield* rawServer({
    onData: (socket, { text }) => {
      if (!isWhole(text)) return
      socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: ${encoding}\r\ncontent-length: ${bytes.length}\r\n\r\n`)
      socket.write(bytes)
    }
  })
  const progress = SendProgress.make()
  const response = yield* Effect.provideService(
    HttpClient.get(`http://127.0.0.1:${server.port}/vaults/details`),
    SendProgress.SendProgress,
    progress
  )
  return { response, received: progress.received! }
}, http)

describe("how often a body is decoded", () => {
  let calls = 0

  beforeEach(() => {
    calls = 0
    const unzip = Zlib.unzipSync
    vi.spyOn(Zlib, "unzipSync").mockImplementation((...args) => {
      calls++
      return unzip(...args)
    })
    syncBuiltinESMExports()
  })

  afterEach(() => {
    vi.restoreAllMocks()
    syncBuiltinESMExports()
  })

  it.live("a whole body once, however often and in whatever form it is read", () =>
    Effect.gen(function* () {
      const { received, response } = yield* answered("gzip", Zlib.gzipSync(body))
      for (let reads = 0; reads < 3; reads++) {
        assert.strictEqual(yield* response.text, body)
        assert.deepStrictEqual<unknown>(yield* response.json, JSON.parse(body))
        assert.strictEqual(received.text(), body)
      }
      assert.strictEqual((yield* response.arrayBuffer).byteLength, body.length)
      assert.strictEqual(received.ending, "Whole")
      assert.strictEqual(calls, 1)
    })
  )

  it.live("a body with more than one encoding is not decoded", () =>
    Effect.gen(function* () {
      const { received, response } = yield* answered("gzip, gzip", Zlib.gzipSync(Zlib.gzipSync(body)))
      assert.strictEqual((yield* Effect.flip(response.text)).reason._tag, "DecodeError")
      assert.strictEqual(received.ending, "Cut")
      assert.strictEqual(calls, 0)
    })
  )
})
