import { ContractDocument } from "@effect-custody/contract"
import { CustodyApi } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import { OpenApi } from "effect/http-api"
import * as Struct from "effect/Struct"
import { firstSentences } from "../../../tools/docs/summaries.ts"
import { Validator } from "@seriousme/openapi-schema-validator"
import { services } from "../../../test/support/servers/dialects/contracts.ts"

const document = OpenApi.fromApi(CustodyApi)

/** Operations by name, with their place in the document. */
const operations: ReadonlyMap<string, Record<string, any>> = new Map(
  Object.entries<Record<string, any>>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Record<string, any>>(methods).map(
      ([method, operation]) => [String(operation["operationId"]), { ...operation, method, path }] as const
    )
  )
)

describe("the OpenAPI document", () => {
  it("is valid OpenAPI 3.1, says a validator that is not ours", async () => {
    const validator = new Validator()
    const result = await validator.validate(structuredClone(document) as Record<string, any>)
    assert.deepStrictEqual([result, validator.version], [{ valid: true }, "3.1"])
  })

  it("holds the 47 operations, and tells of each whether its wire is specified or assumed", () => {
    assert.strictEqual(operations.size, 47)
    for (const { method, name, path, provenance, safety } of CustodyApi.operations) {
      const operation = operations.get(name)!
      assert.deepInclude(operation, {
        method: method.toLowerCase(),
        path: path.replaceAll(/:(\w+)/g, "{$1}"),
        "x-provenance": provenance,
        "x-safety": safety
      })
      assert.isNotEmpty(operation["x-specification"], name)
      assert.match(operation["description"], provenance === "specified" ? /^The specification shows/ : /assumed/, name)
    }
  })

  it("asks for the raw token in X-ACCESS-TOKEN on all but the two authentication endpoints", () => {
    const schemes = Object.entries(document.components.securitySchemes)
    assert.strictEqual(schemes.length, 1)
    const [name, scheme] = schemes[0]!
    assert(scheme.type === "apiKey")
    assert.strictEqual(scheme.in, "header")
    assert.strictEqual(scheme.name, "X-ACCESS-TOKEN")
    for (const [operation, { security }] of operations) {
      assert.deepStrictEqual(security, operation.startsWith("authentication.") ? [] : [{ [name]: [] }], operation)
    }
  })

  it("says multipart where the specification does, and nowhere else", () => {
    const multipart = [...operations].filter(
      ([, { requestBody }]) => "multipart/form-data" in (requestBody?.content ?? {})
    )
    assert.deepStrictEqual(
      multipart.map(([name]) => name),
      ["tokens.create", "tokens.mint", "tokens.burn", "nfts.create"]
    )
  })

  it("has each operation's and category's first sentence from its docstring, as `pnpm run docs summaries` wrote it", () => {
    const { categories, operations: sentences } = firstSentences()
    assert.strictEqual(Object.keys(sentences).length, 47)
    assert.deepStrictEqual(Object.fromEntries([...operations].map(([name, { summary }]) => [name, summary])), sentences)
    assert.deepStrictEqual(
      Object.fromEntries(document.tags.map(({ description, name }) => [name, description])),
      categories
    )
  })

  it("shows each E-code of the specification, at its status, in an example that fits the schema", () => {
    const shown = new Set<string>()
    for (const { responses } of operations.values()) {
      for (const [status, { content }] of Object.entries<any>(responses)) {
        for (const [code, { value }] of Object.entries<any>(content["application/json"].examples ?? {})) {
          shown.add(`${code} ${status}`)
          assert.deepInclude(value, { code, status: Number(status) })
          assert.strictEqual(value.errors.message, value.message)
        }
      }
    }
    const codes =
      "E00401 400, E00402 422, E01401 401, E01402 401, E01403 498, E40000 400, E40001 401, E40002 401, E40003 498"
    assert.strictEqual([...shown].toSorted().join(", "), codes)
  })

  it("has numbers, files, amounts and times as they travel", () => {
    const parameter = (operation: string, name: string) =>
      operations.get(operation)!["parameters"].find((each: any) => each.name === name).schema
    for (const [name, { parameters }] of operations) {
      for (const { name: field, schema } of parameters) {
        if (["page", "limit"].includes(field)) {
          assert.deepStrictEqual(schema, { type: "integer", exclusiveMinimum: 0 }, name)
        }
      }
    }
    assert.strictEqual(parameter("transactions.list", "from").format, "date-time")
    const body = (operation: string, type: string) =>
      operations.get(operation)!["requestBody"].content[type].schema.properties
    assert.deepStrictEqual(body("nfts.create", "multipart/form-data").file, { type: "string", format: "binary" })
    assert.deepStrictEqual(body("tokens.create", "multipart/form-data").logo, { type: "string", format: "binary" })
    assert.deepStrictEqual(body("tokens.updateMetadata", "application/json").metadata, {
      type: "object",
      additionalProperties: true
    })
    const { amount } = body("transactions.send", "application/json")
    for (const text of amount.examples) assert.match(text, new RegExp(amount.pattern))
    for (const text of ["-1", "1e3", "01", ".5", ""]) assert.notMatch(text, new RegExp(amount.pattern))
    const data = (operation: string, status: number) =>
      operations.get(operation)!["responses"][status].content["application/json"].schema.properties.data.properties
    assert.strictEqual(data("transactions.get", 200).createdAt.format, "date-time")
    assert.strictEqual(data("authentication.generateTokens", 201).expiresAt.type, "integer")
    assert.strictEqual(data("authentication.generateTokens", 201).vaultId.type, "integer")
  })

  it("closes no answer to fields that it does not know", () => {
    const answers = JSON.stringify([...operations.values()].map(({ responses }) => responses))
    assert.notInclude(answers, `"additionalProperties":false`)
    assert.notInclude(JSON.stringify(document.components.schemas), `"additionalProperties":false`)
  })
})

