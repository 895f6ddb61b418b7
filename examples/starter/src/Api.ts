/** What this backend offers. The server, its OpenAPI document and typed clients follow from it. */
import { Amount, Id } from "@effect-custody/core"
import { PayoutState } from "@effect-custody/ledger"
import { Context, Schema } from "effect"
import {
  HttpApi,
  HttpApiEndpoint,
  HttpApiError,
  HttpApiGroup,
  HttpApiMiddleware,
  HttpApiSchema,
  HttpApiSecurity
} from "effect/http-api"

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

/** The custody service has taken the payout on: its transaction is under way, or has paid. */
export const Sent = Schema.Struct({
  state: Schema.Literals(["accepted", "paid"]),
  payoutId: PayoutId,
  transactionId: Schema.NullOr(Schema.String)
})

/** The payout has not ended, and the money may have moved. Ask again, and do not order it under another name. */
export const Pending = Schema.Struct({
  state: Schema.Literals(["held", "ready", "sending", "unknown", "undecided", "mismatched"]),
  payoutId: PayoutId,
  detail: Schema.String,
  askAt: Schema.String
})

export type Payout = typeof Sent.Type | typeof Pending.Type

/** What an approver and an overview need of a payout. */
export const Listed = Schema.Struct({
  ...Order.fields,
  payoutId: Schema.String,
  state: PayoutState,
  orderedBy: Schema.String,
  detail: Schema.String
})

/** Certainly not paid: the service refused it, or a person cancelled it. The name is used up. */
export class Refused extends HttpApiError.Problem<Refused>()("Refused", {
  type: "https://payouts.example/problems/refused",
  status: 422,
  title: "The payout was refused"
}) {}

/** The custody service took the payout on, and then gave it up: no money has moved. The name is used up. */
export class Failed extends HttpApiError.Problem<Failed>()(
  "Failed",
  { type: "https://payouts.example/problems/failed", status: 422, title: "The payout failed" },
  { transactionId: Schema.String, transactionStatus: Schema.String }
) {}

/** The order may not have arrived. The same order may be made again under its name, and is paid once. */
export class Unavailable extends HttpApiError.Problem<Unavailable>()("Unavailable", {
  type: "https://payouts.example/problems/unavailable",
  status: 503,
  title: "Payouts cannot be made now"
}) {}

/** There is a payout of that name, for another order. */
export class Conflict extends HttpApiError.Problem<Conflict>()("Conflict", {
  type: "https://payouts.example/problems/conflict",
  status: 409,
  title: "Another payout has this name"
}) {}

/** Nobody approves a payout of their own. */
export class NotApproved extends HttpApiError.Problem<NotApproved>()("NotApproved", {
  type: "https://payouts.example/problems/not-approved",
  status: 403,
  title: "The payout was not approved"
}) {}

export class NoSuchPayout extends HttpApiError.Problem<NoSuchPayout>()("NoSuchPayout", {
  type: "https://payouts.example/problems/no-such-payout",
  status: 404,
  title: "There is no payout of this name"
}) {}

export class Unauthorized extends HttpApiError.Problem<Unauthorized>()("Unauthorized", {
  type: "https://payouts.example/problems/unauthorized",
  status: 401,
  title: "The bearer token is missing or wrong"
}) {}

/** Who calls: the name to which the token belongs. The ledger keeps it with each order and approval. */
export class Caller extends Context.Service<Caller, string>()("payouts/Caller") {}

export class Authorization extends HttpApiMiddleware.Service<Authorization, { provides: Caller }>()(
  "payouts/Authorization",
  {
    security: { bearer: HttpApiSecurity.bearer },
    error: Unauthorized
  }
) {}

export class PayoutsGroup extends HttpApiGroup.make("payouts")
  .add(
    // PUT, because it may be repeated: after a lost answer, send the same request again.
    HttpApiEndpoint.put("pay", "/:payoutId", {
      params: { payoutId: PayoutId },
      payload: Order,
      success: [Sent.pipe(HttpApiSchema.status(201)), Pending.pipe(HttpApiSchema.status(202))],
      error: [Refused, Failed, Conflict, Unavailable]
    }),
    HttpApiEndpoint.get("find", "/:payoutId", {
      params: { payoutId: PayoutId },
      success: [Sent, Pending.pipe(HttpApiSchema.status(202))],
      error: [NoSuchPayout, Refused, Failed, Unavailable]
    }),
    // May be repeated: a payout that is not held any more stays as it is.
    HttpApiEndpoint.put("approve", "/:payoutId/approval", {
      params: { payoutId: PayoutId },
      success: [Sent, Pending.pipe(HttpApiSchema.status(202))],
      error: [NoSuchPayout, NotApproved, Refused, Failed, Unavailable]
    }),
    HttpApiEndpoint.get("list", "/", {
      query: { state: Schema.optionalKey(PayoutState), after: Schema.optionalKey(Schema.String) },
      success: Schema.Struct({ payouts: Schema.Array(Listed) }),
      error: Unavailable
    })
  )
  .prefix("/payouts")
  .middleware(Authorization) {}

/** The state of the session with the custody service: see `SessionStatus`. */
const Session = { session: Schema.String, expiresAt: Schema.optionalKey(Schema.DateTimeUtcFromString) }

export const Ready = Schema.Struct(Session)

export class NotReady extends HttpApiError.Problem<NotReady>()(
  "NotReady",
  { type: "https://payouts.example/problems/not-ready", status: 503, title: "Payouts cannot be made now" },
  Session
) {}

/** For whoever starts and stops these processes. */
export class HealthGroup extends HttpApiGroup.make("health")
  .add(
    HttpApiEndpoint.get("live", "/live"),
    HttpApiEndpoint.get("ready", "/ready", { success: Ready, error: NotReady })
  )
  .prefix("/health") {}

/** Requests that do not decode are answered with a problem that says where. */
export class Api extends HttpApi.make("payouts")
  .add(PayoutsGroup, HealthGroup)
  .middleware(HttpApiMiddleware.ProblemDetails) {}
