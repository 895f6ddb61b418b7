/** What `custody contract import` makes of documents that were not written for us. */
import { ContractImport } from "@effect-custody/cli"
import { type ContractFile, WireContract } from "@effect-custody/core"
import { CustodyApi } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { OpenApi } from "effect/http-api"
import { foreign, openApiOf, type Row, snake, wrong } from "./dialects.ts"

const read = (document: unknown) => Result.getOrThrow(ContractImport.read(JSON.stringify(document)))

const proposalOf = (rows: ReadonlyArray<Row>, envelope = "result") =>
  ContractImport.propose(read(openApiOf(rows, envelope)))

const entryOf = ({ entries }: ContractImport.Proposal, operation: string) => {
  const entry = entries.find((one) => one.operation === operation)
  assert.isDefined(entry)
  return entry
}

const count = ({ entries }: ContractImport.Proposal, verdict: ContractImport.Entry["verdict"]) =>
  entries.filter((entry) => entry.verdict === verdict).length

describe("import of an OpenAPI document", () => {
  it("of our own API finds all of it, and no difference", () => {
    const proposal = ContractImport.propose(read(OpenApi.fromApi(CustodyApi)))
    assert.deepStrictEqual(
      proposal.entries.filter(({ difference, operation, theirs }) => {
        const ours = CustodyApi.operations.find(({ name }) => name === operation)!
        return difference !== true || theirs !== `${ours.method} ${ours.path}`
      }),
      []
    )
  })

  it("with other words proposes what is clearly best, none wrongly, and no defaults", () => {
    const proposal = proposalOf(snake)
    assert.deepStrictEqual(wrong(snake, proposal), [])
    assert.isAtLeast(count(proposal, "proposed"), 15)
    assert.notProperty(ContractImport.toFile(proposal, { document: "Acme" }), "defaults")
  })

  it("with few words in common leaves it to a person", () => {
    assert.deepStrictEqual(wrong(foreign, proposalOf(foreign, "data")), [])
  })

  it("says that nothing is similar", () => {
    const rows: ReadonlyArray<Row> = [[null, "GET /pets/{petId}", "Get a pet", "", "", "id name"]]
    const proposal = proposalOf(rows)
    assert.strictEqual(count(proposal, "absent"), 47)
    assert.include(proposal.look[0], "nothing similar")
  })

  it("lists rivals with what differs, and takes none of them", () => {
    const entry = entryOf(
      proposalOf([
        ["wallets.get", "GET /wallets/{walletId}", "One", "", "", "id"],
        [null, "GET /wallets/{id}", "Another", "", "", "id"]
      ]),
      "wallets.get"
    )
    assert.strictEqual(entry.verdict, "undecided")
    assert.deepStrictEqual(
      entry.rivals.map(({ reason, theirs }) => [theirs, reason]),
      ["GET /wallets/:walletId", "GET /wallets/:id"].map((route) => [route, "same method, words and parameters"])
    )
  })

  it("says first how the service authenticates, if not by X-ACCESS-TOKEN", () => {
    const lookWith = (scheme: object) =>
      ContractImport.propose(read({ ...openApiOf(snake, "data"), components: { securitySchemes: { a: scheme } } })).look
    assert.include(lookWith({ type: "http", scheme: "bearer" })[0], "authenticates by http bearer")
    assert.deepStrictEqual(lookWith({ type: "apiKey", in: "header", name: "x-access-token" }), [])
  })

  it.each(["POST /v2/accounts", "GET /v2/tokens/chains", "DELETE /v2/payment_orders/{order_id}"])(
    "takes nothing else where %s is missing, however near",
    (route) => {
      const rows = snake.filter((row) => row[1] !== route)
      assert.deepStrictEqual(wrong(rows, proposalOf(rows)), [])
    }
  )

  it("never takes a read for what changes something, nor the reverse", () => {
    const methods = new Map(CustodyApi.operations.map(({ name, safety }) => [name, safety]))
    const swapped = snake.map(([ours, route, ...rest]): Row => {
      const [method = "", path = ""] = route.split(" ")
      return [ours, `${method === "GET" ? "PUT" : "GET"} ${path}`, ...rest]
    })
    for (const { operation, theirs = "", verdict } of proposalOf(swapped).entries) {
      if (verdict === "proposed") assert.strictEqual(theirs.startsWith("GET "), methods.get(operation) === "read")
    }
  })

  it("places no field of another name, and lists it beside theirs", () => {
    const { difference, look } = entryOf(
      proposalOf(
        [["transactions.send", "POST /transactions/send", "Send", "", "account! assetId! to! amount!", "id"]],
        "data"
      ),
      "transactions.send"
    )
    assert.strictEqual(difference, true)
    assert.include(look[0], "to be placed in the body: clientId (string)")
    assert.include(look[0], "The document has account (string)")
    assert.strictEqual(look[1], "the service requires account (string)")
  })

  it("proposes no read that is taken by POST", () => {
    const { rivals, verdict } = entryOf(
      proposalOf([["transactions.list", "POST /transactions", "Search", "", "clientId type", "[]id status"]]),
      "transactions.list"
    )
    assert.strictEqual(verdict, "undecided")
    assert.strictEqual(rivals[0]?.reason, "the SDK assumes GET")
  })

  it("follows references and allOf, and does not follow one that leads in a circle", () => {
    const document = {
      openapi: "3.1.0",
      info: { title: "Refs", version: "1" },
      paths: {
        "/wallets/{walletId}": {
          get: {
            operationId: "getWallet",
            responses: { "200": { $ref: "#/components/responses/Wallet" } }
          }
        }
      },
      components: {
        responses: {
          Wallet: { content: { "application/json": { schema: { $ref: "#/components/schemas/Envelope" } } } }
        },
        schemas: {
          Envelope: {
            type: "object",
            properties: {
              data: { allOf: [{ $ref: "#/components/schemas/Wallet" }, { $ref: "#/components/schemas/Loop" }] }
            }
          },
          Wallet: {
            type: "object",
            required: ["id"],
            properties: { id: { type: "string" }, address: { type: ["string", "null"] } }
          },
          Loop: { $ref: "#/components/schemas/Loop" }
        }
      }
    }
    const [operation] = read(document).operations
    assert.deepStrictEqual(operation?.answer, [
      { path: "data", type: "object" },
      { path: "data.id", type: "string", isRequired: true },
      { path: "data.address", type: "string" }
    ])
    assert.strictEqual(entryOf(ContractImport.propose(read(document)), "wallets.get").difference, true)
  })

  it("reads YAML as JSON", () => {
    const yaml = `
openapi: 3.0.0
info: { title: Acme, version: "1" }
paths:
  /wallets/{walletId}:
    get: { operationId: getWallet, responses: { "200": { description: A wallet } } }
`
    const { operations } = Result.getOrThrow(ContractImport.read(yaml))
    assert.deepStrictEqual(
      operations.map(({ method, name, path, success }) => ({ method, name, path, success })),
      [{ method: "GET", name: "getWallet", path: "/wallets/:walletId", success: [200] }]
    )
  })

  it.each([
    ["{", "neither JSON nor YAML"],
    ["[1]", "not an OpenAPI 3 document"],
    [`{"swagger":"2.0","paths":{}}`, "not an OpenAPI 3 document"],
    [`{"openapi":"3.1.0","paths":{}}`, "no operation"]
  ])("refuses %s", (text, reason) => {
    assert.include(Result.getOrThrow(Result.flip(ContractImport.read(text))), reason)
  })
})

