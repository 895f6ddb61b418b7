import { TokenStore } from "@effect-custody/authentication"
import { Environment, RetryPolicy } from "@effect-custody/core"
import { Assets, Clients, Custody, Tokens, Vaults, Wallets } from "@effect-custody/sdk"
import { CustodyTest, Recording, WireLog } from "@effect-custody/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Schema, Struct } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"

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

const clientWith = (limits: { readonly maxResponseBytes?: number }) =>
  Custody.layer({
    environment: Environment.local("http://127.0.0.1:9/elsewhere"),
    apiKey: Redacted.make("any key"),
    retry: RetryPolicy.none,
    limits
  }).pipe(Layer.provide(TokenStore.layerMemory), Layer.fresh)

const client = clientWith({})

const replaying = (vectors: ReadonlyArray<Recording.Vector>, by = client) => Layer.provide(by, Recording.layer(vectors))

/** A service that answers a path so, and the authentication as it should. */
const service = (answers: Readonly<Record<string, () => Response>>) =>
  Layer.succeed(
    HttpClient.HttpClient,
    HttpClient.make((request) =>
      Effect.sync(() => {
        const path = new URL(request.url).pathname.replace("/elsewhere", "")
        const tokens = { accessToken: "access-token-1", refreshToken: "refresh-token-1", vaultId: 1 }
        const answer = answers[path]?.() ?? Response.json({ message: "m", data: tokens, status: 201 }, { status: 201 })
        return HttpClientResponse.fromWeb(request, answer)
      })
    )
  )

/** What a program comes to at a service, the vectors of that, and what it comes to with them. */
const twice = Effect.fnUntraced(function* <A, E>(
  program: Effect.Effect<A, E, Layer.Success<typeof client>>,
  http: Layer.Layer<HttpClient.HttpClient>,
  by = client
) {
  const { live, vectors } = yield* Effect.gen(function* () {
    const live = yield* Effect.exit(program)
    const entries = yield* (yield* WireLog).entries
    return { live, vectors: Recording.vectors(decode(JSON.stringify(entries))) }
  }).pipe(Effect.provide(by.pipe(Layer.provideMerge(WireLog.layer), Layer.provide(http))))
  const replayed = yield* Effect.exit(Effect.provide(program, replaying(vectors, by)))
  return { live, vectors, replayed }
})

/** A body that says this, and then fails, ends no more, or ends. */
const body = (text: string, then: "fails" | "hangs" | "ends") => {
  let said = false
  return new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        if (!said) controller.enqueue(new TextEncoder().encode(text))
        else if (then === "ends") controller.close()
        else if (then === "fails") controller.error(Object.assign(new Error("reset"), { code: "ECONNRESET" }))
        else return new Promise(() => {})
        said = true
        return undefined
      }
    },
    { highWaterMark: 0 }
  )
}

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

describe("an answer that is not whole", () => {
  const update = Effect.map(Effect.flip(Tokens.updateMetadata({ tokenId: "t", metadata: { a: 1 } })), (error) => [
    error._tag,
    error._tag === "OutcomeUnknown" ? error.reason : ""
  ])
  const refusal = '{"status":422,"mess'
  const refusing = (answer: ReadableStream<Uint8Array> | null, status = 422) =>
    service({ "/tokens/t/metadata": () => new Response(answer, { status }) })

  it.effect("is in doubt in the replay too, with the same reason: no part of it proves anything", () =>
    Effect.gen(function* () {
      const { live, replayed, vectors } = yield* twice(update, refusing(body(refusal, "fails")))
      assert.deepStrictEqual(yield* live, ["OutcomeUnknown", "ECONNRESET"])
      assert.deepStrictEqual(yield* replayed, ["OutcomeUnknown", "ECONNRESET"])
      assert.deepStrictEqual(
        vectors.map(({ name, response }) => [name, response.body, response.brokenOff]),
        [["2: tokens.updateMetadata answers 422, and breaks off", refusal, "ECONNRESET"]]
      )
    })
  )

  it.effect("is in doubt in the replay too where its reader did not wait for its end", () =>
    Effect.gen(function* () {
      const { live, replayed, vectors } = yield* twice(update, refusing(body(refusal, "hangs"))).pipe(
        CustodyTest.fastForward()
      )
      assert.strictEqual((yield* live)[0], "OutcomeUnknown")
      assert.strictEqual((yield* replayed)[0], "OutcomeUnknown")
      assert.strictEqual(vectors[0]?.response.brokenOff, "it was not read to its end")
    })
  )

  it.effect("is in doubt in the replay too where it was larger than its reader takes", () =>
    Effect.gen(function* () {
      const whole = `{"status":422,"message":"no","errors":{"message":"no"},"code":"E00402"}`
      const padded = body(whole.padEnd(1_001), "ends")
      const by = clientWith({ maxResponseBytes: 1_000 })
      const { live, replayed, vectors } = yield* twice(update, refusing(padded), by)
      assert.deepStrictEqual(yield* live, ["OutcomeUnknown", "the answer is larger than 1000 bytes"])
      assert.strictEqual((yield* replayed)[0], "OutcomeUnknown")
      assert.strictEqual(vectors[0]?.response.brokenOff, "it was not read to its end")
    })
  )

  it.effect("is not whole either where the log does not show it, or where nobody read it", () =>
    Effect.gen(function* () {
      const exchange = { operation: "tokens.updateMetadata", method: "PUT", path: "/tokens/t/metadata", query: [] }
      const sent = { ...exchange, body: '{"metadata":{"a":1}}' }
      const answers = [
        { _tag: "Answered", status: 422, body: "<redacted>" },
        { _tag: "Answered", status: 422 },
        { _tag: "Answered", status: 204 }
      ]
      const vectors = Recording.vectors(answers.map((answer) => ({ ...sent, answer })))
      assert.deepStrictEqual(
        vectors.map(({ response }) => response.brokenOff),
        ["the log does not show it: it may hold too many secrets", "it was not read", undefined]
      )
      const outcomes = yield* Effect.all([update, update, update]).pipe(Effect.provide(replaying(vectors)))
      assert.deepStrictEqual(
        outcomes.map(([tag]) => tag),
        ["OutcomeUnknown", "OutcomeUnknown", "OutcomeUnknown"]
      )
    })
  )

  it.effect("is one that has no body, and that is whole", () =>
    Effect.gen(function* () {
      const { vectors } = yield* twice(update, refusing(null, 204))
      assert.deepStrictEqual(
        vectors.map(({ response }) => [response.status, response.body, response.brokenOff]),
        [[204, "", undefined]]
      )
    })
  )
})

