/** Every mistake that a contract can make is refused before any of it is in force, in a file and in a layer alike. */
import { WireContract } from "@effect-custody/core"
import { CustodyApi } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"

type Mistake = readonly [contract: object, ...said: ReadonlyArray<string>]

const of = (operation: string, entry: unknown): object => ({ operations: { [operation]: entry } })
const send = (entry: object): object => of("transactions.send", entry)
const list = (entry: object): object => of("transactions.list", entry)
const defaults = (said: object): object => ({ defaults: said })

/** Each as `path: message; expected`. */
const mistakes: ReadonlyArray<Mistake> = [
  // The contract as a whole.
  [
    { opertions: {} },
    `opertions: unknown key "opertions"; one of "$schema", "source", "note", "defaults", "operations", "proposed"`
  ],
  [{ "wallets.get": true }, `wallets.get: "wallets.get" is at the top level; move it under "operations"`],
  [{ note: 1 }, "note: 1 is not valid; string"],
  [{ source: { documnet: "x" } }, `source documnet: unknown key "documnet"; one of "document", "url", "page", "date"`],
  [{ operations: [] }, "operations: [] is not valid; object"],
  [
    { operations: { "wallets.get": true }, proposed: { "wallets.get": true } },
    `proposed wallets.get: "wallets.get" is already confirmed; only one entry for it`
  ],
  [
    { proposed: { "walets.get": true } },
    `proposed walets.get: there is no operation "walets.get"; an operation's name, such as "wallets.get"`
  ],
  [
    { proposed: { "wallets.get": { confirmed: { by: "anna", date: "2026-11-21" } } } },
    `proposed wallets.get confirmed: a proposal is not confirmed; it under "operations"`
  ],
  [
    of("wallets.get", { confirmed: { by: "anna" } }),
    `operations wallets.get confirmed: "date" is missing; a value for it`
  ],
  // Defaults.
  [
    defaults({ case: "snake_case" }),
    `defaults case: unknown key "case"; one of "prefix", "casing", "contentType", "amounts", "times", "ids", "body", "constants", "success", "payload", "items", "record", "paging", "meta", "errors", "fields", "response"`
  ],
  [
    defaults({ casing: "snake" }),
    `defaults casing: "snake" is not valid; "camelCase" | "snake_case" | "kebab-case" | "PascalCase"`
  ],
  [
    defaults({ prefix: "v2" }),
    `defaults prefix: "v2" is not a path; a path such as "/v2", put between the base address and each path`
  ],
  [
    defaults({ prefix: "/api/integration/v2" }),
    `defaults prefix: "/api/integration/v2" repeats "/api/integration", which is put before it; the path after it`
  ],
  [
    defaults({ payload: "result..items" }),
    `defaults payload: "result..items" has an empty segment; keys with dots between them, such as "result.items"`
  ],
  [
    defaults({ contentType: "text/xml" }),
    `defaults contentType: "text/xml" is not a JSON type; such as "application/vnd.api+json"`
  ],
  [
    defaults({ constants: { dry_run: true } }),
    `defaults constants dry_run: "dry_run" does not say where the value goes; such as "query.dry_run", "header.x-version" or "body.type"`
  ],
  [
    defaults({ constants: { "body.type": "x" } }),
    "defaults constants body.type: not every operation has a body; the constant in each operation that has one"
  ],
  [
    defaults({ constants: { "header.X-Access-Token": "x" } }),
    `defaults constants header.X-Access-Token: the SDK sets the header "X-Access-Token"; another header`
  ],
  [
    defaults({ constants: { "header.x y": "x" } }),
    `defaults constants header.x y: "x y" is not a header name; a name such as "x-reference"`
  ],
  [
    defaults({ fields: { clientID: "account" } }),
    `defaults fields clientID: no operation has a field "clientID"; "clientId"`
  ],
  [
    defaults({ response: { clientID: "x" } }),
    `defaults response clientID: no operation has a field "clientID"; "clientId"`
  ],
  [
    defaults({ paging: { style: "keyset" } }),
    `defaults paging style: "keyset" is not a style of paging; one of "page", "offset", "cursor", "link", "none"`
  ],
  [defaults({ paging: { style: "cursor" } }), `defaults paging: "next" is missing; a value for it`],
  [
    defaults({ paging: { style: "offset", offset: "n", size: "n" } }),
    `defaults paging size: two parts of paging would both be sent as "n"; a different name for each`
  ],
  [defaults({ paging: { style: "page", first: 2 } }), "defaults paging first: 2 is not valid; 0 | 1"],
  [
    defaults({ meta: { total: "page.total" } }),
    `defaults meta total: unknown key "total"; one of "totalItems", "totalPages"`
  ],
  [defaults({ success: [200, 404] }), "defaults success: [200,404] are not success statuses; statuses from 200 to 299"],
  [
    { defaults: { success: [204] }, operations: { "paymentOrders.cancel": true, "transactions.send": true } },
    `operations transactions.send: the only success status in the defaults is 204, which has no payload, but the answer must contain something, such as an id; "success": [201]`
  ],
  [
    { defaults: { success: [200, 204] }, operations: { "transactions.send": { success: [201, 204] } } },
    "operations transactions.send success 1: 204 has no payload, but the answer must contain something, such as an id; a status that comes with a payload, such as 201"
  ],
  [
    of("clients.createMany", { success: [205] }),
    "operations clients.createMany success 0: 205 has no payload, but the answer must contain something, such as an id; a status that comes with a payload, such as 201"
  ],
  [
    defaults({ errors: { tags: { E1: "Expired" } } }),
    `defaults errors tags E1: "Expired" is not valid; "InvalidApiKey" | "ValidationFailed" | "InvalidAccessToken" | "InvalidRefreshToken" | "TokenExpired" | "BadRequest" | "NotFound"`
  ],
  [
    defaults({ errors: { doubtful: [498] } }),
    "defaults errors doubtful 0: after 498 it is certain that the service has not acted; statuses from 400 to 499, such as 409; a 5xx is doubtful already"
  ],
  [
    defaults({ errors: { doubtful: [503] } }),
    "defaults errors doubtful 0: 503 is not a refusal; statuses from 400 to 499, such as 409; a 5xx is doubtful already"
  ],
  [
    defaults({ errors: { when: { at: "head..rc", success: [0] } } }),
    'defaults errors when at: "head..rc" has an empty segment; keys with dots between them, such as "result.items"'
  ],
  [
    defaults({ errors: { when: { at: "rc", success: [] } } }),
    "defaults errors when success: no value says success; the values that do, such as [0]"
  ],
  // Operations, methods and paths.
  [of("wallets.get", false), "operations wallets.get: false is not an entry; true, or an object of differences"],
  [
    of("wallets.fetch", true),
    `operations wallets.fetch: there is no operation "wallets.fetch"; one of "wallets.list", "wallets.get", "wallets.balance", "wallets.transactionCount"`
  ],
  [
    of("wallets.get", { pyload: "x" }),
    `operations wallets.get pyload: unknown key "pyload"; one of "method", "readOnly", "path", "body", "constants", "success", "payload", "items", "record", "paging", "meta", "errors", "fields", "response", "source", "confirmed", "note"`
  ],
  [
    of("wallets.get", { method: "FETCH" }),
    `operations wallets.get method: "FETCH" is not valid; "GET" | "POST" | "PUT" | "PATCH" | "DELETE"`
  ],
  [
    of("wallets.get", { method: "DELETE" }),
    `operations wallets.get method: the operation is a read, and DELETE may change something; "GET", or "POST" with "readOnly": true if the documentation says that it changes nothing`
  ],
  [
    of("paymentOrders.cancel", { method: "GET" }),
    `operations paymentOrders.cancel method: the operation changes something, and any intermediary may repeat a GET; a method that changes things, such as "POST"`
  ],
  [
    of("paymentOrders.cancel", { readOnly: true }),
    `operations paymentOrders.cancel readOnly: the operation changes something; remove "readOnly": only a read can be read-only`
  ],
  [
    of("wallets.get", { path: "wallets/:walletId" }),
    `operations wallets.get path: "wallets/:walletId" is not a path; such as "/wallets/:walletId", relative to the base address`
  ],
  [
    of("wallets.get", { path: "/a/%2e%2E/:walletId" }),
    `operations wallets.get path: "/a/%2e%2E/:walletId" is not a path; such as "/wallets/:walletId", relative to the base address`
  ],
  [
    of("wallets.get", { path: "/wallets" }),
    `operations wallets.get path: the path lacks its parameter ":walletId"; ":walletId" in the path, or a place for "walletId" under "fields"`
  ],
  [
    of("fiatGateway.refund", { path: "/fiat/refund/:txId" }),
    `operations fiatGateway.refund path: the path lacks its parameter ":transactionId"; ":transactionId" in the path, or a place for "transactionId" under "fields"`,
    `operations fiatGateway.refund path: the path has an unknown parameter ":txId"; one of "transactionId", "amount", "reason", or { "in": "path", "name": "txId" } for one of the fields`
  ],
  [
    of("wallets.get", { path: "/:walletId/:walletId" }),
    `operations wallets.get path: the path has its parameter ":walletId" twice; each parameter once`
  ],
  [
    of("wallets.get", { path: "/api/integration/wallets/:walletId" }),
    `operations wallets.get path: "/api/integration/wallets/:walletId" repeats "/api/integration", which is put before it; the path after it`
  ],
  [
    { defaults: { prefix: "/v2" }, operations: { "wallets.list": { path: "/v2/wallets" } } },
    `operations wallets.list path: "/v2/wallets" repeats "/v2", which is put before it; the path after it`
  ],
  // Where fields go.
  [
    send({ fields: { too: "address" } }),
    `operations transactions.send fields too: the operation has no field "too"; one of "clientId", "assetId", "networkId", "to", "amount", "note"`
  ],
  [
    of("vaults.details", { fields: { page: "p" } }),
    `operations vaults.details fields page: the operation has no field "page"; no fields: the operation has no input`
  ],
  [send({ fields: { to: "" } }), "operations transactions.send fields to: the name is empty; the service's name"],
  [
    send({ fields: { to: 1 } }),
    `operations transactions.send fields to: 1 is not valid; a name, or an object such as { "at": "amount.value" }`
  ],
  [
    send({ fields: { to: { path: "x" } } }),
    `operations transactions.send fields to path: unknown key "path"; one of "in", "at", "name", "as", "values", "open"`
  ],
  [
    send({ fields: { to: { in: "cookie" } } }),
    `operations transactions.send fields to in: "cookie" is not valid; "path" | "query" | "body" | "header"`
  ],
  [
    send({ fields: { to: { at: "a.b", name: "c" } } }),
    `operations transactions.send fields to name: "at" and "name" cannot be combined; "at", a dotted path, or "name", a literal name`
  ],
  [
    send({ fields: { to: { in: "query", at: "a.b" } } }),
    `operations transactions.send fields to at: "at" works in the body only, not in the query; "name", a literal name`
  ],
  [
    list({ fields: { clientId: "client.id" } }),
    `operations transactions.list fields clientId: a dot has no meaning in the query; { "in": "body", "at": "client.id" }, or { "name": "client.id" } if the key has a dot`
  ],
  [
    list({ fields: { clientId: { in: "body" } } }),
    `operations transactions.list fields clientId: GET carries no body; "in": "path", "query" or "header"`
  ],
  [
    send({ fields: { note: { in: "header", name: "Authorization" } } }),
    `operations transactions.send fields note name: the SDK sets the header "Authorization"; another header`
  ],
  [
    of("tokens.mint", { fields: { amount: "amount.value" } }),
    "operations tokens.mint fields amount: multipart/form-data cannot contain nested objects; a name without a dot"
  ],
  [
    of("tokens.mint", { fields: { document: { in: "query" } } }),
    `operations tokens.mint fields document in: a field of multipart/form-data may be a file; "body"`
  ],
  [
    of("tokens.updateMetadata", { fields: { metadata: { in: "path" } }, path: "/t/:tokenId/:metadata" }),
    `operations tokens.updateMetadata fields metadata in: "metadata" holds fields, not one value; "body"`
  ],
  [
    list({ fields: { clientId: "c", assetId: "c" } }),
    `operations transactions.list fields assetId: "clientId" and "assetId" would both be sent as "c" in the query; a different place for each`
  ],
  [
    list({ fields: { networkId: "type" } }),
    `operations transactions.list fields networkId: "networkId" and "type" would both be sent as "type" in the query; a different place for each`
  ],
  [
    send({ fields: { to: "destination", networkId: "destination.network" } }),
    `operations transactions.send fields to: "networkId" and "to" would both be sent as "destination"; a different place for each`
  ],
  [
    send({ constants: { "body.amount": "1" } }),
    `operations transactions.send constants body.amount: "amount" and "body.amount" would both be sent as "amount"; a different place for each`
  ],
  [
    { defaults: { paging: { style: "page" } }, ...list({ fields: { page: "p" } }) },
    `operations transactions.list fields page: "page" has no effect: "paging" replaces it; the name in "paging"`
  ],
  // Values and types.
  [
    list({ fields: { type: { values: { INCOMING: "in" } } } }),
    `operations transactions.list fields type values: no service value for "OUTGOING", "INTERNAL_TRANSFER", "SWAP", "ALLOWANCE"; one for each, or "open": true to send other values unchanged`
  ],
  [
    list({ response: { status: { values: { DONE: "done" }, open: true } } }),
    `operations transactions.list response status values DONE: "status" has no value "DONE" in the SDK; one of "PENDING", "BROADCASTING", "COMPLETED", "REJECTED", "ERROR"`
  ],
  [
    list({ response: { status: { values: { PENDING: "x", COMPLETED: ["y", "x"] }, open: true } } }),
    `operations transactions.list response status values COMPLETED: "x" would be read as "PENDING" and as "COMPLETED"; each service value once`
  ],
  [
    list({ response: { status: { values: { PENDING: [] }, open: true } } }),
    `operations transactions.list response status values PENDING: no service value is given for "PENDING"; a value, or several`
  ],
  [
    list({ response: { status: { open: true } } }),
    `operations transactions.list response status open: "open" has no effect without "values"; add "values", or remove "open"`
  ],
  [
    send({ fields: { to: { as: { minor: 6 } } } }),
    `operations transactions.send fields to as: "to" is not an amount; minor units only for amounts`
  ],
  [
    send({ fields: { amount: { as: "seconds" } } }),
    `operations transactions.send fields amount as: "amount" is not a time; one of "string", "number"`
  ],
  [
    list({ response: { createdAt: { as: "number" } } }),
    `operations transactions.list response createdAt as: "createdAt" is a time; one of "iso", "seconds", "milliseconds"`
  ],
  [
    send({ fields: { amount: { as: { minor: { by: "asset", digits: {} } } } } }),
    `operations transactions.send fields amount as minor by: there is no field "asset" beside it; "assetId"`
  ],
  [
    of("wallets.get", { response: { asset: { as: "number" } } }),
    `operations wallets.get response asset as: "asset" holds fields, not one value; "at" or "name"`
  ],
  // Answers.
  [
    of("wallets.get", { response: { asset: { fields: { symbl: "ticker" } } } }),
    `operations wallets.get response asset fields symbl: "asset" has no field "symbl"; one of "id", "name", "symbol", "contractAddress", "type", "status", "network"`
  ],
  [
    of("wallets.get", { response: { asset: { fields: { network: { at: "net..x", fields: { id: 1 } } } } } }),
    `operations wallets.get response asset fields network at: "net..x" has an empty segment; keys with dots between them, such as "result.items"`,
    `operations wallets.get response asset fields network fields id: 1 is not valid; a name, or an object such as { "at": "amount.value" }`
  ],
  [
    of("wallets.get", { response: { asset: { fields: { symbol: "x", name: { name: "x" } } } } }),
    `operations wallets.get response asset fields name: "symbol" and "name" would both be read from "x"; a different service key for each field`
  ],
  [
    of("wallets.get", { response: { address: { fields: { id: "x" } } } }),
    `operations wallets.get response address fields id: "address" has no field "id"; no entry: "address" has no fields`
  ],
  [
    defaults({ response: { asset: { fields: { network: { fields: { named: "x" } } } } } }),
    `defaults response asset fields network fields named: "network" has no field "named"; "name"`
  ],
  [
    of("authentication.generateTokens", { fields: { apiKey: { in: "query", name: "key" } } }),
    `operations authentication.generateTokens fields apiKey: "apiKey" is a secret, and may be printed in "key" in the query; its place in the body, or in the header "x-api-key"`
  ],
  [
    of("authentication.refreshToken", { path: "/sessions/:refreshToken" }),
    `operations authentication.refreshToken path: "refreshToken" is a secret, and may be printed in "refreshToken" in the path; its place in the body, or in the header "x-api-key"`
  ],
  [
    of("wallets.get", { response: { adress: "addr" } }),
    `operations wallets.get response adress: the operation's answer has no field "adress"; one of "id", "address", "clientId", "assetId", "networkId", "balance", "pendingBalance", "transactionCount", "asset"`
  ],
  [
    of("wallets.get", { response: { id: "uid", address: "uid" } }),
    `operations wallets.get response address: "id" and "address" would both be read from "uid"; a different service key for each field`
  ],
  [
    of("wallets.get", { items: "x" }),
    `operations wallets.get items: "items" has no effect: the operation returns no list; remove "items"`
  ],
  [
    of("wallets.get", { paging: { style: "page" } }),
    `operations wallets.get paging: "paging" has no effect: the operation returns no paged list; remove "paging"`
  ],
  [
    of("paymentOrders.cancel", { body: "data" }),
    `operations paymentOrders.cancel body: "body" has no effect: the operation has no JSON body; remove "body"`
  ]
]

