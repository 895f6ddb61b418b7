/**
 * Payment orders: created, paid or cancelled.
 *
 * Specification: "Endpoint categories", Payment Vault Order: "Each order has a payment link and an assigned wallet";
 * "States and transitions": "Payment orders can be cancelled while pending."
 */
import { PaymentOrdersApi } from "@effect-custody/payment-orders/PaymentOrdersApi"
import * as BigDecimal from "effect/BigDecimal"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { findAsset, inRange, knownCurrency } from "./checks.ts"
import * as Answer from "../http/answer.ts"
import type { InventedCode } from "../http/inventedCodes.ts"
import type * as LedgerRecords from "../state/ledgerRecords.ts"
import { Asset, priceIn, rateOf } from "../state/catalogue.ts"
import * as Category from "./category.ts"
import * as Clients from "./clients.ts"
import * as WireFormat from "../http/wireFormat.ts"
import * as Ids from "../state/ids.ts"
import * as Ledger from "../state/ledger.ts"
import * as Listing from "./listing.ts"
import { amountOf, bought, Sum } from "../state/money.ts"
import { omitUndefined } from "./omitUndefined.ts"
import { creditFromOutside } from "./tokens.ts"
import { oneOf } from "../http/validation.ts"
import * as StateField from "../state/stateField.ts"
import type { Vault, World } from "../state/world.ts"

const Order = Schema.Struct({
  id: Schema.String,
  clientId: Schema.UndefinedOr(Schema.String),
  /** In the currency if there is one, otherwise in units of the asset. */
  amount: Sum,
  currency: Schema.UndefinedOr(Schema.String),
  note: Schema.UndefinedOr(Schema.String),
  createdAt: Schema.Finite,
  updatedAt: Schema.mutableKey(Schema.Finite),
  status: Schema.mutableKey(Schema.Literals(["PENDING", "COMPLETED", "CANCELLED"])),
  /** Once an asset is selected: the amount to pay, and the wallet that receives it. */
  due: Schema.mutableKey(
    Schema.UndefinedOr(Schema.Struct({ amount: Sum, asset: Asset, walletId: Schema.String, address: Schema.String }))
  )
})
type Order = typeof Order.Type

export const orderTable = StateField.make({
  name: "paymentOrders",
  schema: StateField.table(Order),
  initial: () => new Map()
})

const dueIn = ({ address, asset, id }: LedgerRecords.Wallet, amount: BigDecimal.BigDecimal) => ({
  amount,
  asset,
  walletId: id,
  address
})

const statuses = ["PENDING", "COMPLETED", "CANCELLED", "REJECTED", "ERROR"]

const codes = {
  order: "E57001",
  client: "E57002",
  asset: "E57003",
  notPending: "E57004",
  hasAsset: "E57005",
  noPrice: "E57006"
} as const satisfies Readonly<Record<string, InventedCode>>

const findOrder = (vault: Vault, orderId: string): Result.Result<Order, Answer.Refused> =>
  Result.fromNullishOr(vault.state(orderTable).get(orderId), () =>
    Answer.notFound(codes.order, "Payment order not found")
  )

const pending = (order: Order): Result.Result<Order, Answer.Refused> =>
  order.status === "PENDING"
    ? Result.succeed(order)
    : Result.fail(Answer.notNow(codes.notPending, "Payment order is not pending", { status: [`is ${order.status}`] }))

const shown = ({ world }: Vault, { amount, clientId, createdAt, currency, due, id, note, status, updatedAt }: Order) =>
  omitUndefined({
    id: Ids.order(id),
    status,
    paymentLink: `https://pay.custody.example/orders/${id}`,
    walletId: due === undefined ? undefined : Ids.wallet(due.walletId),
    address: due?.address,
    clientId: clientId === undefined ? undefined : Ids.client(clientId),
    assetId: due === undefined ? undefined : Ids.asset(due.asset.id),
    networkId: due?.asset.network.id,
    amount: amountOf(amount),
    currency,
    assetAmount: due === undefined ? undefined : amountOf(due.amount),
    note,
    createdAt: WireFormat.formatDate(world, createdAt),
    updatedAt: WireFormat.formatDate(world, updatedAt)
  })

