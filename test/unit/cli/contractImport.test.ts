/** What `custody contract import` makes of documents that were not written for us. */
import { ContractImport } from "@effect-custody/cli"
import { type ContractFile, WireContract } from "@effect-custody/core"
import { CustodyApi } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { OpenApi } from "effect/http-api"
import { foreign, openApiOf, type Row, snake, withColons, wrong } from "./dialects.ts"

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
    assert.deepStrictEqual(proposal.defaults, {})
  })

  it("in snake_case, with other words and seven operations that are none of ours: 46 right, 1 left, 0 wrong", () => {
    const proposal = proposalOf(snake)
    assert.deepStrictEqual(wrong(snake, proposal), [])
    assert.strictEqual(count(proposal, "proposed"), 46)
    assert.strictEqual(entryOf(proposal, "nfts.create").verdict, "undecided")
    assert.deepStrictEqual(
      proposal.unused.toSorted(),
      snake
        .filter(([ours]) => ours === null)
        .map(([, route]) => withColons(route))
        .toSorted()
    )
    assert.deepStrictEqual(proposal.defaults, {
      prefix: "/v2",
      casing: "snake_case",
      payload: "result",
      items: "result.items",
      paging: { style: "cursor", cursor: "page_token", size: "page_size", next: "result.next_cursor" }
    })
  })

  it("with few words in common leaves most of it to a person, and none wrong", () => {
    const proposal = proposalOf(foreign, "data")
    assert.deepStrictEqual(wrong(foreign, proposal), [])
    assert.strictEqual(entryOf(proposal, "transactions.send").verdict, "undecided")
    assert.strictEqual(
      entryOf(proposal, "vaults.details").look[0],
      "the path parameter vaultId matches none of the SDK's fields"
    )
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

  it("says where each field goes, what is always sent, and what a person must look at", () => {
    const { difference, look, reason } = entryOf(proposalOf(snake), "transactions.send")
    assert.deepStrictEqual(difference, {
      path: "/payouts",
      fields: { clientId: "account_id", networkId: "destination.network", to: "destination.address", note: "memo" },
      constants: { "body.type": "EXTERNAL" },
      response: {
        id: "payout_id",
        status: "state",
        clientId: "account_id",
        assetId: "asset_code",
        networkId: "chain_id",
        to: "destination",
        note: "memo",
        hash: "tx_hash"
      }
    })
    assert.include(look, "to → destination.address: another name for the same thing?")
    assert.include(reason, "send")
  })

  it("moves a field into the path, and one out of it", () => {
    const moved: ReadonlyArray<Row> = [
      [
        "transactions.send",
        "POST /clients/{clientId}/transactions/send",
        "Send",
        "",
        "assetId! to! amount!",
        "id status"
      ],
      [
        "fiatGateway.refund",
        "POST /fiat-gateway/refund",
        "Refund a fiat transaction",
        "",
        "transactionId! amount",
        "id"
      ]
    ]
    const proposal = proposalOf(moved, "data")
    assert.deepInclude(entryOf(proposal, "transactions.send").difference, {
      path: "/clients/:clientId/transactions/send",
      fields: { clientId: { in: "path" } }
    })
    assert.deepInclude(entryOf(proposal, "fiatGateway.refund").difference, {
      fields: { transactionId: { in: "body", at: "transactionId" } }
    })
  })

  it("does not propose a read that is taken by POST: only a person can say that it changes nothing", () => {
    const { look, verdict } = entryOf(
      proposalOf([
        ["transactions.list", "POST /transactions/search", "Search transactions", "", "clientId type", "[]id status"]
      ]),
      "transactions.list"
    )
    assert.strictEqual(verdict, "undecided")
    assert.include(look[0], `set "readOnly": true if it changes nothing`)
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

  it("takes a body of several kinds for as many operations", () => {
    const body = (kind: string, field: string) => ({
      type: "object",
      required: ["kind", "assetId", "amount", field],
      properties: {
        kind: { const: kind },
        assetId: { type: "string" },
        amount: { type: "string" },
        [field]: { type: "string" }
      }
    })
    const document = read({
      openapi: "3.1.0",
      paths: {
        "/clients/{clientId}/payouts": {
          post: {
            operationId: "sendPayout",
            requestBody: {
              content: {
                "application/json": { schema: { oneOf: [body("EXTERNAL", "to"), body("INTERNAL", "toClientId")] } }
              }
            },
            responses: { "201": { description: "Sent" } }
          }
        }
      }
    })
    assert.deepStrictEqual(
      document.operations.map(({ place }) => place),
      ["EXTERNAL", "INTERNAL"].map((kind) => `paths → /clients/{clientId}/payouts → post (kind: ${kind})`)
    )
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
    assert.deepStrictEqual(entryOf(proposal, "wallets.get").difference, { record: "attributes" })
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
    assert.strictEqual(Object.keys(proposed).length, 46)
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

  it("the less is left open, the less work is left", () => {
    const [ours, theirs, others] = [
      ContractImport.propose(read(OpenApi.fromApi(CustodyApi))),
      proposalOf(snake),
      proposalOf(foreign)
    ]
    const minutes = [ours, theirs, others].map(ContractImport.minutesLeft)
    assert.deepStrictEqual(
      minutes,
      minutes.toSorted((a, b) => a - b)
    )
  })
})
