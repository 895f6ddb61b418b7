/** What a creation under the caller's own key is looked up by when its outcome is in doubt, and what the look-up proves. */
import { Clients } from "@effect-custody/clients"
import { ApiError, Contract, Endpoint, Envelope, Outcome } from "@effect-custody/core"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { TestClock } from "effect/testing"
import { answered, layer, notSent, script, sent, succeeded } from "../../support/clients/scripted.ts"

/** How a program ends after an hour: `Success`, or the tag of its error. */
const endOf = <A, E extends { readonly _tag: string }, R>(program: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(
      Effect.match(program, { onSuccess: () => "Success", onFailure: ({ _tag }) => _tag })
    )
    yield* TestClock.adjust("1 hour")
    return yield* Fiber.join(fiber)
  })

/** The names of what was created, or the tag of the error. */
const namesOf = <E extends { readonly _tag: string }, R>(
  program: Effect.Effect<ReadonlyArray<{ readonly externalId: string }>, E, R>
) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(
      Effect.match(program, {
        onSuccess: (clients) => clients.map(({ externalId }) => externalId).join(" "),
        onFailure: ({ _tag }) => _tag
      })
    )
    yield* TestClock.adjust("1 hour")
    return yield* Fiber.join(fiber)
  })

const Label = Schema.Struct({ name: Schema.String, group: Schema.optionalKey(Schema.String) })

/** A creation of a contract of one's own, whose record is read by its name. */
const labels = (existing: Contract.Existing) => {
  class LabelsApi extends HttpApiGroup.make("labels").add(
    HttpApiEndpoint.post("create", "/labels", {
      payload: Schema.Struct({ title: Schema.String, group: Schema.optionalKey(Schema.String) }),
      success: Envelope.of(Label),
      error: ApiError.authenticated
    }).pipe(Contract.assumed({ safety: "keyed", section: "our own agreement", existing })),
    HttpApiEndpoint.get("get", "/labels/:label", {
      params: { label: Schema.String },
      success: Envelope.of(Label),
      error: ApiError.authenticatedResource
    }).pipe(Contract.assumed({ safety: "read", section: "our own agreement" }))
  ) {}
  return Endpoint.make(LabelsApi, "create")
}

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

/** The answer to a look-up. */
const found = (data: object) => succeeded(data, 200)

/** The service's own word that there is no such client. */
const absent = answered(404, { status: 404, message: "No such client", errors: {}, code: "E20404" })

describe("a look-up that does not say what became of a creation", () => {
  it.effect.each([
    ["cannot be sent", [notSent], "HTTP 502; then its look-up failed: clients.get was not sent: ECONNREFUSED"],
    ["finds another record", [succeeded({ externalId: "bob" }, 200)], "HTTP 502; then its look-up shows another record"]
  ] as const)("%s: the error names both", ([, answers, reason]) =>
    Effect.gen(function* () {
      yield* script(answered(502), ...answers)
      const fiber = yield* Effect.forkChild(Outcome.of(Clients.create({ id: "alice" })))
      yield* TestClock.adjust("1 hour")
      const outcome = yield* Fiber.join(fiber)
      assert(outcome._tag === "Unknown", outcome._tag)
      assert.strictEqual(outcome.error.reason, reason)
    }).pipe(Effect.provide(layer()))
  )
})

