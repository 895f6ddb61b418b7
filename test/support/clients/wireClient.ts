/** The SDK over real sockets in a user's setup, and the answers of the specification for a scripted server. */
import { TokenStore } from "@effect-custody/authentication"
import { Environment, RetryPolicy } from "@effect-custody/core"
import { NodeCustody } from "@effect-custody/node"
import { Custody } from "@effect-custody/sdk"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import { identity } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { withoutWaiting } from "../clock.ts"
import { type Answer, json, type Received, wireServer, type WireServer } from "../servers/wireServer.ts"

/** The transports for users, over HTTP/1.1. */
export const http1Transports = [
  { name: "undici", layer: NodeCustody.layerHttpClient() },
  {
    name: "undici with a middleware",
    layer: Layer.effect(HttpClient.HttpClient, Effect.map(HttpClient.HttpClient, HttpClient.mapRequest(identity))).pipe(
      Layer.provide(NodeCustody.layerHttpClient())
    )
  },
  { name: "fetch", layer: FetchHttpClient.layer }
] as const

/** HTTP/2 over TLS. */
export const http2: Transport = { name: "HTTP/2", layer: NodeCustody.layerHttpClient(), isSecure: true }

export type Transport = {
  readonly name: string
  readonly layer: Layer.Layer<HttpClient.HttpClient>
  readonly isSecure?: boolean
}

/** The transports for users. */
export const transports: ReadonlyArray<Transport> = [...http1Transports, http2]

/** The origin of a server for a transport. */
export const originFor = ({ origin, secureOrigin }: WireServer, { isSecure }: Transport): string =>
  isSecure === true ? secureOrigin : origin

export const apiKey = "one-time-api-key"

/** A client of one server with its own session. It never retries. */
export const clientOf = (server: WireServer, transport: Transport, options: Partial<Custody.Options> = {}) =>
  Layer.fresh(
    Custody.layer({
      environment: Environment.emulator(server.baseUrl.replace(server.origin, originFor(server, transport))),
      apiKey: Redacted.make(apiKey),
      retry: RetryPolicy.none,
      ...options
    }).pipe(Layer.provide([transport.layer, TokenStore.layerMemory]))
  )

/** The answer of the specification to generate-tokens: the first pair. */
export const generated: Answer = json(201, {
  message: "Vault API keys generated successfully",
  data: { accessToken: "access-0", refreshToken: "refresh-0", expiresAt: 4102444800000, vaultId: 42 },
  status: 201
})

/** The answer of the specification to refresh-token: the pair of a generation. */
export const refreshed = (generation: number): Answer =>
  json(201, {
    message: "Tokens refreshed successfully",
    data: { accessToken: `access-${generation}`, refreshToken: `refresh-${generation}`, expiresAt: 4102444800000 },
    status: 201
  })

/** The answer to vault details. */
export const details: Answer = json(200, {
  message: "Vault details",
  data: { id: "42", name: "Treasury" },
  status: 200
})

/** An error answer in the format of the specification. */
export const refusal = (status: number, code: string, message: string): Answer =>
  json(status, { status, message, errors: { message }, code })

/** One line per request: method, target, access token, body. */
export const account = (received: ReadonlyArray<Received>): ReadonlyArray<string> =>
  received.map(({ body, headers, method, target }) =>
    [method, target, headers.find(([name]) => name.toLowerCase() === "x-access-token")?.[1], body]
      .filter((part) => part !== undefined && part !== "")
      .join(" ")
  )

/** The line of the first request, the exchange of the API key. */
export const exchanged = `POST /api/integration/auth/generate-tokens {"apiKey":"${apiKey}"}`

/** A server that exchanges the API key, and answers other requests by a function. */
export const serverWithSession = (answer: (request: Received, nth: number) => Answer) => {
  let others = 0
  return wireServer((request) =>
    request.target === "/api/integration/auth/generate-tokens" ? generated : answer(request, others++)
  )
}

/** Runs a program against a scripted server on a stopped clock that only passes pauses. */
export const against = <A, E>(
  server: Effect.Effect<WireServer, never, import("effect/Scope").Scope>,
  transport: Transport,
  program: (server: WireServer) => Effect.Effect<A, E, Layer.Success<ReturnType<typeof clientOf>>>,
  options: Partial<Custody.Options> = {}
) => Effect.flatMap(server, (wire) => withoutWaiting(Effect.provide(program(wire), clientOf(wire, transport, options))))
