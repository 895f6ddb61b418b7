/**
 * Specification: "Endpoint categories", Payment Vault Order; "Other endpoints": their wire is not shown, and is
 * assumed here.
 */
import { Positive } from "@effect-custody/core/Amount"
import * as ApiError from "@effect-custody/core/ApiError"
import * as EndpointSpec from "@effect-custody/core/EndpointSpec"
import * as Id from "@effect-custody/core/Id"
import * as Page from "@effect-custody/core/Page"
import { NonBlank } from "@effect-custody/core/unstable/Text"
import * as HttpContract from "@effect-custody/core/unstable/HttpContract"
import * as Schema from "effect/Schema"
import { ChangedPaymentOrder, PaymentOrder, PaymentOrderStatus, SubmittedPaymentOrder } from "./PaymentOrder.ts"

const section = "Endpoint categories, Payment Vault Order"

/**
 * Payment orders: crypto payments to receive, each with a payment link and an assigned wallet.
 *
 * @since 0.1.0
 * @category contracts
 */
export class PaymentOrdersApi extends HttpContract.group("paymentOrders").add(
  HttpContract.post("create", "/payment-vault-orders", {
    payload: Schema.Struct({
      amount: Positive,
      currency: EndpointSpec.optionalDefined(NonBlank),
      assetId: EndpointSpec.optionalDefined(Id.named("AssetId")),
      clientId: Schema.optionalKey(Id.named("ClientId")),
      note: Schema.optionalKey(Schema.String)
    }),
    success: EndpointSpec.envelope(SubmittedPaymentOrder).pipe(HttpContract.status(201)),
    error: ApiError.authenticatedResource
  }).pipe(EndpointSpec.assumed({ safety: "write", section, lookUp: "paymentOrders.list" })),
  HttpContract.post("selectAsset", "/payment-vault-orders/:orderId/asset", {
    params: { orderId: Id.named("OrderId") },
    payload: Schema.Struct({
      assetId: Id.named("AssetId"),
      networkId: EndpointSpec.optionalDefined(Id.named("NetworkId"))
    }),
    success: EndpointSpec.envelope(ChangedPaymentOrder).pipe(HttpContract.status(201)),
    error: ApiError.authenticatedResource
  }).pipe(EndpointSpec.assumed({ safety: "write", section, lookUp: "paymentOrders.get" })),
  HttpContract.get("get", "/payment-vault-orders/:orderId", {
    params: { orderId: Id.named("OrderId") },
    success: EndpointSpec.envelope(PaymentOrder),
    error: ApiError.authenticatedResource
  }).pipe(EndpointSpec.assumed({ safety: "read", section, about: "orderId" })),
  HttpContract.get("list", "/payment-vault-orders", {
    query: {
      ...Page.query,
      status: Schema.optionalKey(PaymentOrderStatus.input),
      clientId: Schema.optionalKey(Id.named("ClientId"))
    },
    success: Page.envelope(PaymentOrder),
    error: ApiError.authenticated
  }).pipe(EndpointSpec.assumed({ safety: "read", section })),
  HttpContract.post("cancel", "/payment-vault-orders/:orderId/cancel", {
    params: { orderId: Id.named("OrderId") },
    success: EndpointSpec.envelope(ChangedPaymentOrder).pipe(HttpContract.status(201)),
    error: ApiError.authenticatedResource
  }).pipe(EndpointSpec.assumed({ safety: "write", section, lookUp: "paymentOrders.get" }))
) {}
