import { assert, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import * as Path from "node:path"
import { contractSchema } from "../../tools/docs/contractSchema.ts"

const file = Path.resolve(import.meta.dirname, "../../packages/sdk/custody.contract.schema.json")

it("custody.contract.schema.json is up to date and has no broken reference", () => {
  const schema = JSON.parse(readFileSync(file, "utf8"))
  assert.deepStrictEqual(schema, JSON.parse(JSON.stringify(contractSchema())))
  const references = [...JSON.stringify(schema).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path!)
  for (const path of new Set(references)) {
    assert.isDefined(
      path.split("/").reduce((inner, key) => inner?.[key], schema),
      path
    )
  }
})
