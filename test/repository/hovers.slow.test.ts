import { assert, describe, it } from "@effect/vitest"
import { hovers } from "../support/languageServer.ts"

const source = `
import { Amount, type AnswerError, Endpoint, type SessionError } from "@effect-custody/core"
import { Payouts } from "@effect-custody/ledger"
import { Clients, Transactions, Vaults } from "@effect-custody/sdk"

const amount = Amount.of("12.50")
export const details = Vaults.details()
export const sent = Transactions.send({ clientId: "alice", assetId: "usdc", to: "0x", amount })
export const created = Clients.create({ externalId: "alice" })
export const read = Transactions.get({ transactionId: "t-1" })
export const all = Transactions.stream({ clientId: "alice" })
export const final = Transactions.awaitFinal("t-1")
export const endpoint = Transactions.send
export const vault = Vaults.details
export const history = Transactions.list
export const payout = Payouts.get("invoice-1")
export const listed = Payouts.list()
export const changed = Payouts.changes()
export const paid = Payouts.pay("invoice-1", { clientId: "alice", assetId: "usdc", to: "0x", amount })
export type Groups = Endpoint.WriteError
export type Answers = AnswerError
export type Session = SessionError
`

const expected = {
  "Vaults.details": "const details: () => Effect<Vaults.Vault, Endpoint.ReadError, CustodyClient>",
  details: "const details: Effect<Vaults.Vault, Endpoint.ReadError, CustodyClient>",
  "Transactions.send":
    "const send: (input: Transactions.SendInput) => Effect<Transactions.SubmittedTransaction, NotFound | UnconfirmedEndpoint | Endpoint.WriteError, CustodyClient>",
  sent: "const sent: Effect<Transactions.SubmittedTransaction, NotFound | UnconfirmedEndpoint | Endpoint.WriteError, CustodyClient>",
  created: "const created: Effect<Clients.Client, UnconfirmedEndpoint | Endpoint.WriteError, CustodyClient>",
  read: "const read: Effect<Transactions.Transaction, InputInvalid | NotFound | UnconfirmedEndpoint | Endpoint.ReadError, CustodyClient>",
  all: "const all: Stream<Transactions.Transaction, InputInvalid | UnconfirmedEndpoint | PagingError | Endpoint.ReadError, CustodyClient>",
  final:
    "const final: Effect<Transactions.Transaction, InputInvalid | NotFound | StillPending | UnconfirmedEndpoint | Endpoint.ReadError, CustodyClient>",
  endpoint:
    "const endpoint: Endpoint.Endpoint<Transactions.SendInput, Transactions.SubmittedTransaction, NotFound | UnconfirmedEndpoint | Endpoint.WriteError>",
  vault: "const vault: Endpoint.Endpoint<void, Vaults.Vault, Endpoint.ReadError>",
  history:
    "const history: Endpoint.Endpoint<Transactions.ListInput, Page<Transactions.Transaction>, InputInvalid | UnconfirmedEndpoint | Endpoint.ReadError>",
  payout: "const payout: Effect<Option<Payout>, Payouts.LedgerError, Payouts.Payouts>",
  "Payouts.get": "const get: (reference: string) => Effect<Option<Payout>, Payouts.LedgerError, Payouts.Payouts>",
  paid: "const paid: Effect<Payout, Payouts.LedgerError | Payouts.OrdersInvalid | Payouts.PayoutFailed | Payouts.PayoutRefused | Payouts.PayoutUndecided | Payouts.ReferenceConflict, Payouts.Payouts>",
  listed: "const listed: Effect<readonly Payout[], Payouts.LedgerError, Payouts.Payouts>",
  changed: "const changed: Effect<readonly PayoutEvent[], Payouts.LedgerError, Payouts.Payouts>",
  // One more hover shows the groups, and the last one the errors with a code of the service.
  "Endpoint.WriteError": "type WriteError = InputInvalid | NotSent | OutcomeUnknown | AnswerError | SessionError",
  AnswerError:
    "(alias) type AnswerError = BadRequest | InvalidAccessToken | InvalidRefreshToken | OtherApiError | RateLimited | TokenExpired | ValidationFailed",
  SessionError:
    "(alias) type SessionError = NoSession | RefreshUnavailable | SessionAmbiguous | SessionLost | SessionOfAnotherEnvironment | StoredSessionInvalid | TokenStoreError"
}

describe("hovers", () => {
  // TypeScript 7.0 shows no comment of a field of an inferred type; 5.9 and 6.0 show it from the published declarations.
  it("the hovers of endpoint functions show names of records, inputs and error unions, and no structures", async () => {
    assert.deepStrictEqual(await hovers("test/hovers.ts", source, Object.keys(expected)), expected)
  }, 120_000)
})
