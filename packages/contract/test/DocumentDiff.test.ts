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
  operations
})

const changed = (change: Partial<ApiOperation>) => diff(documentOf(payouts), documentOf({ ...payouts, ...change }))

describe("diff", () => {
  it("reports no change for other operation names and other names of path parameters", () => {
    assert.deepStrictEqual(changed({ path: "/payouts/:id", name: "other" }), [])
  })

  it.each([
    [{ body: [...payouts.body, { path: "to", type: "string" }] }, "body to is new: string"],
    [{ answer: [] }, "answer result.fee was removed"],
    [
      { body: [{ ...payouts.body[0]!, values: ["EXTERNAL"] }] },
      "body type was string required one of OUT, is now string required one of EXTERNAL"
    ],
    [{ success: [200, 201] }, "success was 201, is now 200, 201"]
  ] as ReadonlyArray<readonly [Partial<ApiOperation>, string]>)("reports the change to %j", (change, detail) => {
    assert.deepStrictEqual(changed(change), [
      { operation: "POST /payouts/:clientId", kind: "changed", details: [detail] }
    ])
  })

  it("reports a changed path as a removed and an added operation", () => {
    assert.deepStrictEqual(
      changed({ path: "/v3/payouts" }).map(({ kind, operation }) => `${kind} ${operation}`),
      ["removed POST /payouts/:clientId", "added POST /v3/payouts"]
    )
  })
})
