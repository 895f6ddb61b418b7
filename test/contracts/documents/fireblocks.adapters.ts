/** Fireblocks, from its OpenAPI document. A client is a vault account. */
import { Adapter, Format } from "@effect-custody/contract"
import { Amount, Transactions } from "@effect-custody/sdk"
import * as DateTime from "effect/DateTime"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Schema from "effect/Schema"
import { unknown } from "../record.ts"

const statuses = Format.Words(Transactions.Status, {
  PENDING: [
    "SUBMITTED",
    "PENDING_AML_SCREENING",
    "PENDING_ENRICHMENT",
    "PENDING_AUTHORIZATION",
    "QUEUED",
    "PENDING_SIGNATURE",
    "PENDING_3RD_PARTY_MANUAL_APPROVAL",
    "PENDING_3RD_PARTY",
    "CANCELLING"
  ],
  BROADCASTING: ["BROADCASTING", "CONFIRMING"],
  COMPLETED: "COMPLETED",
  REJECTED: ["REJECTED", "BLOCKED", "CANCELLED"],
  ERROR: "FAILED"
})

const Row = Schema.Struct({
  id: Schema.String,
  status: statuses.schema,
  assetId: Schema.optionalKey(Schema.String),
  source: Schema.optionalKey(Schema.Struct({ id: Schema.optionalKey(Schema.String) })),
  sourceAddress: Schema.optionalKey(Schema.String),
  destinationAddress: Schema.optionalKey(Schema.String),
  amountInfo: Schema.optionalKey(Schema.Struct({ requestedAmount: Schema.optionalKey(Amount.Amount) })),
  note: Schema.optionalKey(Schema.String),
  txHash: Schema.optionalKey(Schema.String),
  createdAt: Format.Milliseconds
})
const row = (row: typeof Row.Type) => ({
  ...unknown,
  id: row.id,
  status: row.status,
  clientId: row.source?.id,
  assetId: row.assetId,
  amount: row.amountInfo?.requestedAmount,
  from: row.sourceAddress,
  to: row.destinationAddress,
  note: row.note,
  hash: row.txHash,
  createdAt: row.createdAt
})

const send = Adapter.make(Transactions.send, {
  without: ["networkId"],
  request: ({ amount, assetId, clientId, note, to }) =>
    HttpClientRequest.post("/transactions").pipe(
      HttpClientRequest.setHeaders(note === undefined ? {} : { "idempotency-key": note }),
      HttpClientRequest.bodyJsonUnsafe({
        operation: "TRANSFER",
        assetId,
        source: { type: "VAULT_ACCOUNT", id: clientId },
        destination: { type: "ONE_TIME_ADDRESS", oneTimeAddress: { address: to } },
        amount: Amount.format(amount),
        note,
        externalTxId: note
      })
    ),
  back: ({ body }) => ({
    clientId: body.source.id,
    assetId: body.assetId,
    to: body.destination.oneTimeAddress.address,
    amount: Amount.fromStringUnsafe(body.amount),
    note: body.note
  }),
  answer: Schema.Struct({ id: Schema.String, status: statuses.schema }),
  read: ({ id, status }) => ({ ...unknown, id, status })
})
const list = Adapter.make(Transactions.list, {
  without: ["networkId", "type", "status", "search", "sortKey"],
  request: ({ assetId, clientId, from, order, to }, { cursor, limit }) =>
    HttpClientRequest.get("/transactions", {
      urlParams:
        cursor === undefined
          ? {
              sourceType: clientId && "VAULT_ACCOUNT",
              sourceId: clientId,
              assets: assetId,
              after: from && String(DateTime.toEpochMillis(from) - 1),
              before: to && String(DateTime.toEpochMillis(to) + 1),
              sort: order?.toUpperCase(),
              limit
            }
          : new URLSearchParams(cursor)
    }),
  answer: Schema.Array(Row),
  read: (rows) => rows.map(row),
  next: ({ header }) => header("next-page")?.split("?")[1]
})
const get = Adapter.make(Transactions.get, {
  request: ({ transactionId }) => HttpClientRequest.get(Adapter.path`/transactions/${transactionId}`),
  answer: Row,
  read: row
})
const status = Adapter.make(Transactions.status, {
  request: ({ transactionId }) => HttpClientRequest.get(Adapter.path`/transactions/${transactionId}`),
  answer: Row,
  read: ({ id, status }) => ({ id, status, updatedAt: undefined })
})

// Examples, by hand.

const example = {
  id: "t1",
  status: "CONFIRMING",
  assetId: "USDC",
  source: { type: "VAULT_ACCOUNT", id: "7" },
  destinationAddress: "0xabc",
  amountInfo: { requestedAmount: "12.50" },
  note: "n1",
  createdAt: 1_795_773_600_000
}
const record = {
  id: "t1",
  status: "BROADCASTING",
  clientId: "7",
  assetId: "USDC",
  amount: Amount.of("12.50"),
  to: "0xabc",
  note: "n1",
  createdAt: DateTime.makeUnsafe("2026-11-27T10:00:00Z")
} as const

export default Adapter.layer(
  [
    Adapter.test(send, {
      input: { clientId: "7", assetId: "USDC", to: "0xabc", amount: Amount.of("12.50"), note: "n1" },
      request: {
        line: "POST /transactions",
        headers: { "idempotency-key": "n1" },
        body: {
          operation: "TRANSFER",
          assetId: "USDC",
          source: { type: "VAULT_ACCOUNT", id: "7" },
          destination: { type: "ONE_TIME_ADDRESS", oneTimeAddress: { address: "0xabc" } },
          amount: "12.50",
          note: "n1",
          externalTxId: "n1"
        }
      },
      example: { id: "t1", status: "SUBMITTED" },
      record: { id: "t1", status: "PENDING" }
    }),
    Adapter.test(list, {
      input: { clientId: "7", from: record.createdAt, limit: 50 },
      request: {
        line: "GET /transactions?sourceType=VAULT_ACCOUNT&sourceId=7&after=1795773599999&limit=50"
      },
      example: [example],
      headers: { "next-page": "https://api.fireblocks.io/v1/transactions?after=9&limit=50" },
      record: [record],
      next: "after=9&limit=50"
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
      record: { id: "t1", status: "BROADCASTING" }
    })
  ],
  { payload: (body) => body }
)
