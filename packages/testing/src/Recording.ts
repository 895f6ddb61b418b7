/**
 * Real traffic as vectors that a test suite replays: what was sent, and what came back. A vector is made of what a
 * `WireLog` recorded, so that it holds no token and no key.
 *
 * @since 0.1.0
 */
import * as Redaction from "@effect-custody/core/unstable/Redaction"
import type { ServerRequest } from "@effect-custody/core/unstable/Wires"
import { ServiceContract } from "@effect-custody/contract/ServiceContract"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import * as Recorder from "./internal/recorder.ts"
import * as Routes from "./internal/routes.ts"
import type { Entry } from "./WireEntry.ts"

const Query = Schema.Array(Schema.Tuple([Schema.String, Schema.String]))

/**
 * The codec of a {@link Vector}.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Vector = Schema.Struct({
  operation: Schema.optionalKey(Schema.String),
  request: Schema.Struct({
    method: Schema.String,
    /** Relative to the base address, where the log knows the operation. */
    path: Schema.String,
    query: Query,
    body: Schema.String
  }),
  response: Schema.Struct({ status: Schema.Int, contentType: Schema.String, body: Schema.String })
})
/**
 * One exchange that can be replayed.
 *
 * @since 0.1.0
 * @category models
 */
export interface Vector extends Schema.Schema.Type<typeof Vector> {}

/** Statuses whose answers have no body. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304])

/** The body of an answer that the log holds to its end. A part of a body proves nothing. */
const wholeBody = (answer: Entry["answer"]): string | undefined => {
  if (answer._tag !== "Answered") return undefined
  const { body, brokenOff, status } = answer
  if (bodiless.has(status)) return ""
  return brokenOff === undefined && body !== Redaction.redacted ? body : undefined
}

/**
 * The vectors of a log's entries, in their order. Left out are exchanges whose answer is missing or incomplete, and
 * those of the two authentication endpoints. `contract`: the one that the log was made under.
 *
 * @since 0.1.0
 * @category constructors
 */
export const vectors = (
  entries: ReadonlyArray<Entry>,
  contract: Pick<ServiceContract, "wire"> = { wire: () => undefined }
): ReadonlyArray<Vector> => {
  const routeOf = Routes.make(contract)
  return entries.flatMap(({ answer, body, method, operation, path, query }) => {
    const whole = wholeBody(answer)
    if (Routes.isAuthentication(operation) || answer._tag !== "Answered" || whole === undefined) return []
    const { headers, status } = answer
    return [
      {
        ...(operation === undefined ? {} : { operation }),
        request: { method, path: routeOf(method, path).path, query, body },
        response: { status, contentType: headers["content-type"] ?? "application/json", body: whole }
      }
    ]
  })
}

const sorted = (query: ReadonlyArray<readonly [string, string]>): string =>
  query
    .map(([name, value]) => `${name}=${value}`)
    .toSorted()
    .join("&")

const responseOf = ({ body, contentType, status }: Vector["response"]): Response =>
  new Response(bodiless.has(status) ? null : body, { status, headers: { "content-type": contentType } })

/** Tokens that nobody has: a replay has no session of its own. */
const madeUp = {
  message: "replayed",
  data: { accessToken: "replayed-access", refreshToken: "replayed-refresh", vaultId: 1 },
  status: 201
}

const nothingAsked: ServerRequest = { params: {}, query: {}, headers: {}, body: {} }

/** The made-up tokens as the contract has them. Of one in code without an inverse, as they are assumed. */
const madeUpTokens = (
  request: HttpClientRequest.HttpClientRequest,
  inverse: ReturnType<ServiceContract["inverse"]>
) => {
  const { body, status } =
    typeof inverse === "object" ? inverse.answer(madeUp, 201, nothingAsked) : { body: madeUp, status: 201 }
  return HttpClientResponse.fromWeb(request, Response.json(body, { status }))
}

/**
 * An `HttpClient` that answers as it was recorded: each vector once, the first that fits. A request that fits none fails
 * with a transport error, so that a test sees what has changed on the wire. The two authentication endpoints are answered
 * with made-up tokens, as the `ServiceContract` of this layer has them. Uploads fit nothing.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (recorded: ReadonlyArray<Vector>): Layer.Layer<HttpClient.HttpClient> =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.gen(function* () {
      const left = yield* Ref.make(recorded)
      const contract = yield* ServiceContract
      const routeOf = Routes.make(contract)
      return HttpClient.make(
        Effect.fnUntraced(function* (request, url) {
          const { method } = request
          const { operation, path } = routeOf(method, url.pathname)
          if (operation !== undefined && Routes.isAuthentication(operation)) {
            return madeUpTokens(request, contract.inverse(operation))
          }
          const query = sorted(Recorder.queryOf(request))
          const { body } = request
          const sent = body._tag === "Empty" || body._tag === "Uint8Array" ? Recorder.textOf(body) : undefined
          const found = yield* Ref.modify(left, (vectors) => {
            const vector = vectors.find(
              (one) =>
                one.request.method === method &&
                one.request.path === path &&
                sorted(one.request.query) === query &&
                one.request.body === sent
            )
            return [vector, vectors.filter((one) => one !== vector)]
          })
          if (found === undefined) {
            const description = `${method} ${path} was not recorded, or was replayed already`
            return yield* new HttpClientError.HttpClientError({
              reason: new HttpClientError.TransportError({ request, description })
            })
          }
          return HttpClientResponse.fromWeb(request, responseOf(found.response))
        })
      )
    })
  )
