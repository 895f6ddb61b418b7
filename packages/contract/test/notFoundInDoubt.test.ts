/**
 * A `NotFound` that proves no absence: its code is in an answer with a doubtful status, or the answer is from a cache.
 */
import { Clients } from "@effect-custody/clients"
import { ServiceContract } from "@effect-custody/contract"
import { CustodyApi } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { TestClock } from "effect/testing"
import { answered, layer, script, sent, succeeded } from "../../../test/support/clients/scriptedTransport.ts"

const contract = ServiceContract.layer(
  {
    defaults: { errors: { tags: { NO_CLIENT: "NotFound" } } },
    operations: { "clients.get": true, "clients.create": true }
  },
  CustodyApi
)

const own = ServiceContract.layer({}, CustodyApi)
const noClient = (status: number) => answered(status, { message: "no such client", code: "NO_CLIENT" })

/** The error of a program, within an hour. */
const runError = <A, E, R>(program: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(Effect.flip(program))
    yield* TestClock.adjust("1 hour")
    return yield* Fiber.join(fiber)
  })

describe("a code that the contract lists as NotFound", () => {
  it.effect.each([500, 503, 408, 499])("under a %i proves no absence", (status) =>
    Effect.gen(function* () {
      yield* script(answered(502), noClient(status))
      assert.strictEqual((yield* runError(Clients.create({ externalId: "alice" })))._tag, "OutcomeUnknown")
      assert.lengthOf(
        (yield* sent).filter((line) => line === "POST /clients/create"),
        1
      )
      yield* script(noClient(status))
      const error = yield* runError(Clients.find({ externalId: "alice" }))
      assert.deepInclude<object>(error, { _tag: "UnknownApiError", status, code: "NO_CLIENT" })
    }).pipe(Effect.provide([layer(), contract]))
  )

  it.effect("under any other 4xx proves that there is no such client", () =>
    Effect.gen(function* () {
      yield* script(noClient(400))
      assert.isTrue(Option.isNone(yield* Clients.find({ externalId: "alice" })))
      yield* script(answered(502), noClient(409), succeeded({ externalId: "alice" }))
      const fiber = yield* Effect.forkChild(Clients.create({ externalId: "alice" }))
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(String((yield* Fiber.join(fiber)).externalId), "alice")
    }).pipe(Effect.provide([layer(), contract]))
  )
})

const notFound = answered(404, { status: 404, message: "Client not found", errors: {}, code: "E04404" })
type Headers = Readonly<Record<string, string | ReadonlyArray<string>>>
const withHeaders = (answer: ReturnType<typeof answered>, headers: Headers) => ({ ...answer, headers }) as typeof answer

describe("a 404 from a cache", () => {
  const kept: ReadonlyArray<Headers> = [
    { age: "1" },
    { age: "0, 7" },
    { age: ["0", "7"] },
    { age: "unknown" },
    { age: "0", "x-cache": "MISS, HIT" },
    { "cf-cache-status": "HIT" },
    { "x-cache-status": "STALE" },
    { "cache-status": "ExampleCache; hit; ttl=30" }
  ]
  const fresh: ReadonlyArray<Headers> = [
    {},
    { age: ["0", "0"] },
    { age: "0", "x-cache": "MISS", "x-cache-hits": "0" },
    { "x-cache": "Error from cloudfront" },
    { "cf-cache-status": "DYNAMIC" },
    { "cache-status": "ExampleCache; fwd=stale; fwd-status=404" }
  ]

  it.effect.each(kept)("proves no absence: %j", (headers) =>
    Effect.gen(function* () {
      for (const [refusal, inForce] of [
        [notFound, own],
        [noClient(400), contract]
      ] as const) {
        yield* Effect.gen(function* () {
          yield* script(answered(502), withHeaders(refusal, headers), succeeded({ externalId: "alice" }))
          assert.strictEqual((yield* runError(Clients.create({ externalId: "alice" })))._tag, "OutcomeUnknown")
          assert.deepStrictEqual(yield* sent, ["POST /clients/create", "GET /clients/alice"])
          yield* script(withHeaders(refusal, headers))
          assert.strictEqual((yield* runError(Clients.find({ externalId: "alice" })))._tag, "UnexpectedResponse")
          const error = yield* runError(Clients.get({ externalId: "alice" }))
          assert.deepInclude<object>(error, { _tag: "NotFound", isCertain: false })
        }).pipe(Effect.provide([layer(), inForce]))
      }
    })
  )

  it.effect.each(fresh)("is not suspected behind these headers: %j", (headers) =>
    Effect.gen(function* () {
      yield* script(withHeaders(notFound, headers))
      assert.isTrue(Option.isNone(yield* Clients.find({ externalId: "alice" })))
    }).pipe(Effect.provide([layer(), own]))
  )
})