describe("the OpenAPI document under a contract", () => {
  const under = (contract: Parameters<typeof ContractDocument.make>[1] & {}) =>
    ContractDocument.make(document, contract) as Record<string, any>

  it("is the assumed one where nothing is said", () => {
    assert.strictEqual(ContractDocument.make(document, undefined), document)
    const { info: _, ...assumed } = document
    const { info: __, ...made } = under({ contract: {}, api: CustodyApi })
    assert.deepStrictEqual(made, { ...assumed })
  })

  for (const { code, contract, dialect } of services) {
    it(`is valid OpenAPI 3.1, says a validator that is not ours: ${dialect.name}`, async () => {
      const operations = { ...contract.operations, ...code }
      const made = under({ contract: Struct.assign(contract, { operations }), api: CustodyApi })
      assert.deepStrictEqual(await new Validator().validate(structuredClone(made)), { valid: true })
      const names = Object.values<Record<string, any>>(made["paths"]).flatMap((methods) =>
        Object.values<Record<string, any>>(methods).flatMap(({ operationId }) => String(operationId).split("+"))
      )
      assert.deepStrictEqual(names.toSorted(), CustodyApi.operations.map(({ name }) => name).toSorted())
    })
  }

  it("says of each operation whether the contract confirms it", () => {
    const { paths } = under({
      contract: { operations: { "wallets.get": { note: "page 31" } } },
      api: CustodyApi
    })
    assert.match(paths["/wallets/{walletId}"].get.description, /follows the contract\. page 31\. Specification/)
    assert.match(paths["/clients"].get.description, /assumed/)
  })

  it("has a document with a status after which nobody can say whether the service has acted, on writes alone", () => {
    const { paths } = under({ contract: { defaults: { errors: { doubtful: [409] } } }, api: CustodyApi })
    assert.property(paths["/transactions/send"].post.responses, "409")
    assert.notProperty(paths["/transactions"].get.responses, "409")
  })

  it("has what is only proposed as it is assumed, the bodies of its errors among it", () => {
    const defaults = { casing: "snake_case", errors: { code: "error.code" } } as const
    const { paths } = under({
      contract: { defaults, operations: { "wallets.get": true }, proposed: { "clients.get": true } },
      api: CustodyApi
    })
    const errorAt = (path: string) => paths[path].get.responses["404"].content["application/json"].schema
    assert.deepStrictEqual(errorAt("/clients/{externalId}"), { $ref: "#/components/schemas/NotFoundEncoded" })
    // A body that the contract changes is not described.
    assert.deepStrictEqual(errorAt("/wallets/{walletId}"), {})
    const names = ({ properties }: any) => Object.keys(properties.data.properties)
    const answerAt = (path: string) => paths[path].get.responses["200"].content["application/json"].schema
    assert.include(names(answerAt("/clients/{externalId}")), "externalId")
    assert.include(names(answerAt("/wallets/{walletId}")), "client_id")
  })
})
