/** What a creation under the caller's own key is looked up by when its outcome is in doubt, and what the look-up proves. */
import { Clients } from "@effect-custody/clients"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import { answered, layer, script, sent, succeeded } from "../../support/clients/scripted.ts"

/** How a program ends after an hour: `Success`, or the tag of its error. */
const endOf = <A, E extends { readonly _tag: string }, R>(program: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(
      Effect.match(program, { onSuccess: () => "Success", onFailure: ({ _tag }) => _tag })
    )
    yield* TestClock.adjust("1 hour")
    return yield* Fiber.join(fiber)
  })

/** How often something was created. */
const posts = Effect.map(sent, (lines) => lines.filter((line) => line.startsWith("POST")).length)

describe("a creation is sent again only if the service itself says that it is not there", () => {
  const create = Clients.create({ id: "alice" })

  it.effect.each([
    ["a page", "<html>404 nginx</html>"],
    ["the words of a gateway", { message: "no Route matched with those values" }],
    ["the words of a framework", { status: 404, message: "Cannot GET /api/integration/clients/alice" }],
    [
      "the specification's body without a code",
      { status: 404, message: "Not found", errors: { message: "Not found" } }
    ],
    ["a number as its code", { status: 404, message: "Not found", code: 404 }],
    ["a code that is not in the specification's format", { status: 404, message: "Not found", code: "NOT_FOUND" }],
    ["nothing", ""]
  ] as const)("a 404 with %s leaves it unknown", ([, body]) =>
    Effect.gen(function* () {
      yield* script(answered(502), answered(404, body), succeeded({ externalId: "alice" }))
      assert.strictEqual(yield* endOf(create), "OutcomeUnknown")
      assert.deepStrictEqual(yield* sent, ["POST /clients/create", "GET /clients/alice"])
    }).pipe(Effect.provide(layer()))
  )

  it.effect("a 404 with a code of the endpoint's own says so", () =>
    Effect.gen(function* () {
      const absent = answered(404, { status: 404, message: "No such client", errors: {}, code: "E20404" })
      yield* script(answered(502), absent, succeeded({ externalId: "alice" }))
      assert.strictEqual(yield* endOf(create), "Success")
      assert.strictEqual(yield* posts, 2)
    }).pipe(Effect.provide(layer()))
  )
})
