import * as ApiDocument from "@effect-custody/contract/unstable/ApiDocument"
import { ownOperations } from "@effect-custody/contract/unstable/OperationMatch"
import { propose } from "@effect-custody/contract/unstable/Proposal"
import { CustodyApi } from "@effect-custody/sdk"
import { HttpApi } from "@effect-custody/sdk/HttpApi"
import { assert, it } from "@effect/vitest"
import { OpenApi } from "effect/http-api"
import { documents } from "../../../test/support/servers/dialects/documents.ts"

const own = ownOperations(CustodyApi, OpenApi.fromApi(HttpApi))

it.each([...documents.entries()])(
  "propose takes no other operation of service %i for one that its document leaves out",
  (_, published) => {
    const { document, right } = published
    const { paths, ...rest } = document as {
      readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
    }
    for (const route of right.values()) {
      const [method = "", path = ""] = route.replaceAll(/:(\w+)/g, "{$1}").split(" ")
      const { [method.toLowerCase()]: __, ...others } = paths[path]!
      const without = { ...rest, paths: { ...paths, [path]: others } }
      const { entries } = propose(ApiDocument.read(without)!, own)
      for (const { candidates, operation, verdict } of entries) {
        if (verdict !== "proposed") continue
        assert.strictEqual(candidates[0]!.theirs, right.get(operation), `${operation} without ${route}`)
      }
    }
  }
)
