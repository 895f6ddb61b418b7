/** Bodies of requests and responses as text. A response is recorded while it is read, and is otherwise as it was. */
import * as Effect from "effect/Effect"
import type * as HttpBody from "effect/http/HttpBody"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as UrlParams from "effect/http/UrlParams"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"

const isText = /json|text|xml|urlencoded/

/** The query parameters, from the URL and from the request. */
export const queryOf = ({
  url,
  urlParams
}: HttpClientRequest.HttpClientRequest): ReadonlyArray<readonly [name: string, value: string]> => [
  ...(URL.canParse(url) ? new URL(url).searchParams : []),
  ...new URLSearchParams(UrlParams.toString(urlParams))
]

/** The text of a request's body. An upload is shown by its type. */
export const textOf = (body: HttpBody.HttpBody): string => {
  if (body._tag === "Empty") return ""
  if (body._tag === "Uint8Array" && isText.test(body.contentType)) return new TextDecoder().decode(body.body)
  return `<${body.contentType?.replace(/;.*/s, "") ?? "multipart/form-data"}>`
}

/** The reason of a transport failure: the code of its cause, if it has one. */
export const reasonOf = ({ message, reason }: HttpClientError.HttpClientError): string => {
  const { cause } = reason as { readonly cause?: { readonly code?: unknown; readonly message?: unknown } }
  return [cause?.code, cause?.message].find(Predicate.isString) ?? message
}

/** What was read of a body, and why that is not all of it. */
export interface Body {
  readonly text: string
  readonly brokenOff: string | undefined
}

/** How many bytes of an answer are kept: as many as the SDK reads by default. */
const kept = 10 * 1024 * 1024

/**
 * The same response. Its body is written down once it was read, as far as it was read: to its end, until it broke off, or
 * until its reader had enough.
 */
export const ofResponse = (
  response: HttpClientResponse.HttpClientResponse,
  write: (body: Body) => void
): HttpClientResponse.HttpClientResponse => {
  const stream = Stream.suspend(() => {
    const chunks: Array<Uint8Array> = []
    let size = 0
    let brokenOff: string | undefined = "it was not read to its end"
    return response.stream.pipe(
      Stream.tap((chunk) =>
        Effect.sync(() => {
          if (size < kept) chunks.push(chunk.slice(0, kept - size))
          size += chunk.byteLength
        })
      ),
      Stream.onEnd(
        Effect.sync(() => {
          brokenOff = size > kept ? `the log keeps ${kept} bytes of a body, and this one is larger` : undefined
        })
      ),
      Stream.tapError((error) =>
        Effect.sync(() => {
          // An answer without a body is whole.
          brokenOff = error.reason._tag === "EmptyBodyError" ? undefined : reasonOf(error)
        })
      ),
      Stream.ensuring(Effect.sync(() => write({ text: new TextDecoder().decode(Buffer.concat(chunks)), brokenOff })))
    )
  })
  const bytes = Effect.runSync(
    Effect.cached(
      Stream.runCollect(stream).pipe(
        Effect.map((chunks) => Buffer.concat(chunks)),
        Effect.catchReason("HttpClientError", "EmptyBodyError", () => Effect.succeed(Buffer.alloc(0)))
      )
    )
  )
  const text = Effect.map(bytes, (all) => new TextDecoder().decode(all))
  const json = Effect.flatMap(text, (given) =>
    Effect.try({
      // oxlint-disable-next-line effecttsgo/prefer-schema-over-json -- any JSON.
      try: () => (given === "" ? null : JSON.parse(given)) as unknown,
      catch: (cause) => {
        const { request } = response
        return new HttpClientError.HttpClientError({
          reason: new HttpClientError.DecodeError({ request, response, cause })
        })
      }
    })
  )
  const parts = { stream, text, json, arrayBuffer: Effect.map(bytes, (all) => new Uint8Array(all).buffer) }
  return new Proxy(response, {
    get: (target, key) =>
      Object.hasOwn(parts, key) ? parts[key as keyof typeof parts] : Reflect.get(target, key, target)
  })
}
