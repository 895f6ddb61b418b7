/** Crypto payments to receive: ask for them, let the payer choose the asset, follow them, call them off. */
import * as Endpoint from "@effect-custody/core/Endpoint"
import type * as Id from "@effect-custody/core/Id"
import * as Page from "@effect-custody/core/Page"
import * as Polling from "@effect-custody/core/Polling"
import * as Effect from "effect/Effect"
import { PaymentOrdersApi } from "./PaymentOrdersApi.ts"

// The records of this category, under its name.
export { ChangedPaymentOrder, PaymentOrder, PaymentOrderStatus, SubmittedPaymentOrder } from "./PaymentOrder.ts"

/**
 * Asks for a payment: in a specific asset, or in one that is chosen later with {@link selectAsset}. The order has a
 * payment link and, once its asset is known, a wallet.
 *
 * `amount` is above zero: in the fiat `currency` if you name one, and converted by the service; otherwise in units of
 * the asset.
 *
 * Fails with `NotFound` if the service does not know what is named, and `OutcomeUnknown` if the order may exist: look
 * with {@link list} before you create it again.
 *
 * Specification: "Endpoint categories", Payment Vault Order. The wire is assumed: `POST /payment-vault-orders`.
 *
 * @example
 * ```ts
 * import { Amount } from "@effect-custody/core"
 * import { PaymentOrders } from "@effect-custody/sdk"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const order = yield* PaymentOrders.create({ amount: Amount.fromString("99.90"), currency: "EUR", clientId: "alice" })
 *   yield* Effect.log(`pay at ${order.paymentLink}`)
 *   return yield* PaymentOrders.awaitFinal(order.id)
 * })
 * ```
 */
export const create = Endpoint.make(PaymentOrdersApi, "create")

/**
 * Chooses the asset of an order that was created without one.
 *
 * Fails with `NotFound` if there is no such order, and `OutcomeUnknown` if the asset may have been chosen: {@link get}
 * tells.
 *
 * Specification: "Endpoint categories", Payment Vault Order. The wire is assumed:
 * `POST /payment-vault-orders/:orderId/asset`.
 *
 * @example
 * ```ts
 * import { PaymentOrders } from "@effect-custody/sdk"
 *
 * const program = PaymentOrders.selectAsset({ orderId: "o-1", assetId: "usdc", networkId: "ethereum" })
 * ```
 */
export const selectAsset = Endpoint.make(PaymentOrdersApi, "selectAsset")

/**
 * An order. Fails with `NotFound` if there is none of that id.
 *
 * Specification: "Endpoint categories", Payment Vault Order. The wire is assumed: `GET /payment-vault-orders/:orderId`.
 *
 * @example
 * ```ts
 * import { PaymentOrders } from "@effect-custody/sdk"
 *
 * const program = PaymentOrders.get({ orderId: "o-1" })
 * ```
 */
export const get = Endpoint.make(PaymentOrdersApi, "get")

/**
 * One page of orders, of one status or client if you say so.
 *
 * Specification: "Endpoint categories", Payment Vault Order. The wire is assumed: `GET /payment-vault-orders`.
 *
 * @example
 * ```ts
 * import { PaymentOrders } from "@effect-custody/sdk"
 *
 * const program = PaymentOrders.list({ status: "PENDING", clientId: "alice" })
 * ```
 */
export const list = Endpoint.list(PaymentOrdersApi, "list")

/**
 * All orders that {@link list} would give, read page after page as they are taken. Fails as it does.
 *
 * @example
 * ```ts
 * import { PaymentOrders } from "@effect-custody/sdk"
 * import { Stream } from "effect"
 *
 * const program = PaymentOrders.stream({ status: "PENDING" }).pipe(Stream.runCount)
 * ```
 */
export const stream = (query: Parameters<typeof list>[0] = {}) => Page.stream(list, query)

/**
 * Calls an order off. The service does so while it is pending, and refuses it afterwards with a code of its own, as
 * `ValidationFailed` or `UnknownApiError`.
 *
 * Fails with `NotFound` if there is no such order, and `OutcomeUnknown` if it may have been cancelled: {@link get} tells.
 *
 * Specification: "Endpoint categories", Payment Vault Order; "States and transitions". The wire is assumed:
 * `POST /payment-vault-orders/:orderId/cancel`.
 *
 * @example
 * ```ts
 * import { PaymentOrders } from "@effect-custody/sdk"
 *
 * const program = PaymentOrders.cancel({ orderId: "o-1" })
 * ```
 */
export const cancel = Endpoint.make(PaymentOrdersApi, "cancel")

const isFinalStatus = Polling.isOneOf("COMPLETED", "CANCELLED", "REJECTED", "ERROR")

/**
 * Waits until an order is completed, cancelled, rejected or in error, and gives it as it is then: look at its `status`.
 * A status that is not known is not final.
 *
 * It looks after 1 second, then ever less often, at most every 15 seconds, for at most 15 minutes; `options` say
 * otherwise. Fails as {@link get} does, and with `StillPending` at the deadline: wait again with the same id.
 *
 * Specification: "States and transitions". The identifiers of statuses are assumed.
 *
 * @example
 * ```ts
 * import { PaymentOrders } from "@effect-custody/sdk"
 * import { Effect } from "effect"
 *
 * const program = PaymentOrders.awaitFinal("o-1", { deadline: "1 day" }).pipe(
 *   Effect.catchTag("StillPending", () => PaymentOrders.cancel({ orderId: "o-1" }))
 * )
 * ```
 */
export const awaitFinal = Effect.fn("paymentOrders.awaitFinal")(
  (orderId: Id.Named<"OrderId">, options: Polling.AwaitOptions = {}) =>
    Polling.awaitFinal(get({ orderId }), {
      ...options,
      operation: "paymentOrders.awaitFinal",
      id: orderId,
      isFinal: options.isFinal ?? isFinalStatus
    })
)
