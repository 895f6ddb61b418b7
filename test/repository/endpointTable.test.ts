import { CustodyApi } from "@effect-custody/sdk"
import { assert, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import * as Path from "node:path"
import { root } from "../../tools/workspace.ts"
import { endpoints } from "./endpointTable.ts"

it("the list of endpoints is up to date: `pnpm run docs endpoints` writes it", () => {
  const page = readFileSync(Path.join(root, "docs/endpoints.md"), "utf8")
  assert.include(page, `<!-- endpoints -->\n\n${endpoints()}\n\n<!-- /endpoints -->`)
  assert.lengthOf([...endpoints().matchAll(/^[A-Z]\w+\.\w+ +[A-Z]+ +\/\S+$/gm)], CustodyApi.operations.length)
})

it("the safety of each endpoint is what its page says", () => {
  const apart: Record<string, string> = { "clients.create": "keyed", "clients.createMany": "keyed" }
  for (const { operation, route, safety } of CustodyApi.operations) {
    const byMethod = route.method === "GET" ? "read" : "write"
    const said = operation.startsWith("authentication.") ? "session" : (apart[operation] ?? byMethod)
    assert.strictEqual(safety, said, operation)
  }
})
