/** Endpoints of one's own: what is refused when they are declared, and what their errors and contracts are. */
import { ApiError, CustodyClient, Endpoint, Lenient, Outcome, OutcomeUnknown } from "@effect-custody/core"
import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import { real, sentBy } from "../../../test/support/clients/reportsApi.ts"
import { answer } from "../../../test/support/clients/stubHttp.ts"

class LimitReached extends ApiError.ErrorAnswer.extend<LimitReached>("test/LimitReached")({
  _tag: Schema.tag("LimitReached"),
  code: Schema.Literal("E70001")
}) {}

/** An error class of another module. */
class Locked extends Schema.TaggedError<Locked>("test/Locked")("Locked", { status: Schema.Literal(423) }) {}

const Day = Schema.Struct({ id: Schema.String })
const success = Day

const limit = Endpoint.write("limits.raise", {
  route: "POST /limits",
  payload: Schema.Struct({ least: Schema.Int, most: Schema.Int }).pipe(
    Schema.check(Schema.makeFilter(({ least, most }) => (least <= most ? undefined : "least is above most")))
  ),
  success,
  errors: [LimitReached, Locked]
})

const input = { least: 1, most: 2 }

const refusedWith = (status: number, code?: string) =>
  sentBy(Effect.flip(limit(input)), {
    environment: real,
    respond: () => answer(status, { status, message: "No", errors: {}, ...(code === undefined ? {} : { code }) })
  })

const errorOf = (exit: Exit.Exit<{ readonly _tag: string }, unknown>) => (Exit.isSuccess(exit) ? exit.value : exit)

describe("a wrong declaration", () => {
  // The types refuse each of these too.
  const wrongly = Endpoint as unknown as Readonly<Record<string, (name: string, options: object) => unknown>>
  const name = { name: Schema.String }

  it.each([
    ["write", { route: "DELETE /labels/:label", params: name }, "the path has :label, and params has no label"],
    ["read", { route: "GET /labels", params: name }, "params has name, and the path has no :name"],
    ["write", { route: "GET /labels" }, "GET is no method of a write"],
    ["read", { route: "POST /labels" }, "POST is no method of a read"],
    [
      "write",
      { route: "POST /labels/:name", params: name, payload: name },
      "two parts of the input have the name name"
    ],
    [
      "write",
      { route: "PUT /labels/:name", params: name, payload: Schema.Struct(name) },
      "two parts of the input have the name name"
    ],
    [
      "read",
      { route: "GET /labels/:name", params: name, about: { name: "id" } },
      "about is neither a parameter of the path nor { parameter, idFields: […] } with one"
    ],
    [
      "read",
      { route: "GET /labels/:name", params: name, about: "label" },
      "about is neither a parameter of the path nor { parameter, idFields: […] } with one"
    ]
  ] as const)("is refused when it is made: %s %j", (kind, options, objection) => {
    assert.throws(
      () => wrongly[kind]!("labels.get", { ...options, success }),
      `The endpoint labels.get is declared wrongly: ${objection}`
    )
  })
})

describe("an endpoint of one's own", () => {
  it.effect("an endpoint without a provenance may be called on a real service", () =>
    Effect.gen(function* () {
      const { exit, sent } = yield* sentBy(limit(input), { environment: real })
      assert.deepStrictEqual(exit, Exit.succeed({ id: "r-1" }))
      assert.strictEqual(sent[0]?.body, `{"least":1,"most":2}`)
    })
  )

  it.effect("a check of a payload's struct refuses an input", () =>
    Effect.gen(function* () {
      const { exit, sent } = yield* sentBy(Effect.flip(limit({ least: 3, most: 2 })), { environment: real })
      assert.deepInclude<object>(errorOf(exit), { _tag: "InputInvalid" })
      assert.lengthOf(sent, 0)
    })
  )

  it.effect("an answer becomes the first own error whose fields fit, and otherwise the usual one", () =>
    Effect.gen(function* () {
      const reached = errorOf((yield* refusedWith(409, "E70001")).exit)
      assert.instanceOf(reached, LimitReached)
      assert.strictEqual(reached.message, "limits.raise: HTTP 409, E70001: No")
      assert.instanceOf(errorOf((yield* refusedWith(423)).exit), Locked)
      assert.deepInclude<object>(errorOf((yield* refusedWith(409, "E70002")).exit), { _tag: "OtherApiError" })
      assert.deepInclude<object>(errorOf((yield* refusedWith(502, "E70001")).exit), { _tag: "OutcomeUnknown" })
    })
  )

  it.effect("an own error that extends ErrorAnswer is certain, and any other is not", () =>
    Effect.gen(function* () {
      const outcomeOf = (status: number, code?: string) =>
        sentBy(Outcome.of(limit(input)), {
          environment: real,
          respond: () => answer(status, { status, message: "No", errors: {}, ...(code === undefined ? {} : { code }) })
        })
      assert.deepInclude<object>(errorOf((yield* outcomeOf(409, "E70001")).exit), { _tag: "NotDone" })
      assert.deepInclude<object>(errorOf((yield* outcomeOf(423)).exit), { _tag: "Unknown" })
    })
  )
})

it.effect("a client of one's own proves no filter and remembers no write", () =>
  Effect.gen(function* () {
    const { factsOf } = CustodyClient
    assert.deepStrictEqual((yield* factsOf(limit)).proven, [])
    const fingerprint = "0".repeat(64)
    const sentAt = yield* DateTime.now
    yield* Outcome.resolved(new OutcomeUnknown({ operation: "limits.raise", fingerprint, sentAt, reason: "HTTP 502" }))
  }).pipe(Effect.provideService(CustodyClient, CustodyClient.of({ call: () => Effect.never })))
)

it("a record has the codecs of its fields, and is made without extra", () => {
  class Label extends Lenient.Opaque<Label>()({ name: Schema.String }, { group: Schema.String }) {}
  assert.deepStrictEqual(Object.keys(Label.fields), ["name", "group"])
  assert.deepStrictEqual<object>(Label.make({ name: "vip" }), { name: "vip", extra: {} })
  assert.throws(() => Label.make({} as { readonly name: string }))
  const Named = Schema.Struct({ ...Label.fields, id: Schema.Int })
  assert.deepStrictEqual<object>(Schema.decodeUnknownSync(Named)({ id: 1, name: "vip", group: 7 }), {
    id: 1,
    name: "vip"
  })
})
