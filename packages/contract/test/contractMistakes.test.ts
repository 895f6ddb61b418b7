/** A contract with a mistake has no effect, as a file and as a layer. */
import { Wire, ServiceContract } from "@effect-custody/contract"
import { Assets, CustodyApi, Transactions, Wallets } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result, Schema } from "effect"

type Mistake = readonly [contract: object, ...messages: ReadonlyArray<string>]

const of = (operation: string, entry: unknown): object => ({ operations: { [operation]: entry } })
const send = (entry: object): object => of("transactions.send", entry)
const get = (entry: object): object => of("wallets.get", entry)
const defaults = (entries: object): object => ({ defaults: entries })

const atSend = "operations transactions.send"

/** Each as `path: the beginning of the message`. */
const mistakes: ReadonlyArray<Mistake> = [
  // The form.
  [{ opertions: {} }, "opertions: unknown key"],
  [{ note: 1 }, "note: Expected string"],
  [{ operations: [] }, "operations: Expected object"],
  [of("wallets.get", 1), "operations wallets.get: Expected true | object"],
  [get({ pth: "/x" }), "operations wallets.get pth: unknown key"],
  [defaults({ casing: "snake" }), `defaults casing: Expected "snake_case"`],
  [defaults({ amounts: "seconds" }), "defaults amounts: Expected"],
  [defaults({ payload: "result..items" }), "defaults payload: Expected keys with dots between them"],
  [defaults({ paging: { style: "keyset" } }), `defaults paging: Expected "none" | `],
  [defaults({ paging: { style: "cursor" } }), `defaults paging: "next" is missing`],
  [defaults({ total: "" }), "defaults total: Expected"],
  [defaults({ success: [200, 404] }), "defaults success 1: Expected a value between 200 and 299"],
  [defaults({ success: [] }), "defaults success: Expected"],
  [defaults({ errors: { tags: { E1: "Expired" } } }), `defaults errors tags E1: Expected "InvalidApiKey" | `],
  [
    defaults({ errors: { tags: { EXISTS: "Conflict" } } }),
    `defaults errors tags EXISTS: Expected "InvalidApiKey" | "ValidationFailed" | "InvalidAccessToken" | ` +
      `"InvalidRefreshToken" | "TokenExpired" | "BadRequest" | "NotFound": a code without a tag is UnknownApiError`
  ],
  [defaults({ errors: { doubtful: [498] } }), "defaults errors doubtful 0: Expected a status other than 401, 429, 498"],
  [defaults({ errors: { doubtful: [503] } }), "defaults errors doubtful 0: Expected a value between 400 and 499"],
  [defaults({ errors: { when: { at: "rc", success: [] } } }), "defaults errors when success: Expected"],
  [send({ fields: { to: { in: "header" } } }), `${atSend} fields to in: unknown key`],
  [send({ fields: { amount: { as: { minor: 1.5 } } } }), `${atSend} fields amount as minor: Expected an integer`],
  // Names.
  [of("walets.get", true), `operations walets.get: there is no operation "walets.get"`],
  [send({ fields: { clientID: "x" } }), `${atSend} fields clientID: there is no field "clientID": "clientId"`],
  [
    get({ response: { adress: "x" } }),
    `operations wallets.get response adress: there is no field "adress": "id", "address"`
  ],
  [defaults({ fields: { clientID: "x" } }), `defaults fields clientID: there is no field "clientID": "clientId"`],
  [defaults({ response: { clientID: "x" } }), `defaults response clientID: there is no field "clientID"`],
  // Methods and paths.
  [get({ route: "POST /wallets/:walletId" }), "operations wallets.get route: a read goes by GET"],
  [
    of("paymentOrders.cancel", { route: "GET /orders/:orderId" }),
    "operations paymentOrders.cancel route: any intermediary"
  ],
  [defaults({ prefix: "v2" }), `defaults prefix: "v2" is not a path`],
  [get({ route: "/wallets/../:walletId" }), `operations wallets.get route: "/wallets/../:walletId" is not a path`],
  [
    get({ route: "/api/integration/wallets/:walletId" }),
    `operations wallets.get route: "/api/integration/wallets/:walletId" repeats the end of the base address`
  ],
  [get({ route: "/wallets" }), `operations wallets.get route: the path lacks its parameter ":walletId"`],
  [
    get({ route: "/wallets/:id" }),
    `operations wallets.get route: the path lacks its parameter ":walletId"`,
    `operations wallets.get route: no field fills the parameter ":id"`
  ],
  [get({ route: "/:walletId/:walletId" }), "operations wallets.get route: the path has a parameter twice"],
  [
    of("wallets.list", { proven: ["assetID"] }),
    `operations wallets.list proven 0: there is no filter "assetID": "assetId"`
  ],
  [of("wallets.list", { proven: ["search"] }), `operations wallets.list proven 0: there is no filter "search"`],
  [
    get({ fields: { walletId: "omit" } }),
    `operations wallets.get: no field fills the parameter ":walletId"`,
    "operations wallets.get fields walletId: it is required"
  ],
  // Places.
  [send({ fields: { to: "x", note: "x" } }), `${atSend} fields note: "to" and "note" would both be sent as "x"`],
  [send({ fields: { to: "x", note: "x.y" } }), `${atSend} fields note: "to" and "note" would both be sent as "x.y"`],
  [send({ constants: { "to.kind": 1 } }), `${atSend}: "to.kind" and "to" would both be sent as "to"`],
  [
    of("transactions.list", { paging: { style: "page", page: "n", size: "n" } }),
    `operations transactions.list: "paging" and "paging" would both be sent as "n"`
  ],
  [
    { ...defaults({ fields: { clientId: "to" } }), ...of("transactions.send", true) },
    `${atSend}: "clientId" and "to" would both be sent as "to"`
  ],
  [send({ fields: { note: "a..b" } }), `${atSend} fields note: "a..b" has an empty key`],
  [
    of("authentication.generateTokens", { route: "/keys/:apiKey" }),
    `operations authentication.generateTokens: "apiKey" is a secret`
  ],
  [
    send({ fields: { clientId: "omit" } }),
    `${atSend} fields clientId: it is required, so it has a place: code can say`
  ],
  // Values.
  [send({ fields: { to: { as: "seconds" } } }), `${atSend} fields to as: this field cannot be written as "seconds"`],
  [
    {
      ...defaults({ values: { states: { PENDNG: "p" } } }),
      ...of("transactions.list", { response: { status: { values: "states" } } })
    },
    `operations transactions.list response status values: there is no value "PENDNG": "PENDING"`
  ],
  [defaults({ values: { status: { A: "x", B: "x" } } }), `defaults values status B: "x" stands for two values`],
  [
    defaults({ response: { status: { values: "states" } } }),
    `defaults response status values: the defaults have no values of the name "states"`
  ],
  [
    {
      ...defaults({ values: { states: { PENDING: "p" } } }),
      ...of("transactions.list", { fields: { to: { values: "states", as: "iso" } } })
    },
    `operations transactions.list fields to as: "as" and "values" cannot be combined`
  ]
]

