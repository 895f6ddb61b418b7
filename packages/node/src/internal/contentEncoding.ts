/**
 * Takes off the encoding of a body. None is ever asked for (`accept-encoding: identity`), but a proxy may compress all
 * the same, and tokens in such an answer must not be lost.
 */
import type { Received } from "@effect-custody/core/SendProgress"
import * as Zlib from "node:zlib"

/** A body without its encoding, as far as it can be read. */
export interface Decoded {
  readonly bytes: Buffer
  /** Why that is not all of it. */
  readonly failure: Extract<Received["ending"], "Cut" | "TooLarge"> | undefined
}

type Decode = (bytes: Buffer, limit: number) => Buffer

const { BROTLI_OPERATION_FLUSH, ZSTD_e_flush, Z_SYNC_FLUSH } = Zlib.constants

/** Each gives what can be read of a body that was cut short, and throws if it would become larger than the limit. */
const decoders: Readonly<Record<string, Decode>> = {
  gzip: (bytes, maxOutputLength) => Zlib.unzipSync(bytes, { maxOutputLength, finishFlush: Z_SYNC_FLUSH }),
  deflate: (bytes, maxOutputLength) => {
    // Some servers send it without its header.
    const inflate = ((bytes[0] ?? 0) & 0x0f) === 0x08 ? Zlib.inflateSync : Zlib.inflateRawSync
    return inflate(bytes, { maxOutputLength, finishFlush: Z_SYNC_FLUSH })
  },
  br: (bytes, maxOutputLength) =>
    Zlib.brotliDecompressSync(bytes, { maxOutputLength, finishFlush: BROTLI_OPERATION_FLUSH }),
  zstd: (bytes, maxOutputLength) => Zlib.zstdDecompressSync(bytes, { maxOutputLength, finishFlush: ZSTD_e_flush })
}

const none = Buffer.alloc(0)

/** How much is read of a body that is damaged or too large. The new tokens are at its beginning. */
const mostOfDamaged = 1024 * 1024

/**
 * The longest beginning of a body that can be decoded, and its content. A body with a mistake has it in every longer
 * beginning too, and one that becomes too large becomes so in every longer one.
 */
const readable = (decode: Decode, body: Buffer, limit: number): { readonly size: number; readonly bytes: Buffer } => {
  let bytes: Buffer = none
  let size = 0
  for (let tooMuch = body.length; tooMuch - size > 1;) {
    const middle = Math.floor((size + tooMuch) / 2)
    try {
      bytes = decode(body.subarray(0, middle), limit)
      size = middle
    } catch {
      tooMuch = middle
    }
  }
  return { size, bytes }
}

/** Whether this is gzip from its first byte to the last of its checksum. */
const isWholeGzip = (bytes: Buffer, maxOutputLength: number): boolean => {
  try {
    Zlib.unzipSync(bytes, { maxOutputLength })
    return true
  } catch {
    return false
  }
}

/** Takes off one encoding. What can be read of a body is given, also where that is not all. */
const without = (decode: Decode, body: Buffer, limit: number): Decoded => {
  try {
    return { bytes: decode(body, limit), failure: undefined }
  } catch (error) {
    const isTooLarge = error instanceof RangeError && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE"
    const most = Math.min(limit, mostOfDamaged)
    const { bytes, size } = readable(decode, body, most)
    if (isTooLarge) return { bytes, failure: "TooLarge" }
    // Bytes after gzip are a mistake to zlib, from the second one on: the first may begin another part. After other
    // encodings they are none.
    const isFollowed = decode === decoders["gzip"] && isWholeGzip(body.subarray(0, size - 1), most)
    return { bytes, failure: isFollowed ? undefined : "Cut" }
  }
}

/** The encodings that a body shows by its first bytes. */
const magic: ReadonlyArray<readonly [name: string, start: Buffer]> = [
  ["gzip", Buffer.from([0x1f, 0x8b])],
  ["zstd", Buffer.from([0x28, 0xb5, 0x2f, 0xfd])]
]

/** A body without the encoding that it shows, whatever its headers say; itself if it shows none. */
export const sniffed = (body: Buffer, limit: number): Buffer => {
  const [name] = magic.find(([, start]) => body.subarray(0, start.length).equals(start)) ?? []
  if (name === undefined) return body
  const { bytes } = without(decoders[name]!, body, limit)
  return bytes.length === 0 ? body : bytes
}

/** Whether a body begins as JSON, as no compressed one does. Deflate without its header finds something in any text. */
const isObject = (body: Buffer): boolean => body[0] === 0x7b

/** How many encodings are decoded, one after the other. Decoding blocks the process, and no service needs more than one. */
const most = 3

/** Takes off one encoding after the other, the last first, as far as they are known and the body can be read. */
export const decoded = (body: Buffer, encoding: string, limit: number): Decoded => {
  const names = encoding
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "identity")
  let bytes = body
  let failure: Decoded["failure"]
  for (const [at, name] of names.reverse().entries()) {
    const decode = at < most ? decoders[name === "x-gzip" ? "gzip" : name] : undefined
    // Of an encoding that nobody knows, or that is not the body's, or is one too many, what is there may still be read.
    if (decode === undefined) return { bytes: sniffed(bytes, limit), failure: failure ?? "Cut" }
    const next = without(decode, bytes, limit)
    failure ??= next.failure
    if (next.failure !== undefined && (next.bytes.length === 0 || isObject(bytes)))
      return { bytes: sniffed(bytes, limit), failure }
    bytes = next.bytes
  }
  return { bytes, failure }
}
