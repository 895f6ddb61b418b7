/** Uploads: as browsers write them, opened anew for a replay, and never held whole. */
import { TokenStore } from "@effect-custody/authentication"
import { Amount, Environment, Upload } from "@effect-custody/core"
import { NodeCustody } from "@effect-custody/node"
import { Custody, Nfts, Tokens } from "@effect-custody/sdk"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type * as HttpBody from "effect/http/HttpBody"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { type UploadServer, uploadServer } from "../../../test/support/servers/uploadServer.ts"
import { multipart } from "@effect-custody/core/siblings/Wires"

const clientOf = ({ origin }: UploadServer) =>
  Custody.layer({ environment: Environment.emulator(origin), apiKey: Redacted.make("one-time key") }).pipe(
    Layer.provide([NodeCustody.layerHttpClient(), TokenStore.layerMemory]),
    Layer.fresh
  )

const text = (body: HttpBody.HttpBody): Effect.Effect<string> =>
  body._tag === "Stream" ? body.stream.pipe(Stream.orDie, Stream.decodeText(), Stream.mkString) : Effect.succeed("")

const lengthOf = (body: HttpBody.HttpBody) => (body._tag === "Stream" ? body.contentLength : Number.NaN)

const amount = Amount.fromStringUnsafe("1e3")

/** What this platform's own multipart encoder, which does as browsers do, makes of names. */
const asBrowsersDo = async (name: string, fileName: string): Promise<string> => {
  const form = new FormData()
  form.append(name, new File(["x"], fileName, { type: "text/plain" }))
  const written = await new Response(form).text()
  return /Content-Disposition: (.*)\r\n/.exec(written)?.[1] ?? ""
}

describe("a multipart body", () => {
  it.live("a multipart body has its fields as text: amounts as plain decimals, the rest as JSON", () =>
    Effect.gen(function* () {
      const written = yield* text(multipart({ name: "Gold", decimals: 6, isOpen: true, tags: ["a"] }))
      for (const [name, value] of Object.entries({ name: "Gold", decimals: "6", isOpen: "true", tags: '["a"]' })) {
        assert.include(written, `form-data; name="${name}"\r\n\r\n${value}\r\n`)
      }
      const server = yield* uploadServer()
      yield* Tokens.mint({ tokenId: "gold", amount }).pipe(Effect.provide(clientOf(server)))
      assert.include(server.uploads[0]?.text, 'form-data; name="amount"\r\n\r\n1000\r\n')
    })
  )

  it.effect("a multipart body names fields and files as browsers do", () =>
    Effect.gen(function* () {
      for (const [name, fileName] of [
        ["logo", "plain.txt"],
        ["größe", "Übersicht 金.txt"],
        ['quo"ted', 'a"b.txt'],
        ["line", "two\r\nlines\n.txt"],
        ["back\\slash", "per%20cent;semi=colon.txt"]
      ] as const) {
        const file = Upload.fromBytes({ name: fileName, contentType: "text/plain", bytes: new Uint8Array([120]) })
        const written = yield* text(multipart({ [name]: file }))
        const expected = yield* Effect.promise(() => asBrowsersDo(name, fileName))
        assert.include(written, `Content-Disposition: ${expected}\r\n`)
      }
    })
  )

  it.live("an upload with a lone surrogate in a text or a file's name is refused, because UTF-8 cannot write it", () =>
    Effect.gen(function* () {
      const server = yield* uploadServer()
      const document = Upload.fromBytes({ name: "a\ud800", contentType: "a/b", bytes: new Uint8Array([120]) })
      const error = yield* Tokens.burn({ tokenId: "gold", amount, note: "\udc00\ud800", document }).pipe(
        Effect.flip,
        Effect.provide(clientOf(server))
      )
      const message = "has half a character (a lone surrogate), which multipart/form-data cannot carry"
      const issues = [
        { path: ["note"], message },
        { path: ["document"], message }
      ]
      assert.deepInclude<object>(error, { _tag: "InputInvalid", issues })
      yield* Tokens.mint({ tokenId: "gold", amount, note: "a\u{1f600}b" }).pipe(Effect.provide(clientOf(server)))
      assert.include(server.uploads[0]?.text, 'form-data; name="note"\r\n\r\na\u{1f600}b\r\n')
    })
  )

  it.effect("a multipart body has exactly its declared length, or declares none", () =>
    Effect.gen(function* () {
      const bytes = new TextEncoder().encode("äöü")
      const sized = Upload.fromBytes({ name: "ü.txt", contentType: "text/plain", bytes })
      const body = multipart({ note: "größer", file: sized })
      assert.strictEqual(lengthOf(body), new TextEncoder().encode(yield* text(body)).length)
      const unsized = Upload.fromStream({ name: "a", contentType: "text/plain", open: () => Stream.make(bytes) })
      assert.isUndefined(lengthOf(multipart({ file: unsized })))
    })
  )
})

