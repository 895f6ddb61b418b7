/** A code that a contract lists as `NotFound` says nothing in an answer that leaves everything open. */
import { Clients } from "@effect-custody/clients"
import { WireContract } from "@effect-custody/core"
import { CustodyApi } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { TestClock } from "effect/testing"
import { answered, layer, script, sent, succeeded } from "../../support/clients/scripted.ts"

const contract = WireContract.layer(
  {
    defaults: { errors: { tags: { NO_CLIENT: "NotFound" } } },
    operations: { "clients.get": true, "clients.create": true }
  },
  CustodyApi
)

const noClient = (status: number) => answered(status, { message: "no such client", code: "NO_CLIENT" })

/** The error of a program, within an hour. */
const errorOf = <A, E, R>(program: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(Effect.flip(program))
    yield* TestClock.adjust("1 hour")
    return yield* Fiber.join(fiber)
  })

describe("a code that the contract lists as NotFound", () => {
  for (const status of [500, 503, 408, 499]) {
    it.effect(`under a ${status} does not say that a creation may be sent again`, () =>
      Effect.gen(function* () {
        yield* script(answered(502), noClient(status))
        assert.strictEqual((yield* errorOf(Clients.create({ id: "alice" })))._tag, "OutcomeUnknown")
        assert.lengthOf(
          (yield* sent).filter((line) => line === "POST /clients/create"),
          1
        )
      }).pipe(Effect.provide([layer(), contract]))
    )

    it.effect(`under a ${status} is no answer to Clients.find and Clients.get`, () =>
      Effect.gen(function* () {
        yield* script(noClient(status))
        for (const read of [Clients.find({ externalId: "alice" }), Clients.get({ externalId: "alice" })]) {
          assert.deepInclude<object>(yield* errorOf<unknown, object, any>(read), {
            _tag: "UnknownApiError",
            status,
            code: "NO_CLIENT"
          })
        }
      }).pipe(Effect.provide([layer(), contract]))
    )
  }

  it.effect("under any other 4xx says that there is no such client", () =>
    Effect.gen(function* () {
      yield* script(noClient(400))
      assert.isTrue(Option.isNone(yield* Clients.find({ externalId: "alice" })))
      yield* script(answered(502), noClient(409), succeeded({ externalId: "alice" }))
      const fiber = yield* Effect.forkChild(Clients.create({ id: "alice" }))
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(String((yield* Fiber.join(fiber)).externalId), "alice")
    }).pipe(Effect.provide([layer(), contract]))
  )
})
