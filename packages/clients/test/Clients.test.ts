import { assert, describe, it } from "@effect/vitest"
import { Clients } from "@effect-custody/clients"
import { Effect, Option } from "effect"
import { notFound, scriptedClient } from "../../../test/support/clients/scriptedClient.ts"

const alice = { externalId: "alice", id: 7, createdAt: "20 August, 2025 11:18:53" }

describe("Clients", () => {
  it.effect("find returns the client, or None if there is none", () => {
    const { layer } = scriptedClient({ data: alice }, notFound)
    return Effect.gen(function* () {
      assert.isTrue(Option.isSome(yield* Clients.find({ externalId: "alice" })))
      assert.isTrue(Option.isNone(yield* Clients.find({ externalId: "nobody" })))
    }).pipe(Effect.provide(layer))
  })

  it.effect.each([
    ["the words of a framework", { status: 404, message: "Cannot GET /api/integration/clients/alice" }],
    ["a code that is not in the service's format", { status: 404, message: "Not found", code: "NOT_FOUND" }]
  ] as const)(
    "find does not accept a 404 with %s as the absence of a client, and get says that it is not certain",
    ([, body]) => {
      const { layer } = scriptedClient({ status: 404, body })
      return Effect.gen(function* () {
        const error = yield* Effect.flip(Clients.find({ externalId: "alice" }))
        assert.deepInclude<object>(error, { _tag: "UnexpectedResponse", operation: "clients.get", status: 404 })
        assert.include(error.message, "nothing shows that it is the service's own")
        const ofGet = yield* Effect.flip(Clients.get({ externalId: "alice" }))
        assert(ofGet._tag === "NotFound")
        assert.isFalse(ofGet.isCertain)
      }).pipe(Effect.provide(layer))
    }
  )

  it.effect.each([
    ["a page", "404 page not found"],
    ["the words of a gateway", { message: "no Route matched with those values" }]
  ] as const)("a 404 with %s is no NotFound", ([, body]) => {
    const { layer } = scriptedClient({ status: 404, body })
    return Effect.gen(function* () {
      const input = { externalId: "alice" }
      for (const call of [Effect.asVoid(Clients.find(input)), Effect.asVoid(Clients.get(input))]) {
        const error = yield* Effect.flip(call)
        assert.deepInclude<object>(error, { _tag: "OtherApiError", status: 404, isForeign: true })
      }
    }).pipe(Effect.provide(layer))
  })

  it.effect("find fails as get does with everything but NotFound", () => {
    const { layer } = scriptedClient({ status: 422, body: { status: 422, message: "no", code: "E00402" } })
    return Effect.gen(function* () {
      const error = yield* Effect.flip(Clients.find({ externalId: "alice" }))
      assert.strictEqual(error._tag, "ValidationFailed")
    }).pipe(Effect.provide(layer))
  })
})