describe("a large answer", () => {
  it.effect("is recorded whole, as large as the client reads", () =>
    Effect.gen(function* () {
      const assets = Array.from({ length: 3_000 }, (_, nth) => ({
        id: `asset-${nth}`,
        symbol: "X",
        decimals: 6,
        name: "x".repeat(300)
      }))
      const list = () => Response.json({ message: "m", data: assets, status: 200 })
      const count = Effect.map(Assets.list(), ({ items }) => items.length)
      const { live, replayed, vectors } = yield* twice(count, service({ "/assets": list }))
      assert.deepStrictEqual([yield* live, yield* replayed], [3_000, 3_000])
      assert.isAbove(vectors[0]!.response.body.length, 900_000)
    })
  )
})

describe("a path", () => {
  const lists = service({
    "/assets": () =>
      Response.json({ message: "m", data: [{ id: "of the service", symbol: "X", decimals: 6 }], status: 200 }),
    "/vaults/assets": () =>
      Response.json({ message: "m", data: [{ id: "of the vault", symbol: "X", decimals: 6 }], status: 200 })
  })
  const idsOf = (list: { readonly items: ReadonlyArray<{ readonly id: string }> }): ReadonlyArray<string> =>
    list.items.map(({ id }) => id)
  const ofService = Effect.map(Assets.list(), idsOf)
  const ofVault = Effect.map(Vaults.assets(), idsOf)

  it.effect("that ends like another one is answered with its own vector", () =>
    Effect.gen(function* () {
      const { vectors } = yield* twice(Effect.all([ofService, ofVault]), lists)
      assert.deepStrictEqual(
        vectors.map(({ request }) => request.path),
        ["/assets", "/vaults/assets"]
      )
      const withoutOperations = vectors.map((vector) => Struct.omit(vector, ["operation"]))
      for (const all of [vectors, withoutOperations]) {
        const replayed = yield* Effect.all([ofVault, ofService]).pipe(Effect.provide(replaying(all)))
        assert.deepStrictEqual(replayed, [["of the vault"], ["of the service"]])
      }
      const error = yield* Effect.flip(ofVault).pipe(Effect.provide(replaying(vectors.slice(0, 1))))
      assert.strictEqual(error._tag, "TransportError")
    })
  )

  it.effect("fits by whole segments where no operation is known", () =>
    Effect.gen(function* () {
      const vector = (path: string): Recording.Vector => ({
        name: path,
        request: { method: "GET", path, query: [], body: "" },
        response: { status: 200, contentType: "text/plain", body: path }
      })
      const answers = yield* Effect.forEach(["daily", "/reports/daily"], (path) =>
        Effect.flatMap(HttpClient.get("http://127.0.0.1/reports/daily"), ({ text }) => text).pipe(
          Effect.provide(Recording.layer([vector("ly"), vector("ports/daily"), vector(path)]))
        )
      )
      assert.deepStrictEqual(answers, ["daily", "/reports/daily"])
    })
  )
})
