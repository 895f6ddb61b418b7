/** What `custody contract import` makes of the documents of two services whose whole API has a wire of its own. */
import { ContractImport } from "@effect-custody/cli"
import { WireContract } from "@effect-custody/core"
import { CustodyApi } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { documents } from "../../support/servers/dialects/documents.ts"
import { count } from "../../support/servers/dialects/importTable.ts"

/** Of each service: proposed rightly, and left to a person. */
const table = [
  [47, []],
  [42, ["transactions.send", "transactions.transfer", "transactions.get", "paymentOrders.create", "fiatGateway.refund"]]
] as const

describe.each(documents.map((published, at) => ({ published, at, found: count(published) })))(
  "import for $found.name",
  ({ at, found }) => {
    const [right, left] = table[at]!

    it("matches none wrongly, and leaves what it cannot say to a person", () => {
      assert.deepStrictEqual(found.wrong, [])
      assert.strictEqual(found.right, right)
      assert.sameMembers(found.left as Array<string>, left as unknown as Array<string>)
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