type Said = Pick<WireContract.FileIssue, "expected" | "message" | "path">

const shown = ({ expected, message, path }: Said): string => `${path.join(" ")}: ${message}; ${expected}`

/** Whether the text at a position is the last key of the path, or the value in a list. */
const standsAt = (text: string, { column, line, path }: WireContract.FileIssue): boolean => {
  const rest = text.split("\n")[line - 1]!.slice(column - 1)
  const last = path.at(-1)!
  return typeof last === "number" || rest.startsWith(JSON.stringify(last))
}

describe("a mistake in a contract", () => {
  it("is one of at least 40", () => {
    assert.isAbove(mistakes.length, 70)
  })

  for (const [contract, ...said] of mistakes) {
    const text = JSON.stringify(contract, undefined, 2)
    it.effect(`is refused: ${JSON.stringify(contract)}`, () =>
      Effect.gen(function* () {
        const checked = WireContract.fromJson(text, CustodyApi)
        assert(Result.isFailure(checked))
        const inFile = checked.failure
        assert.deepStrictEqual(inFile.map(shown), said)
        for (const issue of inFile) assert.isTrue(standsAt(text, issue), JSON.stringify(issue))

        const error = yield* Effect.flip(Layer.build(WireContract.layer(contract as object, CustodyApi)))
        assert.strictEqual(error._tag, "ConfigurationInvalid")
        const inLayer = inFile.map(
          ({ expected, message, path }) => `${path.join(" → ")}: ${message}. Expected: ${expected}`
        )
        assert.sameMembers(error.reason.split("\n"), inLayer)
      })
    )
  }
})
