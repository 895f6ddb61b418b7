import { assert, describe, it } from "@effect/vitest"
import { hovers } from "../support/languageServer.ts"

const source = `
import { Amount } from "@effect-custody/core"
import { Authentication, Clients, Transactions, Vaults } from "@effect-custody/sdk"

const amount = Amount.of("12.50")
export const details = Vaults.details()
export const sent = Transactions.send({ clientId: "alice", assetId: "usdc", to: "0x", amount })
export const created = Clients.create({ id: "alice" })
export const read = Transactions.get({ transactionId: "t-1" })
export const all = Transactions.stream({ clientId: "alice" })
export const final = Transactions.awaitFinal("t-1")
export const endpoint = Transactions.send
export const start = Authentication.generateTokens
export const vault = Vaults.details
export const creation = Clients.create
export const history = Transactions.list
`

const expected = {
  "Vaults.details": "const details: () => Effect<Vaults.Vault, Vaults.DetailsError, CustodyClient>",
  details: "const details: Effect<Vaults.Vault, Vaults.DetailsError, CustodyClient>",
  "Transactions.send":
    "const send: (input: Transactions.SendInput) => Effect<Transactions.SubmittedTransaction, Transactions.SendError, CustodyClient>",
  sent: "const sent: Effect<Transactions.SubmittedTransaction, Transactions.SendError, CustodyClient>",
  "Clients.create":
    "const create: (input: Clients.CreateInput) => Effect<Clients.Client, Clients.CreateError, CustodyClient>",
  created: "const created: Effect<Clients.Client, Clients.CreateError, CustodyClient>",
  read: "const read: Effect<Transactions.Transaction, Transactions.GetError, CustodyClient>",
  all: "const all: Stream<Transactions.Transaction, Transactions.StreamError, CustodyClient>",
  final: "const final: Effect<Transactions.Transaction, Transactions.AwaitFinalError, CustodyClient>",
  endpoint:
    "const endpoint: Endpoint<Transactions.SendInput, Transactions.SubmittedTransaction, Transactions.SendError>",
  start:
    "const start: Endpoint<Authentication.GenerateTokensInput, GeneratedTokens, Authentication.GenerateTokensError>",
  vault: "const vault: Endpoint<void, Vaults.Vault, Vaults.DetailsError>",
  creation: "const creation: Endpoint<Clients.CreateInput, Clients.Client, Clients.CreateError>",
  history: "const history: Endpoint<Transactions.ListInput, Page<Transactions.Transaction>, Transactions.ListError>"
}

describe("hovers", () => {
  it("the hovers of endpoint functions show names of records, inputs and error unions, and no structures", async () => {
    assert.deepStrictEqual(await hovers("test/hovers.ts", source, Object.keys(expected)), expected)
  }, 120_000)
})
