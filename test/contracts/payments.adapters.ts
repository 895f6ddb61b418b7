/** The payment service of `service.ts` in adapters, as a person writes them from its documentation. */
import { Adapter, Format } from "@effect-custody/contract"
import { Amount, Transactions } from "@effect-custody/sdk"
import * as DateTime from "effect/DateTime"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Schema from "effect/Schema"
import { record, unknown } from "./record.ts"

const accounts = Format.Words({ alice: "ACC-1", bob: "ACC-2" })
const currencies = Format.Words({ usdc: "USDC", usdt: "USDT" })
const states = Format.Words(Transactions.Status, {
  PENDING: "queued",
  BROADCASTING: "sending",
  COMPLETED: "done",
  REJECTED: "refused",
  ERROR: "failed"
})
const units = Format.minorUnits(6)

export const service: Adapter.Service = {
  request: HttpClientRequest.prependUrl("/v2"),
  names: Format.snakeCase,
  payload: (body) => body.result
}

const Payout = Schema.Struct({
  id: Schema.String,
  type: Transactions.TransactionType,
  account: accounts.schema,
  wallet: Schema.optionalKey(Schema.String),
  currency: currencies.schema,
  amount: Schema.Finite,
  destination: Schema.optionalKey(Schema.String),
  memo: Schema.optionalKey(Schema.String),
  state: states.schema,
  created_at: Format.Seconds
})

const payout = (row: typeof Payout.Type) => ({
  ...unknown,
  id: row.id,
  status: row.state,
  type: row.type,
  clientId: row.account,
  walletId: row.wallet,
  assetId: row.currency,
  amount: units.read(row.amount),
  to: row.destination,
  note: row.memo,
  createdAt: row.created_at
})

const example = {
  id: "77",
  type: "OUTGOING",
  account: "ACC-1",
  wallet: "w1",
  currency: "USDC",
  amount: 1_500_000,
  destination: "0xabc",
  memo: "payout-1",
  state: "done",
  created_at: 1_795_773_600
}

const send = Adapter.test(
  Adapter.make(Transactions.send, {
    without: ["networkId"],
    request: ({ amount, assetId, clientId, note, to }) =>
      HttpClientRequest.post("/payouts").pipe(
        HttpClientRequest.bodyJsonUnsafe({
          account: accounts.write(clientId),
          currency: currencies.write(assetId),
          destination: to,
          amount: units.write(amount),
          memo: note
        })
      ),
    back: ({ body }) => ({
      clientId: accounts.read(body.account),
      assetId: currencies.read(body.currency),
      to: body.destination,
      amount: units.read(body.amount),
      note: body.memo
    }),
    answer: Payout,
    read: payout
  }),
  {
    input: { clientId: "alice", assetId: "usdc", to: "0xabc", amount: Amount.of("1.50"), note: "payout-1" },
    request: {
      line: "POST /v2/payouts",
      body: { account: "ACC-1", currency: "USDC", destination: "0xabc", amount: 1_500_000, memo: "payout-1" }
    },
    example: { result: example },
    record
  }
)

const seconds = (time: DateTime.Utc | undefined, round: (seconds: number) => number) =>
  time && round(DateTime.toEpochMillis(time) / 1_000)

const list = Adapter.test(
  Adapter.make(Transactions.list, {
    without: ["type", "networkId", "search"],
    request: ({ assetId, clientId, from, order, sortKey, status, to }, { limit, offset }) =>
      HttpClientRequest.get("/payouts", {
        urlParams: {
          account: clientId && accounts.write(clientId),
          currency: assetId && currencies.write(assetId),
          state: status && states.write(status),
          created_after: seconds(from, Math.floor),
          created_before: seconds(to, Math.ceil),
          order,
          sort: sortKey === "createdAt" ? "created_at" : sortKey,
          skip: offset,
          take: limit
        }
      }),
    answer: Schema.Struct({ rows: Schema.Array(Payout) }),
    read: ({ rows }) => rows.map(payout),
    next: (_, rows, { offset }) => (rows === 0 ? undefined : offset + rows)
  }),
  {
    input: { clientId: "alice", status: "COMPLETED", from: record.createdAt, page: 2, limit: 50 },
    request: {
      line: "GET /v2/payouts?account=ACC-1&state=done&created_after=1795773600&skip=50&take=50"
    },
    example: { result: { rows: [example] } },
    record: [record],
    next: "51"
  }
)

const get = Adapter.test(
  Adapter.make(Transactions.get, {
    request: ({ transactionId }) => HttpClientRequest.get(Adapter.path`/payouts/${transactionId}`),
    answer: Payout,
    read: payout
  }),
  { input: { transactionId: "77" }, request: { line: "GET /v2/payouts/77" }, example: { result: example }, record }
)

export const adapters = [send, list, get]

export default Adapter.layer(adapters, service)
