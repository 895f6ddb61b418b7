/** The bank of `transfers.ts` in adapters, as a person writes them from its documentation. */
import { Adapter, Format } from "@effect-custody/contract"
import { Amount, Transactions } from "@effect-custody/sdk"
import * as DateTime from "effect/DateTime"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Schema from "effect/Schema"
import { record, unknown } from "./record.ts"

const customers = Format.Words({ alice: "C-71", bob: "C-72" })
const currencies = Format.Words({ usdc: "USD-C", usdt: "USD-T" })
const states = Format.Words(Transactions.Status, {
  PENDING: "NEW",
  BROADCASTING: "SENT",
  COMPLETED: "BOOKED",
  REJECTED: "DECLINED",
  ERROR: "BROKEN"
})
const directions = Format.Words(Transactions.TransactionType, {
  INCOMING: "credit",
  OUTGOING: "debit",
  INTERNAL_TRANSFER: [],
  SWAP: [],
  ALLOWANCE: []
})
const cents = Format.minorUnits(2)

export const service: Adapter.Service = {
  request: HttpClientRequest.prependUrl("/bank"),
  payload: (body) => body.content,
  refusal: (body) => (body?.ok === true ? undefined : "ok is not true"),
  error: ({ problem }) => ({
    code: problem.kind,
    message: problem.text,
    errors: problem.fields,
    means: (
      {
        bad_key: "InvalidApiKey",
        token_expired: "TokenExpired",
        bad_token: "InvalidAccessToken",
        bad_refresh: "InvalidRefreshToken"
      } as const
    )[problem.kind as "bad_key"]
  })
}

const Transfer = Schema.Struct({
  number: Schema.String,
  wallet: Schema.optionalKey(Schema.String),
  direction: directions.schema,
  customer: customers.schema,
  sum: Schema.Struct({ cents: Schema.Finite, unit: currencies.schema }),
  target: Schema.optionalKey(Schema.Struct({ address: Schema.String })),
  reference: Schema.optionalKey(Schema.String),
  state: states.schema,
  made: Format.Seconds
})

const transfer = (row: typeof Transfer.Type) => ({
  ...unknown,
  id: row.number,
  status: row.state,
  type: row.direction,
  clientId: row.customer,
  walletId: row.wallet,
  assetId: row.sum.unit,
  amount: cents.read(row.sum.cents),
  to: row.target?.address,
  note: row.reference,
  createdAt: row.made
})

const example = {
  number: "77",
  wallet: "w1",
  direction: "debit",
  customer: "C-71",
  sum: { cents: 150, unit: "USD-C" },
  target: { address: "0xabc" },
  reference: "payout-1",
  state: "BOOKED",
  made: 1_795_773_600
}

const send = Adapter.test(
  Adapter.make(Transactions.send, {
    without: ["networkId"],
    request: ({ amount, assetId, clientId, note, to }) =>
      HttpClientRequest.post("/transfers").pipe(
        HttpClientRequest.bodyJsonUnsafe({
          customer: customers.write(clientId),
          sum: { cents: cents.write(amount), unit: currencies.write(assetId) },
          target: { address: to },
          reference: note
        })
      ),
    back: ({ body }) => ({
      clientId: customers.read(body.customer),
      assetId: currencies.read(body.sum.unit),
      to: body.target.address,
      amount: cents.read(body.sum.cents),
      note: body.reference
    }),
    answer: Transfer,
    read: transfer
  }),
  {
    input: { clientId: "alice", assetId: "usdc", to: "0xabc", amount: Amount.of("1.50"), note: "payout-1" },
    request: {
      line: "POST /bank/transfers",
      body: {
        customer: "C-71",
        sum: { cents: 150, unit: "USD-C" },
        target: { address: "0xabc" },
        reference: "payout-1"
      }
    },
    example: { ok: true, content: example },
    record
  }
)

const seconds = (time: DateTime.Utc | undefined, round: (seconds: number) => number) =>
  time && round(DateTime.toEpochMillis(time) / 1_000)

const list = Adapter.test(
  Adapter.make(Transactions.list, {
    without: ["type", "networkId", "search", "sortKey"],
    request: ({ assetId, clientId, from, order, status, to }, { limit, offset }) =>
      HttpClientRequest.get("/transfers", {
        urlParams: {
          customer: clientId && customers.write(clientId),
          unit: assetId && currencies.write(assetId),
          state: status && states.write(status),
          since: seconds(from, Math.floor),
          until: seconds(to, Math.ceil),
          dir: order,
          start: offset,
          count: limit
        }
      }),
    answer: Schema.Struct({ entries: Schema.Array(Transfer) }),
    read: ({ entries }) => entries.map(transfer),
    next: (_, rows, { offset }) => (rows === 0 ? undefined : offset + rows)
  }),
  {
    input: { clientId: "alice", status: "COMPLETED", from: record.createdAt, page: 2, limit: 50 },
    request: { line: "GET /bank/transfers?customer=C-71&state=BOOKED&since=1795773600&start=50&count=50" },
    example: { ok: true, content: { entries: [example] } },
    record: [record],
    next: "51"
  }
)

const get = Adapter.test(
  Adapter.make(Transactions.get, {
    request: ({ transactionId }) => HttpClientRequest.get(Adapter.path`/transfers/${transactionId}`),
    answer: Transfer,
    read: transfer
  }),
  {
    input: { transactionId: "77" },
    request: { line: "GET /bank/transfers/77" },
    example: { ok: true, content: example },
    record
  }
)

export const adapters = [send, list, get]

export default Adapter.layer(adapters, service)
