/**
 * Decodes the encoding that an answer declares. The client asks for no encoding (`accept-encoding: identity`), but a
 * proxy may compress an answer anyway, and tokens in that answer must not be lost. undici's own decompression loses
 * truncated answers.
 */
import type { Received } from "@effect-custody/core/siblings/Sender"
import * as Zlib from "node:zlib"

/** The decoded part of a body that has arrived, or the raw body if it cannot be decoded. */
export interface Decoded {
  readonly bytes: Buffer
  /** The reason why the body is not whole. */
  readonly failure: Extract<Received["ending"], "Cut" | "TooLarge"> | undefined
}

type Decode = (bytes: Buffer, limit: number) => Buffer

const { BROTLI_OPERATION_FLUSH, ZSTD_e_flush, Z_SYNC_FLUSH } = Zlib.constants

const gunzip: Decode = (bytes, maxOutputLength) =>
  Zlib.gunzipSync(bytes, { maxOutputLength, finishFlush: Z_SYNC_FLUSH })

/** Each decoder decodes even a truncated body, and throws if the result would exceed the limit. */
const decoders: Readonly<Record<string, Decode>> = {
  gzip: gunzip,
  "x-gzip": gunzip,
  deflate: (bytes, maxOutputLength) => Zlib.inflateSync(bytes, { maxOutputLength, finishFlush: Z_SYNC_FLUSH }),
  br: (bytes, maxOutputLength) =>
    Zlib.brotliDecompressSync(bytes, { maxOutputLength, finishFlush: BROTLI_OPERATION_FLUSH }),
  zstd: (bytes, maxOutputLength) => Zlib.zstdDecompressSync(bytes, { maxOutputLength, finishFlush: ZSTD_e_flush })
}

/** Decodes a body with one encoding. Refuses several encodings, because decoding blocks the process. */
export const decode = (body: Buffer, encoding: string, limit: number): Decoded => {
  const name = encoding.trim().toLowerCase()
  if (name === "" || name === "identity") return { bytes: body, failure: undefined }
  const decoder = Object.hasOwn(decoders, name) ? decoders[name] : undefined
  if (decoder === undefined) return { bytes: body, failure: "Cut" }
  try {
    return { bytes: decoder(body, limit), failure: undefined }
  } catch (error) {
    const isTooLarge = error instanceof RangeError && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE"
    return { bytes: body, failure: isTooLarge ? "TooLarge" : "Cut" }
  }
}
