/**
 * The JSON Schema of contract files, which the sdk ships: `pnpm run docs schema` writes it. An editor completes the names
 * of the operations from it.
 */
import { writeFileSync } from "node:fs"
import * as Path from "node:path"
import * as ContractFile from "@effect-custody/contract/ContractFile"
import { CustodyApi } from "@effect-custody/sdk"
import * as Schema from "effect/Schema"

const file = Path.resolve(import.meta.dirname, "../../packages/sdk/custody.contract.schema.json")

/** The schema of contract files for the operations of the API. */
export const contractSchema = (): Record<string, any> => {
  const { definitions, schema } = Schema.toJsonSchemaDocument(ContractFile.File, { onExcessProperty: "error" })
  const { properties, ...rest } = schema as Record<string, any>
  const entry = { $ref: "#/$defs/Entry" }
  const entries = {
    type: "object",
    properties: Object.fromEntries(CustodyApi.operations.map(({ operation }) => [operation, entry])),
    additionalProperties: false
  }
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "A contract: what a custody service's wire is like",
    ...rest,
    properties: { ...properties, operations: entries },
    $defs: { ...definitions, Entry: properties["operations"].additionalProperties }
  }
}

if (import.meta.main) writeFileSync(file, `${JSON.stringify(contractSchema(), undefined, 2)}\n`)
