import { TokenStore } from "@effect-custody/authentication"
import { Environment, RetryPolicy } from "@effect-custody/core"
import { Assets, Clients, Custody, Vaults, Wallets } from "@effect-custody/sdk"
import { type Answer, CustodyTest, type Entry, Recording, WireLog } from "@effect-custody/testing"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Layer, Redacted, Schema } from "effect"

const program = Effect.gen(function* () {
  const created = yield* Clients.create({ id: "alice" })
  const wallets = yield* Wallets.list({ clientId: "alice", limit: 2 })
  const refused = yield* Effect.flip(Clients.get({ externalId: "nobody" }))
  return { created, wallets, refused: refused._tag, vault: yield* Vaults.details() }
})

/** What was recorded, as it is read from a file again. */
const decode = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(Recording.Vector)))

const recorded = Effect.gen(function* () {
  const result = yield* program
  const entries = yield* (yield* WireLog).entries
  return { result, vectors: decode(JSON.stringify(Recording.vectors(entries))) }
}).pipe(Effect.provide(CustodyTest.layer))

const client = Custody.layer({
  environment: Environment.local("http://127.0.0.1:9/elsewhere"),
  apiKey: Redacted.make("any key"),
  retry: RetryPolicy.none
}).pipe(Layer.provide(TokenStore.layerMemory), Layer.fresh)

const replaying = (vectors: ReadonlyArray<Recording.Vector>) => Layer.provide(client, Recording.layer(vectors))

describe("a recording", () => {
  it.effect("a recording gives the same results at another address", () =>
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

  it.effect("a recording answers each of its requests once, and no other request", () =>
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
})

const entry = (operation: string, method: string, path: string, answer: Answer): Entry => ({
  sequence: 1,
  sentAt: DateTime.makeUnsafe(0),
  operation,
  method,
  path: `/api${path}`,
  query: [],
  headers: {},
  body: "",
  answer
})
const at = DateTime.makeUnsafe(0)

it("a recording leaves out an answer that the log does not hold in full", () => {
  const answered = { _tag: "Answered", at, status: 422, headers: {}, body: undefined } as const
  const answers: ReadonlyArray<Answer> = [
    { _tag: "NotAnswered", at, reason: "ECONNRESET" },
    { ...answered, body: '{"status":422,"mess', brokenOff: "ECONNRESET" },
    { ...answered, body: "<redacted>" },
    answered,
    { ...answered, status: 204 }
  ]
  assert.deepStrictEqual(
    Recording.vectors(answers.map((answer) => entry("tokens.updateMetadata", "PUT", "/tokens/t/metadata", answer))).map(
      ({ request, response }) => [request.path, response.status, response.body]
    ),
    [["/tokens/t/metadata", 204, ""]]
  )
})

it.effect("a recording answers a path with its own vector, not with one of a similar ending", () =>
  Effect.gen(function* () {
    const asset = (id: string) => ({ id, symbol: "X", decimals: 6 })
    const answer = (id: string): Answer => {
      const body = JSON.stringify({ message: "m", data: [asset(id)], status: 200 })
      return { _tag: "Answered", at, status: 200, headers: {}, body }
    }
    const recorded = Recording.vectors([
      entry("assets.list", "GET", "/assets", answer("of the service")),
      entry("vaults.assets", "GET", "/vaults/assets", answer("of the vault"))
    ])
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
    assert.deepStrictEqual([ofVault, ofService], [["of the vault"], ["of the service"]])
    assert.strictEqual(error._tag, "TransportError")
  })
)
