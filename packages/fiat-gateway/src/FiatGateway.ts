/** The fiat gateway: payment links by which clients deposit fiat funds, and refunds. */
import { Positive } from "@effect-custody/core/Amount"
import { NotFound } from "@effect-custody/core/ApiError"
import * as Endpoint from "@effect-custody/core/Endpoint"
import * as Id from "@effect-custody/core/Id"
import * as Page from "@effect-custody/core/Page"
import type { InputInvalid, UnconfirmedEndpoint } from "@effect-custody/core/SdkError"
import { NonBlank } from "@effect-custody/core/Text"
import * as Schema from "effect/Schema"
import { PaymentLink, PaymentLinkStatus, PaymentMethod, Refund } from "./records.ts"

export * from "./records.ts"

const section = "Endpoint categories, Fiat Gateway"

const linkFields = {
  /** The client's externalId, which is your own identifier, and not the service's `id`. */
  clientId: Id.named("ClientId"),
  /** In `currency`; above zero. */
  amount: Positive,
  /** A fiat currency. */
  currency: NonBlank,
  method: Schema.optionalKey(PaymentMethod.input)
}

/**
 * The input of {@link createPaymentLink}.
 *
 * @since 0.1.0
 * @category inputs
 */
export interface CreatePaymentLinkInput extends Endpoint.InputOf<typeof linkFields> {}

/**
 * Creates a link by which a client deposits fiat funds, for example by card or bank transfer.
 *
 * Fails with `OutcomeUnknown` if the link may exist: look with {@link listPaymentLinks} before you create it again.
 *
 * @since 0.1.0
 * @category endpoints
 * @example
 * ```ts
 * import { Amount } from "@effect-custody/core"
 * import { FiatGateway } from "@effect-custody/sdk"
 * import { Effect } from "effect"
 *
 * const program = FiatGateway.createPaymentLink({
 *   clientId: "alice",
 *   amount: Amount.of("250"),
 *   currency: "EUR",
 *   method: "CARD"
 * }).pipe(Effect.map((link) => link.url))
 * ```
 */
export const createPaymentLink: Endpoint.Endpoint<
  CreatePaymentLinkInput,
  PaymentLink,
  Endpoint.WriteError | NotFound | UnconfirmedEndpoint
> = Endpoint.write("fiatGateway.createPaymentLink", {
  route: "POST /fiat-gateway/payment-links",
  assumed: section,
  payload: linkFields,
  success: PaymentLink,
  errors: [NotFound],
  lookUp: () => listPaymentLinks
})

/**
 * Reads a payment link. Fails with `NotFound` if there is none with that id.
 *
 * @since 0.1.0
 * @category endpoints
 * @example
 * ```ts
 * import { FiatGateway } from "@effect-custody/sdk"
 *
 * const program = FiatGateway.getPaymentLink({ linkId: "l-1" })
 * ```
 */
export const getPaymentLink = Endpoint.read("fiatGateway.getPaymentLink", {
  route: "GET /fiat-gateway/payment-links/:linkId",
  assumed: section,
  params: { linkId: Id.named("LinkId") },
  success: PaymentLink,
  errors: [NotFound],
  about: { parameter: "linkId", idFields: ["id", "linkId", "paymentLinkId"] }
})

const filters = {
  /** The client's externalId, which is your own identifier, and not the service's `id`. */
  clientId: Schema.optionalKey(Id.named("ClientId")),
  status: Schema.optionalKey(PaymentLinkStatus.input)
}

/**
 * The input of {@link listPaymentLinks}.
 *
 * @since 0.1.0
 * @category inputs
 */
export interface ListPaymentLinksInput extends Endpoint.InputOf<typeof filters>, Page.Query {}

/**
 * Reads one page of payment links, optionally filtered by client and status.
 *
 * @since 0.1.0
 * @category endpoints
 * @example
 * ```ts
 * import { FiatGateway } from "@effect-custody/sdk"
 *
 * const program = FiatGateway.listPaymentLinks({ clientId: "alice", status: "PENDING" })
 * ```
 */
export const listPaymentLinks: Endpoint.Endpoint<
  ListPaymentLinksInput,
  Page.Page<PaymentLink>,
  Endpoint.ReadError | InputInvalid | UnconfirmedEndpoint
> = Endpoint.list("fiatGateway.listPaymentLinks", {
  route: "GET /fiat-gateway/payment-links",
  assumed: section,
  query: filters,
  success: PaymentLink
})

/**
 * Streams all payment links that match, page by page. Fails as {@link listPaymentLinks} does, or with a `PagingError`.
 *
 * @since 0.1.0
 * @category streams
 * @example
 * ```ts
 * import { FiatGateway } from "@effect-custody/sdk"
 * import { Stream } from "effect"
 *
 * const program = FiatGateway.streamPaymentLinks({ clientId: "alice" }).pipe(Stream.runCollect)
 * ```
 */
export const streamPaymentLinks = (query: ListPaymentLinksInput = {}) => Page.stream(listPaymentLinks, query)

/** The deposit. */
const ofDeposit = { transactionId: Id.named("TransactionId") }

const refundFields = {
  /** In the currency of the deposit; above zero. Left out: the whole deposit. `undefined` is refused. */
  amount: Endpoint.exact(Positive),
  reason: Schema.optionalKey(Schema.String)
}

/**
 * The input of {@link refund}.
 *
 * @since 0.1.0
 * @category inputs
 */
export interface RefundInput extends Endpoint.InputOf<typeof ofDeposit & typeof refundFields> {}

/**
 * Refunds a deposit, in whole or in part. The service refunds eligible transactions only.
 *
 * Fails with `NotFound` if there is no such transaction, with `ValidationFailed` or `OtherApiError` if the transaction
 * is not eligible, and with **`OutcomeUnknown` if the money may have been refunded**: never refund again before
 * `Transactions.get` has shown that it was not.
 *
 * @since 0.1.0
 * @category endpoints
 * @example
 * ```ts
 * import { Amount } from "@effect-custody/core"
 * import { FiatGateway } from "@effect-custody/sdk"
 *
 * const program = FiatGateway.refund({ transactionId: "t-1", amount: Amount.of("25"), reason: "partial return" })
 * ```
 */
export const refund: Endpoint.Endpoint<RefundInput, Refund, Endpoint.WriteError | NotFound | UnconfirmedEndpoint> =
  Endpoint.write("fiatGateway.refund", {
    route: "POST /fiat-gateway/transactions/:transactionId/refund",
    assumed: section,
    params: ofDeposit,
    payload: refundFields,
    success: Refund,
    errors: [NotFound],
    lookUp: () => ({ operation: "transactions.get" })
  })

/**
 * The endpoints of this category, in the order of the specification.
 *
 * @since 0.1.0
 * @category constants
 */
export const endpoints = { createPaymentLink, getPaymentLink, listPaymentLinks, refund }
