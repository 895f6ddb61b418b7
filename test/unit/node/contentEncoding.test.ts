/** What is read of a body whose encoding has a mistake, or that becomes too large. */
import { assert, describe, it } from "@effect/vitest"
import * as Zlib from "node:zlib"
import { decoded, sniffed } from "../../../packages/node/src/internal/contentEncoding.ts"

const text = JSON.stringify({ data: { accessToken: "access-1", refreshToken: "refresh-1" }, note: "é".repeat(50) })
const tokens = text.slice(0, text.indexOf(`,"note"`))
const limit = 256 * 1024
const encoders = {
  gzip: Zlib.gzipSync,
  deflate: Zlib.deflateSync,
  br: Zlib.brotliCompressSync,
  zstd: Zlib.zstdCompressSync
}

const read = (bytes: Buffer, encoding: string) => {
  const { bytes: content, failure } = decoded(bytes, encoding, limit)
  return { content: content.toString(), failure }
}

const followedBy = (after: string) => Buffer.concat([Zlib.gzipSync(text), Buffer.from(after, "latin1")])

/** Gzip with another byte so far from its end. */
const damaged = (fromEnd: number) => {
  const bytes = Zlib.gzipSync(text)
  bytes[bytes.length - fromEnd]! ^= 0xff
  return bytes
}

describe("gzip", () => {
  for (const after of ["\n", "\r\n", "\0\0\0\0", "\n<!-- proxy -->", "garbage", "\x1f\x8b"]) {
    it(`that is followed by ${JSON.stringify(after)} is whole`, () => {
      assert.deepStrictEqual(read(followedBy(after), "gzip"), { content: text, failure: undefined })
      assert.strictEqual(sniffed(followedBy(after), limit).toString(), text)
    })
  }

  it("in two parts is one body, whatever follows", () => {
    const parts = Buffer.concat([Zlib.gzipSync(text.slice(0, 40)), Zlib.gzipSync(text.slice(40)), Buffer.from("\r\n")])
    assert.deepStrictEqual(read(parts, "gzip"), { content: text, failure: undefined })
  })

  it("that is followed by a part that is none is read, and is not whole", () => {
    assert.deepStrictEqual(read(followedBy("\x1f\x8bgarbage"), "gzip"), { content: text, failure: "Cut" })
  })

  for (const [name, fromEnd] of [
    ["checksum", 6],
    ["length", 2]
  ] as const) {
    it(`with a wrong ${name} is read, and is not whole`, () => {
      assert.deepStrictEqual(read(damaged(fromEnd), "gzip"), { content: text, failure: "Cut" })
      assert.strictEqual(sniffed(damaged(fromEnd), limit).toString(), text)
    })
  }

  it("within gzip that is followed by text is whole, and damaged gzip within gzip is not", () => {
    const twice = Buffer.concat([Zlib.gzipSync(followedBy("\r\n")), Buffer.from("\r\n")])
    assert.deepStrictEqual(read(twice, "gzip, gzip"), { content: text, failure: undefined })
    assert.deepStrictEqual(read(Zlib.gzipSync(damaged(6)), "gzip, gzip"), { content: text, failure: "Cut" })
  })
})

describe.each(Object.entries(encoders))("%s", (encoding, encode) => {
  it("that is damaged after its beginning is read up to there", () => {
    const bytes = encode(Buffer.concat([Buffer.from(text), noise(60_000)]))
    bytes.fill(0xff, 50_000)
    const { content, failure } = read(bytes, encoding)
    // Zstd has no checksum unless it is asked for one.
    assert.strictEqual(failure, encoding === "zstd" ? undefined : "Cut")
    assert.isTrue(content.startsWith(text))
  })

  for (const [name, padding] of [
    ["all alike", Buffer.alloc(5_000_000, "x")],
    ["without a pattern", noise(1_000_000)]
  ] as const) {
    it(`that becomes larger than the limit is read up to the limit: ${name}`, () => {
      const bytes = encode(Buffer.concat([Buffer.from(text), padding]))
      const { bytes: content, failure } = decoded(bytes, encoding, limit)
      assert.strictEqual(failure, "TooLarge")
      assert.isTrue(content.toString().startsWith(tokens))
      assert.isAtMost(content.length, limit)
      assert.strictEqual(decoded(encode(bytes), `${encoding}, ${encoding}`, limit).failure, "TooLarge")
    })
  }

  it("that is declared and is not there leaves the body as it is, and is a mistake", () => {
    assert.deepStrictEqual(read(Buffer.from(text), encoding), { content: text, failure: "Cut" })
  })
})

/** Bytes that no encoding makes fewer. */
function noise(size: number): Buffer {
  let state = 1
  return Buffer.from(Array.from({ length: size }, () => (state = (state * 48_271) % 2_147_483_647) & 0xff))
}
