/**
 * Specification: "Endpoint categories", Fiat Gateway; "Other endpoints": their wire is not shown, and is assumed here.
 */
import { Positive } from "@effect-custody/core/Amount"
import * as ApiError from "@effect-custody/core/ApiError"
import * as EndpointSpec from "@effect-custody/core/EndpointSpec"
import * as Id from "@effect-custody/core/Id"
import * as Page from "@effect-custody/core/Page"
import { NonBlank } from "@effect-custody/core/unstable/Text"
import * as HttpContract from "@effect-custody/core/unstable/HttpContract"
import * as Schema from "effect/Schema"
import { PaymentLink, PaymentLinkStatus, PaymentMethod } from "./PaymentLink.ts"
import { Refund } from "./Refund.ts"

const section = "Endpoint categories, Fiat Gateway"

/**
 * The fiat gateway: payment links by which clients deposit fiat funds, and refunds.
 *
 * @since 0.1.0
 * @category contracts
 */
export class FiatGatewayApi extends HttpContract.group("fiatGateway").add(
  HttpContract.post("createPaymentLink", "/fiat-gateway/payment-links", {
    payload: Schema.Struct({
      clientId: Id.named("ClientId"),
      amount: Positive,
      currency: NonBlank,
      method: Schema.optionalKey(PaymentMethod.input)
    }),
    success: EndpointSpec.envelope(PaymentLink).pipe(HttpContract.status(201)),
    error: ApiError.authenticatedResource
  }).pipe(EndpointSpec.assumed({ safety: "write", section, lookUp: "fiatGateway.listPaymentLinks" })),
  HttpContract.get("getPaymentLink", "/fiat-gateway/payment-links/:linkId", {
    params: { linkId: Id.named("LinkId") },
    success: EndpointSpec.envelope(PaymentLink),
    error: ApiError.authenticatedResource
  }).pipe(
    EndpointSpec.assumed({
      safety: "read",
      section,
      about: { parameter: "linkId", idFields: ["id", "linkId", "paymentLinkId"] }
    })
  ),
  HttpContract.get("listPaymentLinks", "/fiat-gateway/payment-links", {
    query: {
      ...Page.query,
      clientId: Schema.optionalKey(Id.named("ClientId")),
      status: Schema.optionalKey(PaymentLinkStatus.input)
    },
    success: Page.envelope(PaymentLink),
    error: ApiError.authenticated
  }).pipe(EndpointSpec.assumed({ safety: "read", section })),
  HttpContract.post("refund", "/fiat-gateway/transactions/:transactionId/refund", {
    params: { transactionId: Id.named("TransactionId") },
    payload: Schema.Struct({
      amount: EndpointSpec.optionalDefined(Positive),
      reason: Schema.optionalKey(Schema.String)
    }),
    success: EndpointSpec.envelope(Refund).pipe(HttpContract.status(201)),
    error: ApiError.authenticatedResource
  }).pipe(EndpointSpec.assumed({ safety: "write", section, lookUp: "transactions.get" }))
) {}
