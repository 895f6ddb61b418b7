/** What a creation under the caller's own key is looked up by when its outcome is in doubt, and what the look-up proves. */
import { Clients } from "@effect-custody/clients"
import { ApiError, Endpoint } from "@effect-custody/core"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import { TestClock } from "effect/testing"
import {
  answered,
  layer,
  notSent,
  refused,
  script,
  sent,
  succeeded
} from "../../../test/support/clients/scriptedTransport.ts"

interface Client {
  readonly externalId?: string
  readonly name?: string
}

/** How a program ends after an hour: the names of what was created, or the tag of its error. */
const endOf = <E extends { readonly _tag: string }, R>(program: Effect.Effect<Client | ReadonlyArray<Client>, E, R>) =>
  Effect.gen(function* () {
    const end = Effect.match(program, {
      onSuccess: (clients) =>
        [clients]
          .flat()
          .map(({ externalId, name }: Client) => externalId ?? name)
          .join(" "),
      onFailure: ({ _tag }) => _tag
    })
    const fiber = yield* Effect.forkChild(end)
    yield* TestClock.adjust("1 hour")
    return yield* Fiber.join(fiber)
  })

const Label = Schema.Struct({ name: Schema.String, group: Schema.optionalKey(Schema.String) })

/** A creation of a contract of one's own, whose record is read by its name. */
const labels = (existing: Omit<Endpoint.Existing, "read">) => {
  const section = "our own agreement"
  const get = Endpoint.read("labels.get", {
    route: "GET /labels/:label",
    assumed: section,
    params: { label: Schema.String },
    success: Label,
    errors: [ApiError.NotFound]
  })
  return Endpoint.keyed("labels.create", {
    route: "POST /labels",
    assumed: section,
    payload: { title: Schema.String, group: Schema.optionalKey(Schema.String) },
    success: Label,
    existing: { read: () => get, ...existing }
  })
}

const create = Clients.create({ externalId: "alice" })
const createMany = Clients.createMany({ externalIds: ["a", "b"] })

/** The answer to a look-up. */
const found = (data: object) => succeeded(data, 200)

/** The service's own word that there is no such client. */
const absent = answered(404, { status: 404, message: "No such client", errors: {}, code: "E20404" })

describe("a creation in doubt", () => {
  it.effect.each([
    ["<html>404 nginx</html>"],
    [{ status: 404, message: "Cannot GET /api/integration/clients/alice" }],
    [{ status: 404, message: "Not found", errors: { message: "Not found" } }],
    [{ status: 404, message: "Not found", code: 404 }],
    [{ status: 404, message: "Not found", code: "NOT_FOUND" }],
    [""]
  ])("a creation in doubt is unknown if its look-up gets a 404 without a code of the service: %j", ([body]) =>
    Effect.gen(function* () {
      yield* script(answered(502), answered(404, body), succeeded({ externalId: "alice" }))
      assert.strictEqual(yield* endOf(create), "OutcomeUnknown")
      assert.deepStrictEqual(yield* sent, ["POST /clients/create", "GET /clients/alice"])
    }).pipe(Effect.provide(layer()))
  )

  it.effect.each([
    [
      notSent,
      "HTTP 502; then its look-up failed: clients.get was not sent: ECONNREFUSED, nothing listens at the address"
    ],
    [found({ externalId: "bob", id: "alice" }), "HTTP 502; then its look-up shows another record"]
  ] as const)("the error of a creation in doubt says how its look-up ended", ([answer, reason]) =>
    Effect.gen(function* () {
      yield* script(answered(502), answer)
      const fiber = yield* Effect.forkChild(Effect.flip(create))
      yield* TestClock.adjust("1 hour")
      assert.deepInclude<object>(yield* Fiber.join(fiber), { _tag: "OutcomeUnknown", reason })
    }).pipe(Effect.provide(layer()))
  )

  it.effect("a creation in doubt is found if the service shows its name as a number", () =>
    Effect.gen(function* () {
      yield* script(answered(502), found({ externalId: 1001 }))
      assert.strictEqual(yield* endOf(Clients.create({ externalId: "1001" })), "1001")
    }).pipe(Effect.provide(layer()))
  )

  it.effect("a creation in doubt is looked up by the sent name, though the caller changes the input meanwhile", () =>
    Effect.gen(function* () {
      const ids = ["alice"]
      const answers = Effect.sync(() => {
        ids[0] = "bob"
        return answered(502)
      })
      yield* script(answers, found({ externalId: "alice" }))
      assert.strictEqual(yield* endOf(Clients.createMany({ externalIds: ids })), "alice")
      assert.deepStrictEqual(yield* sent, ["POST /clients/create-many", "GET /clients/alice"])
    }).pipe(Effect.provide(layer()))
  )
})

