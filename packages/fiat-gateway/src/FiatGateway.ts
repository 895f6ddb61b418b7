/** The fiat gateway: payment links for deposits, and refunds. */
import { type Amount, Positive } from "@effect-custody/core/Amount"
import { NotFound } from "@effect-custody/core/ApiError"
import type { CustodyClient } from "@effect-custody/core/CustodyClient"
import * as Endpoint from "@effect-custody/core/Endpoint"
import * as Id from "@effect-custody/core/Id"
import * as Page from "@effect-custody/core/Page"
import type { RequestInvalid, UnconfirmedEndpoint } from "@effect-custody/core/SdkError"
import { NonBlank } from "@effect-custody/core/unstable/Text"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import { PaymentLink, PaymentLinkStatus, PaymentMethod } from "./PaymentLink.ts"
import { Refund } from "./Refund.ts"

export { PaymentLink, PaymentLinkStatus, PaymentMethod } from "./PaymentLink.ts"
export { Refund } from "./Refund.ts"

const section = "Endpoint categories, Fiat Gateway"

/**
 * The input of {@link createPaymentLink}.
 *
 * @since 0.1.0
 * @category inputs
 */
export interface CreatePaymentLinkInput {
  readonly clientId: Id.Named<"ClientId">
  /** In `currency`; above zero. */
  readonly amount: Amount
  /** A fiat currency. */
  readonly currency: string
  readonly method?: PaymentMethod | (string & {}) | undefined
}

/**
 * Creates a link by which a client deposits fiat funds, for example by card or bank transfer.
 *
 * Fails with `OutcomeUnknown` if the link may exist: look with {@link listPaymentLinks} before you create it again.
 *
 * Specification: "Endpoint categories", Fiat Gateway. The wire is assumed: `POST /fiat-gateway/payment-links`.
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
export const createPaymentLink = Endpoint.write("fiatGateway.createPaymentLink", {
  route: "POST /fiat-gateway/payment-links",
  provenance: "assumed",
  section,
  payload: {
    clientId: Id.named("ClientId"),
    amount: Positive,
    currency: NonBlank,
    method: Schema.optionalKey(PaymentMethod.input)
  },
  success: PaymentLink,
  errors: [NotFound],
  lookUp: "fiatGateway.listPaymentLinks"
})

/**
 * Reads a payment link. Fails with `NotFound` if there is none with that id.
 *
 * Specification: "Endpoint categories", Fiat Gateway. The wire is assumed: `GET /fiat-gateway/payment-links/:linkId`.
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
  provenance: "assumed",
  section,
  params: { linkId: Id.named("LinkId") },
  success: PaymentLink,
  errors: [NotFound],
  about: { parameter: "linkId", idFields: ["id", "linkId", "paymentLinkId"] }
})

/**
 * The input of {@link listPaymentLinks}.
 *
 * @since 0.1.0
 * @category inputs
 */
export interface ListPaymentLinksInput extends Page.Query {
  readonly clientId?: Id.Named<"ClientId"> | undefined
  readonly status?: PaymentLinkStatus | (string & {}) | undefined
}

/**
 * The errors of {@link listPaymentLinks}.
 *
 * @since 0.1.0
 * @category errors
 */
export type ListPaymentLinksError = Endpoint.ReadError | RequestInvalid | UnconfirmedEndpoint

/**
 * Reads one page of payment links, optionally filtered by client and status.
 *
 * Specification: "Endpoint categories", Fiat Gateway. The wire is assumed: `GET /fiat-gateway/payment-links`.
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
export const listPaymentLinks = Endpoint.list("fiatGateway.listPaymentLinks", {
  route: "GET /fiat-gateway/payment-links",
  provenance: "assumed",
  section,
  query: {
    clientId: Schema.optionalKey(Id.named("ClientId")),
    status: Schema.optionalKey(PaymentLinkStatus.input)
  },
  success: PaymentLink
})

/**
 * The errors of {@link streamPaymentLinks}.
 *
 * @since 0.1.0
 * @category errors
 */
export type StreamPaymentLinksError = ListPaymentLinksError | Page.PagingError

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
export const streamPaymentLinks = (
  query: ListPaymentLinksInput = {}
): Stream.Stream<PaymentLink, StreamPaymentLinksError, CustodyClient> => Page.stream(listPaymentLinks, query)

/**
 * The input of {@link refund}.
 *
 * @since 0.1.0
 * @category inputs
 */
export interface RefundInput {
  /** The deposit. */
  readonly transactionId: Id.Named<"TransactionId">
  /** In the currency of the deposit; above zero. Left out: the whole deposit. `undefined` is refused. */
  readonly amount?: Amount
  readonly reason?: string | undefined
}

/**
 * Refunds a deposit, in whole or in part. The service refunds eligible transactions only.
 *
 * Fails with `NotFound` if there is no such transaction, with `ValidationFailed` or `UnknownApiError` if the transaction
 * is not eligible, and with **`OutcomeUnknown` if the money may have been refunded**: never refund again before
 * `Transactions.get` has shown that it was not.
 *
 * Specification: "Endpoint categories", Fiat Gateway. The wire is assumed: `POST
 * /fiat-gateway/transactions/:transactionId/refund`.
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
export const refund = Endpoint.write("fiatGateway.refund", {
  route: "POST /fiat-gateway/transactions/:transactionId/refund",
  provenance: "assumed",
  section,
  params: { transactionId: Id.named("TransactionId") },
  payload: {
    amount: Endpoint.exact(Positive),
    reason: Schema.optionalKey(Schema.String)
  },
  success: Refund,
  errors: [NotFound],
  lookUp: "transactions.get"
})
