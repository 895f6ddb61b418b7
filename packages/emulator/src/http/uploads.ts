/**
 * Reads multipart bodies as streams. Keeps the text of each field, and the name, type, size and hash of each file.
 *
 * Specification: "Request headers": create token, mint, burn and create NFT take multipart/form-data.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex } from "@noble/hashes/utils.js"
import * as CoreUpload from "@effect-custody/core/Upload"
import * as ByteSize from "effect/ByteSize"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { MaxBodySize } from "effect/http/HttpIncomingMessage"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Multipart from "effect/http/Multipart"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Answer from "./answer.ts"

/** A received file, without its bytes. */
export const Upload = Schema.Struct({
  name: Schema.String,
  contentType: Schema.String,
  /** In bytes. */
  size: Schema.Int,
  /** In hexadecimal digits. */
  sha256: Schema.String
})
export interface Upload extends Schema.Schema.Type<typeof Upload> {}

/** A file as the contract declares it, with the record of what was received. */
interface ReceivedFile extends CoreUpload.File {
  readonly upload: Upload
}

const isReceived = (u: unknown): u is ReceivedFile => typeof u === "object" && u !== null && "upload" in u

export const uploadRecord = (file: CoreUpload.File): Upload | undefined => (isReceived(file) ? file.upload : undefined)

/** The URL of a file, as answers show it. */
export const fileAddress = ({ name, sha256 }: Upload): string =>
  `https://files.custody.example/${sha256}/${encodeURIComponent(name.toWellFormed())}`

/** The text or file of each field of a body. A repeated field has a list. */
export type Fields = Readonly<Record<string, unknown>>

/** Converts the fields to JSON. Each file is replaced by its record. */
export const describeFiles = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, isReceived(value) ? value.upload : value]))

const limits = Context.merge(
  Multipart.limitsServices({ maxParts: 100, maxFieldSize: ByteSize.kibibytes(64) }),
  Context.make(MaxBodySize, ByteSize.gibibytes(2))
)

const tooLarge: ReadonlySet<string> = new Set(["FileTooLarge", "FieldTooLarge", "BodyTooLarge", "TooManyParts"])

const toRefusal = ({ reason }: Multipart.MultipartError): Answer.Refused =>
  tooLarge.has(reason._tag) ? Answer.tooLarge : Answer.malformed("Request body is not multipart/form-data")

const readFile = ({ content, contentType, name }: Multipart.File) =>
  Effect.suspend(() => {
    const hash = sha256.create()
    let size = 0
    return Stream.runForEachArray(content, (chunks) =>
      Effect.sync(() => {
        for (const chunk of chunks) {
          hash.update(chunk)
          size += chunk.byteLength
        }
      })
    ).pipe(
      Effect.map((): ReceivedFile => {
        const upload: Upload = { name, contentType, size, sha256: bytesToHex(hash.digest()) }
        const open = () => Stream.fail(new Error("the emulator does not keep the bytes of files"))
        return Object.assign(CoreUpload.fromStream({ name, contentType, size, open }), { upload })
      })
    )
  })

export const read = (
  request: HttpServerRequest.HttpServerRequest
): Effect.Effect<Result.Result<Fields, Answer.Refused>> =>
  Effect.suspend(() => {
    const fields = new Map<string, Array<unknown>>()
    const add = (name: string, value: unknown) => {
      const values = fields.get(name)
      if (values === undefined) fields.set(name, [value])
      else values.push(value)
    }
    return Stream.runForEach(request.multipartStream, (part) =>
      part._tag === "Field"
        ? Effect.sync(() => add(part.key, part.value))
        : Effect.map(readFile(part), (file) => add(part.key, file))
    ).pipe(
      Effect.provideContext(limits),
      Effect.map(() => Object.fromEntries(Array.from(fields, ([name, all]) => [name, all.length > 1 ? all : all[0]]))),
      Effect.mapError(toRefusal),
      Effect.result
    )
  })
