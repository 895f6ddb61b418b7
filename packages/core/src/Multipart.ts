/**
 * Uploads: fields and files in one `multipart/form-data` body, streamed, and opened anew each time it is sent.
 *
 * Specification: "Request headers": create token, mint, burn and create NFT take multipart/form-data.
 */
import * as HttpBody from "effect/http/HttpBody"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

const TypeId = "~@effect-custody/core/Multipart/File"

/** A file to upload. */
export interface File {
  readonly [TypeId]: typeof TypeId
  /** The name that the service sees. */
  readonly name: string
  /** The media type. */
  readonly contentType: string
  /** The size in bytes, if it is known beforehand. */
  readonly size: number | undefined
  /** The bytes, from the start each time. */
  readonly open: () => Stream.Stream<Uint8Array, unknown>
}

const isFile = (u: unknown): u is File => Predicate.hasProperty(u, TypeId)

/** The schema of a {@link File} in a multipart payload. */
export const File: Schema.declare<File> = Schema.declare(isFile, { title: "File", expected: "a Multipart.File" })

/**
 * A file of bytes that are in memory.
 *
 * @example
 * ```ts
 * import { Multipart } from "@effect-custody/core"
 *
 * const logo = Multipart.fromBytes({
 *   name: "logo.svg",
 *   contentType: "image/svg+xml",
 *   bytes: new TextEncoder().encode("<svg/>")
 * })
 * ```
 */
export const fromBytes = (options: {
  readonly name: string
  readonly contentType: string
  readonly bytes: Uint8Array
}): File => ({
  [TypeId]: TypeId,
  name: options.name,
  contentType: options.contentType,
  size: options.bytes.byteLength,
  open: () => Stream.make(options.bytes)
})

/** A file whose bytes come from a stream that can be opened again, as a replay after an expired token requires. */
export const fromStream = (options: {
  readonly name: string
  readonly contentType: string
  readonly size?: number | undefined
  readonly open: () => Stream.Stream<Uint8Array, unknown>
}): File => ({
  [TypeId]: TypeId,
  name: options.name,
  contentType: options.contentType,
  size: options.size,
  open: options.open
})

const encoder = new TextEncoder()

/** Quoted for a Content-Disposition parameter, as HTML's multipart encoding has it. */
const quoted = (text: string): string =>
  `"${text.replaceAll(/[\r\n"]/g, (character) => encodeURIComponent(character))}"`

const head = (boundary: string, name: string, value: unknown): Uint8Array => {
  const disposition = `Content-Disposition: form-data; name=${quoted(name)}`
  return encoder.encode(
    isFile(value)
      ? `--${boundary}\r\n${disposition}; filename=${quoted(value.name)}\r\nContent-Type: ${value.contentType}\r\n\r\n`
      : `--${boundary}\r\n${disposition}\r\n\r\n`
  )
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

const crlf = encoder.encode("\r\n")

/** The body of fields and files, in the order of the record. The length is sent if every file's size is known. */
export const toBody = (fields: Readonly<Record<string, unknown>>): HttpBody.HttpBody => {
  const boundary = `effect-custody-${globalThis.crypto.randomUUID()}`
  const last = encoder.encode(`--${boundary}--\r\n`)
  const parts = Object.entries(fields).map(([name, value]) => {
    const opening = head(boundary, name, value)
    const text = isFile(value) ? undefined : encoder.encode(textOf(value))
    return {
      size: isFile(value) ? value.size : text!.byteLength,
      framing: opening.byteLength + crlf.byteLength,
      open: () =>
        Stream.make(opening).pipe(
          Stream.concat(isFile(value) ? value.open() : Stream.make(text!)),
          Stream.concat(Stream.make(crlf))
        )
    }
  })
  const length = parts.reduce<number | undefined>(
    (sum, { framing, size }) => (sum === undefined || size === undefined ? undefined : sum + size + framing),
    last.byteLength
  )
  const bytes = Stream.suspend(() =>
    parts.reduceRight<Stream.Stream<Uint8Array, unknown>>(
      (rest, part) => Stream.concat(part.open(), rest),
      Stream.make(last)
    )
  )
  return HttpBody.stream(bytes, `multipart/form-data; boundary=${boundary}`, length)
}
