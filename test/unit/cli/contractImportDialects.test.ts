/** What `custody contract import` makes of the documents of five services whose whole API has a wire of its own. */
import { ContractImport } from "@effect-custody/cli"
import { WireContract } from "@effect-custody/core"
import { CustodyApi } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { documents } from "../../support/servers/dialects/documents.ts"
import { count } from "../../support/servers/dialects/importTable.ts"

/** Of each service: matched rightly, at least so many without a correction, left to a person, and at most so many minutes. */
const table = [
  [47, 47, [], 60],
  [47, 47, [], 60],
  [47, 32, [], 60],
  [47, 20, [], 60],
  [44, 42, ["transactions.transfer", "paymentOrders.create", "fiatGateway.refund"], 90]
] as const

describe.each(documents.map((published, at) => ({ published, at, found: count(published, at) })))(
  "import for $found.name",
  ({ at, found }) => {
    const [right, plain, left, minutes] = table[at]!

    it("matches none wrongly, and leaves what it cannot say to a person", () => {
      assert.deepStrictEqual(found.wrong, [])
      assert.strictEqual(found.right, right)
      assert.deepStrictEqual(found.left, left)
      assert.isAtLeast(found.asTheyStand.length, plain)
      assert.isAtMost(found.minutes, minutes)
    })

    it("writes a file that is valid, also if a person confirms all of it", () => {
      const { proposed = {}, ...rest } = ContractImport.toFile(found.proposal, { document: "theirs" })
      for (const file of [
        { ...rest, proposed },
        { ...rest, operations: proposed }
      ]) {
        const checked = WireContract.fromJson(JSON.stringify(file), CustodyApi)
        assert.deepStrictEqual(Result.isFailure(checked) ? checked.failure : [], [])
      }
    })
  }
)

describe("what a document says of all operations", () => {
  const defaultsOf = (at: number) => count(documents[at]!, at).proposal.defaults

  it("is the casing, the envelope, the paging, the errors", () => {
    assert.deepStrictEqual(defaultsOf(0), {
      casing: "snake_case",
      payload: "result",
      items: "result.items",
      paging: { style: "cursor", cursor: "after", size: "page_size", next: "page.next_cursor" },
      meta: { totalItems: "page.total" },
      errors: { code: "error.code", message: "error.message", fields: "error.details" }
    })
  })

  it("is the media type, where the fields of bodies and records stand, and links to the next page", () => {
    assert.deepStrictEqual(defaultsOf(1), {
      contentType: "application/vnd.api+json",
      body: "data.attributes",
      record: "attributes",
      paging: { style: "link", page: "page[number]", size: "page[size]", next: "links.next" },
      meta: { totalItems: "meta.total" },
      errors: { code: "errors.0.code", message: "errors.0.detail", fields: "errors.0.meta.fields" }
    })
  })

  it("is the unit of amounts and times, which a person has to look at", () => {
    const { defaults, look } = count(documents[3]!, 3).proposal
    assert.deepStrictEqual(defaults, { amounts: { minor: 8 }, times: "seconds" })
    assert.include(look, "amounts are integers in units of 10^-8: is that the case for every asset and currency?")
  })

  it("is the kind of a body that is one of several, which is always sent", () => {
    const { entries } = count(documents[4]!, 4).proposal
    const send = entries.find(({ operation }) => operation === "transactions.send")
    assert.deepInclude(send?.difference, { constants: { "body.kind": "EXTERNAL" } })
  })
})
