/** What this backend offers. The server, its OpenAPI document and typed clients follow from it. */
import { Amount, Id } from "@effect-custody/core"
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiError, HttpApiGroup, HttpApiMiddleware, HttpApiSchema } from "effect/http-api"

/** Whoever asks for a payout names it. The same name is the same payout, however often it is asked for. */
export const PayoutId = Schema.String.pipe(
  Schema.check(Schema.isPattern(/^[A-Za-z0-9-]{1,64}$/, { message: "must be 1 to 64 letters, digits and dashes" })),
  Schema.brand("PayoutId")
)
export type PayoutId = typeof PayoutId.Type

export const Order = Schema.Struct({
  clientId: Id.named("ClientId"),
  assetId: Id.named("AssetId"),
  to: Schema.NonEmptyString,
  /** A string such as "12.50": JSON readers round numbers. */
  amount: Amount.Schema.pipe(Schema.check(Amount.isPositive))
})
export type Order = typeof Order.Type

/** The custody service has taken the payout on. */
export const Sent = Schema.Struct({
  state: Schema.tag("sent"),
  payoutId: PayoutId,
  transactionId: Id.TransactionId,
  /** How far the transaction is, where the service says so. */
  status: Schema.optional(Schema.String)
})

/** The money may have moved. Ask again at `askAt`, and do not order the payout under another name. */
export const Unknown = Schema.Struct({
  state: Schema.tag("unknown"),
  payoutId: PayoutId,
  detail: Schema.String,
  askAt: Schema.String
})

export type Payout = typeof Sent.Type | typeof Unknown.Type

/** Certainly not sent, and it will not be: something is wrong with the order. */
export class Refused extends HttpApiError.Problem<Refused>()(
  "Refused",
  { type: "https://payouts.example/problems/refused", status: 422, title: "The payout was refused" },
  {
    /** The custody service's own code, where it gave one. */
    code: Schema.optionalKey(Schema.String),
    /** What is wrong, by field. */
    fields: Schema.optionalKey(Schema.Record(Schema.String, Schema.Array(Schema.String)))
  }
) {}

/** This request has sent nothing. The same order may be made again under its name, after `retryAt` if it is there. */
export class Unavailable extends HttpApiError.Problem<Unavailable>()(
  "Unavailable",
  { type: "https://payouts.example/problems/unavailable", status: 503, title: "Payouts cannot be made now" },
  { retryAt: Schema.optionalKey(Schema.DateTimeUtcFromString) }
) {}

/** There is a payout of that name, for another order. */
export class Conflict extends HttpApiError.Problem<Conflict>()("Conflict", {
  type: "https://payouts.example/problems/conflict",
  status: 409,
  title: "Another payout has this name"
}) {}

export class NoSuchPayout extends HttpApiError.Problem<NoSuchPayout>()("NoSuchPayout", {
  type: "https://payouts.example/problems/no-such-payout",
  status: 404,
  title: "There is no payout of this name"
}) {}

export class PayoutsGroup extends HttpApiGroup.make("payouts")
  .add(
    // PUT, because it may be repeated: after a lost answer, send the same request again.
    HttpApiEndpoint.put("pay", "/:payoutId", {
      params: { payoutId: PayoutId },
      payload: Order,
      success: [Sent.pipe(HttpApiSchema.status(201)), Unknown.pipe(HttpApiSchema.status(202))],
      error: [Refused, Conflict, Unavailable]
    }),
    HttpApiEndpoint.get("find", "/:payoutId", {
      params: { payoutId: PayoutId },
      success: [Sent, Unknown.pipe(HttpApiSchema.status(202))],
      error: [NoSuchPayout, Unavailable]
    })
  )
  .prefix("/payouts") {}

/** Requests that do not decode are answered with a problem that says where. */
export class Api extends HttpApi.make("payouts").add(PayoutsGroup).middleware(HttpApiMiddleware.ProblemDetails) {}
