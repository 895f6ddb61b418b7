/**
 * Makes a `multipart/form-data` body from fields and files.
 *
 * @stability unstable
 */
import { randomBytesUnsafe } from "effect/crypto/SecureRandom"
import * as Hex from "effect/encoding/Hex"
import * as HttpBody from "effect/http/HttpBody"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"

export const TypeId = "~@effect-custody/core/Upload/File"

/** A file to upload. */
export interface File {
  readonly [TypeId]: typeof TypeId
  readonly name: string
  readonly contentType: string
  /** The size in bytes, 0 or more; `undefined` if unknown. */
  readonly size: number | undefined
  /** The content. Each run of the stream begins with the first byte, unless the file can be read only once. */
  readonly bytes: Stream.Stream<Uint8Array, unknown>
  /** `true` once the file cannot be read again. */
  readonly isSpent: () => boolean
}

export const isFile = (u: unknown): u is File => Predicate.hasProperty(u, TypeId)

/** Finds the name of the first file that cannot be read again. */
export const findSpent = (fields: Readonly<Record<string, unknown>>): string | undefined =>
  Object.values(fields)
    .filter(isFile)
    .find((file) => file.isSpent())?.name

const encoder = new TextEncoder()

/** Quotes a Content-Disposition parameter according to HTML's rules for multipart encoding. */
const quote = (text: string): string => `"${text.replaceAll(/[\r\n"]/g, (character) => encodeURIComponent(character))}"`

const toOneLine = (text: string): string => text.replaceAll(/[\r\n]+/g, " ")

const head = (boundary: string, name: string, value: unknown): string => {
  const disposition = `Content-Disposition: form-data; name=${quote(name)}`
  return isFile(value)
    ? `--${boundary}\r\n${disposition}; filename=${quote(value.name)}\r\nContent-Type: ${toOneLine(value.contentType)}\r\n\r\n`
    : `--${boundary}\r\n${disposition}\r\n\r\n`
}

const toText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

/**
 * Says why a field cannot be sent, or returns `undefined`. Refuses a lone surrogate, because UTF-8 would replace it
 * with U+FFFD.
 */
export const objection = (value: unknown): string | undefined =>
  (isFile(value) ? [value.name, value.contentType] : [value]).every((text) => toText(text).isWellFormed())
    ? undefined
    : "has half a character (a lone surrogate), which multipart/form-data cannot carry"

const part = (text: string): Pick<File, "size" | "bytes"> => {
  const bytes = encoder.encode(text)
  return { size: bytes.byteLength, bytes: Stream.make(bytes) }
}

/**
 * Makes a body from fields and files, in the order of the record. The body has a length if every file's size is known.
 */
export const toBody = (fields: Readonly<Record<string, unknown>>): HttpBody.HttpBody => {
  const boundary = `effect-custody-${Hex.encode(randomBytesUnsafe(16))}`
  const pieces = [
    ...Object.entries(fields).flatMap(([name, value]) => [
      part(head(boundary, name, value)),
      isFile(value) ? value : part(toText(value)),
      part("\r\n")
    ]),
    part(`--${boundary}--\r\n`)
  ]
  const length = pieces.reduce<number | undefined>(
    (sum, { size }) => (sum === undefined || size === undefined ? undefined : sum + size),
    0
  )
  const bytes = Stream.flatMap(Stream.fromIterable(pieces), (piece) => piece.bytes)
  return HttpBody.stream(bytes, `multipart/form-data; boundary=${boundary}`, length)
}
