/** The handlers and what guards them, on a server that is provided: a real one, or a test's. */
import { type SessionStatus, TokenService } from "@effect-custody/sdk"
import { ByteSize, Effect, Layer, Option, Redacted } from "effect"
import { HttpIncomingMessage, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder, HttpApiMiddleware } from "effect/http-api"
import { PrometheusMetrics } from "effect/observability"
import { createHash, timingSafeEqual } from "node:crypto"
import { Api, Authorization, Caller, NotReady, Ready, Unauthorized, Unavailable } from "./Api.ts"
import * as Limits from "./limits.ts"
import * as Payouts from "./payouts.ts"
import { Stopping } from "./Stopping.ts"

export interface Options {
  /** The bearer token of each caller, by the caller's name. */
  readonly callers: ReadonlyMap<string, Redacted.Redacted>
  /** The names under which callers reach this server, beside this machine's own. */
  readonly allowedHosts?: ReadonlyArray<string> | undefined
}

const PayoutHandlers = HttpApiBuilder.group(
  Api,
  "payouts",
  Effect.fn(function* (handlers) {
    const stopping = yield* Stopping
    return handlers.handleAll({
      pay: Effect.fnUntraced(function* ({ params: { payoutId }, payload }) {
        if (yield* stopping.hasBegun) {
          return yield* new Unavailable({ detail: "This process is stopping, and has sent nothing: order it again." })
        }
        // The payout goes on, and its caller is told where to ask.
        return yield* Payouts.pay(
          payoutId,
          payload,
          Effect.asVoid(Effect.timeoutOption(stopping.graceEnds, Limits.patience))
        )
      }),
      find: ({ params }) => Payouts.find(params.payoutId),
      approve: ({ params }) => Payouts.approve(params.payoutId),
      list: ({ query }) => Effect.map(Payouts.list(query), (payouts) => ({ payouts }))
    })
  })
)

/** No session yet, or calls fail. While a rotation is ambiguous, the old token may still serve. */
const unusable: ReadonlySet<SessionStatus["state"]> = new Set(["none", "refused", "lost"])

const HealthHandlers = HttpApiBuilder.group(
  Api,
  "health",
  Effect.fn(function* (handlers) {
    const { status } = yield* TokenService
    const stopping = yield* Stopping
    return handlers.handleAll({
      live: () => Effect.void,
      ready: Effect.fnUntraced(function* () {
        const { expiresAt, state } = yield* status
        const session = {
          session: state,
          ...Option.match(expiresAt, { onNone: () => ({}), onSome: (expiresAt) => ({ expiresAt }) })
        }
        if (unusable.has(state) || (yield* stopping.hasBegun)) return yield* new NotReady(session)
        yield* Effect.mapError(Payouts.check, ({ detail = "" }) => new NotReady({ ...session, detail }))
        return Ready.make(session)
      })
    })
  })
)

const digest = (text: string) => createHash("sha256").update(text).digest()

const authorization = ({ callers }: Options) => {
  const digests = Array.from(callers, ([name, token]) => [name, digest(Redacted.value(token))] as const)
  return Layer.succeed(Authorization, {
    bearer: (handled, { credential }) => {
      const given = digest(Redacted.value(credential))
      // Compares with every token, so that the time says nothing.
      const [caller] = digests.filter(([, expected]) => timingSafeEqual(given, expected))
      return caller === undefined ? Effect.fail(new Unauthorized()) : Effect.provideService(handled, Caller, caller[0])
    }
  })
}

const thisMachine = ["localhost", "127.0.0.1", "[::1]"]

/** Refuses a name that is not ours: a page in a browser on this machine could call us under a name of its own. */
const hostCheck = ({ allowedHosts = [] }: Options) => {
  const names = new Set([...thisMachine, ...allowedHosts])
  const refusal = HttpServerResponse.text("This host is not in ALLOWED_HOSTS.\n", { status: 421 })
  return HttpRouter.middleware(
    (handled) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers, url }) =>
        // Probes come under whatever address the process has.
        url.startsWith("/health/") || names.has((headers.host ?? "").replace(/:\d+$/, ""))
          ? handled
          : Effect.succeed(refusal)
      ),
    { global: true }
  )
}

/** Lets callers with an open connection go to another process. */
const closeConnections = HttpRouter.middleware(
  Effect.map(
    Stopping,
    ({ hasBegun }) =>
      (handled) =>
        Effect.flatMap(handled, (response) =>
          Effect.map(hasBegun, (begun) =>
            begun ? HttpServerResponse.setHeader(response, "connection", "close") : response
          )
        )
  ),
  { global: true }
)

const routes = (options: Options) =>
  Layer.mergeAll(
    HttpApiBuilder.layer(Api, { openapiPath: "/openapi.json" }).pipe(
      Layer.provide([PayoutHandlers, HealthHandlers]),
      Layer.provide([authorization(options), HttpApiMiddleware.layerProblemDetails({ includeDetails: true })])
    ),
    PrometheusMetrics.layerHttp(),
    hostCheck(options),
    closeConnections
  )

/** Serves as soon as it is built, so build it last; when it is closed, no new payout begins. */
export const layer = (options: Options) =>
  Stopping.layerBegins.pipe(
    Layer.provide(HttpRouter.serve(routes(options))),
    Layer.provide(Layer.succeed(HttpIncomingMessage.MaxBodySize, ByteSize.fromInputUnsafe(Limits.maxBody)))
  )
