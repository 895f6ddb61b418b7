/** A dialect before the assumed wire, as a server of `node:http` and as an `HttpClient` without sockets. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Stream from "effect/Stream"
import { type Answered, type Asked, type Dialect, isObject } from "./dialect.ts"

const base = "/api/integration"

const askedOf = (method: string, url: URL, headers: Asked["headers"], body: Buffer): Asked => ({
  method,
  path: url.pathname.slice(base.length),
  query: url.searchParams,
  headers,
  body
})

const targetOf = ({ path, query }: Asked): string => `${base}${path}${query.size === 0 ? "" : `?${query}`}`

/** The rows of a list as `data`, and its counts as `meta`, as the dialects take an answer apart. */
const opened = (body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
  const { data } = body
  if (!isObject(data) || !Array.isArray(data["items"])) return body
  const { items, ...meta } = data
  return { ...body, data: items, ...(Object.keys(meta).length === 0 ? {} : { meta }) }
}

/** Translates an answer to the dialect. Passes on what no service sends, such as a page of a proxy. */
const answerOf = (dialect: Dialect, asked: Asked, status: number, text: string): Answered | undefined => {
  try {
    const body: unknown = JSON.parse(text)
    return isObject(body) && (status < 300 || status >= 400)
      ? dialect.toTheirs(asked, { status, body: opened(body) })
      : undefined
  } catch {
    return undefined
  }
}

/** Translates a request to the assumed wire. Passes on a body that is no JSON, which the service refuses. */
const assumedOf = (dialect: Dialect, asked: Asked): Asked | undefined => {
  try {
    return dialect.toAssumed(asked)
  } catch (error) {
    if (error instanceof SyntaxError) return asked
    throw error
  }
}

const notThere = { status: 404, text: "" }

const readAll = async (request: IncomingMessage): Promise<Buffer> => Buffer.concat(await request.toArray())

/** Serves a dialect before a server of the assumed wire. Returns the base address. */
export const frontServer = (dialect: Dialect, upstream: string) =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<{ readonly baseUrl: string; readonly close: () => void }>((resolve) => {
          const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
            const headers = Object.fromEntries(
              Object.entries(request.headers).map(([name, value]) => [name, String(value)])
            )
            const url = new URL(request.url ?? "/", "http://localhost")
            const asked = askedOf(request.method ?? "GET", url, headers, await readAll(request))
            const assumed = assumedOf(dialect, asked)
            if (assumed === undefined) return void response.writeHead(notThere.status).end()
            const {
              "content-length": _,
              "transfer-encoding": __,
              connection: ___,
              host: ____,
              ...sent
            } = assumed.headers
            const answer = await fetch(`${new URL(upstream).origin}${targetOf(assumed)}`, {
              method: assumed.method,
              headers: sent,
              ...(assumed.body.length === 0 ? {} : { body: new Uint8Array(assumed.body) })
            })
            const text = await answer.text()
            const theirs = answerOf(dialect, asked, answer.status, text)
            if (theirs === undefined) return void response.writeHead(answer.status).end(text)
            response.writeHead(theirs.status, { "content-type": theirs.type ?? "application/json" })
            response.end(theirs.body === undefined ? undefined : JSON.stringify(theirs.body))
          }
          const server = createServer((request, response) => {
            // The client must see a service that breaks off.
            serve(request, response).catch(() => response.destroy())
          })
          server.listen(0, "127.0.0.1", () => {
            const { port } = server.address() as AddressInfo
            resolve({ baseUrl: `http://127.0.0.1:${port}${base}`, close: () => server.close() })
          })
        })
    ),
    ({ close }) => Effect.sync(close)
  ).pipe(Effect.map(({ baseUrl }) => baseUrl))

/** Reads the bytes of a request's body. */
export const bytesOf = ({ body }: HttpClientRequest.HttpClientRequest): Effect.Effect<Buffer> => {
  if (body._tag === "Uint8Array") return Effect.succeed(Buffer.from(body.body))
  if (body._tag !== "Stream") return Effect.succeed(Buffer.alloc(0))
  return Effect.map(Stream.runCollect(Stream.orDie(body.stream)), (chunks) => Buffer.concat(chunks))
}

/** Speaks a dialect to the SDK, and the assumed wire to the client behind it. */
export const frontClient =
  (dialect: Dialect) =>
  (inner: HttpClient.HttpClient): HttpClient.HttpClient =>
    HttpClient.make(
      (request, url): Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError> =>
        Effect.gen(function* () {
          const sentType = request.body._tag === "Empty" ? undefined : request.body.contentType
          const headers = { ...request.headers, ...(sentType === undefined ? {} : { "content-type": sentType }) }
          const asked = askedOf(request.method, url, headers, yield* bytesOf(request))
          const assumed = assumedOf(dialect, asked)
          if (assumed === undefined) {
            return HttpClientResponse.fromWeb(request, new Response(notThere.text, { status: notThere.status }))
          }
          const made = HttpClientRequest.make(assumed.method as "GET")(`${url.origin}${targetOf(assumed)}`, {
            headers: request.headers
          })
          const sent =
            assumed.body.length === 0
              ? made
              : HttpClientRequest.bodyUint8Array(made, assumed.body, assumed.headers["content-type"])
          const answer = yield* inner.execute(sent)
          const text = yield* answer.text
          const theirs = answerOf(dialect, asked, answer.status, text)
          const [status, body] =
            theirs === undefined
              ? [answer.status, text]
              : [theirs.status, theirs.body === undefined ? null : JSON.stringify(theirs.body)]
          const type = theirs === undefined ? answer.headers["content-type"] : (theirs.type ?? "application/json")
          const web = new Response(status === 204 ? null : body, {
            status,
            headers: { ...answer.headers, ...(type === undefined ? {} : { "content-type": type }) }
          })
          return HttpClientResponse.fromWeb(request, web)
        })
    )
