/**
 * Uploads: fields and files in one `multipart/form-data` body, streamed, and opened anew each time it is sent.
 *
 * Specification: "Request headers": create token, mint, burn and create NFT take multipart/form-data.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type * as PlatformError from "effect/PlatformError"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { isFile, TypeId } from "./internal/upload.ts"

/** A file to upload. */
export interface File {
  readonly [TypeId]: typeof TypeId
  /** The name that the service sees. */
  readonly name: string
  /** The media type. */
  readonly contentType: string
  /** The size in bytes, if it is known beforehand. */
  readonly size: number | undefined
  /** The bytes, from the start each time that it is run. */
  readonly bytes: Stream.Stream<Uint8Array, unknown>
  /** Whether it can be read no more. Only a {@link OneShotFile} ever says so. */
  readonly isSpent: () => boolean
}

/** A file that can be read once: a call with it cannot be repeated. */
export interface OneShotFile extends File {
  readonly oneShot: true
}

/** The schema of a {@link File} in a multipart payload. */
export const File = Schema.declare(isFile, { title: "File", expected: "a Upload.File" }).pipe(
  Schema.check(
    Schema.makeFilter(
      ({ size }) =>
        size === undefined ||
        (Number.isSafeInteger(size) && size >= 0) ||
        "must have a size of 0 bytes or more, or none"
    )
  )
)

const repeatable = () => false

/**
 * A file of bytes that are in memory.
 *
 * @example
 * ```ts
 * import { Upload } from "@effect-custody/core"
 *
 * const logo = Upload.fromBytes({
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
  bytes: Stream.make(options.bytes),
  isSpent: repeatable
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
  bytes: Stream.suspend(options.open),
  isSpent: repeatable
})

/**
 * A file whose bytes can be read once only, such as the body of a request that you pass on. A call with it cannot be
 * repeated once they have been read: where it would be (an expired token, a 429), it fails with a `TransportError` of
 * phase `NotSent`, and has to be made again with a new file.
 */
export const fromStreamOnce = (options: {
  readonly name: string
  readonly contentType: string
  readonly size?: number | undefined
  readonly bytes: Stream.Stream<Uint8Array, unknown>
}): OneShotFile => {
  let spent = false
  return {
    [TypeId]: TypeId,
    oneShot: true,
    name: options.name,
    contentType: options.contentType,
    size: options.size,
    bytes: Stream.suspend(() => {
      spent = true
      return options.bytes
    }),
    isSpent: () => spent
  }
}

/**
 * A file on a file system. It is looked at now, for its size, and read when it is sent, a piece at a time and from the
 * start each time. Fails if there is none.
 *
 * @example
 * ```ts
 * import { Upload } from "@effect-custody/core"
 * import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
 * import { Effect } from "effect"
 *
 * const terms = Upload.fromPath("./terms.pdf", { contentType: "application/pdf" }).pipe(
 *   Effect.provide(NodeFileSystem.layer)
 * )
 * ```
 */
export const fromPath = Effect.fnUntraced(function* (
  path: string,
  options: {
    readonly contentType: string
    /** The name that the service sees. Default: the last part of the path. */
    readonly name?: string | undefined
  }
): Effect.fn.Return<File, PlatformError.PlatformError, FileSystem.FileSystem> {
  const fileSystem = yield* FileSystem.FileSystem
  const { size } = yield* fileSystem.stat(path)
  return fromStream({
    name: options.name ?? path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1),
    contentType: options.contentType,
    size: Number(size),
    open: () => fileSystem.stream(path)
  })
})
