/**
 * Uploads: fields and files in one `multipart/form-data` body in UTF-8. The body is streamed. Each attempt opens the
 * files anew. A text with a lone surrogate is refused with `InputInvalid`.
 *
 * Specification: "Request headers": creating a token or an NFT, minting and burning take multipart/form-data.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type * as PlatformError from "effect/PlatformError"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

const TypeId = "~@effect-custody/core/Upload/File"

/**
 * A file to upload.
 *
 * @since 0.1.0
 * @category models
 */
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

/**
 * `true` for a {@link File}.
 *
 * @since 0.1.0
 * @category guards
 */
export const isFile = (u: unknown): u is File => Predicate.hasProperty(u, TypeId)

/**
 * The codec of a {@link File}.
 *
 * @since 0.1.0
 * @category codecs
 */
export const File = Schema.declare(isFile, { title: "File", expected: "an Upload.File" }).pipe(
  Schema.check(
    Schema.makeFilter(
      ({ size }) =>
        size === undefined ||
        (Number.isSafeInteger(size) && size >= 0) ||
        "must have a size of 0 bytes or more, or none"
    )
  )
)

type Description = Pick<File, "name" | "contentType">

const make = (
  { contentType, name, size }: Description & { readonly size?: number | undefined },
  bytes: File["bytes"],
  isSpent = () => false
): File => ({ [TypeId]: TypeId, name, contentType, size, bytes, isSpent })

/**
 * Makes a file from bytes in memory.
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromBytes = ({ bytes, contentType, name }: Description & { readonly bytes: Uint8Array }): File =>
  make({ name, contentType, size: bytes.byteLength }, Stream.make(bytes))

/**
 * Makes a file from a stream that can be opened again. Each attempt calls `open`, because a replay after an expired
 * token needs the bytes from the start. `size` is in bytes. Without it, the request has no `Content-Length`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromStream = (
  options: Description & {
    readonly size?: number | undefined
    readonly open: () => Stream.Stream<Uint8Array, unknown>
  }
): File => make(options, Stream.suspend(options.open))

/**
 * Makes a file from a stream that can be read only once, such as the body of a request that you pass on. A call that
 * would have to send the file again (after an expired token, or a 429) fails with `NotSent`. Then call again with a new
 * file.
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromStreamOnce = (
  options: Description & {
    readonly size?: number | undefined
    readonly bytes: Stream.Stream<Uint8Array, unknown>
  }
): File => {
  let spent = false
  const bytes = Stream.suspend(() => {
    spent = true
    return options.bytes
  })
  return make(options, bytes, () => spent)
}

/**
 * Makes a file from a path. Reads the size now, and the bytes from the start each time the request is sent.
 *
 * Fails with a `PlatformError` if the file does not exist or its size cannot be read.
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromPath = Effect.fnUntraced(function* (
  path: string,
  options: {
    readonly contentType: string
    /** The name of the file in the request. Default: the last part of the path. */
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
