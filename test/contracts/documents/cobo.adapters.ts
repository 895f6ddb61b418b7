/** Cobo WaaS 2, from its OpenAPI document. A client is an MPC wallet. */
import { Adapter, Format } from "@effect-custody/contract"
import { Amount, Transactions } from "@effect-custody/sdk"
import * as DateTime from "effect/DateTime"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Schema from "effect/Schema"
import { unknown } from "../record.ts"

const statuses = Format.Words(Transactions.Status, {
  PENDING: ["Submitted", "PendingScreening", "PendingAuthorization", "PendingSignature", "Pending"],
  BROADCASTING: ["Broadcasting", "Confirming"],
  COMPLETED: "Completed",
  REJECTED: "Rejected",
  ERROR: "Failed"
})
const types = Format.Words(Transactions.TransactionType, {
  INCOMING: "Deposit",
  OUTGOING: "Withdrawal",
  INTERNAL_TRANSFER: [],
  SWAP: [],
  ALLOWANCE: []
})

const Row = Schema.Struct({
  transaction_id: Schema.String,
  request_id: Schema.optionalKey(Schema.String),
  wallet_id: Schema.String,
  type: Schema.optionalKey(types.schema),
  status: statuses.schema,
  token_id: Schema.optionalKey(Schema.String),
  chain_id: Schema.optionalKey(Schema.String),
  destination: Schema.Struct({
    account_output: Schema.optionalKey(
      Schema.Struct({ address: Schema.optionalKey(Schema.String), amount: Schema.optionalKey(Amount.Amount) })
    )
  }),
  transaction_hash: Schema.optionalKey(Schema.String),
  created_timestamp: Format.Milliseconds,
  updated_timestamp: Format.Milliseconds
})
const row = (row: typeof Row.Type) => ({
  ...unknown,
  id: row.transaction_id,
  status: row.status,
  type: row.type,
  clientId: row.wallet_id,
  assetId: row.token_id,
  networkId: row.chain_id,
  amount: row.destination.account_output?.amount,
  to: row.destination.account_output?.address,
  note: row.request_id,
  hash: row.transaction_hash,
  createdAt: row.created_timestamp,
  updatedAt: row.updated_timestamp
})

const send = Adapter.make(Transactions.send, {
  without: ["networkId"],
  request: ({ amount, assetId, clientId, note, to }) => {
    if (note === undefined) throw new Error("the service needs a key, for which the note stands")
    return HttpClientRequest.post("/transactions/transfer").pipe(
      HttpClientRequest.bodyJsonUnsafe({
        request_id: note,
        source: { source_type: "Org-Controlled", wallet_id: clientId },
        token_id: assetId,
        destination: { destination_type: "Address", account_output: { address: to, amount: Amount.format(amount) } }
      })
    )
  },
  back: ({ body }) => ({
    clientId: body.source.wallet_id,
    assetId: body.token_id,
    to: body.destination.account_output.address,
    amount: Amount.fromStringUnsafe(body.destination.account_output.amount),
    note: body.request_id
  }),
  answer: Schema.Struct({ transaction_id: Schema.String, status: statuses.schema }),
  read: ({ status, transaction_id }) => ({ ...unknown, id: transaction_id, status })
})
const list = Adapter.make(Transactions.list, {
  without: ["networkId", "status", "search", "sortKey"],
  request: ({ assetId, clientId, from, order, to, type }, { cursor, limit }) =>
    HttpClientRequest.get("/transactions", {
      urlParams: {
        wallet_ids: clientId,
        token_ids: assetId,
        types: type && types.write(type),
        min_created_timestamp: from && DateTime.toEpochMillis(from),
        max_created_timestamp: to && DateTime.toEpochMillis(to),
        direction: order?.toUpperCase(),
        limit,
        after: cursor
      }
    }),
  answer: Schema.Struct({ data: Schema.Array(Row), pagination: Schema.Struct({ after: Schema.String }) }),
  read: ({ data }) => data.map(row),
  next: ({ payload }) => payload.pagination.after
})
const get = Adapter.make(Transactions.get, {
  request: ({ transactionId }) => HttpClientRequest.get(Adapter.path`/transactions/${transactionId}`),
  answer: Row,
  read: row
})
const status = Adapter.make(Transactions.status, {
  request: ({ transactionId }) => HttpClientRequest.get(Adapter.path`/transactions/${transactionId}`),
  answer: Row,
  read: ({ status, transaction_id, updated_timestamp }) => ({
    id: transaction_id,
    status,
    updatedAt: updated_timestamp
  })
})

// Examples, by hand.

const example = {
  transaction_id: "t1",
  request_id: "n1",
  wallet_id: "w1",
  type: "Withdrawal",
  status: "Confirming",
  token_id: "ETH_USDC",
  destination: { destination_type: "Address", account_output: { address: "0xabc", amount: "12.50" } },
  created_timestamp: 1_795_773_600_000,
  updated_timestamp: 1_795_773_600_000
}
const at = DateTime.makeUnsafe("2026-11-27T10:00:00Z")
const record = {
  id: "t1",
  status: "BROADCASTING",
  type: "OUTGOING",
  clientId: "w1",
  assetId: "ETH_USDC",
  amount: Amount.of("12.50"),
  to: "0xabc",
  note: "n1",
  createdAt: at,
  updatedAt: at
} as const

export default Adapter.layer(
  [
    Adapter.test(send, {
      input: { clientId: "w1", assetId: "ETH_USDC", to: "0xabc", amount: Amount.of("12.50"), note: "n1" },
      request: {
        line: "POST /transactions/transfer",
        body: {
          request_id: "n1",
          source: { source_type: "Org-Controlled", wallet_id: "w1" },
          token_id: "ETH_USDC",
          destination: { destination_type: "Address", account_output: { address: "0xabc", amount: "12.50" } }
        }
      },
      status: 201,
      example: { request_id: "n1", transaction_id: "t1", status: "Submitted" },
      record: { id: "t1", status: "PENDING" }
    }),
    Adapter.test(list, {
      input: { clientId: "w1", type: "OUTGOING", from: at, limit: 50 },
      request: {
        line: "GET /transactions?wallet_ids=w1&types=Withdrawal&min_created_timestamp=1795773600000&limit=50"
      },
      example: { data: [example], pagination: { before: "", after: "c2", total_count: 60 } },
      record: [record],
      next: "c2"
    }),
    Adapter.test(get, {
      input: { transactionId: "t1" },
      request: { line: "GET /transactions/t1" },
      example,
      record
    }),
    Adapter.test(status, {
      input: { transactionId: "t1" },
      request: { line: "GET /transactions/t1" },
      example,
      record: { id: "t1", status: "BROADCASTING", updatedAt: at }
    })
  ],
  { payload: (body) => body }
)
