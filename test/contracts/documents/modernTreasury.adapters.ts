/** Modern Treasury, from its OpenAPI document. A client is an internal account, a recipient an external one. */
import { Adapter, Format } from "@effect-custody/contract"
import { Amount, Transactions } from "@effect-custody/sdk"
import { Timestamp } from "@effect-custody/core/Timestamp"
import * as DateTime from "effect/DateTime"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Schema from "effect/Schema"
import { unknown } from "../record.ts"

const statuses = Format.Words(Transactions.Status, {
  PENDING: ["needs_approval", "approved", "pending", "held"],
  BROADCASTING: ["processing", "sent"],
  COMPLETED: "completed",
  REJECTED: ["denied", "cancelled", "stopped"],
  ERROR: ["failed", "returned", "reversed"]
})
const types = Format.Words(Transactions.TransactionType, {
  INCOMING: "debit",
  OUTGOING: "credit",
  INTERNAL_TRANSFER: [],
  SWAP: [],
  ALLOWANCE: []
})
const units = Format.minorUnits({ USD: 2, EUR: 2, USDC: 6 })

const Row = Schema.Struct({
  id: Schema.String,
  status: statuses.schema,
  type: Schema.String,
  direction: types.schema,
  amount: Schema.Int,
  currency: Schema.String,
  originating_account_id: Schema.String,
  receiving_account_id: Schema.NullOr(Schema.String),
  description: Schema.NullOr(Schema.String),
  created_at: Timestamp,
  updated_at: Timestamp
})
const row = (row: typeof Row.Type) => ({
  ...unknown,
  id: row.id,
  status: row.status,
  type: row.direction,
  clientId: row.originating_account_id,
  assetId: row.currency,
  networkId: row.type,
  amount: units.read(row.amount, row.currency),
  to: row.receiving_account_id ?? undefined,
  note: row.description ?? undefined,
  createdAt: row.created_at,
  updatedAt: row.updated_at
})

const send = Adapter.make(Transactions.send, {
  request: ({ amount, assetId, clientId, networkId, note, to }) => {
    if (networkId === undefined) throw new Error("the service needs a type of payment, such as ach")
    return HttpClientRequest.post("/api/payment_orders").pipe(
      HttpClientRequest.setHeaders(note === undefined ? {} : { "idempotency-key": note }),
      HttpClientRequest.bodyJsonUnsafe({
        type: networkId,
        amount: units.write(amount, assetId),
        direction: "credit",
        currency: assetId,
        originating_account_id: clientId,
        receiving_account_id: to,
        description: note
      })
    )
  },
  back: ({ body }) => ({
    clientId: body.originating_account_id,
    assetId: body.currency,
    networkId: body.type,
    to: body.receiving_account_id,
    amount: units.read(body.amount, body.currency),
    note: body.description
  }),
  answer: Row,
  read: row
})
const list = Adapter.make(Transactions.list, {
  without: ["assetId", "status", "search", "sortKey", "order"],
  request: ({ clientId, from, networkId, to, type }, { cursor, limit }) =>
    HttpClientRequest.get("/api/payment_orders", {
      urlParams: {
        originating_account_id: clientId,
        type: networkId,
        direction: type && types.write(type),
        // Whole days, and more rows than asked for.
        created_at_start: from && DateTime.formatIsoDateUtc(from),
        created_at_end: to && DateTime.formatIsoDateUtc(DateTime.add(to, { days: 1 })),
        per_page: limit,
        after_cursor: cursor
      }
    }),
  answer: Schema.Array(Row),
  read: (rows) => rows.map(row),
  next: ({ header }) => header("x-after-cursor")
})
const get = Adapter.make(Transactions.get, {
  request: ({ transactionId }) => HttpClientRequest.get(Adapter.path`/api/payment_orders/${transactionId}`),
  answer: Row,
  read: row
})
const status = Adapter.make(Transactions.status, {
  request: ({ transactionId }) => HttpClientRequest.get(Adapter.path`/api/payment_orders/${transactionId}`),
  answer: Row,
  read: ({ id, status, updated_at }) => ({ id, status, updatedAt: updated_at })
})

// Examples, by hand.

const example = {
  id: "o1",
  status: "sent",
  type: "ach",
  direction: "credit",
  amount: 1250,
  currency: "USD",
  originating_account_id: "a1",
  receiving_account_id: "b1",
  description: "n1",
  created_at: "2026-11-27T10:00:00Z",
  updated_at: "2026-11-27T10:00:00Z"
}
const at = DateTime.makeUnsafe("2026-11-27T10:00:00Z")
const record = {
  id: "o1",
  status: "BROADCASTING",
  type: "OUTGOING",
  clientId: "a1",
  assetId: "USD",
  networkId: "ach",
  amount: Amount.of("12.50"),
  to: "b1",
  note: "n1",
  createdAt: at,
  updatedAt: at
} as const

export default Adapter.layer(
  [
    Adapter.test(send, {
      input: { clientId: "a1", assetId: "USD", networkId: "ach", to: "b1", amount: Amount.of("12.50"), note: "n1" },
      request: {
        line: "POST /api/payment_orders",
        headers: { "idempotency-key": "n1" },
        body: {
          type: "ach",
          amount: 1250,
          direction: "credit",
          currency: "USD",
          originating_account_id: "a1",
          receiving_account_id: "b1",
          description: "n1"
        }
      },
      status: 201,
      example,
      record
    }),
    Adapter.test(list, {
      input: { clientId: "a1", type: "OUTGOING", from: at, limit: 50 },
      request: {
        line: "GET /api/payment_orders?originating_account_id=a1&direction=credit&created_at_start=2026-11-27&per_page=50"
      },
      example: [example],
      headers: { "x-after-cursor": "c2" },
      record: [record],
      next: "c2"
    }),
    Adapter.test(get, {
      input: { transactionId: "o1" },
      request: { line: "GET /api/payment_orders/o1" },
      example,
      record
    }),
    Adapter.test(status, {
      input: { transactionId: "o1" },
      request: { line: "GET /api/payment_orders/o1" },
      example,
      record: { id: "o1", status: "BROADCASTING", updatedAt: at }
    })
  ],
  { payload: (body) => body }
)
