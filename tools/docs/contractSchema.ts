/**
 * The JSON Schema of contract files, which the sdk ships: `pnpm run docs schema` writes it, and fails with `--check`
 * when it is not what the sources say.
 */
import { readFileSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { ServiceContract } from "@effect-custody/contract"
import { CustodyApi } from "@effect-custody/sdk"

const file = Path.resolve(import.meta.dirname, "../../packages/sdk/custody.contract.schema.json")
const text = JSON.stringify(ServiceContract.jsonSchema(CustodyApi))

if (process.argv.includes("--check")) {
  if (JSON.stringify(JSON.parse(readFileSync(file, "utf8"))) !== text) {
    console.error("packages/sdk/custody.contract.schema.json is not what the sources say: pnpm run docs schema")
    process.exitCode = 1
  }
} else writeFileSync(file, `${JSON.stringify(JSON.parse(text), undefined, 2)}\n`)
