/** What is wrong with a declaration or a call does not compile: eleven mistakes, and what their opposites are. */
// What is wrong on purpose is told by the compiler; Effect's own plugin need not say it again.
// @effect-diagnostics missingEffectError:off missingEffectContext:off
import { ApiError, Endpoint, Lenient, NotFound } from "@effect-custody/core"
import { Adapter } from "@effect-custody/contract"
import { CustodyApi, CustodyClient, Transactions, Vaults } from "@effect-custody/sdk"
import { Effect, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import type { Equal, Expect } from "../../../../test/support/types.ts"

class Label extends Lenient.Opaque<Label>()({ name: Schema.String }, { group: Schema.String }) {}

class LimitReached extends ApiError.ErrorAnswer.extend<LimitReached>("test/LimitReached")({
  _tag: Schema.tag("LimitReached"),
  code: Schema.Literal("E70001")
}) {}

/** An error class of another module, which does not extend an error of the SDK. */
class Locked extends Schema.TaggedError<Locked>("test/Locked")("Locked", { status: Schema.Literal(423) }) {}

const get = Endpoint.read("labels.get", {
  route: "GET /labels/:name",
  params: { name: Schema.String },
  success: Label,
  errors: [NotFound],
  about: "name"
})

const create = Endpoint.keyed("labels.create", {
  route: "POST /labels",
  payload: Schema.Struct({ name: Schema.String, group: Schema.optionalKey(Schema.String) }),
  success: Label,
  errors: [LimitReached, Locked],
  existing: { read: () => get, lookupInput: { name: "name" } }
})

const name = { name: Schema.String }
const success = Label

// 1. An endpoint without its call is no Effect: nothing would be sent, and the vault's name would be the function's.
// @ts-expect-error The generator yields something that is no Effect.
export const named: Effect.Effect<string, unknown, CustodyClient> = Effect.gen(function* () {
  // @ts-expect-error It has no iterator.
  const vault = yield* Vaults.details
  return vault.name
})

/** Each of these would be sent as it is, if it compiled. */
export const mistakes = [
  Effect.gen(function* () {
    // @ts-expect-error Nobody would be paid.
    yield* Transactions.send
    yield* Effect.log("paid")
  }),
  // 2. A parameter of the route without a field of its name.
  // @ts-expect-error It would send `DELETE /wallets/`.
  Endpoint.write("wallets.remove", { route: "DELETE /wallets/:wallet", params: { walletId: Schema.String }, success }),
  // 3. A parameter of the route without `params`.
  // @ts-expect-error `params` is missing.
  Endpoint.read("labels.get", { route: "GET /labels/:name", success }),
  // 4. A field that is in no path.
  // @ts-expect-error The route has no parameters.
  Endpoint.read("labels.get", { route: "GET /labels", params: name, success }),
  // 5. A method of another constructor.
  // @ts-expect-error A GET changes nothing.
  Endpoint.write("labels.touch", { route: "GET /labels", success }),
  // @ts-expect-error A POST may change something.
  Endpoint.read("labels.search", { route: "POST /labels", success }),
  // 6. A name in two parts of the input.
  // @ts-expect-error `name` is in the path and in the body.
  Endpoint.write("labels.rename", { route: "POST /labels/:name", params: name, payload: name, success }),
  // @ts-expect-error `name` is in the path and in the query.
  Endpoint.read("labels.get", { route: "GET /labels/:name", params: name, query: name, success }),
  // @ts-expect-error A struct is no exception.
  Endpoint.write("labels.rename", { route: "PUT /labels/:name", params: name, payload: Schema.Struct(name), success }),
  // 7. A look-up by its name.
  // @ts-expect-error It is a thunk, so that it names an endpoint.
  Endpoint.write("labels.add", { route: "POST /labels", payload: name, success, lookUp: "labels.gett" }),
  // @ts-expect-error A creation under a name is looked up.
  Endpoint.keyed("labels.add", { route: "POST /labels", payload: name, success }),
  // 8. A record that shows an id which the path does not have.
  // @ts-expect-error The parameter is `name`.
  Endpoint.read("labels.get", { route: "GET /labels/:name", params: name, success, about: "id" }),
  // 9. An error without a tag, which nobody could catch.
  // @ts-expect-error It has no `_tag`.
  Endpoint.read("labels.list", { route: "GET /labels", success, errors: [Schema.Struct({ status: Schema.Int })] }),
  // 10. An adapter that reads a field which its record does not have.
  Adapter.make(get, {
    request: ({ name }) => HttpClientRequest.get(Adapter.path`/labels/${name}`),
    answer: Schema.Struct({ label: Schema.String }),
    // @ts-expect-error The record has `name` and `group`.
    read: ({ label }) => ({ title: label })
  }),
  // 11. An adapter of a change without its way back.
  // @ts-expect-error It has no `back`.
  Adapter.make(create, {
    request: ({ group, name }) => HttpClientRequest.post(Adapter.path`/labels/${name}/${group ?? "none"}`),
    answer: Label,
    read: (label) => ({ name: label.name, group: label.group })
  })
]

/** The types of what is right. */
export type Right = [
  Expect<Equal<Endpoint.Input<typeof get>, { readonly name: string }>>,
  Expect<Equal<Endpoint.Input<typeof create>, { readonly name: string; readonly group?: string | undefined }>>,
  Expect<Equal<Endpoint.Input<typeof Vaults.details>, void>>,
  Expect<Equal<Endpoint.Output<typeof create>, Label>>,
  Expect<Equal<Endpoint.Failure<typeof create>, Endpoint.WriteError | LimitReached | Locked>>,
  Expect<Equal<keyof typeof Label.fields, "name" | "group">>,
  Expect<Equal<typeof Label.fields.group, Schema.optionalKey<Schema.String>>>
]

/** A literal of a record may leave out `extra`; what the service sends has it. */
export const label: Label = Label.make({ name: "vip" })
export const extra: unknown = label.extra["colour"]

/** A write that was not sent has a tag of its own. */
export const unsent = Transactions.send({ clientId: "a", assetId: "b", to: "c", amount: null! }).pipe(
  Effect.catchTag("NotSent", ({ reason }) => Effect.succeed(reason))
)

/** A client of one's own has `call` and nothing else. */
export const client = CustodyClient.of({ call: () => Effect.never })

export const contract = Adapter.layer([Adapter.assumed(get)])
export const both = { categories: { ...CustodyApi.categories, labels: { get, create } } }
