/**
 * The service of `support/servers/dialects/flagged.ts` in adapters: a flag for success, JSON numbers for amounts,
 * milliseconds, words of its own, and a memo in a header.
 */
import { Adapter, Format } from "@effect-custody/contract"
import { Amount, Transactions } from "@effect-custody/sdk"
import * as DateTime from "effect/DateTime"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Schema from "effect/Schema"
import { record, unknown } from "./record.ts"

const states = Format.Words(Transactions.Status, {
  PENDING: "awaiting_approval",
  BROADCASTING: "broadcast",
  COMPLETED: "settled",
  REJECTED: "declined",
  ERROR: "broken"
})

export const service: Adapter.Service = {
  payload: (body) => body.payload,
  refusal: (body) => (body?.success === true ? undefined : "success is not true"),
  error: ({ error }) => ({
    code: error.reason,
    message: error.text,
    errors: error.violations,
    means: meanings[error.reason as "E01403"]
  })
}

const meanings = {
  E00401: "InvalidApiKey",
  E01403: "TokenExpired",
  E01401: "InvalidAccessToken",
  E01402: "InvalidRefreshToken",
  E01404: "NotFound"
} as const

const text = Schema.optionalKey(Schema.String)

const Payment = Schema.Struct({
  id: Schema.String,
  type: Transactions.TransactionType,
  status: states.schema,
  clientId: Schema.String,
  walletId: text,
  assetId: Schema.String,
  networkId: text,
  amount: Amount.Amount,
  from: text,
  to: text,
  note: text,
  hash: text,
  createdAt: Format.Milliseconds,
  updatedAt: Schema.optionalKey(Format.Milliseconds)
})

const payment = (row: typeof Payment.Type) => ({
  ...unknown,
  id: row.id,
  status: row.status,
  type: row.type,
  clientId: row.clientId,
  walletId: row.walletId,
  assetId: row.assetId,
  networkId: row.networkId,
  amount: row.amount,
  from: row.from,
  to: row.to,
  note: row.note,
  hash: row.hash,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt
})

const example = {
  id: "77",
  type: "OUTGOING",
  status: "settled",
  clientId: "alice",
  walletId: "w1",
  assetId: "usdc",
  amount: 1.5,
  to: "0xabc",
  note: "payout-1",
  createdAt: 1_795_773_600_000
}

const send = Adapter.test(
  Adapter.make(Transactions.send, {
    without: ["networkId"],
    request: ({ amount, assetId, clientId, note, to }) =>
      HttpClientRequest.post("/transactions/send").pipe(
        HttpClientRequest.bodyJsonUnsafe({ clientId, assetId, to, amount: Format.decimal(amount) }),
        (request) => (note === undefined ? request : HttpClientRequest.setHeader(request, "x-memo", note))
      ),
    back: ({ body, header }) => ({
      clientId: body.clientId,
      assetId: body.assetId,
      to: body.to,
      amount: Amount.fromStringUnsafe(String(body.amount)),
      note: header("x-memo")
    }),
    answer: Payment,
    read: payment
  }),
  {
    input: { clientId: "alice", assetId: "usdc", to: "0xabc", amount: Amount.of("1.50"), note: "payout-1" },
    request: {
      line: "POST /transactions/send",
      headers: { "x-memo": "payout-1" },
      body: { clientId: "alice", assetId: "usdc", to: "0xabc", amount: 1.5 }
    },
    example: { success: true, payload: example },
    record
  }
)

const millis = (time: DateTime.Utc | undefined) => time && DateTime.toEpochMillis(time)

const list = Adapter.test(
  Adapter.make(Transactions.list, {
    without: ["search"],
    request: ({ assetId, clientId, from, networkId, order, sortKey, status, to, type }, { limit, page }) =>
      HttpClientRequest.get("/transactions", {
        urlParams: {
          clientId,
          assetId,
          networkId,
          type,
          status: status && states.write(status),
          from: millis(from),
          to: millis(to),
          order,
          sortKey,
          pageNumber: page,
          pageSize: limit
        }
      }),
    answer: Schema.Array(Payment),
    read: (rows) => rows.map(payment),
    next: (_, rows, { page }) => (rows === 0 ? undefined : page + 1)
  }),
  {
    input: { clientId: "alice", status: "COMPLETED", from: record.createdAt, page: 2, limit: 50 },
    request: { line: "GET /transactions?clientId=alice&status=settled&from=1795773600000&pageNumber=2&pageSize=50" },
    example: { success: true, payload: [example] },
    record: [record],
    next: "3"
  }
)

const get = Adapter.test(
  Adapter.make(Transactions.get, {
    request: ({ transactionId }) => HttpClientRequest.get(Adapter.path`/transactions/${transactionId}`),
    answer: Payment,
    read: payment
  }),
  {
    input: { transactionId: "77" },
    request: { line: "GET /transactions/77" },
    example: { success: true, payload: example },
    record
  }
)

export const adapters = [send, list, get]

export default Adapter.layer(adapters, service)
