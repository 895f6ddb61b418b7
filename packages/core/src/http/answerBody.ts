/** Reads the body of an answer, and keeps the part that has arrived. */
import * as Effect from "effect/Effect"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as BodyBytes from "./BodyBytes.ts"
import type * as SendProgress from "./SendProgress.ts"

/** The body is larger than the limit, in bytes. */
export class TooLarge extends Schema.TaggedError<TooLarge>("@effect-custody/core/internal/answerBody/TooLarge")(
  "TooLarge",
  { limit: Schema.Int }
) {}

/** Reads chunk by chunk. Makes the bytes so far available in `progress`, unless the `HttpClient` already does so. */
const readChunks = (
  response: HttpClientResponse.HttpClientResponse,
  limit: number,
  progress: SendProgress.SendProgress
) => {
  const { headers, status, stream } = response
  const isInBounds = !(Number(headers["content-length"]) > limit)
  const bytes = BodyBytes.make(limit)
  const received = {
    status,
    headers,
    response,
    ending: "Open" as SendProgress.Received["ending"],
    get size() {
      return bytes.size
    },
    text: () => new TextDecoder().decode(bytes.all())
  }
  progress.received ??= received
  return stream.pipe(
    Stream.runForEach((chunk) => {
      bytes.add(chunk)
      if (bytes.size <= limit && isInBounds) return Effect.void
      received.ending = "TooLarge"
      return Effect.fail(new TooLarge({ limit }))
    }),
    Effect.catchReason("HttpClientError", "EmptyBodyError", () => Effect.void),
    Effect.tapError(() =>
      Effect.sync(() => {
        if (received.ending === "Open") received.ending = "Cut"
      })
    ),
    Effect.map(() => {
      received.ending = "Whole"
      return received.text()
    })
  )
}

/** Reads the whole body as text, up to the limit. `keeps` is `true` if the caller needs an incomplete body too. */
export const read = (
  response: HttpClientResponse.HttpClientResponse,
  options: { readonly limit: number; readonly progress: SendProgress.SendProgress; readonly keeps: boolean }
) => {
  const { keeps, limit, progress } = options
  const announced = Number(response.headers["content-length"])
  // The announced length of a compressed body says nothing about its size after decompression.
  const isSmall = announced <= limit && response.headers["content-encoding"] === undefined
  return isSmall && (!keeps || progress.received !== undefined) ? response.text : readChunks(response, limit, progress)
}
