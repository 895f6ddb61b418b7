/**
 * Specification: "Endpoint categories", Transactions; "Other endpoints". The specification does not show the wire, so
 * the SDK assumes it.
 */
import { Positive } from "@effect-custody/core/Amount"
import * as ApiError from "@effect-custody/core/ApiError"
import * as EndpointSpec from "@effect-custody/core/EndpointSpec"
import * as Id from "@effect-custody/core/Id"
import * as Page from "@effect-custody/core/Page"
import { Status } from "@effect-custody/core/unstable/Status"
import { NonBlank } from "@effect-custody/core/unstable/Text"
import { Timestamp } from "@effect-custody/core/Timestamp"
import * as HttpContract from "@effect-custody/core/unstable/HttpContract"
import * as Schema from "effect/Schema"
import { SubmittedTransaction, Transaction, TransactionStatus, TransactionType } from "./Transaction.ts"

const section = "Endpoint categories, Transactions"

/**
 * Transactions: send from client wallets to external addresses or between clients, and follow their progress.
 *
 * @since 0.1.0
 * @category contracts
 */
export class TransactionsApi extends HttpContract.group("transactions").add(
  HttpContract.post("send", "/transactions/send", {
    payload: Schema.Struct({
      clientId: Id.named("ClientId"),
      assetId: Id.named("AssetId"),
      networkId: EndpointSpec.optionalDefined(Id.named("NetworkId")),
      to: NonBlank,
      amount: Positive,
      note: Schema.optionalKey(Schema.String)
    }),
    success: EndpointSpec.envelope(SubmittedTransaction).pipe(HttpContract.status(201)),
    error: ApiError.authenticatedResource
  }).pipe(EndpointSpec.assumed({ safety: "write", section, lookUp: "transactions.list" })),
  HttpContract.post("transfer", "/transactions/transfer", {
    payload: Schema.Struct({
      fromClientId: Id.named("ClientId"),
      toClientId: Id.named("ClientId"),
      assetId: Id.named("AssetId"),
      amount: Positive,
      note: Schema.optionalKey(Schema.String)
    }),
    success: EndpointSpec.envelope(SubmittedTransaction).pipe(HttpContract.status(201)),
    error: ApiError.authenticatedResource
  }).pipe(EndpointSpec.assumed({ safety: "write", section, lookUp: "transactions.list" })),
  HttpContract.get("list", "/transactions", {
    query: {
      ...Page.query,
      clientId: Schema.optionalKey(Id.named("ClientId")),
      assetId: Schema.optionalKey(Id.named("AssetId")),
      networkId: Schema.optionalKey(Id.named("NetworkId")),
      type: Schema.optionalKey(TransactionType.input),
      status: Schema.optionalKey(Status.input),
      from: Schema.optionalKey(Timestamp),
      to: Schema.optionalKey(Timestamp)
    },
    success: Page.envelope(Transaction),
    error: ApiError.authenticated
  }).pipe(EndpointSpec.assumed({ safety: "read", section })),
  HttpContract.get("get", "/transactions/:transactionId", {
    params: { transactionId: Id.named("TransactionId") },
    success: EndpointSpec.envelope(Transaction),
    error: ApiError.authenticatedResource
  }).pipe(EndpointSpec.assumed({ safety: "read", section, about: "transactionId" })),
  HttpContract.get("status", "/transactions/:transactionId/status", {
    params: { transactionId: Id.named("TransactionId") },
    success: EndpointSpec.envelope(TransactionStatus),
    error: ApiError.authenticatedResource
  }).pipe(EndpointSpec.assumed({ safety: "read", section, about: "transactionId" }))
) {}