it.effect("a creation whose answer shows another client is looked up, and the error has the fields of the answer", () =>
  Effect.gen(function* () {
    yield* script(succeeded({ externalId: "bob", id: 7 }), found({ externalId: "alice" }))
    assert.strictEqual(yield* endOf(create), "alice")
    yield* script(succeeded({ externalId: "bob", id: 7 }), refused(403))
    assert.deepInclude<object>(yield* Effect.flip(create), {
      _tag: "OutcomeUnknown",
      reason: "HTTP 201 that cannot be read; then its look-up failed: clients.get: HTTP 403: No",
      issue: "the names in it are not those that were requested",
      payload: { externalId: "bob", id: "7" }
    })
  }).pipe(Effect.provide(layer()))
)

describe("a creation of many", () => {
  const [a, b, other] = [{ externalId: "a" }, { externalId: "b" }, { externalId: "zzz" }]
  const wrong: ReadonlyArray<ReadonlyArray<unknown>> = [
    [],
    [a],
    [other],
    [a, other],
    [a, a],
    [a, b, other],
    [{ id: 1 }]
  ]

  it.effect.each(wrong.map((data) => [data]))(
    "a creation of many with the answer %j is looked up, name by name",
    ([data]) =>
      Effect.gen(function* () {
        yield* script(succeeded(data), found(a), found(b))
        assert.strictEqual(yield* endOf(createMany), "a b")
        assert.deepStrictEqual(yield* sent, ["POST /clients/create-many", "GET /clients/a", "GET /clients/b"])
        yield* script(succeeded(data), found(a), absent)
        assert.strictEqual(yield* endOf(createMany), "OutcomeUnknown", "only some are there")
        yield* script(succeeded(data), absent, absent, succeeded([a, b]))
        assert.strictEqual(yield* endOf(createMany), "a b", "none is there: it is sent again")
      }).pipe(Effect.provide(layer()))
  )

  it.effect("a creation of many returns its records in the order of the names, whatever the order of the answer", () =>
    Effect.gen(function* () {
      yield* script(succeeded([b, a]))
      assert.strictEqual(yield* endOf(createMany), "a b")
      assert.lengthOf(yield* sent, 1)
    }).pipe(Effect.provide(layer()))
  )
})

describe("the identity fields of a contract", () => {
  const read = { lookupInput: { label: "title" } }

  it.effect("a record is recognised by those identity fields that the input has", () =>
    Effect.gen(function* () {
      const create = labels({ ...read, identityFields: { name: "title", group: "group" } })
      yield* script(answered(502), found({ name: "red" }))
      assert.strictEqual(yield* endOf(create({ title: "red" })), "red")
      assert.strictEqual(yield* endOf(create({ title: "red", group: "warm" })), "OutcomeUnknown")
      yield* script(answered(502), found({ name: "blue" }))
      assert.strictEqual(yield* endOf(create({ title: "red" })), "OutcomeUnknown")
    }).pipe(Effect.provide(layer()))
  )

  it.effect("identityFields defaults to lookupInput, and a record without these fields proves nothing", () =>
    Effect.gen(function* () {
      yield* script(answered(502), found({ name: "red" }))
      assert.strictEqual(yield* endOf(labels(read)({ title: "red" })), "OutcomeUnknown")
      yield* script(succeeded({ name: "red" }))
      assert.strictEqual(yield* endOf(labels({ ...read, identityFields: {} })({ title: "red" })), "OutcomeUnknown")
    }).pipe(Effect.provide(layer()))
  )
})

