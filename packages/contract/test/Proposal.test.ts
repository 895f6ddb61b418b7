import { ServiceContract } from "@effect-custody/contract"
import * as ApiDocument from "@effect-custody/contract/unstable/ApiDocument"
import { ownOperations } from "@effect-custody/contract/unstable/OperationMatch"
import * as Proposal from "@effect-custody/contract/unstable/Proposal"
import { CustodyApi } from "@effect-custody/sdk"
import { HttpApi } from "@effect-custody/sdk/HttpApi"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { OpenApi } from "effect/http-api"
import { documents } from "../../../test/support/servers/dialects/documents.ts"
import { count } from "../../../test/support/servers/dialects/importTable.ts"

const read = (document: unknown) => ApiDocument.read(document)!

const own = ownOperations(CustodyApi, OpenApi.fromApi(HttpApi))

const propose = (document: unknown) => Proposal.propose(read(document), own)

const fieldsOf = (names: string) => ({
  type: "object",
  required: names.split(" ").flatMap((name) => (name.endsWith("!") ? [name.slice(0, -1)] : [])),
  properties: Object.fromEntries(names.split(" ").map((name) => [name.replace("!", ""), { type: "string" }]))
})

/** An OpenAPI document with these routes, and the fields of their bodies; `name!` is required. */
const openApiOf = (routes: Readonly<Record<string, string>>) => {
  const paths: Record<string, Record<string, object>> = {}
  for (const [route, body] of Object.entries(routes)) {
    const [method = "", path = ""] = route.split(" ")
    const content = { "application/json": { schema: fieldsOf(body) } }
    paths[path] = {
      ...paths[path],
      [method.toLowerCase()]: { ...(body === "" ? {} : { requestBody: { content } }), responses: { 200: {} } }
    }
  }
  return { openapi: "3.0.3", info: { title: "Acme", version: "2" }, paths }
}

const proposalOf = (routes: Readonly<Record<string, string>>) => propose(openApiOf(routes))

const entryOf = ({ entries }: Proposal.Proposal, operation: string): Proposal.Entry =>
  entries.find((entry) => entry.operation === operation)!

const theirs = (entry: Proposal.Entry) => entry.candidates.map((candidate) => candidate.theirs)

