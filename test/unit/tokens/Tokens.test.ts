import { assert, describe, it } from "@effect/vitest"
import { Amount, Upload } from "@effect-custody/core"
import { Tokens } from "@effect-custody/tokens"
import { Effect, type Schema, Stream } from "effect"
import { page, scriptedClient, tagOf } from "../../support/clients/scriptedClient.ts"

const logo = Upload.fromBytes({
  name: "logo.svg",
  contentType: "image/svg+xml",
  bytes: new TextEncoder().encode("<svg/>")
})

/** The parts of a multipart body, without the boundary between them. */
const partsOf = (body: unknown): ReadonlyArray<string> => {
  const text = String(body)
  const boundary = text.slice(0, text.indexOf("\r\n"))
  return text
    .split(boundary)
    .slice(1, -1)
    .map((part) => part.trim())
}

describe("Tokens", () => {
  it.effect("get, networks and metadata read", () => {
    const { layer, sent } = scriptedClient({ data: { id: 9, supply: 1000, decimals: 6 } }, page([{ id: "ethereum" }]), {
      data: { website: "https://acme.example", rating: "AA" }
    })
    return Effect.gen(function* () {
      const token = yield* Tokens.get({ tokenId: "9" })
      assert.strictEqual(Amount.format(token.supply!), "1000")
      const { items } = yield* Tokens.networks()
      assert.strictEqual(String(items[0]?.id), "ethereum")
      const metadata = yield* Tokens.metadata({ tokenId: token.id })
      assert.deepStrictEqual<unknown>(metadata, { website: "https://acme.example", extra: { rating: "AA" } })
      assert.deepStrictEqual(
        sent.map(({ method, url }) => `${method} ${url}`),
        ["GET /tokens/9", "GET /tokens/networks", "GET /tokens/9/metadata"]
      )
    }).pipe(Effect.provide(layer))
  })

  it.effect("streamNetworks gives every network", () => {
    const { layer } = scriptedClient(page([{ id: "ethereum" }, { id: "polygon" }]))
    return Effect.gen(function* () {
      assert.strictEqual(yield* Tokens.streamNetworks().pipe(Stream.runCount), 2)
    }).pipe(Effect.provide(layer))
  })

  it.effect("create uploads fields and a file", () => {
    const { layer, sent } = scriptedClient({ data: { id: "tok-1", status: "PENDING" } })
    return Effect.gen(function* () {
      const token = yield* Tokens.create({
        name: "Acme Bond 2030",
        symbol: "ACME30",
        networkId: "ethereum",
        decimals: 6,
        initialSupply: Amount.fromString("1000000"),
        logo
      })
      assert.strictEqual(String(token.id), "tok-1")
      assert.strictEqual(sent[0]?.url, "/tokens/create")
      assert.deepStrictEqual(partsOf(sent[0]?.body), [
        'Content-Disposition: form-data; name="name"\r\n\r\nAcme Bond 2030',
        'Content-Disposition: form-data; name="symbol"\r\n\r\nACME30',
        'Content-Disposition: form-data; name="networkId"\r\n\r\nethereum',
        'Content-Disposition: form-data; name="decimals"\r\n\r\n6',
        'Content-Disposition: form-data; name="initialSupply"\r\n\r\n1000000',
        'Content-Disposition: form-data; name="logo"; filename="logo.svg"\r\nContent-Type: image/svg+xml\r\n\r\n<svg/>'
      ])
    }).pipe(Effect.provide(layer))
  })

  it.effect("mint and burn upload too, with or without a document", () => {
    const { layer, sent } = scriptedClient({ data: {} })
    return Effect.gen(function* () {
      const amount = Amount.fromString("250.5")
      yield* Tokens.mint({ tokenId: "tok-1", amount, toWalletId: "w-1" })
      yield* Tokens.burn({ tokenId: "tok-1", amount, fromWalletId: "w-1", document: logo })
      assert.deepStrictEqual(
        sent.map(({ body, method, url }) => [`${method} ${url}`, partsOf(body)]),
        [
          [
            "POST /tokens/tok-1/mint",
            [
              'Content-Disposition: form-data; name="amount"\r\n\r\n250.5',
              'Content-Disposition: form-data; name="toWalletId"\r\n\r\nw-1'
            ]
          ],
          [
            "POST /tokens/tok-1/burn",
            [
              'Content-Disposition: form-data; name="amount"\r\n\r\n250.5',
              'Content-Disposition: form-data; name="fromWalletId"\r\n\r\nw-1',
              'Content-Disposition: form-data; name="document"; filename="logo.svg"\r\nContent-Type: image/svg+xml\r\n\r\n<svg/>'
            ]
          ]
        ]
      )
    }).pipe(Effect.provide(layer))
  })

  it.effect("updateMetadata puts it as it is given", () => {
    const { layer, sent } = scriptedClient({ data: {} })
    return Effect.gen(function* () {
      yield* Tokens.updateMetadata({ tokenId: "tok-1", metadata: { website: "https://acme.example", tags: ["bond"] } })
      assert.deepStrictEqual(sent, [
        {
          method: "PUT",
          url: "/tokens/tok-1/metadata",
          body: { metadata: { website: "https://acme.example", tags: ["bond"] } }
        }
      ])
    }).pipe(Effect.provide(layer))
  })

  it.effect("metadata is nested as deep as JSON can be written, and not deeper", () => {
    const { layer, sent } = scriptedClient({ data: {} })
    const nested = (levels: number): Schema.Json => {
      let value: Schema.Json = "end"
      for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { value }
      return value
    }
    const circular: Array<Schema.Json> = []
    circular.push(circular)
    return Effect.gen(function* () {
      yield* Tokens.updateMetadata({ tokenId: "tok-1", metadata: { deep: nested(255) } })
      for (const deep of [nested(256), nested(8_000), nested(1_000_000), circular]) {
        const refused = yield* Effect.flip(Tokens.updateMetadata({ tokenId: "tok-1", metadata: { deep } }))
        assert(refused._tag === "RequestInvalid")
        assert.deepStrictEqual(refused.issues, [{ path: ["metadata"], message: "is nested deeper than 256 levels" }])
      }
      assert.lengthOf(sent, 1)
    }).pipe(Effect.provide(layer))
  })

  it.effect("what makes no sense is not sent", () => {
    const { layer, sent } = scriptedClient({ data: { id: 1 } })
    return Effect.gen(function* () {
      const token = { name: "Acme", symbol: "ACME", networkId: "ethereum" }
      assert.strictEqual(yield* tagOf(Tokens.create({ ...token, name: "" })), "RequestInvalid")
      assert.strictEqual(yield* tagOf(Tokens.create({ ...token, decimals: -1 })), "RequestInvalid")
      assert.strictEqual(
        yield* tagOf(Tokens.mint({ tokenId: "tok-1", amount: Amount.fromString("0") })),
        "RequestInvalid"
      )
      assert.lengthOf(sent, 0)
    }).pipe(Effect.provide(layer))
  })
})
