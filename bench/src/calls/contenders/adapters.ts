/** The assumed wire of the jobs in adapters, as for a real service. */
import { Adapter } from "@effect-custody/contract"
import { Amount, Timestamp } from "@effect-custody/core"
import { Transactions, Vaults, Wallets } from "@effect-custody/sdk"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Schema from "effect/Schema"

const text = Schema.optionalKey(Schema.String)
const amount = Schema.optionalKey(Amount.Amount)
const time = Schema.optionalKey(Timestamp.Timestamp)

const Row = Schema.Struct({
  id: Schema.String,
  status: Transactions.Status,
  type: Schema.optionalKey(Transactions.TransactionType),
  clientId: text,
  toClientId: text,
  walletId: text,
  assetId: text,
  networkId: text,
  amount,
  fee: amount,
  from: text,
  to: text,
  note: text,
  hash: text,
  createdAt: time,
  updatedAt: time
})

const row = (r: typeof Row.Type) => ({
  id: r.id,
  status: r.status,
  type: r.type,
  clientId: r.clientId,
  toClientId: r.toClientId,
  walletId: r.walletId,
  assetId: r.assetId,
  networkId: r.networkId,
  amount: r.amount,
  fee: r.fee,
  feeAssetId: undefined,
  from: r.from,
  to: r.to,
  note: r.note,
  hash: r.hash,
  createdAt: r.createdAt,
  updatedAt: r.updatedAt
})

const example = { id: "t", status: "PENDING" }
const record = { id: "t", status: "PENDING" } as const

const send = Adapter.test(
  Adapter.make(Transactions.send, {
    without: ["networkId"],
    request: ({ amount, assetId, clientId, note, to }) =>
      HttpClientRequest.post("/transactions/send", { acceptJson: true }).pipe(
        HttpClientRequest.bodyJsonUnsafe({ clientId, assetId, to, amount: Amount.format(amount), note })
      ),
    back: ({ body }) => ({
      clientId: body.clientId,
      assetId: body.assetId,
      to: body.to,
      amount: Amount.fromStringUnsafe(body.amount),
      note: body.note
    }),
    answer: Row,
    read: row
  }),
  {
    input: { clientId: "alice", assetId: "usdc", to: "0x", amount: Amount.of("1.50") },
    request: {
      line: "POST /transactions/send",
      body: { clientId: "alice", assetId: "usdc", to: "0x", amount: "1.50" }
    },
    example: { data: example },
    record
  }
)

const list = Adapter.test(
  Adapter.make(Transactions.list, {
    without: ["clientId", "assetId", "networkId", "type", "status", "from", "to", "search", "sortKey", "order"],
    request: (_, { limit, page }) =>
      HttpClientRequest.get("/transactions", {
        urlParams: { page: page > 1 ? page : undefined, limit },
        acceptJson: true
      }),
    answer: Schema.Union([Schema.Struct({ items: Schema.Array(Row) }), Schema.Array(Row)]),
    read: (answer) => ("items" in answer ? answer.items : answer).map(row),
    next: (_, rows, { page }) => (rows === 0 ? undefined : page + 1)
  }),
  {
    input: {},
    request: { line: "GET /transactions?limit=10" },
    example: { data: { items: [example] } },
    record: [record],
    next: "2"
  }
)

export const adapters = Adapter.layer([send, list, Adapter.assumed(Wallets.get), Adapter.assumed(Vaults.details)])
