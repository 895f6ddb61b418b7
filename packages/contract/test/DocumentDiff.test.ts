import type { ApiDocument, ApiOperation } from "@effect-custody/contract/unstable/ApiDocument"
import { diff } from "@effect-custody/contract/unstable/DocumentDiff"
import { assert, describe, it } from "@effect/vitest"

const payouts: ApiOperation = {
  name: "send",
  method: "POST",
  path: "/payouts/:clientId",
  place: "",
  query: [],
  body: [{ path: "type", type: "string", isRequired: true, values: ["OUT"] }],
  contentType: "application/json",
  success: [201],
  answer: [{ path: "result.fee", type: "number" }]
}

const documentOf = (...operations: ReadonlyArray<ApiOperation>): ApiDocument => ({
  kind: "OpenAPI 3.1.0",
  title: "Acme",
  authentication: [],
  serverPaths: [],
  operations
})

const changed = (change: Partial<ApiOperation>) => diff(documentOf(payouts), documentOf({ ...payouts, ...change }))

describe("diff", () => {
  it("reports no change for other operation names and other names of path parameters", () => {
    assert.deepStrictEqual(changed({ path: "/payouts/:id", name: "other" }), [])
  })

  it.each([
    [{ body: [...payouts.body, { path: "to", type: "string" }] }, ["+ body to: string"]],
    [{ answer: [] }, ["- answer result.fee: number"]],
    [
      { body: [{ ...payouts.body[0]!, values: ["EXTERNAL"] }] },
      ["- body type: string required of OUT", "+ body type: string required of EXTERNAL"]
    ],
    [{ success: [200, 201] }, ["+ success 200"]]
  ] as ReadonlyArray<readonly [Partial<ApiOperation>, ReadonlyArray<string>]>)(
    "reports the change to %j",
    (change, details) => {
      assert.deepStrictEqual(changed(change), [{ operation: "POST /payouts/:clientId", kind: "changed", details }])
    }
  )

  it("reports a changed path as a removed and an added operation", () => {
    assert.deepStrictEqual(
      changed({ path: "/v3/payouts" }).map(({ kind, operation }) => `${kind} ${operation}`),
      ["removed POST /payouts/:clientId", "added POST /v3/payouts"]
    )
  })
})
