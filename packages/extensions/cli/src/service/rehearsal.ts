/** Runs a call without the service: the request that would be sent, and what a given answer becomes. Nothing is sent. */
import { CustodyClient } from "@effect-custody/core/CustodyClient"
import * as Environment from "@effect-custody/core/Environment"
import * as RetryPolicy from "@effect-custody/core/RetryPolicy"
import { Recorder, Transport, type WireRecord } from "@effect-custody/core/siblings/Transport"
import { TokenService } from "@effect-custody/core/TokenService"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Output from "../terminal/output.ts"
import * as ContractFiles from "./contractFiles.ts"
import type { AnyEndpoint, Failure } from "./endpoints.ts"
import * as Service from "./environment.ts"

/** An answer of the service: its status, and the text of its body. */
export interface Answer {
  readonly status: number
  readonly body: string
}

const token = { value: Redacted.make("access-token"), generation: 0 }

/** A session that has one token. */
const session = Layer.mock(TokenService, {
  inUse: () => token,
  accepted: () => {},
  rotate: () => Effect.succeed(token),
  reload: () => Effect.succeed(token),
  secrets: Effect.succeed([token.value])
})

/** In place of the service: gives each request the same answer. */
const service = ({ body, status }: Answer) =>
  Layer.succeed(
    HttpClient.HttpClient,
    HttpClient.make((request) =>
      Effect.succeed(HttpClientResponse.fromWeb(request, new Response(status === 204 ? null : body, { status })))
    )
  )

/** In place of a service that no variable names: nothing is sent, so an assumed endpoint needs no confirmation. */
const nowhere = Environment.emulator("http://localhost/api/integration")

/**
 * Runs a call up to the socket, and from there on with the given answer. Returns the request and the result. Fails if the
 * call would fail before it sends anything, such as with `InputInvalid` or `UnconfirmedEndpoint`.
 */
export const run = Effect.fnUntraced(function* (
  endpoint: AnyEndpoint,
  input: object,
  contract: Option.Option<string>,
  answer: Answer = { status: 503, body: "" }
) {
  const found = yield* Output.orFail(Service.found)
  const environment = found === undefined ? nowhere : yield* Output.orFail(Effect.fromResult(found))
  const client = CustodyClient.layer({ retry: RetryPolicy.none }).pipe(
    Layer.provide([Transport.layer({ environment }).pipe(Layer.provide(service(answer))), session]),
    Layer.provide(ContractFiles.layer(contract)),
    Layer.fresh
  )
  const records: Array<WireRecord> = []
  const result: Result.Result<unknown, Failure> = yield* Effect.result(endpoint(input)).pipe(
    Effect.provideService(Recorder, (record) => records.push(record)),
    Effect.provide(client)
  )
  const request = records.find(({ operation }) => operation === endpoint.operation)
  if (request !== undefined) return { request, result }
  return yield* Output.failure(Result.isFailure(result) ? `${result.failure._tag}: ${result.failure.message}` : "")
}, Output.orFail)

/** The request as lines: method and address, headers, body. */
export const lines = ({ body, headers, method, url }: WireRecord): ReadonlyArray<string> => [
  `${method} ${url}`,
  ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ...(body === undefined || body === "" ? [] : ["", body])
]
