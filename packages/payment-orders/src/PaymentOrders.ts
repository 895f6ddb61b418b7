/**
 * Payment orders: crypto payments to receive, each with a payment link and an assigned wallet. Request a payment, select
 * its asset, follow it, cancel it.
 */
import { Positive } from "@effect-custody/core/Amount"
import { NotFound } from "@effect-custody/core/ApiError"
import * as Endpoint from "@effect-custody/core/Endpoint"
import * as Id from "@effect-custody/core/Id"
import * as Page from "@effect-custody/core/Page"
import * as Polling from "@effect-custody/core/Polling"
import type { InputInvalid, UnconfirmedEndpoint } from "@effect-custody/core/SdkError"
import * as Instrumentation from "@effect-custody/core/siblings/Instrumentation"
import { NonBlank } from "@effect-custody/core/Text"
import * as Schema from "effect/Schema"
import { ChangedPaymentOrder, PaymentOrder, PaymentOrderStatus, SubmittedPaymentOrder } from "./records.ts"

export * from "./records.ts"

const section = "Endpoint categories, Payment Vault Order"

const ofOrder = { orderId: Id.named("OrderId") }

const createFields = {
  /** Above zero: in `currency`, and converted by the service; without a `currency`, in units of the asset. */
  amount: Positive,
  /** A fiat currency. `undefined` is refused: without a currency, the amount is in units of the asset. */
  currency: Endpoint.exact(NonBlank),
  assetId: Endpoint.exact(Id.named("AssetId")),
  /** The client's externalId, which is your own identifier, and not the service's `id`. */
  clientId: Schema.optionalKey(Id.named("ClientId")),
  note: Schema.optionalKey(Schema.String)
}

/**
 * The input of {@link create}.
 *
 * @since 0.1.0
 * @category inputs
 */
export interface CreateInput extends Endpoint.InputOf<typeof createFields> {}

/**
 * Requests a payment: in a given asset, or in one that is selected later with {@link selectAsset}. The order has a
 * payment link and, once its asset is known, a wallet.
 *
 * Fails with `OutcomeUnknown` if the order may exist: look with {@link list} before you create it again.
 *
 * @since 0.1.0
 * @category endpoints
 * @example
 * ```ts
 * import { Amount } from "@effect-custody/core"
 * import { PaymentOrders } from "@effect-custody/sdk"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const order = yield* PaymentOrders.create({ amount: Amount.of("99.90"), currency: "EUR", clientId: "alice" })
 *   yield* Effect.log(`pay at ${order.paymentLink}`)
 *   return yield* PaymentOrders.awaitFinal(order.id)
 * })
 * ```
 */
export const create: Endpoint.Endpoint<
  CreateInput,
  SubmittedPaymentOrder,
  Endpoint.WriteError | NotFound | UnconfirmedEndpoint
> = Endpoint.write("paymentOrders.create", {
  route: "POST /payment-vault-orders",
  assumed: section,
  payload: createFields,
  success: SubmittedPaymentOrder,
  errors: [NotFound],
  lookUp: () => list
})

const assetFields = {
  assetId: Id.named("AssetId"),
  networkId: Endpoint.exact(Id.named("NetworkId"))
}

/**
 * The input of {@link selectAsset}.
 *
 * @since 0.1.0
 * @category inputs
 */
export interface SelectAssetInput extends Endpoint.InputOf<typeof ofOrder & typeof assetFields> {}

/**
 * Selects the asset of an order that was created without one.
 *
 * Fails with `OutcomeUnknown` if the asset may have been selected: check with {@link get}.
 *
 * @since 0.1.0
 * @category endpoints
 * @example
 * ```ts
 * import { PaymentOrders } from "@effect-custody/sdk"
 *
 * const program = PaymentOrders.selectAsset({ orderId: "o-1", assetId: "usdc", networkId: "ethereum" })
 * ```
 */
export const selectAsset: Endpoint.Endpoint<
  SelectAssetInput,
  ChangedPaymentOrder,
  Endpoint.WriteError | NotFound | UnconfirmedEndpoint
> = Endpoint.write("paymentOrders.selectAsset", {
  route: "POST /payment-vault-orders/:orderId/asset",
  assumed: section,
  params: ofOrder,
  payload: assetFields,
  success: ChangedPaymentOrder,
  errors: [NotFound],
  lookUp: () => get
})

/**
 * Reads an order. Fails with `NotFound` if there is none with that id.
 *
 * @since 0.1.0
 * @category endpoints
 * @example
 * ```ts
 * import { PaymentOrders } from "@effect-custody/sdk"
 *
 * const program = PaymentOrders.get({ orderId: "o-1" })
 * ```
 */
