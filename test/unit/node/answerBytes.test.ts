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

/** A body that is compressed so many times. */
const layered = (count: number): Buffer => {
  let bytes: Buffer = Buffer.from(body)
  for (let layer = 0; layer < count; layer++) bytes = Zlib.gzipSync(bytes)
  return bytes
}

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

const gzips = (count: number) => Array.from({ length: count }).fill("gzip").join(", ")

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

  it.live("a whole body once for each of its encodings, however often and in whatever form it is read", () =>
    Effect.gen(function* () {
      const { received, response } = yield* answered(gzips(3), layered(3))
      for (let reads = 0; reads < 3; reads++) {
        assert.strictEqual(yield* response.text, body)
        assert.deepStrictEqual<unknown>(yield* response.json, JSON.parse(body))
        assert.strictEqual(received.text(), body)
      }
      assert.strictEqual((yield* response.arrayBuffer).byteLength, body.length)
      assert.strictEqual(received.ending, "Whole")
      assert.strictEqual(calls, 3)
    })
  )

  it.live("a body with more encodings cannot be read, and what is readable of it is kept: four at most", () =>
    Effect.gen(function* () {
      for (const layers of [4, 5, 300]) {
        calls = 0
        const { received, response } = yield* answered(gzips(layers), layered(layers))
        assert.strictEqual((yield* Effect.flip(response.text)).reason._tag, "DecodeError")
        assert.strictEqual(received.ending, "Cut")
        if (layers === 4) assert.strictEqual(received.text(), body)
        assert.strictEqual(calls, 4)
      }
    })
  )

  it.live("identity is no encoding", () =>
    Effect.gen(function* () {
      const { received, response } = yield* answered("identity, gzip, identity, identity, identity", layered(1))
      assert.strictEqual(yield* response.text, body)
      assert.strictEqual(received.ending, "Whole")
      assert.strictEqual(calls, 1)
    })
  )
})
