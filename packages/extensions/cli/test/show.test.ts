import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { payments } from "./contractModules.ts"
import { custody, inDirectory, server } from "./runCustody.ts"

const send = ["transactions.send", "clientId=alice", "assetId=usdc", "to=0xabc", "amount=1.5"]

/** Shows a call under the contract, with an answer if one is given. */
const shown = Effect.fnUntraced(function* (
  args: ReadonlyArray<string>,
  answer?: unknown,
  env: Readonly<Record<string, string>> = {}
) {
  const files = yield* FileSystem.FileSystem
  const directory = yield* inDirectory
  yield* files.writeFileString(`${directory}/answer.json`, JSON.stringify(answer ?? null))
  const given = answer === undefined ? [] : ["--answer", `${directory}/answer.json`]
  const { fails, said } = yield* custody(["contract", "show", ...args, ...given, "--contract", payments], env)
  return { fails, said, lines: said.split("\n").map((line) => line.trim().replaceAll(/ {2,}/g, " | ")) }
}, Effect.scoped)

const row = {
  id: "t1",
  type: "OUTGOING",
  account: "ACC-1",
  currency: "USDC",
  state: "done",
  memo: "m1",
  amount: 1_500_000,
  created_at: 1_795_910_400
}

describe("custody contract show", () => {
  it.live("prints the request that would be sent, without the token", () =>
    Effect.gen(function* () {
      const { fails, said } = yield* shown(send, undefined, { CUSTODY_BASE_URL: "https://custody.example/api" })
      assert.isFalse(fails, said)
      assert.include(said, "POST https://custody.example/api/v2/payouts\n")
      assert.include(said, "\nx-access-token: <redacted>\n")
      assert.include(said, '\n\n{"account":"ACC-1","currency":"USDC","destination":"0xabc","amount":1500000}')
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("sends nothing", () =>
    Effect.gen(function* () {
      let requests = 0
      const CUSTODY_BASE_URL = yield* server((_, response) => {
        requests++
        response.end()
      })
      const { said } = yield* shown(send, { result: row }, { CUSTODY_BASE_URL })
      assert.include(said, `POST ${CUSTODY_BASE_URL}/v2/payouts`)
      assert.strictEqual(requests, 0)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live("shows each field that an answer becomes, and the next page", () =>
    Effect.gen(function* () {
      const answer = { result: { rows: [row, { ...row, id: "t2", amount: 250_000 }] } }
      const { lines } = yield* shown(["transactions.list", "from=2026-11-01T00:00:00Z"], answer)
      assert.include(lines, "GET http://localhost/api/integration/v2/payouts?created_after=1793491200&skip=0&take=10")
      assert.include(lines, '"amount": "1.500000",')
      assert.include(lines, '"createdAt": "2026-11-29T00:00:00.000Z",')
      assert.include(lines, '"note": "m1",')
      assert.include(lines, '"amount": "0.250000",')
      assert.include(lines, '"nextCursor": "2"')
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live.each([
    ["an answer that is an error", [...send, "--status", "404"], { code: "E40400", message: "no" }, "NotFound: "],
    ["an unreadable answer", send, { data: { id: "t1" } }, "OutcomeUnknown: "],
    ["an input that cannot be sent", [...send.slice(0, -1), "amount=0.0000001"], {}, "has more than 6 decimal places"],
    ["a session's operation", ["authentication.generateTokens"], {}, "spends a one-time secret"]
  ] as const)("fails with what %s ends with", ([, args, answer, message]) =>
    Effect.gen(function* () {
      const { fails, said } = yield* shown(args, answer)
      assert.isTrue(fails)
      assert.include(said, message)
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("shows no wire that nobody confirmed for a real service", () =>
    Effect.gen(function* () {
      const { fails, said } = yield* shown(["wallets.get", "walletId=t1"], undefined, {
        CUSTODY_BASE_URL: "https://custody.example/api"
      })
      assert.isTrue(fails)
      assert.include(said, "UnconfirmedEndpoint: ")
    }).pipe(Effect.provide(NodeServices.layer))
  )
})
