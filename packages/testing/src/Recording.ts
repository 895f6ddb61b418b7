/**
 * Real traffic as vectors of requests and answers that a test suite replays. Vectors come from the entries of a `WireLog`,
 * so they hold no token and no key.
 *
 * @since 0.1.0
 */
import * as Redaction from "@effect-custody/core/unstable/Redaction"
import { type ServerRequest, type Wire, Wires } from "@effect-custody/core/unstable/Wires"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import { functions } from "@effect-custody/sdk/Operations"
import * as Recorder from "./internal/recorder.ts"
import * as Routes from "./internal/routes.ts"
import type { Entry } from "./internal/wireEntry.ts"

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
    /** Relative to the base address if the log knows the operation. */
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

/** The body of an answer if the log holds all of it. A part of a body proves nothing. */
const wholeBody = (answer: Entry["answer"]): string | undefined => {
  if (answer._tag !== "Answered") return undefined
  const { body, brokenOff, status } = answer
  if (bodiless.has(status)) return ""
  return brokenOff === undefined && body !== Redaction.redacted ? body : undefined
}

/**
 * Makes vectors of a log's entries in their order. Leaves out exchanges with a missing or incomplete answer, and exchanges
 * with the two authentication endpoints. `contract` is the contract of the log.
 *
 * @since 0.1.0
 * @category constructors
 */
export const vectors = (
  entries: ReadonlyArray<Entry>,
  contract: Pick<Wires, "wire"> = { wire: () => undefined }
): ReadonlyArray<Vector> => {
  const findRoute = Routes.make(contract)
  return entries.flatMap(({ answer, body, method, operation, path, query }) => {
    const whole = wholeBody(answer)
    if (Routes.isAuthentication(operation) || answer._tag !== "Answered" || whole === undefined) return []
    const { headers, status } = answer
    return [
      {
        ...(operation === undefined ? {} : { operation }),
        request: { method, path: findRoute(method, path).path, query, body },
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

const makeResponse = ({ body, contentType, status }: Vector["response"]): Response =>
  new Response(bodiless.has(status) ? null : body, { status, headers: { "content-type": contentType } })

/** Made-up tokens: a replay has no session. */
const madeUp = {
  message: "replayed",
  data: { accessToken: "replayed-access", refreshToken: "replayed-refresh", vaultId: 1 },
  status: 201
}

const nothingAsked: ServerRequest = { params: {}, query: {}, headers: {}, body: {} }

/** Encodes the made-up tokens by the contract. A contract in code without an inverse gets the assumed wire. */
const madeUpTokens = (request: HttpClientRequest.HttpClientRequest, inverse: Wire["inverse"] | undefined) => {
  const { body, status } =
    typeof inverse === "object" ? inverse.answer(madeUp, 201, nothingAsked) : { body: madeUp, status: 201 }
  return HttpClientResponse.fromWeb(request, Response.json(body, { status }))
}

/**
 * An `HttpClient` that answers from vectors. Each request gets the first unused vector that matches. A request without a
 * match fails with a transport error, so that a test shows changes on the wire. The two authentication endpoints return
 * made-up tokens, encoded by the `ServiceContract` of this layer. Uploads match nothing.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (recorded: ReadonlyArray<Vector>): Layer.Layer<HttpClient.HttpClient> =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.gen(function* () {
      const left = yield* Ref.make(recorded)
      const contract = yield* Wires
      const findRoute = Routes.make(contract)
      return HttpClient.make(
        Effect.fnUntraced(function* (request, url) {
          const { method } = request
          const { operation, path } = findRoute(method, url.pathname)
          if (operation !== undefined && Routes.isAuthentication(operation)) {
            return madeUpTokens(request, contract.wire(functions.get(operation)!)?.inverse)
          }
          const query = sorted(Recorder.readQuery(request))
          const { body } = request
          const sent = body._tag === "Empty" || body._tag === "Uint8Array" ? Recorder.readText(body) : undefined
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
          return HttpClientResponse.fromWeb(request, makeResponse(found.response))
        })
      )
    })
  )
