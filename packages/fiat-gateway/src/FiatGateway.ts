/** Fiat money: links by which clients pay in, and refunds of what they paid. */
import * as Endpoint from "@effect-custody/core/Endpoint"
import * as Page from "@effect-custody/core/Page"
import { FiatGatewayApi } from "./FiatGatewayApi.ts"

// The records of this category, under its name.
export { PaymentLink, PaymentLinkStatus, PaymentMethod } from "./PaymentLink.ts"
export { Refund } from "./Refund.ts"

/**
 * Creates a link by which a client deposits fiat funds, for example by card or bank transfer.
 *
 * `amount` is in `currency` and above zero.
 *
 * Fails with `NotFound` if the service does not know the client, and `OutcomeUnknown` if the link may exist: look with
 * {@link listPaymentLinks} before you create it again.
 *
 * Specification: "Endpoint categories", Fiat Gateway. The wire is assumed: `POST /fiat-gateway/payment-links`.
 *
 * @example
 * ```ts
 * import { Amount } from "@effect-custody/core"
 * import { FiatGateway } from "@effect-custody/sdk"
 * import { Effect } from "effect"
 *
 * const program = FiatGateway.createPaymentLink({
 *   clientId: "alice",
 *   amount: Amount.fromString("250"),
 *   currency: "EUR",
 *   method: "CARD"
 * }).pipe(Effect.map((link) => link.url))
 * ```
 */
export const createPaymentLink = Endpoint.make(FiatGatewayApi, "createPaymentLink")

/**
 * A payment link. Fails with `NotFound` if there is none of that id.
 *
 * Specification: "Endpoint categories", Fiat Gateway. The wire is assumed: `GET /fiat-gateway/payment-links/:linkId`.
 *
 * @example
 * ```ts
 * import { FiatGateway } from "@effect-custody/sdk"
 *
 * const program = FiatGateway.getPaymentLink({ linkId: "l-1" })
 * ```
 */
export const getPaymentLink = Endpoint.make(FiatGatewayApi, "getPaymentLink")

/**
 * One page of payment links, of one client or status if you say so.
 *
 * Specification: "Endpoint categories", Fiat Gateway. The wire is assumed: `GET /fiat-gateway/payment-links`.
 *
 * @example
 * ```ts
 * import { FiatGateway } from "@effect-custody/sdk"
 *
 * const program = FiatGateway.listPaymentLinks({ clientId: "alice", status: "PENDING" })
 * ```
 */
export const listPaymentLinks = Endpoint.list(FiatGatewayApi, "listPaymentLinks")

/**
 * All payment links that {@link listPaymentLinks} would give, read page after page as they are taken. Fails as it does.
 *
 * @example
 * ```ts
 * import { FiatGateway } from "@effect-custody/sdk"
 * import { Stream } from "effect"
 *
 * const program = FiatGateway.streamPaymentLinks({ clientId: "alice" }).pipe(Stream.runCollect)
 * ```
 */
export const streamPaymentLinks = (query: Parameters<typeof listPaymentLinks>[0] = {}) =>
  Page.stream(listPaymentLinks, query)

/**
 * Gives a deposit back, whole or in part. The service refunds eligible transactions only.
 *
 * `amount` is in the currency of the deposit and above zero; without it, all of it goes back.
 *
 * Fails with `NotFound` if there is no such transaction, `ValidationFailed` or `UnknownApiError` if it is not eligible,
 * and **`OutcomeUnknown` if the money may have gone back**: never refund again before `Transactions.get` has shown that
 * it did not.
 *
 * Specification: "Endpoint categories", Fiat Gateway. The wire is assumed:
 * `POST /fiat-gateway/transactions/:transactionId/refund`.
 *
 * @example
 * ```ts
 * import { Amount } from "@effect-custody/core"
 * import { FiatGateway } from "@effect-custody/sdk"
 *
 * const program = FiatGateway.refund({
 *   transactionId: "t-1",
 *   amount: Amount.fromString("25"),
 *   reason: "partial return"
 * })
 * ```
 */
export const refund = Endpoint.make(FiatGatewayApi, "refund")
