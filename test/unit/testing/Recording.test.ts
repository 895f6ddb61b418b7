import { TokenStore } from "@effect-custody/authentication"
import { Environment, RetryPolicy } from "@effect-custody/core"
import { Clients, Custody, Vaults, Wallets } from "@effect-custody/sdk"
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

const replaying = (vectors: ReadonlyArray<Recording.Vector>) =>
  Custody.layer({
    environment: Environment.local("http://127.0.0.1:9/elsewhere"),
    apiKey: Redacted.make("any key"),
    retry: RetryPolicy.none
  }).pipe(Layer.provide([TokenStore.layerMemory, Recording.layer(vectors)]))

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
