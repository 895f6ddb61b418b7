/** What this backend offers: the payouts of the starter, and the state of its session. */
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiError, HttpApiGroup, HttpApiMiddleware } from "effect/http-api"
import { PayoutsGroup } from "../starter/src/Api.ts"

/** The state of the session with the custody service; see `SessionStatus`. */
const Session = {
  session: Schema.String,
  generation: Schema.optionalKey(Schema.Int),
  expiresAt: Schema.optionalKey(Schema.DateTimeUtcFromString)
}

export const Healthy = Schema.Struct(Session)

export class Unhealthy extends HttpApiError.Problem<Unhealthy>()(
  "Unhealthy",
  {
    type: "https://payouts.example/problems/unhealthy",
    status: 503,
    title: "There is no usable session to make payouts with"
  },
  Session
) {}

export class SystemGroup extends HttpApiGroup.make("system", { topLevel: true }).add(
  HttpApiEndpoint.get("health", "/health", { success: Healthy, error: Unhealthy })
) {}

/** Requests that do not decode are answered with a problem that says where. */
export class Api extends HttpApi.make("payouts")
  .add(PayoutsGroup, SystemGroup)
  .middleware(HttpApiMiddleware.ProblemDetails) {}
