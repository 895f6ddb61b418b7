/** The handlers, on a server that is provided: a real one, or a test's. */
import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { HttpApiBuilder, HttpApiMiddleware } from "effect/http-api"
import { Api } from "./Api.ts"
import { Payouts } from "./Payouts.ts"

const Handlers = HttpApiBuilder.group(
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

const Routes = HttpApiBuilder.layer(Api, { openapiPath: "/openapi.json" }).pipe(
  Layer.provide(Handlers),
  Layer.provide(HttpApiMiddleware.layerProblemDetails({ includeDetails: true }))
)

export const layer = HttpRouter.serve(Routes)