describe("propose for an OpenAPI document", () => {
  it("finds every operation in the document of our own API, without a difference", () => {
    for (const { candidates, difference, operation } of propose(OpenApi.fromApi(HttpApi)).entries) {
      const { route } = CustodyApi.operations.find((own) => own.operation === operation)!
      assert.deepStrictEqual(Object.keys(difference ?? {}), ["source"], operation)
      assert.strictEqual(candidates[0]?.theirs, `${route.method} ${route.path}`)
    }
  })

  it("reports that a document has nothing similar", () => {
    const { entries, look } = proposalOf({ "GET /pets/{petId}": "" })
    assert.isTrue(entries.every(({ verdict }) => verdict === "absent"))
    assert.include(look[0], "nothing similar")
  })

  it("lists the candidates with their differences, and proposes none of two equal ones", () => {
    const entry = entryOf(proposalOf({ "GET /wallets/{walletId}": "", "GET /wallets/{id}": "" }), "wallets.get")
    assert.strictEqual(entry.verdict, "undecided")
    assert.deepStrictEqual(
      entry.candidates.map(({ reason, theirs }) => [theirs, reason]),
      ["GET /wallets/:walletId", "GET /wallets/:id"].map((route) => [route, "same method, words and parameters"])
    )
  })

  it("reports first that the service does not authenticate by X-ACCESS-TOKEN", () => {
    const lookWith = (scheme: object) =>
      propose({ ...openApiOf({ "GET /wallets": "" }), components: { securitySchemes: { a: scheme } } }).look
    assert.include(lookWith({ type: "http", scheme: "bearer" })[0], "authenticates by http bearer")
    assert.deepStrictEqual(lookWith({ type: "apiKey", in: "header", name: "x-access-token" }), [])
  })

  it.each<readonly [urls: ReadonlyArray<string>, prefix: string | undefined, look: string | undefined]>([
    [["https://acme.example"], undefined, undefined],
    [["https://acme.example/api/integration/"], undefined, undefined],
    [["https://acme.example/api/integration/v2"], "/v2", "all paths get the prefix /v2"],
    [["https://acme.example/v2", "https://sandbox.acme.example/v2/"], "/v2", "all paths get the prefix /v2"],
    [["/{base}"], "/v3", "all paths get the prefix /v3"],
    [["/{unknown}"], undefined, "write the right path"],
    [["/v1", "/v2"], undefined, "the document's servers are at /v1, /v2"]
  ])("reads the prefix from the servers %j", (urls, prefix, look) => {
    const servers = urls.map((url) => ({ url, variables: { base: { default: "v3" } } }))
    const proposal = propose({ ...openApiOf({ "GET /wallets": "" }), servers })
    const { defaults } = Proposal.toFile(proposal, {})
    assert.strictEqual(defaults?.prefix, prefix)
    assert.strictEqual(proposal.look.length, look === undefined ? 0 : 1)
    assert.include(proposal.look[0] ?? "", look ?? "")
  })

  it("never matches a read with a write, and leaves a read by POST undecided", () => {
    const swapped = CustodyApi.operations.map(({ route: { method, path } }) => [
      `${method === "GET" ? "PUT" : "GET"} ${path.replaceAll(/:(\w+)/g, "{$1}")}`,
      ""
    ])
    const { entries } = proposalOf(Object.fromEntries(swapped))
    const reads = new Set(CustodyApi.operations.flatMap((own) => (own.safety === "read" ? [own.operation] : [])))
    for (const { candidates, operation, verdict } of entries) {
      if (verdict !== "proposed") continue
      assert.strictEqual(candidates[0]!.theirs.startsWith("GET "), reads.has(operation), operation)
    }
    const byPost = entryOf(proposalOf({ "POST /transactions": "clientId" }), "transactions.list")
    assert.deepStrictEqual([byPost.verdict, byPost.candidates[0]?.reason], ["undecided", "the SDK assumes GET"])
  })

  it("places no field, and lists the fields that have other names in the document", () => {
    const { difference, look } = entryOf(
      proposalOf({ "POST /transactions/send": "account! assetId! to! amount!" }),
      "transactions.send"
    )
    assert.deepStrictEqual(difference, { source: { page: "paths → /transactions/send → post" } })
    assert.include(look[0], "to be placed in the body: clientId (string)")
    assert.include(look[0], "The document has account (string)")
    assert.strictEqual(look[1], "the service requires account (string)")
  })

  it.each<readonly [parameter: object, fields: object | undefined, look: string | undefined]>([
    [{ explode: true }, { assetIds: { explode: true } }, undefined],
    [{ explode: false }, { assetIds: { explode: false } }, undefined],
    [{}, undefined, "does the service read assetIds=a&assetIds=b"],
    [{ style: "pipeDelimited", explode: false }, undefined, "does the service read assetIds=a&assetIds=b"],
    [{ schema: { type: "string" } }, undefined, "assetIds (array). The document has assetIds (string)"],
    [{ name: "ids", explode: false }, undefined, "assetIds (array). The document has ids (array, explode false)"]
  ])("asks a person how a query has a list, unless the parameter %j says it", (parameter, fields, question) => {
    const assetIds = { name: "assetIds", in: "query", schema: { type: "array", items: { type: "string" } } }
    const parameters = [
      { ...assetIds, ...parameter },
      { name: "currency", in: "query", schema: { type: "string" } }
    ]
    const document = { ...openApiOf({}), paths: { "/assets/prices": { get: { parameters, responses: { 200: {} } } } } }
    const { difference, look } = entryOf(propose(document), "assets.prices")
    assert.deepStrictEqual(difference?.fields, fields)
    const questions = look.filter((text) => text.includes("assetIds") && !text.includes("response"))
    assert.strictEqual(questions.length, question === undefined ? 0 : 1, look.join("\n"))
    assert.include(questions[0] ?? "", question ?? "")
  })

  it("reads a path in the singular, but leaves a read in another number undecided", () => {
    const { entries } = proposalOf({
      "POST /auth/tokens/refresh": "",
      "POST /nfts/{nftId}/transfers": "",
      "GET /wallets/{walletId}/balances": "",
      "GET /transaction": "",
      "GET /assets": "",
      "GET /asset": ""
    })
    assert.deepStrictEqual(
      entries.flatMap(({ candidates, operation, verdict }) =>
        verdict === "proposed" ? [[operation, candidates[0]!.theirs]] : []
      ),
      [
        ["authentication.refreshToken", "POST /auth/tokens/refresh"],
        ["assets.list", "GET /assets"],
        ["nfts.transfer", "POST /nfts/:nftId/transfers"]
      ]
    )
  })

  it.each<readonly [schema: object, look: ReadonlyArray<string>]>([
    [{ ...fieldsOf("data") }, []],
    [
      { ...fieldsOf("id") },
      ['the answer to GET /wallets/:walletId has no "data": write the place of the payload under defaults']
    ],
    [
      { type: "object", properties: { content: { type: "array", items: fieldsOf("id") } } },
      ['("payload", "items" of lists; perhaps content)']
    ]
  ])("says that an answer has not the payload of the specification, as in %j", (schema, look) => {
    const responses = { 200: { content: { "*/*": { schema } } } }
    const found = propose({ ...openApiOf({}), paths: { "/wallets/{walletId}": { get: { responses } } } })
    assert.strictEqual(found.look.length, look.length)
    for (const text of look) assert.include(found.look[0], text)
  })

  it.each([
    [{}, ["page", "clientId"]],
    [{ explode: false }, ["pageable"]],
    [{ style: "deepObject" }, ["pageable"]]
  ])("reads the keys of an object in the query with %j", (form, names) => {
    const parameter = { name: "pageable", in: "query", required: true, schema: fieldsOf("page! clientId"), ...form }
    const document = { ...openApiOf({}), paths: { "/transactions": { get: { parameters: [parameter] } } } }
    assert.deepStrictEqual(
      read(document).operations[0]!.query.map(({ path }) => path),
      names
    )
  })

  it("does not propose an operation whose path has other parameters", () => {
    const entry = entryOf(proposalOf({ "POST /transactions/send/{vault}": "" }), "transactions.send")
    assert.notStrictEqual(entry.verdict, "proposed")
  })

  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

  it("follows references and allOf, and stops at a circular reference", () => {
    const document = {
      ...openApiOf({}),
      paths: { "/wallets/{walletId}": { get: { responses: { "200": { $ref: "#/components/responses/Wallet" } } } } },
      components: {
        responses: { Wallet: { content: { "application/json": { schema: ref("Envelope") } } } },
        schemas: {
          Envelope: { properties: { data: { allOf: [ref("Wallet"), ref("Loop")] } } },
          Wallet: { required: ["id"], properties: { id: { type: "string" }, address: { type: ["string", "null"] } } },
          Loop: ref("Loop")
        }
      }
    }
    assert.deepStrictEqual(read(document).operations[0]?.answer, [
      { path: "data", type: "object" },
      { path: "data.id", type: "string", isRequired: true },
      { path: "data.address", type: "string" }
    ])
  })

  it("visits schemas that refer to one another once", () => {
    const names = Array.from({ length: 40 }, (_, at) => `S${at}`)
    const related = { properties: Object.fromEntries(names.map((name) => [name, ref(name)])) }
    const document = {
      ...openApiOf({}),
      paths: { "/a": { post: { requestBody: { content: { "application/json": { schema: ref("S0") } } } } } },
      components: { schemas: Object.fromEntries(names.map((name) => [name, related])) }
    }
    assert.isAtMost(read(document).operations[0]!.body.length, 40 * 40)
  })
})