describe("a record is what was created only if it shows the name that was asked for", () => {
  it.effect("a creation in doubt whose look-up finds another client is unknown, and not sent again", () =>
    Effect.gen(function* () {
      yield* script(answered(502), found({ externalId: "bob", id: "1001" }))
      assert.strictEqual(yield* endOf(Clients.create({ id: "1001" })), "OutcomeUnknown")
      assert.deepStrictEqual(yield* sent, ["POST /clients/create", "GET /clients/1001"])
    }).pipe(Effect.provide(layer()))
  )

  it.effect("so is one of many whose look-ups find the same client each time", () =>
    Effect.gen(function* () {
      yield* script(answered(502), found({ externalId: "zzz" }))
      assert.strictEqual(yield* namesOf(Clients.createMany({ ids: ["a", "b", "c"] })), "OutcomeUnknown")
      assert.strictEqual(yield* posts, 1)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("and one whose look-up finds a record without a name", () =>
    Effect.gen(function* () {
      yield* script(answered(502), found({ id: "1001" }))
      assert.strictEqual(yield* endOf(Clients.create({ id: "1001" })), "OutcomeUnknown")
    }).pipe(Effect.provide(layer()))
  )

  it.effect("a name that comes as a number is that name", () =>
    Effect.gen(function* () {
      yield* script(answered(502), found({ externalId: 1001 }))
      assert.strictEqual(yield* endOf(Clients.create({ id: "1001" })), "Success")
    }).pipe(Effect.provide(layer()))
  )

  it.effect("the name may be a field of the input's class", () =>
    Effect.gen(function* () {
      class Row {
        get id() {
          return "alice"
        }
      }
      yield* script(succeeded({ externalId: "alice" }))
      assert.strictEqual(yield* endOf(Clients.create(new Row())), "Success")
      yield* script(answered(502), found({ externalId: "alice" }))
      assert.strictEqual(yield* endOf(Clients.create(new Row())), "Success")
      assert.strictEqual((yield* sent).join(", "), "POST /clients/create, POST /clients/create, GET /clients/alice")
    }).pipe(Effect.provide(layer()))
  )

  it.effect("a creation that is answered with another client is looked up, and the error shows what came", () =>
    Effect.gen(function* () {
      yield* script(succeeded({ externalId: "bob", id: 7 }), found({ externalId: "alice" }))
      assert.strictEqual(yield* endOf(Clients.create({ id: "alice" })), "Success")
      yield* script(succeeded({ externalId: "bob", id: 7 }), answered(403))
      const error = yield* Effect.flip(Clients.create({ id: "alice" }))
      assert.deepInclude<object>(error, {
        _tag: "OutcomeUnknown",
        reason: "HTTP 201 that cannot be read; then its look-up failed: clients.get: HTTP 403",
        issue: "the names in it are not those that were requested",
        payload: { externalId: "bob", id: "7" }
      })
    }).pipe(Effect.provide(layer()))
  )

  it.effect("the name is what was asked for, though the caller changes the input meanwhile", () =>
    Effect.gen(function* () {
      const ids = ["alice"]
      const answers = Effect.sync(() => {
        ids[0] = "bob"
        return answered(502)
      })
      yield* script(answers, found({ externalId: "alice" }))
      assert.strictEqual(yield* namesOf(Clients.createMany({ ids })), "alice")
      assert.deepStrictEqual(yield* sent, ["POST /clients/create-many", "GET /clients/alice"])
    }).pipe(Effect.provide(layer()))
  )
})

describe("a creation of many has succeeded only if its answer shows exactly the names that were asked for", () => {
  const createMany = Clients.createMany({ ids: ["a", "b"] })
  const answers: ReadonlyArray<readonly [name: string, data: unknown]> = [
    ["nothing", []],
    ["one of them", [{ externalId: "a" }]],
    ["another", [{ externalId: "zzz" }]],
    ["one of them and another", [{ externalId: "a" }, { externalId: "zzz" }]],
    ["one of them twice", [{ externalId: "a" }, { externalId: "a" }]],
    ["both and another", [{ externalId: "a" }, { externalId: "b" }, { externalId: "zzz" }]],
    ["records without a name", [{ id: 1 }, { id: 2 }]]
  ]

  it.effect.each(answers)("%s: it is looked up, and succeeds with what is found", ([, data]) =>
    Effect.gen(function* () {
      yield* script(succeeded(data), found({ externalId: "a" }), found({ externalId: "b" }))
      assert.strictEqual(yield* namesOf(createMany), "a b")
      assert.deepStrictEqual(yield* sent, ["POST /clients/create-many", "GET /clients/a", "GET /clients/b"])
    }).pipe(Effect.provide(layer()))
  )

  it.effect.each(answers)("%s: it is unknown if only some are there, and not sent again", ([, data]) =>
    Effect.gen(function* () {
      yield* script(succeeded(data), found({ externalId: "a" }), absent)
      assert.strictEqual(yield* namesOf(createMany), "OutcomeUnknown")
      assert.strictEqual(yield* posts, 1)
    }).pipe(Effect.provide(layer()))
  )

  it.effect.each(answers)("%s: it is sent again if none is there, as after a lost answer", ([, data]) =>
    Effect.gen(function* () {
      yield* script(succeeded(data), absent, absent, succeeded([{ externalId: "a" }, { externalId: "b" }]))
      assert.strictEqual(yield* namesOf(createMany), "a b")
      assert.strictEqual(yield* posts, 2)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("the records are in the order of the names, whatever that of the answer", () =>
    Effect.gen(function* () {
      yield* script(succeeded([{ externalId: "b" }, { externalId: "a" }]))
      assert.strictEqual(yield* namesOf(createMany), "a b")
      assert.lengthOf(yield* sent, 1)
    }).pipe(Effect.provide(layer()))
  )
})

describe("a contract of one's own says by which fields a record shows what it is of", () => {
  const read = { operation: "labels.get", by: { label: "title" } }

  it.effect("under another name than that of the read's field", () =>
    Effect.gen(function* () {
      const create = labels({ ...read, shows: { name: "title" } })
      yield* script(answered(502), found({ name: "red" }))
      assert.strictEqual(yield* endOf(create({ title: "red" })), "Success")
      yield* script(answered(502), found({ name: "blue" }))
      assert.strictEqual(yield* endOf(create({ title: "red" })), "OutcomeUnknown")
    }).pipe(Effect.provide(layer()))
  )

  it.effect("by several, of which those count that the input has", () =>
    Effect.gen(function* () {
      const create = labels({ ...read, shows: { name: "title", group: "group" } })
      yield* script(answered(502), found({ name: "red" }))
      assert.strictEqual(yield* endOf(create({ title: "red" })), "Success")
      assert.strictEqual(yield* endOf(create({ title: "red", group: "warm" })), "OutcomeUnknown")
      yield* script(succeeded({ name: "red", group: "warm" }))
      assert.strictEqual(yield* endOf(create({ title: "red", group: "warm" })), "Success")
    }).pipe(Effect.provide(layer()))
  )

  it.effect(
    "by the fields of the read's input unless it says otherwise, and a record without them proves nothing",
    () =>
      Effect.gen(function* () {
        yield* script(answered(502), found({ name: "red" }))
        assert.strictEqual(yield* endOf(labels(read)({ title: "red" })), "OutcomeUnknown")
        yield* script(succeeded({ name: "red" }))
        assert.strictEqual(yield* endOf(labels({ ...read, shows: {} })({ title: "red" })), "OutcomeUnknown")
      }).pipe(Effect.provide(layer()))
  )
})

describe("a round of look-ups", () => {
  const ids = Array.from({ length: 12 }, (_, at) => `c${at}`)
  const createMany = Clients.createMany({ ids })
  const allFound = ids.map((externalId) => found({ externalId }))
  const gets = Effect.map(sent, (lines) => lines.filter((line) => line.startsWith("GET")).length)

  it.effect("costs one request of the budget, however many names it asks for", () =>
    Effect.gen(function* () {
      for (let round = 0; round < 10; round++) {
        yield* script(answered(502), ...allFound)
        assert.strictEqual((yield* createMany).length, 12)
      }
      assert.strictEqual(yield* gets, 120)
      yield* script(answered(502), ...allFound)
      assert.strictEqual((yield* Effect.flip(createMany))._tag, "OutcomeUnknown")
      assert.strictEqual(yield* gets, 120)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("ends with the first that fails", () =>
    Effect.gen(function* () {
      yield* script(answered(502), answered(403), ...allFound)
      assert.strictEqual(yield* namesOf(createMany), "OutcomeUnknown")
      assert.strictEqual(yield* gets, 1)
      yield* script(answered(502), ...allFound.slice(0, 5), answered(403), ...allFound)
      assert.strictEqual(yield* namesOf(createMany), "OutcomeUnknown")
      assert.isBelow(yield* gets, 1 + 12)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("ends when one is there and another is not", () =>
    Effect.gen(function* () {
      yield* script(answered(502), absent, ...allFound)
      assert.strictEqual(yield* namesOf(createMany), "OutcomeUnknown")
      assert.isAtMost(yield* gets, 1 + 4)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("asks for one alone where the service is down, as often as a read is sent", () =>
    Effect.gen(function* () {
      yield* script(answered(503))
      assert.strictEqual(yield* namesOf(createMany), "OutcomeUnknown")
      assert.strictEqual(yield* gets, 3)
    }).pipe(Effect.provide(layer()))
  )
})

describe("nothing is created under a name by which it could not be read", () => {
  const names = [".", "..", "\ud800", "a\udc00b"]
  const message = "cannot be a segment of a path"

  it.effect.each(names)("a client named %j is refused, and nothing is sent", (name) =>
    Effect.gen(function* () {
      yield* script(succeeded({ externalId: name }))
      const one = yield* Effect.flip(Clients.create({ id: name }))
      assert.deepInclude<object>(one, { _tag: "RequestInvalid", issues: [{ path: ["id"], message }] })
      const many = yield* Effect.flip(Clients.createMany({ ids: ["alice", name, "bob"] }))
      assert.deepInclude<object>(many, { _tag: "RequestInvalid", issues: [{ path: ["ids", 1], message }] })
      const read = yield* Effect.flip(Clients.get({ externalId: name }))
      assert.deepInclude<object>(read, { _tag: "RequestInvalid", issues: [{ path: ["externalId"], message }] })
      assert.lengthOf(yield* sent, 0)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("nor is a record of a contract of one's own, under the name of the creation's field", () =>
    Effect.gen(function* () {
      yield* script(succeeded({ name: ".." }))
      const create = labels({ operation: "labels.get", by: { label: "title" }, shows: { name: "title" } })
      const error = yield* Effect.flip(create({ title: ".." }))
      assert.deepInclude<object>(error, { _tag: "RequestInvalid", issues: [{ path: ["title"], message }] })
      assert.lengthOf(yield* sent, 0)
    }).pipe(Effect.provide(layer()))
  )
})

describe("a service may show a name in another spelling", () => {
  const spellings = [
    ["Alice@Example.com", "alice@example.com"],
    ["alice ", "alice"],
    ["Zoe\u0301", "Zo\u00e9"]
  ] as const

  it.effect.each(spellings)("%j as %j: created, and found after doubt", ([id, externalId]) =>
    Effect.gen(function* () {
      yield* script(succeeded({ externalId }))
      assert.strictEqual(yield* endOf(Clients.create({ id })), "Success")
      yield* script(answered(502), found({ externalId }))
      assert.strictEqual(yield* endOf(Clients.create({ id })), "Success")
      yield* script(succeeded([{ externalId: "bob" }, { externalId }]))
      assert.strictEqual(yield* namesOf(Clients.createMany({ ids: [id, "bob"] })), `${externalId} bob`)
    }).pipe(Effect.provide(layer()))
  )

  it.effect.each(spellings)("%j as %j: not after a refusal, which may be because of it", ([id, externalId]) =>
    Effect.gen(function* () {
      yield* script(answered(502), absent, answered(422), found({ externalId }))
      assert.strictEqual(yield* endOf(Clients.create({ id })), "OutcomeUnknown")
      yield* script(answered(502), absent, answered(422), found({ externalId: id }))
      assert.strictEqual(yield* endOf(Clients.create({ id })), "Success")
    }).pipe(Effect.provide(layer()))
  )

  it.effect("of two names that differ in spelling alone, each is its own", () =>
    Effect.gen(function* () {
      const createMany = Clients.createMany({ ids: ["alice", "Alice", "bob"] })
      yield* script(succeeded([{ externalId: "Alice" }, { externalId: "bob" }, { externalId: "alice" }]))
      assert.strictEqual(yield* namesOf(createMany), "alice Alice bob")
      const [alice, bob] = [{ externalId: "alice" }, { externalId: "bob" }]
      yield* script(succeeded([alice, alice, bob]), found(alice), found(alice), found(bob))
      assert.strictEqual(yield* namesOf(createMany), "OutcomeUnknown")
    }).pipe(Effect.provide(layer()))
  )
})
