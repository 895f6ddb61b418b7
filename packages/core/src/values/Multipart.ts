/** From fields and files to a `multipart/form-data` body. */
import { randomBytesUnsafe } from "effect/crypto/SecureRandom"
import * as Hex from "effect/encoding/Hex"
import * as HttpBody from "effect/http/HttpBody"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"

export const TypeId = "~@effect-custody/core/Upload/File"

/**
 * A file to upload. The size, if given, is 0 bytes or more.
 */
export interface File {
  readonly [TypeId]: typeof TypeId
  readonly name: string
  /** The media type. */
  readonly contentType: string
  /** In bytes, if it is known beforehand. */
  readonly size: number | undefined
  /** Each run of the stream starts at the beginning. */
  readonly bytes: Stream.Stream<Uint8Array, unknown>
  /** Whether it cannot be read again. */
  readonly isSpent: () => boolean
}

export const isFile = (u: unknown): u is File => Predicate.hasProperty(u, TypeId)

/** The name of the first file among the fields that cannot be read again. */
export const spent = (fields: Readonly<Record<string, unknown>>): string | undefined =>
  Object.values(fields)
    .filter(isFile)
    .find((file) => file.isSpent())?.name

const encoder = new TextEncoder()

/** Quoted for a Content-Disposition parameter, as HTML's multipart encoding has it. */
const quoted = (text: string): string =>
  `"${text.replaceAll(/[\r\n"]/g, (character) => encodeURIComponent(character))}"`

const oneLine = (text: string): string => text.replaceAll(/[\r\n]+/g, " ")

const head = (boundary: string, name: string, value: unknown): string => {
  const disposition = `Content-Disposition: form-data; name=${quoted(name)}`
  return isFile(value)
    ? `--${boundary}\r\n${disposition}; filename=${quoted(value.name)}\r\nContent-Type: ${oneLine(value.contentType)}\r\n\r\n`
    : `--${boundary}\r\n${disposition}\r\n\r\n`
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

/** Why a field cannot be part of a body, if it cannot: as UTF-8, every lone surrogate would be the same character. */
export const unsendable = (value: unknown): string | undefined =>
  (isFile(value) ? [value.name, value.contentType] : [value]).every((text) => textOf(text).isWellFormed())
    ? undefined
    : "has half a character (a lone surrogate), which multipart/form-data cannot carry"

const written = (text: string): Pick<File, "size" | "bytes"> => {
  const bytes = encoder.encode(text)
  return { size: bytes.byteLength, bytes: Stream.make(bytes) }
}

/** The body of fields and files, in the order of the record. The length is sent if every file's size is known. */
export const toBody = (fields: Readonly<Record<string, unknown>>): HttpBody.HttpBody => {
  const boundary = `effect-custody-${Hex.encode(randomBytesUnsafe(16))}`
  const pieces = [
    ...Object.entries(fields).flatMap(([name, value]) => [
      written(head(boundary, name, value)),
      isFile(value) ? value : written(textOf(value)),
      written("\r\n")
    ]),
    written(`--${boundary}--\r\n`)
  ]
  const length = pieces.reduce<number | undefined>(
    (sum, { size }) => (sum === undefined || size === undefined ? undefined : sum + size),
    0
  )
  const bytes = Stream.flatMap(Stream.fromIterable(pieces), (piece) => piece.bytes)
  return HttpBody.stream(bytes, `multipart/form-data; boundary=${boundary}`, length)
}
