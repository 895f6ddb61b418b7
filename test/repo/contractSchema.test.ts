/** The JSON Schema of contract files that the sdk ships. */
import { CustodyApi, WireContract } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import * as Path from "node:path"

const file = Path.resolve(import.meta.dirname, "../../packages/sdk/custody.contract.schema.json")

describe("custody.contract.schema.json", () => {
  const schema = JSON.parse(readFileSync(file, "utf8"))

  it("is what the sources say: node .ci/contract-schema.ts", () => {
    assert.deepStrictEqual(schema, JSON.parse(JSON.stringify(WireContract.jsonSchema(CustodyApi))))
  })

  it("names every operation, with its fields and those of its answer", () => {
    const operations = schema.$defs.Operations.properties
    assert.deepStrictEqual(
      Object.keys(operations),
      CustodyApi.operations.map(({ name }) => name)
    )
    const [, send] = operations["transactions.send"].anyOf
    assert.deepStrictEqual(Object.keys(send.properties.fields.properties), [
      "clientId",
      "assetId",
      "networkId",
      "to",
      "amount",
      "note"
    ])
    assert.include(Object.keys(send.properties.response.properties), "status")
  })

  it("has no reference that leads nowhere", () => {
    const references = [...JSON.stringify(schema).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path!)
    assert.isNotEmpty(references)
    for (const path of new Set(references)) {
      assert.isDefined(
        path.split("/").reduce((inner, key) => inner?.[key], schema),
        path
      )
    }
  })
})
