import { HttpApi } from "@effect-custody/sdk/HttpApi"
import { CustodyApi } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import { OpenApi } from "effect/http-api"
import { firstSentences } from "../../../tools/docs/summaries.ts"
import { Validator } from "@seriousme/openapi-schema-validator"

const document = OpenApi.fromApi(HttpApi)

/** Operations by name, with their place in the document. */
const operations: ReadonlyMap<string, Record<string, any>> = new Map(
  Object.entries<Record<string, any>>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Record<string, any>>(methods).map(
      ([method, operation]) => [String(operation["operationId"]), { ...operation, method, path }] as const
    )
  )
)

describe("the OpenAPI document", () => {
  it("an independent validator accepts the OpenAPI document as OpenAPI 3.1", async () => {
    const validator = new Validator()
    const result = await validator.validate(structuredClone(document) as Record<string, any>)
    assert.deepStrictEqual([result, validator.version], [{ valid: true }, "3.1"])
  })

  it("the OpenAPI document has every operation, each marked as specified or assumed", () => {
    assert.strictEqual(operations.size, CustodyApi.operations.length)
    for (const { operation: name, provenance, route, safety } of CustodyApi.operations) {
      const operation = operations.get(name)!
      assert.deepInclude(operation, {
        method: route.method.toLowerCase(),
        path: route.path.replaceAll(/:(\w+)/g, "{$1}"),
        "x-provenance": provenance,
        "x-safety": safety
      })
      assert.isNotEmpty(operation["x-specification"], name)
      assert.match(operation["description"], provenance === "specified" ? /^The specification shows/ : /assumed/, name)
    }
  })

  it("every operation but the two of authentication requires the raw token in X-ACCESS-TOKEN", () => {
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

  it("exactly the operations that the specification names take multipart", () => {
    const multipart = [...operations].filter(
      ([, { requestBody }]) => "multipart/form-data" in (requestBody?.content ?? {})
    )
    assert.deepStrictEqual(
      multipart.map(([name]) => name),
      ["tokens.create", "tokens.mint", "tokens.burn", "nfts.create"]
    )
  })

  it("each operation and category has the first sentence of its docstring, as `pnpm run docs summaries` wrote it", () => {
    const { categories, operations: sentences } = firstSentences()
    assert.lengthOf(Object.keys(sentences), CustodyApi.operations.length)
    assert.deepStrictEqual(Object.fromEntries([...operations].map(([name, { summary }]) => [name, summary])), sentences)
    assert.deepStrictEqual(
      Object.fromEntries(document.tags.map(({ description, name }) => [name, description])),
      categories
    )
  })

  it("each E-code of the specification has an example at its status that fits the schema", () => {
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

  it("the schemas describe numbers, files, amounts and times as they travel", () => {
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

  it("the schemas of answers allow unknown fields", () => {
    const answers = JSON.stringify([...operations.values()].map(({ responses }) => responses))
    assert.notInclude(answers, `"additionalProperties":false`)
    assert.notInclude(JSON.stringify(document.components.schemas), `"additionalProperties":false`)
  })
})
