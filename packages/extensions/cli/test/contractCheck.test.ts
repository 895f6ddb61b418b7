import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { contractFile, payments } from "./contractModules.ts"
import { custody, server } from "./runCustody.ts"

const checked = Effect.fnUntraced(function* (file: string) {
  const { fails, said } = yield* custody(["contract", "check", file])
  return { fails, said, lines: said.split("\n"), looks: said.split("\n").filter((line) => line.startsWith("look: ")) }
})

const all = "Adapter.assumed(Transactions.send), Adapter.assumed(Transactions.list), Adapter.assumed(Transactions.get)"

describe("custody contract check", () => {
  it.live("lists what the contract confirms, and the number of the rest", () =>
    Effect.gen(function* () {
      const { fails, lines, looks } = yield* checked(payments)
      assert.isFalse(fails)
      assert.match(lines[0]!, /^transactions\.send +POST \/v2\/payouts +confirmed +an adapter/)
      assert.include(lines, "47 operations: 3 specified, 41 assumed, 3 confirmed")
      assert.deepStrictEqual(looks, [])
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live.each<readonly [string, ReadonlyArray<string>]>([
    [all, []],
    [
      "Adapter.assumed(Transactions.list)",
      [
        "transactions.send is not confirmed: payouts run sends with it",
        "transactions.get is not confirmed: payouts run follows payouts with it"
      ]
    ],
    [
      all.replace("Transactions.send)", 'Transactions.send, { without: ["note"] })'),
      ["transactions.send omits note: payouts run and Transactions.find need it to tell a payment from others"]
    ],
    [
      "Adapter.assumed(Transactions.transfer), Adapter.assumed(Transactions.status)",
      ["nobody has rehearsed transactions.transfer with this contract: see custody contract rehearse"]
    ]
  ])("says what is lacking under %s", ([adapters, looks]) =>
    Effect.gen(function* () {
      const found = yield* checked(contractFile(adapters))
      assert.isFalse(found.fails, found.said)
      assert.deepStrictEqual(
        found.looks,
        looks.map((text) => `look: ${text}`)
      )
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("refuses a contract whose adapters do not reproduce their examples, and one that is no layer", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const wrong = contractFile(
        `Adapter.test(Adapter.assumed(Transactions.get), {
          input: { transactionId: "1" }, request: { line: "GET /payouts/1" }, example: {}, record: { id: "1", status: "PENDING" }
        })`
      )
      const { fails, said } = yield* checked(wrong)
      assert.isTrue(fails, said)
      assert.include(said, "transactions.get, example 1: sends GET /transactions/1, not GET /payouts/1")
      const none = `${wrong}.mjs`
      yield* files.writeFileString(none, "export default { operations: {} }")
      assert.include((yield* checked(none)).said, "must export a layer of adapters")
      const missing = yield* checked("none.ts")
      assert.isTrue(missing.fails)
      assert.match(missing.said, /there is no contract .*none\.ts: write it, or name its file in CUSTODY_CONTRACT_FILE/)
    }).pipe(Effect.provide(NodeServices.layer))
  )
})

describe("custody contract rehearse", () => {
  const rehearse = (file: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) =>
    custody(["contract", "rehearse", ...args, "--contract", file], env)

  const transfer = ["transactions.transfer", "fromClientId=alice", "toClientId=bob", "assetId=usdc", "amount=0.01"]

  it.live("refuses production and an unnamed place, and a call that moves nothing", () =>
    Effect.gen(function* () {
      const file = contractFile("Adapter.assumed(Transactions.transfer)")
      const production = { CUSTODY_SUBDOMAIN: "a", CUSTODY_HOST: "custody.example", CUSTODY_ENVIRONMENT: "production" }
      const { said: real } = yield* rehearse(file, [...transfer, "--yes"], production)
      assert.include(real, "rehearse is for sandboxes only, and this environment is production")
      const { said: unknown } = yield* rehearse(file, [...transfer, "--yes"], { CUSTODY_BASE_URL: "https://x.example" })
      assert.include(unknown, "use --not-production")
      const { said: read } = yield* rehearse(file, ["wallets.get", "walletId=1", "--yes"], production)
      assert.include(read, "wallets.get is no write that moves value")
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("shows the request and the balances side by side, and check names the write no longer", () =>
    Effect.gen(function* () {
      let moved = false
      const sent: Array<string> = []
      const baseUrl = yield* server((request, response) => {
        const chunks: Array<Buffer> = []
        request.on("data", (chunk: Buffer) => chunks.push(chunk))
        request.on("end", () => {
          const { url = "" } = request
          const isStart = url.includes("/auth/")
          const wallet = (clientId: string, balance: string) => ({
            id: `w-${clientId}`,
            address: "0x",
            clientId,
            assetId: "usdc",
            balance
          })
          const data = isStart
            ? { accessToken: "a", refreshToken: "r", expiresAt: 4_102_444_800_000, vaultId: 1 }
            : request.method === "POST"
              ? { id: "t-1", status: "COMPLETED" }
              : {
                  items: [
                    url.includes("alice") ? wallet("alice", moved ? "9.99" : "10") : wallet("bob", moved ? "0.01" : "0")
                  ]
                }
          if (request.method === "POST" && !isStart) {
            moved = true
            sent.push(Buffer.concat(chunks).toString())
          }
          response.writeHead(isStart || request.method === "POST" ? 201 : 200, { "content-type": "application/json" })
          response.end(JSON.stringify({ message: "ok", status: 201, data }))
        })
      })
      const file = contractFile("Adapter.assumed(Transactions.transfer), Adapter.assumed(Wallets.list)")
      const files = yield* FileSystem.FileSystem
      const { fails, said } = yield* rehearse(file, [...transfer, "--yes"], {
        CUSTODY_BASE_URL: baseUrl,
        CUSTODY_ENVIRONMENT: "emulator",
        CUSTODY_API_KEY: "key",
        CUSTODY_SESSION_FILE: `${yield* files.makeTempDirectoryScoped()}/session.db`
      })
      assert.isFalse(fails, said)
      assert.deepStrictEqual(
        sent.map((text) => JSON.parse(text).amount),
        ["0.01"]
      )
      assert.match(said, /alice usdc w-alice +10, pending - +9\.99, pending - +changed/)
      assert.match(said, /bob usdc w-bob +0, pending - +0\.01, pending - +changed/)
      assert.deepStrictEqual((yield* checked(file)).looks, [])
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})
