import * as NodeServices from "@effect/platform-node/NodeServices"
import type { ContractFile } from "@effect-custody/contract"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { custody, inDirectory, server } from "./runCustody.ts"

const checked = Effect.fnUntraced(function* (contract: ContractFile.File) {
  const files = yield* FileSystem.FileSystem
  const file = `${yield* inDirectory}/contract.json`
  yield* files.writeFileString(file, JSON.stringify(contract))
  const { fails, said } = yield* custody(["contract", "check", file])
  return { fails, lines: said.split("\n"), looks: said.split("\n").filter((line) => line.startsWith("look: ")) }
}, Effect.scoped)

const payments = { "transactions.send": true, "transactions.list": true, "transactions.get": true } as const

describe("custody contract check", () => {
  it.live("lists what the contract confirms, and the number of the rest", () =>
    Effect.gen(function* () {
      const { fails, lines, looks } = yield* checked({ operations: { "wallets.get": { route: "/wallet/:walletId" } } })
      assert.isFalse(fails)
      assert.match(lines[0]!, /^wallets\.get +GET +\/wallet\/:walletId +confirmed +route/)
      assert.deepStrictEqual(lines.slice(1, 3), ["", "47 operations: 3 specified, 43 assumed, 1 confirmed"])
      assert.deepStrictEqual(looks, [])
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live.each<readonly [ContractFile.File["operations"] & object, ReadonlyArray<string>]>([
    [payments, []],
    [
      { "transactions.list": true },
      [
        "transactions.send is not confirmed: payouts run sends with it",
        "transactions.get is not confirmed: payouts run follows payouts with it"
      ]
    ],
    [
      { ...payments, "transactions.send": { fields: { note: "omit" } } },
      ["transactions.send omits note: payouts run and Transactions.find need it to tell a payment from others"]
    ],
    [
      { ...payments, "transactions.list": { fields: { order: "omit" }, response: { note: "a.b", to: "a.b" } } },
      [
        "transactions.list reads note and to from one place, data.a.b: payouts run, tie-out and Transactions.find read it, to tell a payment from others"
      ]
    ],
    [
      { ...payments, "transactions.list": { route: "/history" } },
      [
        'transactions.list does not say where "order" goes: it is sent as assumed. Say "omit" if the service does not sort'
      ]
    ]
  ])("says what payouts lack under %j", ([operations, looks]) =>
    Effect.gen(function* () {
      const found = yield* checked({ operations })
      assert.isFalse(found.fails)
      assert.deepStrictEqual(
        found.looks,
        looks.map((text) => `look: ${text}`)
      )
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("lists the fields of payments for which the contract names no place, and is no failure for it", () =>
    Effect.gen(function* () {
      const { fails, lines } = yield* checked({
        defaults: { fields: { clientId: "customer" } },
        operations: {
          "transactions.send": { fields: { to: "address" }, response: { id: "txId" } },
          "transactions.get": { note: "page 4" },
          "transactions.list": true
        }
      })
      assert.isFalse(fails)
      const read =
        "clientId, toClientId, walletId, assetId, networkId, amount, fee, feeAssetId, from, to, note, hash, createdAt, updatedAt"
      assert.deepStrictEqual(
        lines.filter((line) => line.includes("as assumed")),
        [
          `transactions.send, as assumed: sends assetId, networkId, amount, note; reads status, type, ${read}`,
          `transactions.get, as assumed: sends nothing; reads id, status, type, ${read}`
        ]
      )
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("payouts run refuses with the same words, and sends nothing", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const directory = yield* inDirectory
      const contract: ContractFile.File = {
        operations: { ...payments, "transactions.send": { fields: { note: "omit" } } }
      }
      yield* files.writeFileString(`${directory}/contract.json`, JSON.stringify(contract))
      yield* files.writeFileString(
        `${directory}/p.csv`,
        "reference,clientId,assetId,to,amount\nr1,alice,usdc,0xabc,1\n"
      )
      let requests = 0
      const CUSTODY_BASE_URL = yield* server((_, response) => {
        requests++
        response.end()
      })
      const { fails, said } = yield* custody(
        ["payouts", "run", `${directory}/p.csv`, "--ledger", `${directory}/ledger.db`, "--yes"],
        {
          CUSTODY_BASE_URL,
          CUSTODY_ENVIRONMENT: "emulator",
          CUSTODY_API_KEY: "key",
          CUSTODY_SESSION_FILE: `${directory}/session.db`,
          CUSTODY_CONTRACT_FILE: `${directory}/contract.json`
        }
      )
      assert.isTrue(fails)
      assert.include(
        said,
        "the ledger cannot run: transactions.send omits note: payouts run and Transactions.find need it"
      )
      assert.strictEqual(requests, 0)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})
