/** Coinbase Developer Platform, from its OpenAPI document. A client is an account. */
import { Adapter, Format } from "@effect-custody/contract"
import { Amount, Transactions } from "@effect-custody/sdk"
import { Timestamp } from "@effect-custody/core/Timestamp"
import * as DateTime from "effect/DateTime"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Schema from "effect/Schema"
import { unknown } from "../record.ts"

const statuses = Format.Words(Transactions.Status, {
  PENDING: "quoted",
  BROADCASTING: "processing",
  COMPLETED: "completed",
  REJECTED: [],
  ERROR: "failed"
})

const Row = Schema.Struct({
  transferId: Schema.String,
  status: statuses.schema,
  source: Schema.Struct({ accountId: Schema.optionalKey(Schema.String), asset: Schema.optionalKey(Schema.String) }),
  target: Schema.Struct({
    address: Schema.optionalKey(Schema.String),
    network: Schema.optionalKey(Schema.String),
    asset: Schema.optionalKey(Schema.String)
  }),
  targetAmount: Schema.optionalKey(Amount.Amount),
  metadata: Schema.optionalKey(Schema.Struct({ note: Schema.optionalKey(Schema.String) })),
  createdAt: Schema.optionalKey(Timestamp),
  updatedAt: Schema.optionalKey(Timestamp)
})
const row = (row: typeof Row.Type) => ({
  ...unknown,
  id: row.transferId,
  status: row.status,
  clientId: row.source.accountId,
  assetId: row.target.asset,
  networkId: row.target.network,
  amount: row.targetAmount,
  to: row.target.address,
  note: row.metadata?.note,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt
})

const send = Adapter.make(Transactions.send, {
  request: ({ amount, assetId, clientId, networkId, note, to }) => {
    if (networkId === undefined) throw new Error("the service needs a network")
    return HttpClientRequest.post("/v2/transfers").pipe(
      HttpClientRequest.setHeaders(note === undefined ? {} : { "x-idempotency-key": note }),
      HttpClientRequest.bodyJsonUnsafe({
        source: { accountId: clientId, asset: assetId },
        target: { address: to, network: networkId, asset: assetId },
        amount: Amount.format(amount),
        asset: assetId,
        amountType: "target",
        execute: true,
        metadata: note === undefined ? {} : { note }
      })
    )
  },
  back: ({ body }) => ({
    clientId: body.source.accountId,
    assetId: body.asset,
    networkId: body.target.network,
    to: body.target.address,
    amount: Amount.fromStringUnsafe(body.amount),
    note: body.metadata.note
  }),
  answer: Row,
  read: row
})
const list = Adapter.make(Transactions.list, {
  without: ["networkId", "type", "search", "sortKey", "order"],
  request: ({ assetId, clientId, from, status, to }, { cursor, limit }) =>
    HttpClientRequest.get("/v2/transfers", {
      urlParams: {
        sourceAccountId: clientId,
        targetAsset: assetId,
        status: status && statuses.write(status),
        createdAfter: from && DateTime.formatIso(DateTime.subtract(from, { milliseconds: 1 })),
        createdBefore: to && DateTime.formatIso(DateTime.add(to, { milliseconds: 1 })),
        pageSize: limit,
        pageToken: cursor
      }
    }),
  answer: Schema.Struct({ transfers: Schema.Array(Row), nextPageToken: Schema.optionalKey(Schema.String) }),
  read: ({ transfers }) => transfers.map(row),
  next: ({ payload }) => payload.nextPageToken
})
const get = Adapter.make(Transactions.get, {
  request: ({ transactionId }) => HttpClientRequest.get(Adapter.path`/v2/transfers/${transactionId}`),
  answer: Row,
  read: row
})
const status = Adapter.make(Transactions.status, {
  request: ({ transactionId }) => HttpClientRequest.get(Adapter.path`/v2/transfers/${transactionId}`),
  answer: Row,
  read: ({ status, transferId, updatedAt }) => ({ id: transferId, status, updatedAt })
})

// Examples, by hand.

const example = {
  transferId: "t1",
  status: "processing",
  source: { accountId: "a1", asset: "usdc" },
  target: { address: "0xabc", network: "base", asset: "usdc" },
  targetAmount: "12.50",
  metadata: { note: "n1" },
  createdAt: "2026-11-27T10:00:00Z"
}
const record = {
  id: "t1",
  status: "BROADCASTING",
  clientId: "a1",
  assetId: "usdc",
  networkId: "base",
  amount: Amount.of("12.50"),
  to: "0xabc",
  note: "n1",
  createdAt: DateTime.makeUnsafe("2026-11-27T10:00:00Z")
} as const

export default Adapter.layer(
  [
    Adapter.test(send, {
      input: {
        clientId: "a1",
        assetId: "usdc",
        networkId: "base",
        to: "0xabc",
        amount: Amount.of("12.50"),
        note: "n1"
      },
      request: {
        line: "POST /v2/transfers",
        headers: { "x-idempotency-key": "n1" },
        body: {
          source: { accountId: "a1", asset: "usdc" },
          target: { address: "0xabc", network: "base", asset: "usdc" },
          amount: "12.50",
          asset: "usdc",
          amountType: "target",
          execute: true,
          metadata: { note: "n1" }
        }
      },
      example,
      record
    }),
    Adapter.test(list, {
      input: { clientId: "a1", status: "COMPLETED", from: record.createdAt, limit: 50 },
      request: {
        line: "GET /v2/transfers?sourceAccountId=a1&status=completed&createdAfter=2026-11-27T09%3A59%3A59.999Z&pageSize=50"
      },
      example: { transfers: [example], nextPageToken: "p2" },
      record: [record],
      next: "p2"
    }),
    Adapter.test(get, {
      input: { transactionId: "t1" },
      request: { line: "GET /v2/transfers/t1" },
      example,
      record
    }),
    Adapter.test(status, {
      input: { transactionId: "t1" },
      request: { line: "GET /v2/transfers/t1" },
      example,
      record: { id: "t1", status: "BROADCASTING" }
    })
  ],
  { payload: (body) => body }
)
