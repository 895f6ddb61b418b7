/**
 * Real traffic as vectors that a test suite replays: what was sent, and what came back. A vector is made of what a
 * {@link WireLog} recorded, so that it holds no token and no key.
 *
 * @since 0.1.0
 */
import type { ServerRequest } from "@effect-custody/core/Wire"
import { WireContract } from "@effect-custody/core/WireContract"
import * as Effect from "effect/Effect"
import type * as HttpBody from "effect/http/HttpBody"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as UrlParams from "effect/http/UrlParams"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import * as Routes from "./internal/routes.ts"

const Names = Schema.Record(Schema.String, Schema.String)

/**
 * The codec of an {@link Exchange}.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Exchange = Schema.Struct({
  operation: Schema.optionalKey(Schema.String),
  method: Schema.String,
  path: Schema.String,
  query: Schema.Array(Schema.Tuple([Schema.String, Schema.String])),
  body: Schema.String,
  answer: Schema.Struct({
    _tag: Schema.String,
    status: Schema.optionalKey(Schema.Int),
    headers: Schema.optionalKey(Names),
    body: Schema.optionalKey(Schema.UndefinedOr(Schema.String))
  })
})
/**
 * What a vector needs of an exchange. Every entry of a `WireLog` is one, also as JSON.
 *
 * @since 0.1.0
 * @category models
 */
export interface Exchange extends Schema.Schema.Type<typeof Exchange> {}

/**
 * The codec of a {@link Vector}.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Vector = Schema.Struct({
  name: Schema.String,
  operation: Schema.optionalKey(Schema.String),
  request: Schema.Struct({
    method: Schema.String,
    /** The end of the path: relative to the base address, where the log knows the operation. */
    path: Schema.String,
    query: Schema.Array(Schema.Tuple([Schema.String, Schema.String])),
    /** The text of the body. */
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

const assumed = { wire: () => undefined }

/**
 * The vectors of recorded exchanges, in their order. Exchanges without an answer, and those of the two authentication
 * endpoints, are left out: they hold nothing to replay. `contract`: the one that the log was made under.
 *
 * @since 0.1.0
 * @category constructors
 */
export const vectors = (
  exchanges: ReadonlyArray<Exchange>,
  contract: Pick<WireContract, "wire"> = assumed
): ReadonlyArray<Vector> => {
  const { pathFrom } = Routes.make(contract)
  return exchanges.flatMap(({ answer, body, method, operation, path, query }, index) =>
    Routes.isAuthentication(operation) || answer.status === undefined
      ? []
      : [
          {
            name: `${index + 1}: ${operation ?? `${method} ${path}`} answers ${answer.status}`,
            ...(operation === undefined ? {} : { operation }),
            // Where several operations share a route, the log does not know which it was, nor where its path begins.
            request: { method, path: operation === undefined ? path : pathFrom(operation, path), query, body },
            response: {
              status: answer.status,
              contentType: answer.headers?.["content-type"] ?? "application/json",
              body: answer.body ?? ""
            }
          }
        ]
  )
}

const textOf = (body: HttpBody.HttpBody): string =>
  body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : ""

const queryOf = ({ url, urlParams }: HttpClientRequest.HttpClientRequest) => [
  ...(URL.canParse(url) ? new URL(url).searchParams : []),
  ...new URLSearchParams(UrlParams.toString(urlParams))
]

const sorted = (query: ReadonlyArray<readonly [string, string]>): string =>
  query
    .map(([name, value]) => `${name}=${value}`)
    .toSorted()
    .join("&")

const pathOf = (url: string): string => (URL.canParse(url) ? new URL(url).pathname : url)

const fits = ({ request: recorded }: Vector, sent: HttpClientRequest.HttpClientRequest): boolean =>
  recorded.method === sent.method &&
  pathOf(sent.url).endsWith(recorded.path) &&
  sorted(recorded.query) === sorted(queryOf(sent)) &&
  recorded.body === textOf(sent.body)

/** Tokens that nobody has: a replay has no session of its own. */
const madeUp = {
  message: "replayed",
  data: { accessToken: "replayed-access", refreshToken: "replayed-refresh", vaultId: 1 },
  status: 201
}

const nothingAsked: ServerRequest = { params: {}, query: {}, headers: {}, body: {}, target: "" }

/** The made-up tokens as the contract has them. Of one in code without an inverse, as they are assumed. */
const madeUpTokens = (request: HttpClientRequest.HttpClientRequest, inverse: ReturnType<WireContract["inverse"]>) => {
  const { body, status } =
    typeof inverse === "object" ? inverse.answer(madeUp, 201, nothingAsked) : { body: madeUp, status: 201 }
  return HttpClientResponse.fromWeb(request, Response.json(body, { status }))
}

/**
 * An `HttpClient` that answers as it was recorded: each vector once, the first that fits. A request that fits none fails
 * with a transport error, so that a test sees what has changed on the wire. The two authentication endpoints are answered
 * with made-up tokens, as the `WireContract` of this layer has them. Multipart bodies fit nothing.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (recorded: ReadonlyArray<Vector>): Layer.Layer<HttpClient.HttpClient> =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.gen(function* () {
      const left = yield* Ref.make(recorded)
      const contract = yield* WireContract
      const routes = Routes.make(contract)
      return HttpClient.make(
        Effect.fnUntraced(function* (request) {
          const operation = routes.operationOf(request.method, pathOf(request.url))
          if (operation !== undefined && Routes.isAuthentication(operation)) {
            return madeUpTokens(request, contract.inverse(operation))
          }
          const found = yield* Ref.modify(left, (vectors) => {
            const vector = vectors.find((one) => fits(one, request))
            return [vector, vectors.filter((one) => one !== vector)]
          })
          if (found === undefined) {
            const description = `${request.method} ${pathOf(request.url)} was not recorded, or was replayed already`
            return yield* new HttpClientError.HttpClientError({
              reason: new HttpClientError.TransportError({ request, description })
            })
          }
          const { body, contentType, status } = found.response
          return HttpClientResponse.fromWeb(
            request,
            new Response(body === "" ? null : body, { status, headers: { "content-type": contentType } })
          )
        })
      )
    })
  )
