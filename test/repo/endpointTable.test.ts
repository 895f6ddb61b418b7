import { CustodyApi } from "@effect-custody/sdk"
import { assert, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { page, table, tableIn } from "./endpointTable.ts"

it("the table of endpoints is up to date: `node test/repo/endpointTable.ts` writes it", () => {
  assert.strictEqual(tableIn(readFileSync(page, "utf8")), table())
  assert.lengthOf([...table().matchAll(/^\| `\S+` \| \S/gm)], CustodyApi.operations.length)
})
