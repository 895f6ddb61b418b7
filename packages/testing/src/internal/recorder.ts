/** Records the bodies of requests and responses as text. A response is recorded while it is read, and is unchanged. */
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
export const readQuery = ({
  url,
  urlParams
}: HttpClientRequest.HttpClientRequest): ReadonlyArray<readonly [name: string, value: string]> => [
  ...(URL.canParse(url) ? new URL(url).searchParams : []),
  ...new URLSearchParams(UrlParams.toString(urlParams))
]

/** Reads the text of a request's body. For an upload: its type. */
export const readText = (body: HttpBody.HttpBody): string => {
  if (body._tag === "Empty") return ""
  if (body._tag === "Uint8Array" && isText.test(body.contentType)) return new TextDecoder().decode(body.body)
  return `<${body.contentType?.replace(/;.*/s, "") ?? "multipart/form-data"}>`
}

/** The reason of a transport failure: the code of its cause, if it has one. */
export const formatReason = ({ message, reason }: HttpClientError.HttpClientError): string => {
  const { cause } = reason as { readonly cause?: { readonly code?: unknown; readonly message?: unknown } }
  return [cause?.code, cause?.message].find(Predicate.isString) ?? message
}

/** The part of a body that was read, and the reason if it is incomplete. */
export interface Body {
  readonly text: string
  readonly brokenOff: string | undefined
}

/**
 * Returns an equal response that records its body when the body has been read: to its end, until it breaks off, or until
 * its reader stops.
 */
export const recordResponse = (
  response: HttpClientResponse.HttpClientResponse,
  write: (body: Body) => void
): HttpClientResponse.HttpClientResponse => {
  const stream = Stream.suspend(() => {
    const chunks: Array<Uint8Array> = []
    let brokenOff: string | undefined = "it was not read to its end"
    return response.stream.pipe(
      Stream.tap((chunk) => Effect.sync(() => chunks.push(chunk.slice()))),
      Stream.onEnd(
        Effect.sync(() => {
          brokenOff = undefined
        })
      ),
      Stream.tapError((error) =>
        Effect.sync(() => {
          // An answer without a body is complete.
          brokenOff = error.reason._tag === "EmptyBodyError" ? undefined : formatReason(error)
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
