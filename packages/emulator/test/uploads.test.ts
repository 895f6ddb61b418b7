import { Amount, Upload } from "@effect-custody/core"
import { assert, describe, it } from "@effect/vitest"
import { CustodyEmulator, Fault } from "@effect-custody/emulator"
import { Nfts, Tokens, Vaults } from "@effect-custody/sdk"
import { Effect, Fiber, Stream } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { TestClock } from "effect/testing"
import { createHash } from "node:crypto"
import { ways } from "./layers.ts"
import { session } from "./support.ts"

const piece = new Uint8Array(64 * 1024).fill(120)

const hashPieces = (pieces: number): string => {
  const hash = createHash("sha256")
  for (let n = 0; n < pieces; n++) hash.update(piece)
  return hash.digest("hex")
}

for (const { layerWith, way } of ways) {
  describe(`an upload ${way}`, () => {
    it.effect("is known by its name, type, size and digest", () =>
      Effect.gen(function* () {
        const { ledger } = yield* CustodyEmulator
        const file = Upload.fromStream({
          name: "größe 1.bin",
          contentType: "application/x-deed",
          open: () => Stream.fromIterable(Array.from({ length: 100 }, () => piece))
        })
        const nft = yield* Nfts.create({ name: "Deed", networkId: "polygon", file })
        const kept = {
          name: "größe 1.bin",
          contentType: "application/x-deed",
          size: 100 * piece.length,
          sha256: hashPieces(100)
        }
        assert.deepStrictEqual(nft.extra["fileDetails"], kept)
        assert.include(nft.file ?? "", kept.sha256)
        assert.deepStrictEqual((yield* ledger).at(-1)?.input, { name: "Deed", networkId: "polygon", file: kept })
      }).pipe(Effect.provide(layerWith({})))
    )

    it.effect("that never arrives is not read, so that it can still be sent if it is readable only once", () =>
      Effect.gen(function* () {
        const { faults, ledger } = yield* CustodyEmulator
        yield* Vaults.details()
        yield* faults.next("nfts.create", Fault.neverArrived())
        const bytes = Stream.make(piece)
        const file = Upload.fromStreamOnce({ name: "a", contentType: "text/plain", size: piece.length, bytes })
        const create = Nfts.create({ name: "Deed", networkId: "polygon", file })
        if (way === "over a socket") {
          // When an accepted connection breaks, the client cannot know whether the service read the request.
          assert.strictEqual((yield* Effect.flip(create))._tag, "OutcomeUnknown")
          assert.lengthOf(yield* ledger, 0)
        } else {
          const running = yield* Effect.forkChild(create, { startImmediately: true })
          yield* TestClock.adjust("5 seconds")
          yield* Fiber.join(running)
          assert.lengthOf(yield* ledger, 1)
        }
      }).pipe(Effect.provide(layerWith({})))
    )

    it.effect("can be empty, and can be absent if it is optional", () =>
      Effect.gen(function* () {
        const empty = Upload.fromBytes({ name: "a", contentType: "text/plain", bytes: new Uint8Array(0) })
        const { id: tokenId } = yield* Tokens.create({
          type: "FUNGIBLE",
          name: "A",
          symbol: "A",
          networkId: "ethereum"
        })
        const amount = Amount.of("1")
        const change = yield* Tokens.mint({ tokenId, amount, document: empty })
        assert.deepInclude(change.extra["document"], { name: "a", size: 0 })
        assert.isUndefined((yield* Tokens.burn({ tokenId, amount })).extra["document"])
      }).pipe(Effect.provide(layerWith({})))
    )
  })
}

describe("a multipart body", () => {
  const type = "multipart/form-data; boundary=b"
  const part = (name: string, value: string, more = "") =>
    `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`
  const body = (...parts: ReadonlyArray<string>) => `${parts.join("")}--b--\r\n`
  const right = [part("type", "FUNGIBLE"), part("name", "A"), part("symbol", "A"), part("networkId", "ethereum")]

  const upload = Effect.fnUntraced(function* (text: string, contentType = type) {
    const { baseUrl } = yield* CustodyEmulator
    const { accessToken } = yield* session()
    const response = yield* HttpClient.execute(
      HttpClientRequest.post(`${baseUrl}/tokens/create`, { headers: { "x-access-token": accessToken } }).pipe(
        HttpClientRequest.bodyText(text, contentType)
      )
    )
    const answer = JSON.parse(yield* response.text)
    return [response.status, answer.errors?.message === "Validation failed" ? answer.errors : answer.code]
  })

  const answers = (name: string, text: string, expected: readonly [number, unknown], contentType?: string) =>
    it.effect(name, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* upload(text, contentType), [...expected])
      }).pipe(Effect.provide(CustodyEmulator.layerHttpClient))
    )
  const invalid = (fields: object) => [422, { message: "Validation failed", ...fields }] as const

  answers("that is valid is accepted", body(...right, part("decimals", "6")), [201, undefined])
  answers("that is JSON is malformed", "{}", [400, "E40000"], "application/json")
  answers("without a boundary is malformed", body(...right), [400, "E40000"], "multipart/form-data")
  answers("that breaks off is malformed", right.join("").slice(0, -20), [400, "E40000"])
  answers("of too many parts is too large", body(...Array.from({ length: 101 }, () => part("a", "b"))), [
    413,
    undefined
  ])
  answers(
    "with a repeated field is refused by the type of the field",
    body(...right, part("name", "B")),
    invalid({ name: ["must be a string"] })
  )
  answers(
    "with text in place of a file is refused",
    body(...right, part("logo", "A")),
    invalid({ logo: ["must be a file"] })
  )
  answers(
    "with text in place of a number is refused",
    body(...right, part("decimals", "six")),
    invalid({ decimals: ["must be a number"] })
  )
  answers("with an unknown field is refused", body(...right, part("__proto__", "A")), [
    422,
    JSON.parse(`{"message":"Validation failed","__proto__":["should not exist"]}`)
  ])
})
