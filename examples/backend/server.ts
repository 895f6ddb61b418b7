/** The handlers: they answer HTTP requests with what the services know. */
import { type SessionStatus, TokenService } from "@effect-custody/sdk"
import { Effect, Layer, Option } from "effect"
import { HttpRouter } from "effect/http"
import { HttpApiBuilder, HttpApiMiddleware } from "effect/http-api"
import { PrometheusMetrics } from "effect/observability"
import { Api, Healthy, Unhealthy } from "./Api.ts"
import { Payouts } from "../starter/src/Payouts.ts"

const PayoutHandlers = HttpApiBuilder.group(
  Api,
  "payouts",
  Effect.fn(function* (handlers) {
    const payouts = yield* Payouts
    return handlers.handleAll({
      pay: ({ params, payload }) => payouts.pay(params.payoutId, payload),
      find: ({ params }) => payouts.find(params.payoutId)
    })
  })
)

/** No session yet, or calls fail. While a rotation is ambiguous, the old token may still serve: it is reported only. */
const unusable: ReadonlySet<SessionStatus["state"]> = new Set(["none", "refused", "lost"])

const SystemHandlers = HttpApiBuilder.group(
  Api,
  "system",
  Effect.fn(function* (handlers) {
    const { status } = yield* TokenService
    return handlers.handleAll({
      health: Effect.fnUntraced(function* () {
        const { expiresAt, generation, state } = yield* status
        const session = {
          session: state,
          ...Option.match(generation, { onNone: () => ({}), onSome: (generation) => ({ generation }) }),
          ...Option.match(expiresAt, { onNone: () => ({}), onSome: (expiresAt) => ({ expiresAt }) })
        }
        return unusable.has(state) ? yield* new Unhealthy(session) : Healthy.make(session)
      })
    })
  })
)

export const Routes = Layer.mergeAll(
  HttpApiBuilder.layer(Api, { openapiPath: "/openapi.json" }).pipe(
    Layer.provide([PayoutHandlers, SystemHandlers]),
    Layer.provide(HttpApiMiddleware.layerProblemDetails({ includeDetails: true }))
  ),
  PrometheusMetrics.layerHttp()
)

/** Routes on a server, which is provided: a real one, or a test's. */
export const layer = HttpRouter.serve(Routes)
