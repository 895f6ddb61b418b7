/**
 * Takes off the encoding that an answer declares. None is ever asked for (`accept-encoding: identity`), but a proxy may
 * compress all the same, and tokens in such an answer must not be lost. undici's own decompression loses an answer that
 * breaks off, and gzip with a line break after it.
 */
import type { Received } from "@effect-custody/core/unstable/SendProgress"
import * as Zlib from "node:zlib"

/** A body without its encoding, as far as it has arrived. If it cannot be decoded: the body as it came. */
export interface Decoded {
  readonly bytes: Buffer
  /** Why that is not all of it. */
  readonly failure: Extract<Received["ending"], "Cut" | "TooLarge"> | undefined
}

type Decode = (bytes: Buffer, limit: number) => Buffer

const { BROTLI_OPERATION_FLUSH, ZSTD_e_flush, Z_SYNC_FLUSH } = Zlib.constants

/** The last byte of gzip is 0 below 16 MB, so a line break there stands after it: a mistake to zlib. */
const withoutLineBreak = (bytes: Buffer): Buffer =>
  bytes.subarray(0, bytes.length - (bytes.at(-1) !== 0x0a ? 0 : bytes.at(-2) === 0x0d ? 2 : 1))

const gunzip: Decode = (bytes, maxOutputLength) =>
  Zlib.unzipSync(withoutLineBreak(bytes), { maxOutputLength, finishFlush: Z_SYNC_FLUSH })

/** Each gives what has arrived of a body that was cut short, and throws if it would become larger than the limit. */
const decoders: Readonly<Record<string, Decode>> = {
  gzip: gunzip,
  "x-gzip": gunzip,
  deflate: (bytes, maxOutputLength) => {
    // Some servers send it without its header.
    const inflate = ((bytes[0] ?? 0) & 0x0f) === 0x08 ? Zlib.inflateSync : Zlib.inflateRawSync
    return inflate(bytes, { maxOutputLength, finishFlush: Z_SYNC_FLUSH })
  },
  br: (bytes, maxOutputLength) =>
    Zlib.brotliDecompressSync(bytes, { maxOutputLength, finishFlush: BROTLI_OPERATION_FLUSH }),
  zstd: (bytes, maxOutputLength) => Zlib.zstdDecompressSync(bytes, { maxOutputLength, finishFlush: ZSTD_e_flush })
}

/** Takes off the encoding. Decoding blocks the process, so a body with more than one is not decoded. */
export const decoded = (body: Buffer, encoding: string, limit: number): Decoded => {
  const name = encoding.trim().toLowerCase()
  if (name === "" || name === "identity") return { bytes: body, failure: undefined }
  const decode = Object.hasOwn(decoders, name) ? decoders[name] : undefined
  if (decode === undefined) return { bytes: body, failure: "Cut" }
  try {
    return { bytes: decode(body, limit), failure: undefined }
  } catch (error) {
    const isTooLarge = error instanceof RangeError && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE"
    return { bytes: body, failure: isTooLarge ? "TooLarge" : "Cut" }
  }
}