/** `true` if the text at a position is the last key of the path, or the value in a list. */
const standsAt = (
  text: string,
  { column, line, path }: { readonly column: number; readonly line: number; readonly path: ReadonlyArray<unknown> }
): boolean => {
  const rest = text.split("\n")[line - 1]!.slice(column - 1)
  const last = path.at(-1)!
  return typeof last === "number" || rest.startsWith(JSON.stringify(last))
}

describe("a mistake in a contract", () => {
  for (const [contract, ...messages] of mistakes) {
    const text = JSON.stringify(contract, undefined, 2)
    it.effect(`is refused: ${JSON.stringify(contract)}`, () =>
      Effect.gen(function* () {
        const checked = ServiceContract.fromJson(text, CustodyApi)
        assert(Result.isFailure(checked))
        const issues = checked.failure
        for (const [at, { message, path }] of issues.entries()) {
          const issue = `${path.join(" ")}: ${message}`
          assert.strictEqual(issue.slice(0, messages[at]?.length), messages[at], issue)
        }
        assert.lengthOf(issues, messages.length)
        for (const issue of issues) assert.isTrue(standsAt(text, issue), JSON.stringify(issue))

        const error = yield* Effect.flip(Layer.build(ServiceContract.layer(contract as object, CustodyApi)))
        assert.strictEqual(error._tag, "ConfigurationInvalid")
        const inLayer = issues.map(({ message, path }) => `${path.join(" → ")}: ${message}`)
        assert.sameMembers(error.reason.split("\n"), inLayer)
      })
    )
  }

  it.effect("is refused in code too", () =>
    Effect.gen(function* () {
      const empty = { write: () => ({}), read: () => ({}) as never }
      const ofWallet = { params: { of: Schema.String }, headers: { host: Schema.String }, ...empty } as never
      const layer = ServiceContract.layer(
        {
          operations: {
            "wallets.get": Wire.make(Wallets.get, { route: "POST /search", request: empty }),
            "wallets.list": Wire.make(Wallets.list, {
              route: "DELETE /w",
              request: empty,
              proven: ["assetId", "search"]
            }),
            "transactions.send": Wire.make(Transactions.send, { route: "GET /../x", request: empty }),
            "transactions.get": Wire.make(Transactions.get, { route: "GET /t/:id", request: ofWallet }),
            "transactions.list": Wire.make(Wallets.list, {}) as never,
            "assets.list": Wire.make(Assets.list, { request: empty, fields: { search: "q" } } as never)
          }
        },
        CustodyApi
      )
      const { message } = yield* Effect.flip(Layer.build(layer))
      assert.deepStrictEqual(
        message.split("\n").map((line) => line.replace(/^.*operations → /, "").replace(/:.*/, "")),
        [
          "wallets.list → route",
          "wallets.list → proven → 1",
          "transactions.send → route",
          "transactions.send → route",
          "transactions.get → route",
          "transactions.get → route",
          "transactions.get → request",
          "transactions.list",
          "assets.list → fields"
        ]
      )
    })
  )
})
