import { CustodyApi } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import { HttpApi, OpenApi } from "effect/http-api"
import { Validator } from "@seriousme/openapi-schema-validator"

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
    assert.deepStrictEqual(result, { valid: true })
    assert.strictEqual(validator.version, "3.1")
    assert.match(document.openapi, /^3\.1\./)
  })

  it("would not be, for the same validator, with an operation that answers nothing or a parameter without a place", async () => {
    for (const flaw of [{ responses: {} }, { parameters: [{ name: "walletId", schema: {} }] }]) {
      const flawed = structuredClone(document) as Record<string, any>
      Object.assign(flawed["paths"]["/wallets/{walletId}"].get, flaw)
      assert.isFalse((await new Validator().validate(flawed)).valid)
    }
  })

  it("holds the 47 operations, each at its method and path", () => {
    assert.strictEqual(operations.size, 47)
    for (const { method, name, path } of CustodyApi.operations) {
      const operation = operations.get(name)
      assert.strictEqual(operation?.["method"], method.toLowerCase(), name)
      assert.strictEqual(operation?.["path"], path.replaceAll(/:(\w+)/g, "{$1}"), name)
    }
  })

  it("tells of each operation whether its wire is specified or assumed", () => {
    for (const { name, provenance, safety } of CustodyApi.operations) {
      const operation = operations.get(name)!
      assert.strictEqual(operation["x-provenance"], provenance, name)
      assert.strictEqual(operation["x-safety"], safety, name)
      assert.isNotEmpty(operation["x-specification"], name)
      assert.match(operation["description"], provenance === "specified" ? /^The specification shows/ : /assumed/, name)
    }
    const specified = [...operations.values()].filter((operation) => operation["x-provenance"] === "specified")
    assert.strictEqual(specified.length, 3)
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

  it("closes no answer to fields that it does not know", () => {
    const answers = JSON.stringify([...operations.values()].map(({ responses }) => responses))
    assert.notInclude(answers, `"additionalProperties":false`)
    assert.notInclude(JSON.stringify(document.components.schemas), `"additionalProperties":false`)
  })

  it("can be part of another API's", () => {
    const both = OpenApi.fromApi(HttpApi.make("both").addHttpApi(CustodyApi))
    assert.strictEqual(Object.keys(both.paths).length, Object.keys(document.paths).length)
  })
})
