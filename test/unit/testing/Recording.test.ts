import { TokenStore } from "@effect-custody/authentication"
import { Environment, RetryPolicy } from "@effect-custody/core"
import { Assets, Clients, Custody, Vaults, Wallets } from "@effect-custody/sdk"
import { CustodyTest, Recording, WireLog } from "@effect-custody/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Schema } from "effect"

const program = Effect.gen(function* () {
  const created = yield* Clients.create({ id: "alice" })
  const wallets = yield* Wallets.list({ clientId: "alice", limit: 2 })
  const refused = yield* Effect.flip(Clients.get({ externalId: "nobody" }))
  return { created, wallets, refused: refused._tag, vault: yield* Vaults.details() }
})

/** What a log wrote, as it is read from a file again. */
const decode = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(Recording.Exchange)))

const recorded = Effect.gen(function* () {
  const result = yield* program
  const entries = yield* (yield* WireLog).entries
  return { result, vectors: Recording.vectors(decode(JSON.stringify(entries))) }
}).pipe(Effect.provide(CustodyTest.layer))

const client = Custody.layer({
  environment: Environment.local("http://127.0.0.1:9/elsewhere"),
  apiKey: Redacted.make("any key"),
  retry: RetryPolicy.none
}).pipe(Layer.provide(TokenStore.layerMemory), Layer.fresh)

const replaying = (vectors: ReadonlyArray<Recording.Vector>) => Layer.provide(client, Recording.layer(vectors))

describe("a recording", () => {
  it.effect("is replayed at another address, with the same results", () =>
    Effect.gen(function* () {
      const { result, vectors } = yield* recorded
      assert.deepStrictEqual(
        vectors.map(({ operation }) => operation),
        ["clients.create", "wallets.list", "clients.get", "vaults.details"]
      )
      const replayed = yield* Effect.provide(program, replaying(vectors))
      assert.deepStrictEqual(replayed, result)
    })
  )

  it.effect("answers each request once, and no other", () =>
    Effect.gen(function* () {
      const { vectors } = yield* recorded
      const outcome = yield* Effect.gen(function* () {
        yield* Clients.create({ id: "alice" })
        return [
          yield* Effect.flip(Clients.create({ id: "alice" })),
          yield* Effect.flip(Wallets.list({ clientId: "alice", limit: 3 }))
        ]
      }).pipe(Effect.provide(replaying(vectors)))
      assert.deepStrictEqual(
        outcome.map(({ _tag }) => _tag),
        ["OutcomeUnknown", "TransportError"]
      )
    })
  )

  it.effect("holds no token and no key", () =>
    Effect.gen(function* () {
      const { vectors } = yield* recorded
      const text = JSON.stringify(vectors)
      assert.notInclude(text, "oken")
      assert.notInclude(text.toLowerCase(), "apikey")
    })
  )
})

const exchange = { operation: "tokens.updateMetadata", method: "PUT", path: "/tokens/t/metadata", query: [], body: "" }

it("an answer that the log does not hold whole is left out: no part of it proves anything", () => {
  const answers = [
    { _tag: "NotAnswered" },
    { _tag: "Answered", status: 422, body: '{"status":422,"mess', brokenOff: "ECONNRESET" },
    { _tag: "Answered", status: 422, body: "<redacted>" },
    { _tag: "Answered", status: 422 },
    { _tag: "Answered", status: 204 }
  ]
  assert.deepStrictEqual(
    Recording.vectors(answers.map((answer) => ({ ...exchange, answer }))).map(({ name, response }) => [
      name,
      response.body
    ]),
    [["5: tokens.updateMetadata answers 204", ""]]
  )
})

it.effect("a path that ends like another one is answered with its own vector", () =>
  Effect.gen(function* () {
    const asset = (id: string) => ({ id, symbol: "X", decimals: 6 })
    const vector = (operation: string, path: string): Recording.Exchange => ({
      operation,
      method: "GET",
      path: `/api${path}`,
      query: [],
      body: "",
      answer: {
        _tag: "Answered",
        status: 200,
        body: JSON.stringify({ message: "m", data: [asset(path)], status: 200 })
      }
    })
    const recorded = Recording.vectors([vector("assets.list", "/assets"), vector("vaults.assets", "/vaults/assets")])
    assert.deepStrictEqual(
      recorded.map(({ request }) => request.path),
      ["/assets", "/vaults/assets"]
    )
    const idsOf = (list: { readonly items: ReadonlyArray<{ readonly id: string }> }) => list.items.map(({ id }) => id)
    const [ofVault, ofService, error] = yield* Effect.all([
      Effect.map(Vaults.assets(), idsOf),
      Effect.map(Assets.list(), idsOf),
      Effect.flip(Vaults.assets())
    ]).pipe(Effect.provide(replaying(recorded)))
    assert.deepStrictEqual([ofVault, ofService], [["/vaults/assets"], ["/assets"]])
    assert.strictEqual(error._tag, "TransportError")
  })
)
