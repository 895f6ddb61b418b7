/**
 * The service of the specification in adapters: the three endpoints whose wire it shows, with its own examples, and those
 * that payouts need, as they are assumed.
 */
import { Adapter, Format } from "@effect-custody/contract"
import { Amount, Authentication, Transactions, Vaults, Wallets } from "@effect-custody/sdk"
import * as DateTime from "effect/DateTime"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { record } from "./record.ts"

const Tokens = Schema.Struct({
  accessToken: Schema.String,
  refreshToken: Schema.String,
  expiresAt: Format.Milliseconds
})

const tokens = ({ accessToken, expiresAt, refreshToken }: typeof Tokens.Type) => ({
  accessToken: Redacted.make(accessToken),
  refreshToken: Redacted.make(refreshToken),
  expiresAt
})

const sampleTokens = { accessToken: "access-token", refreshToken: "rt.8e52d07c31fa", expiresAt: 1_795_773_600_000 }

const session = {
  accessToken: Redacted.make("access-token"),
  refreshToken: Redacted.make("rt.8e52d07c31fa"),
  expiresAt: DateTime.makeUnsafe("2026-11-27T10:00:00Z")
}

const generate = Adapter.test(
  Adapter.make(Authentication.generateTokens, {
    request: ({ apiKey }) =>
      HttpClientRequest.post("/auth/generate-tokens").pipe(
        HttpClientRequest.bodyJsonUnsafe({ apiKey: Redacted.value(apiKey) })
      ),
    answer: Schema.Struct({ ...Tokens.fields, vaultId: Schema.Int }),
    read: (data) => ({ ...tokens(data), vaultId: String(data.vaultId) })
  }),
  {
    input: { apiKey: Redacted.make("one-time-api-key") },
    request: { line: "POST /auth/generate-tokens", body: { apiKey: "one-time-api-key" } },
    example: { message: "Vault API keys generated", data: { ...sampleTokens, vaultId: 42 }, status: 201 },
    record: { ...session, vaultId: "42" }
  }
)

const refresh = Adapter.test(
  Adapter.make(Authentication.refreshToken, {
    request: ({ refreshToken }) =>
      HttpClientRequest.post("/auth/refresh-token").pipe(
        HttpClientRequest.bodyJsonUnsafe({ refreshToken: Redacted.value(refreshToken) })
      ),
    answer: Tokens,
    read: tokens
  }),
  {
    input: { refreshToken: Redacted.make("rt.4c1f0a6b9d2e") },
    request: { line: "POST /auth/refresh-token", body: { refreshToken: "rt.4c1f0a6b9d2e" } },
    example: { message: "Token refreshed", data: sampleTokens, status: 201 },
    record: session
  }
)

const details = Adapter.test(
  Adapter.make(Vaults.details, {
    request: () => HttpClientRequest.get("/vaults/details"),
    answer: Schema.Struct({ id: Schema.optionalKey(Schema.String), name: Schema.optionalKey(Schema.String) }),
    read: ({ id, name }) => ({ id, name, type: undefined })
  }),
  {
    input: undefined,
    request: { line: "GET /vaults/details" },
    example: { message: "Vault details", data: { id: "42", name: "Main" }, status: 200 },
    record: { id: "42", name: "Main" }
  }
)

/** A payment on the assumed wire. */
const row = { ...record, amount: "1.50", createdAt: "2026-11-27T10:00:00.000Z" }

const send = Adapter.test(Adapter.assumed(Transactions.send), {
  input: { clientId: "alice", assetId: "usdc", to: "0xabc", amount: Amount.of("1.50"), note: "payout-1" },
  request: {
    line: "POST /transactions/send",
    body: { clientId: "alice", assetId: "usdc", to: "0xabc", amount: "1.50", note: "payout-1" }
  },
  example: { message: "Sent", data: row, status: 201 },
  record
})

const list = Adapter.test(Adapter.assumed(Transactions.list, { proven: ["clientId", "assetId", "from", "to"] }), {
  input: { clientId: "alice", page: 2, limit: 50 },
  request: { line: "GET /transactions?clientId=alice&page=2&limit=50" },
  example: { message: "Transactions", data: { items: [row], totalItems: 51 }, status: 200 },
  record: [record]
})

export const adapters = [
  generate,
  refresh,
  details,
  send,
  list,
  Adapter.assumed(Transactions.get),
  Adapter.assumed(Wallets.list)
]

export const service: Adapter.Service = {}

export default Adapter.layer(adapters, service)
