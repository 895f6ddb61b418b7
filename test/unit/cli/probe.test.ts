import { command } from "@effect-custody/cli/Command"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { ConfigProvider, Effect, Result } from "effect"
import { Command } from "effect/cli"
import { assert, describe, it } from "@effect/vitest"
import * as Report from "../../../packages/cli/src/internal/probeReport.ts"

const wallet = { id: "w1", address: "0x1", extra: {} }

describe("what an answer says of its contract", () => {
  it("is nothing of a list without records", () => {
    assert.deepStrictEqual(Report.answered("wallets.list", { items: [], meta: undefined }), {
      operation: "wallets.list",
      outcome: "answered",
      reason: "",
      records: 0,
      missing: [],
      unused: [],
      dropped: [],
      proposals: {}
    })
  })

  it("is what is missing in every record, what is not used, and what would place it", () => {
    const items = [wallet, { id: "w2", clientId: "alice", extra: { asset_code: "usdc", colour: "red" } }]
    const probed = Report.answered("wallets.list", { items })
    assert.strictEqual(probed.records, 2)
    assert.notInclude(probed.missing, "clientId")
    assert.include(probed.missing, "assetId")
    assert.deepStrictEqual(probed.unused, ["asset_code", "colour"])
    assert.deepStrictEqual(probed.proposals, { assetId: "asset_code" })
  })

  it("tells a value that was dropped from a key that is not known", () => {
    const probed = Report.answered("wallets.get", { ...wallet, extra: { balance: {}, tier: 1 } })
    assert.deepStrictEqual([probed.dropped, probed.unused], [["balance"], ["tier"]])
    assert.notInclude(probed.missing, "balance")
  })

  it("gives the reads that need one an id", () => {
    assert.deepStrictEqual(Report.idsIn("wallets.list", { items: [wallet] }), { walletId: "w1" })
    assert.deepStrictEqual(Report.idsIn("wallets.list", { items: [] }), {})
    assert.deepStrictEqual(Report.idsIn("vaults.details", { id: "1" }), {})
  })
})

describe("the order of a probe", () => {
  it("has the reads alone, and those that need nothing first", () => {
    const order = Report.order()
    assert.strictEqual(order.length, 30)
    assert.notInclude(order, "transactions.send")
    const needs = order.map((name) => Report.neededBy(name).length)
    assert.deepStrictEqual(
      needs,
      needs.toSorted((a, b) => a - b)
    )
    assert.deepStrictEqual(Report.neededBy("wallets.balance"), ["walletId"])
    assert.deepStrictEqual(Report.neededBy("assets.prices"), [])
  })
})

it.effect("a probe without a service says which variables name one", () =>
  Effect.gen(function* () {
    const outcome = yield* Effect.result(Command.runWith(command, { version: "0" })(["contract", "probe", "--yes"]))
    assert(Result.isFailure(outcome))
    assert.include(JSON.stringify(outcome.failure), "set CUSTODY_BASE_URL, or CUSTODY_SUBDOMAIN, CUSTODY_HOST and")
  }).pipe(Effect.provide([NodeServices.layer, ConfigProvider.layer(ConfigProvider.fromUnknown({}))]))
)
