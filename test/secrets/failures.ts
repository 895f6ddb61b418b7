/** What goes wrong in a call: an answer of the service, no answer, or foreign code that throws. */
import * as Effect from "effect/Effect"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import { spellings } from "./secrets.ts"

/** What an `HttpClient` does with a request. */
export type Respond = (
  secret: string,
  request: HttpClientRequest.HttpClientRequest
) => Effect.Effect<Response, HttpClientError.HttpClientError>

export interface Failure {
  readonly name: string
  readonly respond: Respond
  /** Which part that is not ours throws, with the secret in its hand. */
  readonly throws?: "store" | "source" | "hooks"
}

const statuses = [200, 201, 204, 302, 400, 401, 403, 404, 408, 409, 421, 422, 425, 429, 498, 500, 502, 503, 504]

const codes: ReadonlyArray<readonly [status: number, code: string]> = [
  [422, "E00402"],
  [400, "E40000"],
  [401, "E01401"],
  [401, "E40001"],
  [401, "E01402"],
  [401, "E40002"],
  [498, "E01403"],
  [498, "E40003"],
  [401, "E00401"]
]

const answer = (status: number, body: string, headers: Readonly<Record<string, string>> = {}): Response => {
  const response = new Response(status === 204 ? null : body, {
    status,
    headers: { "content-type": "application/json" }
  })
  for (const [name, value] of Object.entries(headers)) {
    // What no header can carry is not in one.
    const carried = /^[\t\u0020-\u007e\u0080-\u00ff]*$/.test(value) ? value : encodeURIComponent(value)
    response.headers.set(name, carried)
  }
  return response
}

const error = (status: number, code: string, fields: object = {}) =>
  JSON.stringify({ status, message: "No", errors: { message: "No" }, code, ...fields })

/** Where an answer repeats a secret: the body, and the headers. */
type Echo = (spelt: string) => readonly [body: string, headers?: Readonly<Record<string, string>>]

const code = "E40000"

const inHeader =
  (name: string): Echo =>
  (spelt) => [error(400, code), { [name]: spelt }]

/** Where an answer repeats a secret, by a name, with the status that goes with it. */
const places: Readonly<Record<string, readonly [status: number, echo: Echo]>> = {
  message: [400, (spelt) => [error(400, code, { message: spelt })]],
  "a field's message": [422, (spelt) => [error(422, "E00402", { errors: { amount: [`bad: ${spelt}`] } })]],
  "a field's name": [422, (spelt) => [error(422, "E00402", { errors: { [spelt]: ["bad"] } })]],
  "nested fields": [422, (spelt) => [error(422, "E00402", { errors: { a: { b: [{ c: [spelt] }] }, d: spelt } })]],
  code: [400, (spelt) => [error(400, spelt)]],
  "the errors of a 500": [500, (spelt) => [error(500, code, { errors: { sql: spelt } })]],
  "a field that nobody knows": [404, (spelt) => [error(404, code, { debug: spelt, trace: [spelt] })]],
  page: [502, (spelt) => [`<html><h1>Bad Gateway</h1><p>${spelt}</p></html>`]],
  "JSON that breaks off": [400, (spelt) => [`{"message":${JSON.stringify(spelt)}`]],
  "a list": [409, (spelt) => [JSON.stringify([spelt])]],
  "a payload of another kind": [200, (spelt) => [JSON.stringify({ message: "ok", data: spelt, status: 200 })]],
  "a payload's fields": [
    201,
    (spelt) => [JSON.stringify({ message: spelt, data: { id: { [spelt]: spelt } }, status: 201 })]
  ],
  meta: [200, (spelt) => [JSON.stringify({ message: "ok", data: [], meta: { page: spelt, [spelt]: 1 }, status: 200 })]],
  "a status of another kind": [200, (spelt) => [JSON.stringify({ message: "ok", status: spelt })]],
  "x-request-id": [400, inHeader("x-request-id")],
  location: [302, (spelt) => ["", { location: `https://elsewhere.example/?t=${spelt}` }]],
  "retry-after": [429, (spelt) => [error(429, code), { "retry-after": spelt }]],
  "content-type": [400, (spelt) => [error(400, code), { "content-type": `text/${spelt}` }]],
  "set-cookie": [
    401,
    (spelt) => [error(401, "E40001"), { "set-cookie": `t=${spelt}`, "www-authenticate": spelt, date: spelt }]
  ]
}

const transportError = (request: HttpClientRequest.HttpClientRequest, cause: unknown) =>
  Effect.fail(
    new HttpClientError.HttpClientError({
      reason: new HttpClientError.TransportError({ request, cause, description: String(cause) })
    })
  )

/** An error whose every part is a secret. */
const telling = (secret: string) =>
  Object.assign(new Error(secret, { cause: new Error(secret) }), { name: secret, code: secret, token: secret })

const broken = (secret: string) =>
  new Response(
    new ReadableStream({
      pull(controller) {
        controller.enqueue(new TextEncoder().encode(`{"message":${JSON.stringify(secret)},`))
        controller.error(telling(secret))
      }
    }),
    { status: 200, headers: { "content-type": "application/json" } }
  )

const plainRefusal: Respond = () => Effect.sync(() => answer(400, error(400, code)))

const foreign: ReadonlyArray<Failure> = [
  {
    name: "a transport error whose cause tells the secret",
    respond: (secret, request) => transportError(request, telling(secret))
  },
  { name: "a transport error whose cause is the request", respond: (_, request) => transportError(request, request) },
  {
    name: "a URL that cannot be read",
    respond: (secret, request) =>
      Effect.fail(
        new HttpClientError.HttpClientError({
          reason: new HttpClientError.InvalidUrlError({ request, cause: telling(secret) })
        })
      )
  },
  {
    name: "a body that breaks off with an error that tells the secret",
    respond: (secret) => Effect.sync(() => broken(secret))
  },
  { name: "a defect of the client", respond: (secret) => Effect.die(telling(secret)) },
  { name: "silence", respond: () => Effect.never },
  { name: "a defect of the store", respond: plainRefusal, throws: "store" },
  { name: "a defect of the source of keys", respond: plainRefusal, throws: "source" },
  { name: "defects of hooks", respond: (secret) => Effect.die(telling(secret)), throws: "hooks" }
]

const plain: ReadonlyArray<Failure> = [
  ...statuses.map((status) => ({
    name: `${status}`,
    respond: () => Effect.sync(() => answer(status, status < 300 ? "{}" : JSON.stringify({ status, message: "No" })))
  })),
  ...codes.map(([status, known]) => ({
    name: `${status} ${known}, which repeats the secret`,
    respond: (secret: string) =>
      Effect.sync(() => answer(status, error(status, known, { message: secret, errors: { token: secret } })))
  })),
  ...foreign
]

/** Every answer that repeats the secret: each spelling in each place. */
const echoes: ReadonlyArray<Failure> = Object.entries(places).flatMap(([place, [status, echo]]) =>
  Object.entries(spellings).map(([how, spell]) => ({
    name: `${status} with the secret ${how} in ${place}`,
    respond: (secret: string) => Effect.sync(() => answer(status, ...echo(spell(secret))))
  }))
)

export const failures: ReadonlyArray<Failure> = [...plain, ...echoes]
