/** A transfer that was lost, and a history in which another transaction looks like it: each row as a service writes it. */
import { Amount, Environment, WireContract } from "@effect-custody/core"
import { CustodyApi, Transactions } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import { json, reset, wireServer } from "../support/servers/wireServer.ts"
import { clientOf } from "./vectors/run.ts"

const transfer = { fromClientId: "alice", toClientId: "bob", assetId: "usdc", amount: Amount.of("3") }
const to = "0x52908400098527886E0F7030069857D2E4169EE7"
const payout = { clientId: "alice", assetId: "usdc", to, amount: Amount.of("3") }

/** What `reconcile` says after a reset, and in what each candidate differs. All were made after the call. */
const reconciled = (input: Transactions.SendInput | Transactions.TransferInput, ...made: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const rows = made.map((row) => row.replace("{", '{"createdAt":"2100-01-01T00:00:00Z",'))
    const server = yield* wireServer(({ method, target }) =>
      method === "POST"
        ? reset
        : json(200, `{"message":"OK","status":200,"data":[${target.includes("page=1") ? rows.join(",") : ""}]}`)
    )
    const sent: Effect.Effect<unknown, { readonly _tag: string }, never> = (
      "toClientId" in input ? Transactions.transfer(input) : Transactions.send(input)
    ) as never
    return yield* sent.pipe(
      Effect.flip,
      Effect.flatMap((error) => Transactions.reconcile(error as never, input)),
      Effect.map((found) =>
        found._tag === "SeveralCandidates"
          ? found.candidates.map(({ differences }) =>
              differences.map(({ asked, field, shown }) => `${field}: ${shown}, not ${asked}`).join("; ")
            )
          : found._tag
      ),
      Effect.provide(
        clientOf(Environment.local(server.baseUrl)).pipe(
          Layer.provide([FetchHttpClient.layer, WireContract.layer({}, CustodyApi)])
        )
      )
    )
  })

describe("a transfer to another client is not the one that was lost", () => {
  it.live.each([
    ['"toClientId":"carol"', "carol"],
    ['"to_client_id":"carol"', "carol"],
    ['"toClient":{"id":7,"externalId":"carol"}', "7, carol"],
    ['"recipientClientId":"carol"', "carol"],
    ['"recipient":"carol"', "carol"],
    ['"recipient":{"client":{"externalId":"carol","name":"bob"}}', "carol"],
    ['"destination":{"clientId":"carol","address":"0x7"}', "carol"],
    ['"to":{"clientId":"carol"}', "carol"],
    ['"from":"alice","to":"carol"', "carol"],
    ['"receiver_id":4711', "4711"]
  ] as const)("%s", ([shown, text]) =>
    Effect.gen(function* () {
      const row = `{"id":"2","status":"COMPLETED","clientId":"alice","assetId":"usdc","amount":"3",${shown}}`
      assert.deepStrictEqual(yield* reconciled(transfer, row), [`toClientId: ${text}, not bob`])
      const noted = row.replace("{", '{"note":"rent of May",')
      const input = { ...transfer, note: "rent of May" }
      assert.deepStrictEqual(yield* reconciled(input, noted), [`toClientId: ${text}, not bob`])
      // It hides none that may be ours.
      const ours = '{"id":"3","status":"COMPLETED","clientId":"alice","assetId":"usdc","amount":"3"}'
      assert.lengthOf(yield* reconciled(input, noted, ours), 2)
    })
  )
})

describe("a transfer that shows its recipient is found", () => {
  it.live.each([
    '"toClientId":"bob"',
    '"toClientId":" BOB "',
    '"to_client":{"id":7,"external_id":"bob"}',
    '"recipient":"bob"',
    '"destination":{"clientId":"bob","address":"0x7"}',
    '"to":"bob"',
    '"fromClientId":"alice","toClientId":"bob","clientId":"bob"'
  ])("%s", (shown) =>
    Effect.gen(function* () {
      const row = `{"id":"2","status":"COMPLETED","assetId":"usdc","amount":"3","type":"INTERNAL_TRANSFER",${shown}}`
      assert.strictEqual(yield* reconciled(transfer, row), "Found")
    })
  )

  it.live.each([
    '"to":"0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"',
    '"to":"carol\'s wallet"',
    '"recipient":"0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"',
    '"recipient":{"walletId":"w-7"}',
    '"toAddress":"0x7"'
  ])("%s shows none: a candidate, unless it has the note", (shown) =>
    Effect.gen(function* () {
      const row = `{"id":"2","status":"COMPLETED","clientId":"alice","assetId":"usdc","amount":"3",${shown}}`
      assert.deepStrictEqual(yield* reconciled(transfer, row), ["toClientId: undefined, not bob"])
      const noted = row.replace("{", '{"note":"rent of May",')
      assert.strictEqual(yield* reconciled({ ...transfer, note: "rent of May" }, noted), "Found")
    })
  )
})

describe("a transaction of a type that is not ours is not the one that was lost", () => {
  it.live.each([
    ['"type":"INCOMING"', "INCOMING"],
    ['"type":"ALLOWANCE"', "ALLOWANCE"],
    ['"type":"swap"', "swap"],
    ['"transaction_type":"Incoming deposit"', "Incoming deposit"],
    ['"direction":"in"', "in"]
  ] as const)("%s", ([shown, text]) =>
    Effect.gen(function* () {
      const row = `{"id":"2","status":"COMPLETED","clientId":"alice","assetId":"usdc","amount":"3","to":"${to}",${shown}}`
      const type = (asked: string) => `type: ${text}, not ${asked}`
      assert.deepStrictEqual(yield* reconciled(payout, row), [type("OUTGOING")])
      const noted = row.replace("{", '{"note":"rent of May",')
      assert.deepStrictEqual(yield* reconciled({ ...payout, note: "rent of May" }, noted), [type("OUTGOING")])
      const moved = row.replace("{", '{"toClientId":"bob",')
      assert.deepStrictEqual(yield* reconciled(transfer, moved), [type("INTERNAL_TRANSFER")])
    })
  )

  it.live("a transfer from somebody else", () =>
    Effect.gen(function* () {
      const row =
        '{"id":"4","status":"COMPLETED","clientId":"alice","fromClientId":"bob","toClientId":"alice","assetId":"usdc","amount":"3"}'
      assert.deepStrictEqual(yield* reconciled(transfer, row), ["clientId: bob, not alice; toClientId: alice, not bob"])
    })
  )

  it.live("a payout that is shown as a transfer, or the other way round, is a candidate, and found by its note", () =>
    Effect.gen(function* () {
      const row = `{"id":"2","status":"COMPLETED","clientId":"alice","assetId":"usdc","amount":"3","to":"${to}","note":"7"`
      const inside = `${row},"type":"INTERNAL_TRANSFER"}`
      assert.deepStrictEqual(yield* reconciled(payout, inside), ["type: INTERNAL_TRANSFER, not OUTGOING"])
      assert.strictEqual(yield* reconciled({ ...payout, note: "7" }, inside), "Found")
      const outside = `${row},"type":"OUTGOING","toClientId":"bob"}`
      assert.deepStrictEqual(yield* reconciled(transfer, outside), ["type: OUTGOING, not INTERNAL_TRANSFER"])
      assert.strictEqual(yield* reconciled({ ...transfer, note: "7" }, outside), "Found")
    })
  )
})