describe("an upload over a socket", () => {
  const file = Upload.fromStream({
    name: "big.bin",
    contentType: "application/octet-stream",
    size: 4 * 2 ** 20,
    open: () => Stream.fromIterable(Array.from({ length: 64 }, () => new Uint8Array(65_536).fill(120)))
  })

  it.live("an upload is opened anew for the replay after a 498, and arrives whole", () =>
    Effect.gen(function* () {
      for (const expiredAfter of [file.size!, 100_000]) {
        const server = yield* uploadServer((nth) => (nth === 0 ? { expiredAfter } : "take"))
        yield* Nfts.create({ name: "Art", networkId: "n1", file }).pipe(Effect.provide(clientOf(server)))
        assert.lengthOf(server.uploads, 2)
        assert.strictEqual(server.uploads[1]?.headers["content-length"], String(server.uploads[1]?.size))
        assert.isAbove(server.uploads[1]?.size ?? 0, file.size!)
      }
    })
  )

  it.live("an upload that can be read once is not replayed, and the error says that it was not sent", () =>
    Effect.gen(function* () {
      const server = yield* uploadServer((nth) => (nth === 0 ? { expiredAfter: 100_000 } : "take"))
      const once = Upload.fromStreamOnce(file)
      const error = yield* Effect.flip(
        Nfts.create({ name: "Art", networkId: "n1", file: once }).pipe(Effect.provide(clientOf(server)))
      )
      assert.strictEqual(error._tag, "NotSent")
      assert.lengthOf(server.uploads, 1)
    })
  )

  it.live("an upload whose bytes fail halfway ends with OutcomeUnknown", () =>
    Effect.gen(function* () {
      const server = yield* uploadServer()
      const broken = Upload.fromStream({
        name: "broken.bin",
        contentType: "application/octet-stream",
        open: () => Stream.concat(Stream.make(new Uint8Array(65_536)), Stream.fail("the disk is gone"))
      })
      const error = yield* Effect.flip(
        Nfts.create({ name: "Art", networkId: "n1", file: broken }).pipe(Effect.provide(clientOf(server)))
      )
      assert.strictEqual(error._tag, "OutcomeUnknown")
    })
  )

  it.live("Upload.fromPath has the file's name and size, and fails at once if the file does not exist", () =>
    Effect.gen(function* () {
      const fileSystem = yield* FileSystem.FileSystem
      const directory = yield* fileSystem.makeTempDirectoryScoped()
      yield* fileSystem.writeFileString(`${directory}/Ümläut.txt`, "hello")
      const server = yield* uploadServer()
      const document = yield* Upload.fromPath(`${directory}/Ümläut.txt`, { contentType: "text/plain" })
      yield* Tokens.burn({ tokenId: "gold", amount, document }).pipe(Effect.provide(clientOf(server)))
      assert.include(server.uploads[0]?.text, 'filename="Ümläut.txt"\r\nContent-Type: text/plain\r\n\r\nhello\r\n')
      assert.strictEqual(server.uploads[0]?.headers["content-length"], String(server.uploads[0]?.size))
      const error = yield* Effect.flip(Upload.fromPath(`${directory}/none`, { contentType: "text/plain" }))
      assert.strictEqual(error.reason._tag, "NotFound")
    }).pipe(Effect.provide(NodeFileSystem.layer))
  )
})
