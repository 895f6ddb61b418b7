import * as NodeServices from "@effect/platform-node/NodeServices"
import type { ContractFile } from "@effect-custody/contract"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { custody, inDirectory } from "./runCustody.ts"

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
      const { fails, lines, looks } = yield* checked({ operations: { "wallets.get": { path: "/wallet/:walletId" } } })
      assert.isFalse(fails)
      assert.match(lines[0]!, /^wallets\.get +GET +\/wallet\/:walletId +confirmed with differences/)
      assert.deepStrictEqual(lines.slice(1, 3), [
        "",
        "47 operations: 3 specified, 43 assumed, 1 confirmed with differences"
      ])
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
      { ...payments, "transactions.list": { path: "/history" } },
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
})