export const get = Endpoint.read("paymentOrders.get", {
  route: "GET /payment-vault-orders/:orderId",
  assumed: section,
  params: ofOrder,
  success: PaymentOrder,
  errors: [NotFound],
  about: "orderId"
})

const filters = {
  status: Schema.optionalKey(PaymentOrderStatus.input),
  /** The client's externalId, which is your own identifier, and not the service's `id`. */
  clientId: Schema.optionalKey(Id.named("ClientId"))
}

/**
 * The input of {@link list}.
 *
 * @since 0.1.0
 * @category inputs
 */
export interface ListInput extends Endpoint.InputOf<typeof filters>, Page.Query {}

/**
 * Reads one page of orders, optionally filtered by status and client.
 *
 * @since 0.1.0
 * @category endpoints
 * @example
 * ```ts
 * import { PaymentOrders } from "@effect-custody/sdk"
 *
 * const program = PaymentOrders.list({ status: "PENDING", clientId: "alice" })
 * ```
 */
export const list: Endpoint.Endpoint<
  ListInput,
  Page.Page<PaymentOrder>,
  Endpoint.ReadError | InputInvalid | UnconfirmedEndpoint
> = Endpoint.list("paymentOrders.list", {
  route: "GET /payment-vault-orders",
  assumed: section,
  query: filters,
  success: PaymentOrder
})

/**
 * Streams all orders that match, page by page. Fails as {@link list} does, or with a `PagingError`.
 *
 * @since 0.1.0
 * @category streams
 */
export const stream = (query: ListInput = {}) => Page.stream(list, query)

/**
 * Cancels a pending order. For any other order the service refuses with a code of its own, as `ValidationFailed` or
 * `OtherApiError`.
 *
 * Fails with `OutcomeUnknown` if the order may have been cancelled: check with {@link get}.
 *
 * Specification: "States and transitions".
 *
 * @since 0.1.0
 * @category endpoints
 * @example
 * ```ts
 * import { PaymentOrders } from "@effect-custody/sdk"
 *
 * const program = PaymentOrders.cancel({ orderId: "o-1" })
 * ```
 */
export const cancel = Endpoint.write("paymentOrders.cancel", {
  route: "POST /payment-vault-orders/:orderId/cancel",
  assumed: section,
  params: ofOrder,
  success: ChangedPaymentOrder,
  errors: [NotFound],
  lookUp: () => get
})

const isFinalStatus = Polling.isOneOf("COMPLETED", "CANCELLED", "REJECTED", "ERROR")

/**
 * Waits until an order is completed, cancelled, rejected or in error, and returns it: check its `status`. An unknown
 * status is not final.
 *
 * Reads every 15 seconds by default, more often at first, for 15 minutes. In the first 30 seconds, a `NotFound` means
 * that the service does not show the order yet. Fails with `StillPending` at the deadline: wait again with the same id.
 *
 * Specification: "States and transitions". The identifiers of statuses are assumed.
 *
 * @since 0.1.0
 * @category polling
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
export const awaitFinal = (orderId: Id.Named<"OrderId">, options: Polling.AwaitOptions = {}) =>
  Polling.awaitFinal(get({ orderId }), {
    ...options,
    operation: "paymentOrders.awaitFinal",
    id: orderId,
    isFinal: options.isFinal ?? isFinalStatus,
    known: PaymentOrderStatus.known
  }).pipe(Instrumentation.around("paymentOrders.awaitFinal"))

/**
 * Streams an order now and after each change of its status, until the status is final. Reads while
 * the stream is consumed, as often as {@link awaitFinal}, and without a deadline.
 *
 * Specification: "States and transitions". The identifiers of statuses are assumed.
 *
 * @since 0.1.0
 * @category polling
 * @example
 * ```ts
 * import { PaymentOrders } from "@effect-custody/sdk"
 * import { Effect, Stream } from "effect"
 *
 * const program = PaymentOrders.watch("o-1").pipe(Stream.runForEach(({ status }) => Effect.log(status)))
 * ```
 */
export const watch = (orderId: Id.Named<"OrderId">, options: Polling.WatchOptions = {}) =>
  Polling.watch(get({ orderId }), { ...options, isFinal: options.isFinal ?? isFinalStatus })

/**
 * The endpoints of this category, in the order of the specification.
 *
 * @since 0.1.0
 * @category constants
 */
export const endpoints = { create, selectAsset, get, list, cancel }
