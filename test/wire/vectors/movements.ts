/** Transactions, payment orders and the fiat gateway: all of their wires are assumed. */
import { uint256 } from "./custody.ts"
import { list, type Operation, read, refusedAmounts, row, write } from "./operation.ts"

const transaction = {
  id: "t-1",
  status: "PENDING",
  type: "OUTGOING",
  clientId: "alice",
  walletId: "w-1",
  assetId: "usdc",
  networkId: "ethereum",
  amount: "12.50",
  fee: "0.00021",
  from: "0x1",
  to: "0x2",
  note: "rent",
  hash: "0xabc",
  createdAt: "2026-11-01T09:30:00.000Z",
  updatedAt: "2026-11-02T09:30:00.000Z"
}
const everyField = {
  clientId: "alice",
  assetId: "usdc",
  networkId: "ethereum",
  to: "0x2",
  amount: uint256,
  note: 'für "März" \u{1F4B8}'
}

export const transactions: ReadonlyArray<Operation> = [
  write(
    "transactions.send",
    "POST /transactions/send",
    "transactions.list",
    [
      row(
        "sends to an external address, and is content with the id of what it started",
        { clientId: "alice", assetId: "usdc", to: "0x2", amount: "12.50" },
        { id: 9007199254740991 },
        { result: { id: "9007199254740991" } }
      ),
      row("sends every field, the amount digit by digit", everyField, transaction)
    ],
    {
      refused: [
        ...refusedAmounts({ clientId: "alice", assetId: "usdc", to: "0x2" }),
        {
          name: "everything that is wrong is told at once",
          input: { clientId: "", assetId: "", to: "", amount: "0" },
          paths: [["clientId"], ["assetId"], ["to"], ["amount"]]
        }
      ]
    }
  ),
  write(
    "transactions.transfer",
    "POST /transactions/transfer",
    "transactions.list",
    [
      row(
        "moves an asset between two clients",
        { fromClientId: "alice", toClientId: "bob", assetId: "usdc", amount: "3.00", note: "rent" },
        { id: "t-2", status: "SETTLING", type: "INTERNAL_TRANSFER", amount: "3" }
      )
    ],
    { refused: refusedAmounts({ fromClientId: "alice", toClientId: "bob", assetId: "usdc" }) }
  ),
  list("transactions.list", "/transactions", "transactions", transaction, {
    filters: {
      clientId: "alice",
      assetId: "usdc",
      networkId: "ethereum",
      type: "AIRDROP",
      status: "SETTLING",
      from: "2026-11-01T00:00:00.000Z",
      to: "2026-11-30T23:59:59.999Z"
    }
  }),
  read("transactions.get", "/transactions/:transactionId", [
    row("gives a transaction", { transactionId: "t-1" }, transaction)
  ]),
  read("transactions.status", "/transactions/:transactionId/status", [
    row("gives how far a transaction is", { transactionId: "t-1" }, { status: "BROADCASTING", id: "t-1" })
  ])
]

const order = {
  id: "o-1",
  status: "PENDING",
  paymentLink: "https://pay.example/o-1",
  walletId: "w-1",
  address: "0x1",
  clientId: "alice",
  assetId: "usdc",
  networkId: "ethereum",
  amount: "99.90",
  currency: "EUR",
  assetAmount: "108.123456",
  note: "invoice 17",
  createdAt: "2026-11-01T09:30:00.000Z",
  updatedAt: "2026-11-02T09:30:00.000Z"
}

export const paymentOrders: ReadonlyArray<Operation> = [
  write(
    "paymentOrders.create",
    "POST /payment-vault-orders",
    "paymentOrders.list",
    [
      row(
        "asks for a payment in an asset",
        { amount: "99.90", currency: "EUR", assetId: "usdc", clientId: "alice", note: "invoice 17" },
        order
      )
    ],
    { refused: refusedAmounts({}) }
  ),
  write("paymentOrders.selectAsset", "POST /payment-vault-orders/:orderId/asset", "paymentOrders.get", [
    row("chooses the asset of an order", { orderId: "o-1", assetId: "usdc", networkId: "ethereum" }, order)
  ]),
  read("paymentOrders.get", "/payment-vault-orders/:orderId", [row("gives an order", { orderId: "o-1" }, order)]),
  list("paymentOrders.list", "/payment-vault-orders", "orders", order, {
    filters: { status: "CANCELLED", clientId: "alice" }
  }),
  write("paymentOrders.cancel", "POST /payment-vault-orders/:orderId/cancel", "paymentOrders.get", [
    row(
      "calls an order off, without a body",
      { orderId: "o-1" },
      { id: "o-1", status: "CANCELLED" },
      { hasBody: false }
    )
  ])
]

const link = {
  id: "l-1",
  url: "https://pay.example/l-1",
  status: "PENDING",
  clientId: "alice",
  amount: "250.00",
  currency: "EUR",
  method: "CARD"
}

export const fiatGateway: ReadonlyArray<Operation> = [
  write(
    "fiatGateway.createPaymentLink",
    "POST /fiat-gateway/payment-links",
    "fiatGateway.listPaymentLinks",
    [
      row(
        "creates a link, by a method that nobody knows",
        { clientId: "alice", amount: "250.00", currency: "EUR", method: "CHEQUE" },
        { ...link, method: "CHEQUE" }
      )
    ],
    { refused: refusedAmounts({ clientId: "alice", currency: "EUR" }) }
  ),
  read("fiatGateway.getPaymentLink", "/fiat-gateway/payment-links/:linkId", [
    row("gives a link and its deposit", { linkId: "l-1" }, { ...link, status: "COMPLETED", transactionId: "t-7" })
  ]),
  list("fiatGateway.listPaymentLinks", "/fiat-gateway/payment-links", "links", link, {
    filters: { clientId: "alice", status: "EXPIRED" }
  }),
  write(
    "fiatGateway.refund",
    "POST /fiat-gateway/transactions/:transactionId/refund",
    "transactions.get",
    [
      row(
        "gives a part back",
        { transactionId: "t-7", amount: "25.00", reason: "partial return" },
        { id: 1, transactionId: "t-7", status: "PENDING", amount: "25.00", currency: "EUR" }
      ),
      row("gives all of it back, with an empty object for a body", { transactionId: "t-7" }, {})
    ],
    { refused: refusedAmounts({ transactionId: "t-7" }) }
  )
]
