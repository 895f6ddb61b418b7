/** Requests and responses that are recorded while they are sent and read, and are otherwise as they were. */
import * as Effect from "effect/Effect"
import * as HttpBody from "effect/http/HttpBody"
import type * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import * as Bodies from "./bodies.ts"

const isText = /json|text|xml|urlencoded/

/** The same request. Its body is written down while it is sent. */
export const ofRequest = (
  request: HttpClientRequest.HttpClientRequest,
  write: (text: string) => void
): HttpClientRequest.HttpClientRequest => {
  const { body } = request
  if (body._tag === "Uint8Array") {
    const { contentType } = body
    write(
      isText.test(contentType) ? new TextDecoder().decode(body.body) : `<${contentType}, ${body.body.byteLength} bytes>`
    )
  }
  if (body._tag === "FormData") write([...body.formData.keys()].map((name) => `${name}: …`).join("\n"))
  if (body._tag !== "Stream") return request
  const stream = Stream.suspend(() => {
    const collected = Bodies.collect(Bodies.keptOfUpload)
    return Stream.tap(body.stream, (chunk) =>
      Effect.sync(() => {
        collected.add(chunk)
        write(Bodies.parts(collected.bytes(), body.contentType, collected.size()))
      })
    )
  })
  return HttpClientRequest.setBody(request, HttpBody.stream(stream, body.contentType, body.contentLength))
}

/** The reason of a transport failure: the code of its cause, if it has one. */
export const reasonOf = ({ message, reason }: HttpClientError.HttpClientError): string => {
  const { cause } = reason as { readonly cause?: { readonly code?: unknown; readonly message?: unknown } }
  return [cause?.code, cause?.message].find(Predicate.isString) ?? message
}

/** What was read of a body, and why that is not all of it. */
export interface Body {
  readonly text: string | undefined
  readonly brokenOff: string | undefined
}

const whole = (text: string, size: number, limit: number): Body =>
  size <= limit
    ? { text, brokenOff: undefined }
    : { text: text.slice(0, limit), brokenOff: `the log keeps ${limit} bytes of a body, and this one is larger` }

/**
 * The same response. Its body is written down once it was read, as far as it was read: to its end, until it broke off, or
 * until its reader had enough.
 */
export const ofResponse = (
  response: HttpClientResponse.HttpClientResponse,
  limit: number,
  write: (body: Body) => void
): HttpClientResponse.HttpClientResponse => {
  let isKnown = false
  /** A body that was read to its end cannot be read again by some clients: that failure says nothing of it. */
  const note = (body: Body) => {
    if (!isKnown) write(body)
    isKnown ||= body.brokenOff === undefined
  }
  const read = <A>(body: Effect.Effect<A, HttpClientError.HttpClientError>, noted: (value: A) => Body) =>
    body.pipe(
      Effect.tap((value) => Effect.sync(() => note(noted(value)))),
      Effect.tapError((error) => Effect.sync(() => note({ text: undefined, brokenOff: reasonOf(error) })))
    )
  const ofText = (text: string) => whole(text, text.length, limit)

  const stream = Stream.suspend(() => {
    const collected = Bodies.collect(limit)
    let brokenOff: string | undefined = "it was not read to its end"
    const ends = Effect.sync(() => {
      brokenOff = undefined
    })
    return response.stream.pipe(
      Stream.tap((chunk) => Effect.sync(() => collected.add(chunk))),
      Stream.onEnd(ends),
      Stream.tapError((error) => {
        // An answer without a body is whole.
        if (error.reason._tag === "EmptyBodyError") return ends
        return Effect.sync(() => {
          brokenOff = reasonOf(error)
        })
      }),
      Stream.ensuring(
        Effect.sync(() => {
          const text = collected.text()
          note(brokenOff === undefined ? whole(text, collected.size(), limit) : { text, brokenOff })
        })
      )
    )
  })

  const parts: Readonly<Record<PropertyKey, () => unknown>> = {
    text: () => read(response.text, ofText),
    // What its text says, with all digits of its numbers.
    json: () => Effect.andThen(read(response.text, ofText), response.json),
    arrayBuffer: () =>
      read(response.arrayBuffer, (buffer) => {
        const collected = Bodies.collect(limit)
        collected.add(new Uint8Array(buffer))
        return whole(collected.text(), collected.size(), limit)
      }),
    stream: () => stream
  }
  return new Proxy(response, {
    get: (target, key) => (Object.hasOwn(parts, key) ? parts[key]!() : Reflect.get(target, key, target))
  })
}
