/** What is read of a body with a declared encoding. */
import { assert, describe, it } from "@effect/vitest"
import * as Zlib from "node:zlib"
import { decode } from "../src/internal/contentEncoding.ts"

const text = JSON.stringify({ data: { accessToken: "access-1", refreshToken: "refresh-1" }, note: "é".repeat(50) })
const limit = 256 * 1024
const encoders = {
  gzip: Zlib.gzipSync,
  deflate: Zlib.deflateSync,
  br: Zlib.brotliCompressSync,
  zstd: Zlib.zstdCompressSync
}

const read = (bytes: Buffer, encoding: string) => {
  const { bytes: content, failure } = decode(bytes, encoding, limit)
  return { content: content.toString(), failure }
}

describe("gzip", () => {
  it.each(["", "\n", "\r\n"])("that is followed by %j is whole", (after) => {
    const bytes = Buffer.concat([Zlib.gzipSync(text), Buffer.from(after)])
    assert.deepStrictEqual(read(bytes, "GZIP"), { content: text, failure: undefined })
  })

  it("with a wrong checksum is not whole", () => {
    const bytes = Zlib.gzipSync(text)
    bytes[bytes.length - 6]! ^= 0xff
    assert.strictEqual(read(bytes, "gzip").failure, "Cut")
  })
})

describe.each(Object.entries(encoders))("%s", (encoding, encode) => {
  it("that breaks off is read up to there", () => {
    const bytes = encode(Buffer.concat([Buffer.from(text), noise(60_000)]))
    assert.isTrue(read(bytes.subarray(0, 50_000), encoding).content.startsWith(text))
  })

  it("that becomes larger than the limit is too large", () => {
    const bytes = encode(Buffer.alloc(5_000_000, "x"))
    assert.strictEqual(decode(bytes, encoding, limit).failure, "TooLarge")
  })

  it("that is declared and is not there leaves the body as it is, and is a mistake", () => {
    assert.deepStrictEqual(read(Buffer.from(text), encoding), { content: text, failure: "Cut" })
  })
})

describe("an encoding that cannot be taken off leaves the body as it is", () => {
  it.each(["aws-chunked", "utf-8", "gzip, gzip", "constructor"])("%s", (encoding) => {
    assert.deepStrictEqual(read(Buffer.from(text), encoding), { content: text, failure: "Cut" })
  })
})

/** Bytes that no encoding makes fewer. */
function noise(size: number): Buffer {
  let state = 1
  return Buffer.from(Array.from({ length: size }, () => (state = (state * 48_271) % 2_147_483_647) & 0xff))
}
