/**
 * Real traffic as vectors that a test suite replays: what was sent, and what came back. A vector is made of what a
 * {@link WireLog} recorded, so that it holds no token and no key.
 *
 * @since 0.1.0
 */
import * as Redaction from "@effect-custody/core/Redaction"
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
    body: Schema.optionalKey(Schema.UndefinedOr(Schema.String)),
    brokenOff: Schema.optionalKey(Schema.String)
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
  response: Schema.Struct({
    status: Schema.Int,
    contentType: Schema.String,
    body: Schema.String,
    /** Why there is no more of the body. The replay breaks off there too. */
    brokenOff: Schema.optionalKey(Schema.String)
  })
})
/**
 * One exchange that can be replayed.
 *
 * @since 0.1.0
 * @category models
 */
export interface Vector extends Schema.Schema.Type<typeof Vector> {}

const assumed = { wire: () => undefined }

/** Statuses whose answers have no body. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304])

/** What a log knows of a body, and why that is not all of it, if it is not. A part of a body proves nothing. */
const bodyOf = (
  status: number,
  { body, brokenOff }: Exchange["answer"]
): Pick<Vector["response"], "body" | "brokenOff"> => {
  if (bodiless.has(status)) return { body: "" }
  if (body === undefined) return { body: "", brokenOff: brokenOff ?? "it was not read" }
  if (body === Redaction.redacted)
    return { body: "", brokenOff: "the log does not show it: it may hold too many secrets" }
  return { body, ...(brokenOff === undefined ? {} : { brokenOff }) }
}

/**
 * The vectors of recorded exchanges, in their order. Exchanges without an answer, and those of the two authentication
 * endpoints, are left out: they hold nothing to replay. An answer that the log does not hold to its end says so in
 * `brokenOff`, and breaks off in the replay too. `contract`: the one that the log was made under.
 *
 * @since 0.1.0
 * @category constructors
 */
export const vectors = (
  exchanges: ReadonlyArray<Exchange>,
  contract: Pick<WireContract, "wire"> = assumed
): ReadonlyArray<Vector> => {
  const { pathFrom } = Routes.make(contract)
  return exchanges.flatMap(({ answer, body, method, operation, path, query }, index) => {
    if (Routes.isAuthentication(operation) || answer.status === undefined) return []
    const read = bodyOf(answer.status, answer)
    const end = read.brokenOff === undefined ? "" : ", and breaks off"
    return [
      {
        name: `${index + 1}: ${operation ?? `${method} ${path}`} answers ${answer.status}${end}`,
        ...(operation === undefined ? {} : { operation }),
        // Where several operations share a route, the log does not know which it was, nor where its path begins.
        request: { method, path: operation === undefined ? path : pathFrom(operation, path), query, body },
        response: {
          status: answer.status,
          contentType: answer.headers?.["content-type"] ?? "application/json",
          ...read
        }
      }
    ]
  })
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

/** A request of a program, and its operation where a contract says it. */
interface Sent {
  readonly request: HttpClientRequest.HttpClientRequest
  readonly path: string
  readonly operation: string | undefined
}

const fits = ({ operation, request: recorded }: Vector, sent: Sent, { operationOf }: Routes.Routes): boolean => {
  const isSame =
    recorded.method === sent.request.method &&
    Routes.endsWithPath(sent.path, recorded.path) &&
    sorted(recorded.query) === sorted(queryOf(sent.request)) &&
    recorded.body === textOf(sent.request.body)
  if (!isSame || sent.operation === undefined) return isSame
  // `/vaults/assets` ends with `/assets`, which is another operation.
  return sent.operation === (operation ?? operationOf(recorded.method, recorded.path) ?? sent.operation)
}

/** A body that breaks off after a text. */
const breakingOff = (text: string, reason: string): ReadableStream<Uint8Array> => {
  const left = text === "" ? [] : [new TextEncoder().encode(text)]
  return new ReadableStream(
    {
      pull: (controller) => {
        const chunk = left.shift()
        if (chunk === undefined) controller.error(Object.assign(new Error(reason), { code: reason }))
        else controller.enqueue(chunk)
      }
    },
    // Nothing is read ahead: an error would discard it.
    { highWaterMark: 0 }
  )
}

const responseOf = ({ body, brokenOff, contentType, status }: Vector["response"]): Response => {
  const whole = brokenOff === undefined ? body : breakingOff(body, brokenOff)
  return new Response(bodiless.has(status) || whole === "" ? null : whole, {
    status,
    headers: { "content-type": contentType }
  })
}

/** Tokens that nobody has: a replay has no session of its own. */
const madeUp = {
  message: "replayed",
  data: { accessToken: "replayed-access", refreshToken: "replayed-refresh", vaultId: 1 },
  status: 201
}

const nothingAsked: ServerRequest = { params: {}, query: {}, headers: {}, body: {} }

/** The made-up tokens as the contract has them. Of one in code without an inverse, as they are assumed. */
const madeUpTokens = (request: HttpClientRequest.HttpClientRequest, inverse: ReturnType<WireContract["inverse"]>) => {
  const { body, status } =
    typeof inverse === "object" ? inverse.answer(madeUp, 201, nothingAsked) : { body: madeUp, status: 201 }
  return HttpClientResponse.fromWeb(request, Response.json(body, { status }))
}

/**
 * An `HttpClient` that answers as it was recorded: each vector once, the first that fits. An answer that broke off breaks
 * off again. A request that fits none fails with a transport error, so that a test sees what has changed on the wire. The
 * two authentication endpoints are answered with made-up tokens, as the `WireContract` of this layer has them. Multipart
 * bodies fit nothing.
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
          const path = pathOf(request.url)
          const operation = routes.operationOf(request.method, path)
          if (operation !== undefined && Routes.isAuthentication(operation)) {
            return madeUpTokens(request, contract.inverse(operation))
          }
          const found = yield* Ref.modify(left, (vectors) => {
            const vector = vectors.find((one) => fits(one, { request, path, operation }, routes))
            return [vector, vectors.filter((one) => one !== vector)]
          })
          if (found === undefined) {
            const description = `${request.method} ${path} was not recorded, or was replayed already`
            return yield* new HttpClientError.HttpClientError({
              reason: new HttpClientError.TransportError({ request, description })
            })
          }
          return HttpClientResponse.fromWeb(request, responseOf(found.response))
        })
      )
    })
  )
