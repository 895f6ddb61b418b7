/**
 * Payment orders, which are created, then paid or cancelled.
 *
 * Specification: "Endpoint categories", Payment Vault Order: "Each order has a payment link and an assigned wallet";
 * "States and transitions": "Payment orders can be cancelled while pending."
 */
import * as PaymentOrdersSdk from "@effect-custody/payment-orders/PaymentOrders"
import type * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { findAsset, found, inRange, parseCurrency, oneOf } from "./checks.ts"
import * as Answer from "../http/answer.ts"
import { Asset, priceIn } from "../state/catalogue.ts"
import * as Category from "./category.ts"
import * as Clients from "./clients.ts"
import * as Ledger from "../state/ledger.ts"
import * as Listing from "./listing.ts"
import { quantityBought, Sum } from "../state/money.ts"
import * as StateField from "../state/stateField.ts"
import type { Vault, World } from "../state/world.ts"

const Order = Schema.Struct({
  id: Schema.String,
  clientId: Schema.UndefinedOr(Schema.String),
  /** The amount, in `currency` if the order has one, otherwise in units of the asset. */
  amount: Sum,
  currency: Schema.UndefinedOr(Schema.String),
  note: Schema.UndefinedOr(Schema.String),
  createdAt: Schema.Finite,
  updatedAt: Schema.mutableKey(Schema.Finite),
  status: Schema.mutableKey(Schema.Literals(["PENDING", "COMPLETED", "CANCELLED"])),
  /** The amount to pay, and the wallet that receives it. `undefined` until an asset is selected. */
  due: Schema.mutableKey(
    Schema.UndefinedOr(Schema.Struct({ amount: Sum, asset: Asset, walletId: Schema.String, address: Schema.String }))
  )
})
type Order = typeof Order.Type

export const orderTable = StateField.table("paymentOrders", Order)

const findOrder = (vault: Vault, orderId: string) => found(vault.state(orderTable).get(orderId), "E57001")

const findPending = (vault: Vault, orderId: string): Result.Result<Order, Answer.Refused> =>
  Result.flatMap(findOrder(vault, orderId), (order) =>
    order.status === "PENDING"
      ? Result.succeed(order)
      : Result.fail(Answer.notNow("E57004", { status: [`is ${order.status}`] }))
  )

const view = ({ amount, clientId, createdAt, currency, due, id, note, status, updatedAt }: Order) => ({
  id,
  status,
  paymentLink: `https://pay.custody.example/orders/${id}`,
  walletId: due?.walletId,
  address: due?.address,
  clientId,
  assetId: due?.asset.id,
  networkId: due?.asset.network.id,
  amount,
  currency,
  assetAmount: due?.amount,
  note,
  createdAt: DateTime.makeUnsafe(createdAt),
  updatedAt: DateTime.makeUnsafe(updatedAt)
})

/** Converts the amount of an order to units of an asset, and opens the wallet that receives the payment. */
const dueIn = (
  vault: Vault,
  now: number,
  asset: Asset,
  { amount, clientId, currency }: Pick<Order, "amount" | "clientId" | "currency">
): Result.Result<Order["due"], Answer.Refused> => {
  const due = (amount: BigDecimal.BigDecimal) => {
    const { address, id } = Ledger.at(vault, now).open(clientId, asset)
    return Result.succeed({ amount, asset, walletId: id, address })
  }
  if (currency === undefined) return due(amount)
  const price = priceIn(asset, currency)
  return price === undefined
    ? Result.fail(Answer.notNow("E57006", { assetId: ["has no price"] }))
    : due(quantityBought(amount, price, asset.decimals))
}

export const paymentOrders = Category.define(PaymentOrdersSdk.endpoints, {
  *create({ now, input, vault, world }) {
    const { amount, assetId, clientId, note } = input
    yield* inRange("amount", amount)
    const currency = yield* parseCurrency(input.currency)
    yield* Clients.known(vault, clientId, "E57002")
    const asset = assetId === undefined ? undefined : yield* findAsset(vault, { assetId }, "E57003")
    const due = asset === undefined ? undefined : yield* dueIn(vault, now, asset, { amount, clientId, currency })
    const order: Order = {
      id: world.nextId(),
      clientId,
      amount,
      currency,
      note,
      createdAt: now,
      updatedAt: now,
      status: "PENDING",
      due
    }
    vault.state(orderTable).set(order.id, order)
    return Answer.granted("Payment order created", view(order))
  },

  *selectAsset({ now, input, vault }) {
    const order = yield* findPending(vault, input.orderId)
    if (order.due !== undefined) return Answer.notNow("E57005", { assetId: [`is ${order.due.asset.id} already`] })
    order.due = yield* dueIn(vault, now, yield* findAsset(vault, input, "E57003"), order)
    order.updatedAt = now
    return Answer.granted("Payment order updated", view(order))
  },

  *get({ input: { orderId }, vault }) {
    return Answer.granted("Payment order", view(yield* findOrder(vault, orderId)))
  },

  *list(call) {
    yield* oneOf("status", call.input.status, ["PENDING", "COMPLETED", "CANCELLED", "REJECTED", "ERROR"])
    const rows = call.vault.state(orderTable).values()
    return Listing.page(call, "Payment orders", { rows, show: view, filters: ["clientId", "status"] })
  },

  *cancel({ now, input: { orderId }, vault }) {
    const order = yield* findPending(vault, orderId)
    order.status = "CANCELLED"
    order.updatedAt = now
    return Answer.granted("Payment order cancelled", view(order))
  }
})

/** Pays an order of any vault. Returns the transaction, or the reason why the order cannot be paid. */
export const pay = (world: World, orderId: string, now: number): Result.Result<Ledger.Transaction, string> =>
  Result.gen(function* () {
    const vault = [...world.vaults()].find((vault) => vault.state(orderTable).has(orderId)) ?? world.vault(1)
    const order = yield* Result.mapError(findPending(vault, orderId), ({ message }) => message)
    if (order.due === undefined) return yield* Result.fail("Payment order has no asset yet")
    const ledger = Ledger.at(vault, now)
    const wallet = ledger.open(order.clientId, order.due.asset)
    order.status = "COMPLETED"
    order.updatedAt = now
    return ledger.credit(wallet, order.due.amount, { from: "payer", note: order.note })
  })
