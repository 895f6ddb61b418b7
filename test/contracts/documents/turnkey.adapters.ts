/**
 * Turnkey, from its OpenAPI document. A client is an address, and a network a CAIP-2 name. Sending is not here: each
 * activity has the current time in its body, which no function of the input gives. Nor are `get` and `status`: of what was
 * sent, the document shows one text, and lists no values of it.
 */
import { Adapter, Format } from "@effect-custody/contract"
import { Amount, Transactions } from "@effect-custody/sdk"
import { Timestamp } from "@effect-custody/core/Timestamp"
import * as DateTime from "effect/DateTime"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Schema from "effect/Schema"
import { unknown } from "../record.ts"

const organizationId = "org-1"
const statuses = Format.Words(Transactions.Status, {
  PENDING: [],
  BROADCASTING: "CONFIRMED",
  COMPLETED: "FINALIZED",
  REJECTED: [],
  ERROR: []
})

const Transfer = Schema.Struct({
  direction: Schema.Literals(["IN", "OUT"]),
  asset: Schema.optionalKey(Schema.Struct({ caip19: Schema.String, decimals: Schema.Int })),
  amount: Schema.String,
  counterparty: Schema.String
})
const Row = Schema.Struct({
  transactionHash: Schema.String,
  status: statuses.schema,
  block: Schema.Struct({ timestamp: Timestamp }),
  transfers: Schema.Array(Transfer)
})
const rowsOf = (row: typeof Row.Type) =>
  row.transfers.map(({ amount, asset, counterparty, direction }, index) => ({
    ...unknown,
    id: row.transfers.length === 1 ? row.transactionHash : `${row.transactionHash}/${index}`,
    status: row.status,
    type: direction === "IN" ? ("INCOMING" as const) : ("OUTGOING" as const),
    assetId: asset?.caip19,
    amount: asset && Format.minorUnits(asset.decimals).read(amount),
    [direction === "IN" ? "from" : "to"]: counterparty,
    hash: row.transactionHash,
    createdAt: row.block.timestamp
  }))

const list = Adapter.make(Transactions.list, {
  without: ["assetId", "type", "status", "from", "to", "search", "sortKey", "order"],
  request: ({ clientId, networkId }, { cursor, limit }) => {
    if (clientId === undefined || networkId === undefined) throw new Error("the service needs an address and a network")
    const paginationOptions = { limit: String(limit), ...(cursor === undefined ? {} : { after: cursor }) }
    return HttpClientRequest.post("/public/v1/query/list_eth_transaction_history").pipe(
      HttpClientRequest.bodyJsonUnsafe({ organizationId, address: clientId, caip2: networkId, paginationOptions })
    )
  },
  answer: Schema.Struct({
    transactions: Schema.Array(Row),
    pageInfo: Schema.Struct({ hasNextPage: Schema.Boolean, endCursor: Schema.optionalKey(Schema.String) })
  }),
  read: ({ transactions }) => transactions.flatMap(rowsOf),
  next: ({ payload: { pageInfo } }) => pageInfo.hasNextPage && pageInfo.endCursor
})

// Examples, by hand.

export default Adapter.layer(
  [
    Adapter.test(list, {
      input: { clientId: "0xme", networkId: "eip155:1", limit: 50 },
      request: {
        line: "POST /public/v1/query/list_eth_transaction_history",
        body: { organizationId, address: "0xme", caip2: "eip155:1", paginationOptions: { limit: "50" } }
      },
      example: {
        transactions: [
          {
            transactionHash: "0x1",
            status: "FINALIZED",
            block: { number: "1", hash: "0x2", timestamp: "2026-11-27T10:00:00Z" },
            transfers: [
              {
                direction: "OUT",
                asset: { caip19: "eip155:1/erc20:0xusdc", symbol: "USDC", name: "USD Coin", decimals: 6 },
                amount: "12500000",
                counterparty: "0xabc"
              }
            ]
          }
        ],
        pageInfo: { hasNextPage: true, endCursor: "c2" }
      },
      record: [
        {
          id: "0x1",
          status: "COMPLETED",
          type: "OUTGOING",
          assetId: "eip155:1/erc20:0xusdc",
          amount: Amount.of("12.50"),
          to: "0xabc",
          hash: "0x1",
          createdAt: DateTime.makeUnsafe("2026-11-27T10:00:00Z")
        }
      ],
      next: "c2"
    })
  ],
  { payload: (body) => body }
)