describe("import of a Postman collection", () => {
  const request = (method: string, path: ReadonlyArray<string>, body?: object, example?: object) => ({
    request: {
      method,
      url: { raw: `{{baseUrl}}/${path.join("/")}`, host: ["{{baseUrl}}"], path },
      ...(body === undefined ? {} : { body: { mode: "raw", raw: JSON.stringify(body) } })
    },
    response: example === undefined ? [] : [{ code: 200, body: JSON.stringify(example) }]
  })
  const collection = {
    info: { name: "Acme", schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json" },
    item: [
      {
        name: "Wallets",
        item: [
          {
            name: "Get wallet",
            ...request("GET", ["wallets", "{{walletId}}"], undefined, {
              data: { type: "wallet", id: "w1", attributes: { address: "0x1", balance: "1" } }
            })
          },
          {
            name: "Wallet balance",
            ...request("GET", ["wallets", ":id", "balance"], undefined, { data: { balance: "1" } })
          }
        ]
      },
      {
        name: "Transactions",
        item: [
          {
            name: "Send",
            ...request(
              "POST",
              ["transactions", "send"],
              { clientId: "secret-client", assetId: "usdc", to: "0x2", amount: "1" },
              { data: { id: "t1" } }
            )
          }
        ]
      }
    ]
  }

  it("reads folders, requests and example answers, and keeps none of their values", () => {
    const document = read(collection)
    const proposal = ContractImport.propose(document)
    assert.deepStrictEqual(entryOf(proposal, "wallets.get").theirs, "GET /wallets/:walletId")
    assert.strictEqual(entryOf(proposal, "wallets.get").difference, true)
    assert.strictEqual(entryOf(proposal, "wallets.balance").theirs, "GET /wallets/:id/balance")
    assert.strictEqual(entryOf(proposal, "transactions.send").place, "Transactions → Send")
    assert.notInclude(JSON.stringify([document, proposal]), "secret-client")
  })
})

describe("import of recorded traffic", () => {
  const exchange = (method: string, path: string, answer: object, status = 200, body?: object) => ({
    request: {
      method,
      url: `https://acme.example${path}`,
      headers: [{ name: "X-ACCESS-TOKEN", value: "secret-token" }],
      ...(body === undefined ? {} : { postData: { mimeType: "application/json", text: JSON.stringify(body) } })
    },
    response: { status, content: { mimeType: "application/json", text: JSON.stringify(answer) } }
  })
  const har = {
    log: {
      version: "1.2",
      entries: [
        exchange("GET", "/api/v1/wallets/w-17", { data: { id: "w-17", address: "0x1" } }),
        exchange("GET", "/api/v1/wallets/w-18", { data: { id: "w-18", balance: "2" } }),
        exchange("GET", "/api/v1/wallets/w-17/balance", { data: { balance: "secret-amount" } }),
        exchange("POST", "/api/v1/transactions/send", { message: "no" }, 422, { to: "0x3" })
      ]
    }
  }

  it("makes one operation of many exchanges, leaves out refusals, and keeps no value", () => {
    const document = read(har)
    assert.deepStrictEqual(
      document.operations.map(({ name, place }) => [name, place]),
      [
        ["GET /api/v1/wallets/:walletId", "2 exchanges"],
        ["GET /api/v1/wallets/:walletId/balance", "1 exchange"]
      ]
    )
    const proposal = ContractImport.propose(document)
    assert.strictEqual(entryOf(proposal, "wallets.get").verdict, "proposed")
    assert.strictEqual(entryOf(proposal, "wallets.balance").verdict, "proposed")
    assert.notMatch(JSON.stringify([document, proposal]), /secret|w-17|acme/)
  })
})

describe("the file that is written", () => {
  const file = (rows: ReadonlyArray<Row>) => {
    const proposal = proposalOf(rows)
    return { proposal, contract: ContractImport.toFile(proposal, { document: "Acme", date: "2026-11-21" }) }
  }
  const checked = (contract: ContractFile.File) =>
    Result.getOrThrow(WireContract.fromJson(JSON.stringify(contract), CustodyApi))

  it("confirms nothing, and says of every entry what a person must look at", () => {
    const { contract, proposal } = file(snake)
    const { operations, proposed = {} } = checked(contract)
    assert.deepStrictEqual(operations, {})
    assert.strictEqual(Object.keys(proposed).length, count(proposal, "proposed"))
    for (const { look, operation, verdict } of proposal.entries) {
      const written = proposed[operation]
      if (verdict !== "proposed") assert.isUndefined(written)
      else assert.strictEqual(written !== true && written?.note, look.length === 0 ? undefined : look.join("; "))
    }
  })

  it.each([
    ["snake_case", snake],
    ["foreign", foreign]
  ] as const)("of %s is valid also when a person confirms all of it", (_, rows) => {
    const { proposed = {}, ...contract } = file(rows).contract
    checked({ ...contract, operations: proposed })
  })
})