describe("a round of look-ups", () => {
  const ids = Array.from({ length: 12 }, (_, at) => `c${at}`)
  const createMany = Clients.createMany({ externalIds: ids })
  const allFound = ids.map((externalId) => found({ externalId }))
  const gets = Effect.map(sent, (lines) => lines.filter((line) => line.startsWith("GET")).length)

  it.effect("a round of look-ups costs one request of the budget, however many names it reads", () =>
    Effect.gen(function* () {
      for (let round = 0; round < 10; round++) {
        yield* script(answered(502), ...allFound)
        assert.strictEqual((yield* createMany).length, 12)
      }
      yield* script(answered(502), ...allFound)
      assert.strictEqual((yield* Effect.flip(createMany))._tag, "OutcomeUnknown")
      assert.strictEqual(yield* gets, 120)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("a round of look-ups ends at the first failure, and if one record exists and another does not", () =>
    Effect.gen(function* () {
      for (const [first, most] of [
        [[answered(403), ...allFound], 1],
        [[answered(503)], 1 + 3],
        [[absent, ...allFound], 1 + 3 + 5]
      ] as const) {
        yield* script(answered(502), ...first)
        assert.strictEqual(yield* endOf(createMany), "OutcomeUnknown")
        assert.isAtMost(yield* gets, most)
      }
    }).pipe(Effect.provide(layer()))
  )
})

describe("a name that no look-up could read", () => {
  const message = "cannot be a segment of a path"

  it.effect.each([".", "..", "\ud800", "a\udc00b"])(
    "the creation of a client named %j is refused, and nothing is sent",
    (name) =>
      Effect.gen(function* () {
        yield* script(succeeded({ externalId: name }))
        const one = yield* Effect.flip(Clients.create({ externalId: name }))
        assert.deepInclude<object>(one, { _tag: "InputInvalid", issues: [{ path: ["externalId"], message }] })
        const many = yield* Effect.flip(Clients.createMany({ externalIds: ["alice", name, "bob"] }))
        assert.deepInclude<object>(many, { _tag: "InputInvalid", issues: [{ path: ["externalIds", 1], message }] })
        const read = yield* Effect.flip(Clients.get({ externalId: name }))
        assert.deepInclude<object>(read, { _tag: "InputInvalid", issues: [{ path: ["externalId"], message }] })
        assert.lengthOf(yield* sent, 0)
      }).pipe(Effect.provide(layer()))
  )
})

describe("a name in another spelling", () => {
  const spellings = [
    ["Alice@Example.com", "alice@example.com"],
    ["alice ", "alice"],
    ["Zoe\u0301", "Zo\u00e9"]
  ] as const

  it.effect.each(spellings)(
    "a client %j that the service shows as %j is created, and found after doubt, but not after a refusal",
    ([id, externalId]) =>
      Effect.gen(function* () {
        yield* script(succeeded({ externalId }))
        assert.strictEqual(yield* endOf(Clients.create({ externalId: id })), externalId)
        yield* script(answered(502), found({ externalId }))
        assert.strictEqual(yield* endOf(Clients.create({ externalId: id })), externalId)
        yield* script(answered(502), absent, answered(422), found({ externalId }))
        assert.strictEqual(yield* endOf(Clients.create({ externalId: id })), "OutcomeUnknown")
        yield* script(answered(502), absent, answered(422), found({ externalId: id }))
        assert.strictEqual(yield* endOf(Clients.create({ externalId: id })), id)
      }).pipe(Effect.provide(layer()))
  )

  it.effect("two names that differ only in spelling are two records", () =>
    Effect.gen(function* () {
      const createMany = Clients.createMany({ externalIds: ["alice", "Alice"] })
      yield* script(succeeded([{ externalId: "Alice" }, { externalId: "alice" }]))
      assert.strictEqual(yield* endOf(createMany), "alice Alice")
      const alice = { externalId: "alice" }
      yield* script(succeeded([alice, alice]), found(alice), found(alice))
      assert.strictEqual(yield* endOf(createMany), "OutcomeUnknown")
    }).pipe(Effect.provide(layer()))
  )
})