/** The amount of an order in an asset. */
const converted = (
  { amount, currency }: Pick<Order, "amount" | "currency">,
  asset: Asset
): Result.Result<BigDecimal.BigDecimal, Answer.Refused> => {
  const rate = currency === undefined ? undefined : rateOf(currency)
  if (rate === undefined) return Result.succeed(amount)
  const price = priceIn(asset, rate)
  return price === undefined
    ? Result.fail(Answer.notNow(codes.noPrice, "The asset has no price", { assetId: ["has no price"] }))
    : Result.succeed(bought(amount, price, asset.decimals))
}

const columns: Listing.Columns<Order> = {
  id: ({ id }) => Number(id),
  createdAt: ({ createdAt }) => createdAt,
  updatedAt: ({ updatedAt }) => updatedAt,
  status: ({ status }) => status,
  amount: ({ amount }) => amount,
  currency: ({ currency }) => currency,
  clientId: ({ clientId }) => clientId,
  assetId: ({ due }) => due?.asset.id,
  note: ({ note }) => note
}

export const paymentOrders = Category.define(PaymentOrdersApi, {
  create: ({ now, payload, vault, world }) =>
    Result.merge(
      Result.gen(function* () {
        const { amount, assetId, clientId, note } = payload
        yield* inRange("amount", amount)
        const currency = yield* knownCurrency(payload.currency)
        yield* Clients.known(vault, clientId, codes.client)
        const asset = assetId === undefined ? undefined : yield* findAsset(vault, { assetId }, codes.asset)
        const assetAmount = asset === undefined ? amount : yield* converted({ amount, currency }, asset)
        const order: Order = {
          id: world.nextId(),
          clientId,
          amount,
          currency,
          note,
          createdAt: now,
          updatedAt: now,
          status: "PENDING",
          due: asset === undefined ? undefined : dueIn(Ledger.at(vault, now).open(clientId, asset), assetAmount)
        }
        vault.state(orderTable).set(order.id, order)
        return Answer.granted("Payment order created", shown(vault, order))
      })
    ),

  selectAsset: ({ now, params: { orderId }, payload, vault }) =>
    Result.merge(
      Result.gen(function* () {
        const order = yield* Result.flatMap(findOrder(vault, orderId), pending)
        if (order.due !== undefined) {
          const fields = { assetId: [`is ${order.due.asset.id} already`] }
          return yield* Result.fail(Answer.notNow(codes.hasAsset, "Payment order has an asset", fields))
        }
        const asset = yield* findAsset(vault, payload, codes.asset)
        const amount = yield* converted(order, asset)
        order.due = dueIn(Ledger.at(vault, now).open(order.clientId, asset), amount)
        order.updatedAt = now
        return Answer.granted("Payment order updated", shown(vault, order))
      })
    ),

  get: ({ params: { orderId }, vault }) =>
    Result.merge(
      Result.map(findOrder(vault, orderId), (order) => Answer.granted("Payment order", shown(vault, order)))
    ),

  list: ({ query, vault, world }) => {
    const { clientId, status } = query
    if (status !== undefined && !statuses.includes(status)) {
      return Answer.invalid(Answer.validationCode, { status: [oneOf(statuses)] })
    }
    const rows = [...vault.state(orderTable).values()].filter(
      (order) =>
        (clientId === undefined || order.clientId === clientId) && (status === undefined || order.status === status)
    )
    return Listing.page(world, query, {
      message: "Payment orders",
      rows,
      columns,
      show: (order) => shown(vault, order)
    })
  },

  cancel: ({ now, params: { orderId }, vault }) =>
    Result.merge(
      Result.map(Result.flatMap(findOrder(vault, orderId), pending), (order) => {
        order.status = "CANCELLED"
        order.updatedAt = now
        return Answer.granted("Payment order cancelled", shown(vault, order))
      })
    )
})

/** Pays an order of any vault. Returns the transaction, or why the order cannot be paid. */
export const pay = (world: World, orderId: string, now: number): Result.Result<LedgerRecords.Transaction, string> =>
  Result.gen(function* () {
    const vault = [...world.vaults()].find((vault) => vault.state(orderTable).has(orderId))
    const order = vault?.state(orderTable).get(orderId)
    if (vault === undefined || order === undefined) return yield* Result.fail("Payment order not found")
    yield* Result.mapError(pending(order), ({ message }) => message)
    if (order.due === undefined) return yield* Result.fail("Payment order has no asset yet")
    const { amount, asset } = order.due
    const wallet = Ledger.at(vault, now).open(order.clientId, asset)
    order.status = "COMPLETED"
    order.updatedAt = now
    return creditFromOutside(vault, now, { wallet, amount, from: "payer", note: order.note })
  })
