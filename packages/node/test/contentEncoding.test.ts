/** Decoding a body with a declared encoding. */
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
  it("gzip is whole, in any letter case of its name", () => {
    assert.deepStrictEqual(read(Zlib.gzipSync(text), "GZIP"), { content: text, failure: undefined })
  })

  it("gzip with a wrong checksum is not whole", () => {
    const bytes = Zlib.gzipSync(text)
    bytes[bytes.length - 6]! ^= 0xff
    assert.strictEqual(read(bytes, "gzip").failure, "Cut")
  })
})

describe.each(Object.entries(encoders))("%s", (encoding, encode) => {
  it(`${encoding} that breaks off is decoded up to the break`, () => {
    const bytes = encode(Buffer.concat([Buffer.from(text), noise(60_000)]))
    assert.isTrue(read(bytes.subarray(0, 50_000), encoding).content.startsWith(text))
  })

  it(`${encoding} that decodes to more than the limit is too large`, () => {
    const bytes = encode(Buffer.alloc(5_000_000, "x"))
    assert.strictEqual(decode(bytes, encoding, limit).failure, "TooLarge")
  })

  it(`${encoding} that is declared but missing leaves the body as it is, and fails`, () => {
    assert.deepStrictEqual(read(Buffer.from(text), encoding), { content: text, failure: "Cut" })
  })
})

describe("an encoding that cannot be decoded", () => {
  it.each(["aws-chunked", "utf-8", "gzip, gzip", "constructor"])(
    "the encoding %s leaves the body as it is",
    (encoding) => {
      assert.deepStrictEqual(read(Buffer.from(text), encoding), { content: text, failure: "Cut" })
    }
  )
})

/** Bytes that no encoding can compress. */
function noise(size: number): Buffer {
  let state = 1
  return Buffer.from(Array.from({ length: size }, () => (state = (state * 48_271) % 2_147_483_647) & 0xff))
}
