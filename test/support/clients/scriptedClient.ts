/** A client over a transport that answers from a script and records its requests, without sockets and session. */
import { CustodyClient, Environment, RetryPolicy } from "@effect-custody/core"
import { Transport } from "@effect-custody/core/siblings/Transport"
import { Effect, Layer, Redacted, Stream } from "effect"
import { type HttpBody, type HttpClientRequest, UrlParams } from "effect/http"
import { makeSession } from "./scriptedTransport.ts"

/** A sent request. */
export interface Sent {
  readonly method: string
  /** The path and its query. */
  readonly url: string
  /** The body as JSON, or its text if it is not JSON. */
  readonly body: unknown
}

/** An answer of the script: the payload of a 200, or a status and a body. */
export type Answer =
  | { readonly data: unknown; readonly meta?: unknown }
  | { readonly status: number; readonly body: unknown }

/** The answer with a page. It is the whole list unless `meta` says otherwise. */
export const page = (data: ReadonlyArray<unknown>, meta: object = { hasNextPage: false }): Answer => ({ data, meta })

/** The answer for a missing record. */
export const notFound: Answer = {
  status: 404,
  body: { status: 404, message: "Not found", errors: { message: "Not found" }, code: "E20404" }
}

const textOf = (body: HttpBody.HttpBody): Effect.Effect<string> => {
  switch (body._tag) {
    case "Uint8Array":
      return Effect.succeed(new TextDecoder().decode(body.body))
    case "Stream":
      return body.stream.pipe(Stream.decodeText, Stream.mkString, Effect.orDie)
    default:
      return Effect.succeed("")
  }
}

const parsed = (text: string): unknown => {
  if (text === "") return undefined
  return text.startsWith("{") ? JSON.parse(text) : text
}

const sentOf = Effect.fnUntraced(function* (request: HttpClientRequest.HttpClientRequest) {
  const query = UrlParams.toString(request.urlParams)
  return {
    method: request.method,
    url: query === "" ? request.url : `${request.url}?${query}`,
    body: parsed(yield* textOf(request.body))
  } satisfies Sent
})

const wholeOf = (answer: Answer): { readonly status: number; readonly body: unknown } =>
  "data" in answer ? { status: 200, body: { message: "ok", ...answer, status: 200 } } : answer

const session = makeSession({ token: Effect.succeed({ value: Redacted.make("token"), generation: 0 }) })

/** A client that gets these answers in order, and then the last answer again. `sent` holds its requests in order. */
export const scriptedClient = (...answers: readonly [Answer, ...ReadonlyArray<Answer>]) => {
  const sent: Array<Sent> = []
  const transport = Layer.succeed(Transport, {
    environment: Environment.emulator("http://127.0.0.1/api/integration"),
    send: Effect.fnUntraced(function* (request) {
      sent.push(yield* sentOf(request))
      const { body, status } = wholeOf(answers[sent.length - 1] ?? answers[answers.length - 1]!)
      return { _tag: "Answered" as const, status, text: JSON.stringify(body), retryAfter: undefined }
    })
  })
  const layer = CustodyClient.layer({ retry: RetryPolicy.none }).pipe(Layer.provide([transport, session]))
  return { sent, layer }
}

/** The tag of an effect's error, or "Succeeded". */
export const tagOf = <A, E extends { readonly _tag: string }, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<string, never, R> =>
  Effect.match(effect, { onFailure: ({ _tag }) => _tag, onSuccess: () => "Succeeded" })