it("propose finds the operations of a Postman collection in folders, and keeps no value of an example", () => {
  const request = (method: string, path: ReadonlyArray<string>, body?: object, example?: object) => ({
    request: {
      method,
      url: { raw: `{{baseUrl}}/${path.join("/")}`, path },
      ...(body === undefined ? {} : { body: { mode: "raw", raw: JSON.stringify(body) } })
    },
    response: example === undefined ? [] : [{ code: 200, body: JSON.stringify(example) }]
  })
  const wallets = {
    name: "Wallets",
    item: [
      {
        name: "Get",
        ...request("GET", ["wallets", "{{walletId}}"], undefined, { data: { id: "w1", address: "0x1" } })
      },
      { name: "Balance", ...request("GET", ["wallets", ":id", "balance"]) }
    ]
  }
  const body = { clientId: "secret-client", assetId: "usdc", to: "0x2", amount: "1" }
  const document = read({
    info: { name: "Acme", schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json" },
    item: [
      wallets,
      { name: "Transactions", item: [{ name: "Send", ...request("POST", ["transactions", "send"], body) }] }
    ]
  })
  const proposal = Proposal.propose(document, own)
  assert.deepStrictEqual(
    ["wallets.get", "wallets.balance", "transactions.send"].map((name) => {
      const entry = entryOf(proposal, name)
      return [entry.verdict, theirs(entry)[0], entry.difference?.source?.page]
    }),
    [
      ["proposed", "GET /wallets/:walletId", "Wallets → Get"],
      ["proposed", "GET /wallets/:id/balance", "Wallets → Balance"],
      ["proposed", "POST /transactions/send", "Transactions → Send"]
    ]
  )
  assert.notInclude(JSON.stringify([document, proposal]), "secret-client")
})

/** The number of right proposals for each service whose whole API has a wire of its own. */
const right = [47, 42]

describe.each(documents.map((published, at) => ({ at, found: count(published) })))(
  "propose for the document of $found.name",
  ({ at, found }) => {
    it("proposes no wrong operation, and leaves the unclear ones to a person", () => {
      assert.deepStrictEqual(found.wrong, [])
      assert.strictEqual(found.right, right[at])
    })

    it("gives a valid file that confirms nothing, and stays valid when a person confirms all of it", () => {
      const { operations, proposed = {}, ...rest } = Proposal.toFile(found.proposal, { document: "theirs" })
      assert.deepStrictEqual(operations, {})
      assert.strictEqual(Object.keys(proposed).length, found.right)
      assert.strictEqual(rest.$schema, "./node_modules/@effect-custody/sdk/custody.contract.schema.json")
      for (const file of [
        { ...rest, proposed },
        { ...rest, operations: proposed }
      ]) {
        const checked = ServiceContract.fromJson(JSON.stringify(file), CustodyApi)
        assert.deepStrictEqual(Result.isFailure(checked) ? checked.failure : [], [])
      }
    })
  }
)
