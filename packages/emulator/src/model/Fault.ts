/**
 * Faults between a client and the service, as data: the reach of the request, the delays, and the end for the client.
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"

/** The client's end of the exchange. */
const Ending = Schema.Union([
  /** The service's own answer. */
  Schema.TaggedStruct("Answer", {}),
  /** Nothing; the connection stays open. */
  Schema.TaggedStruct("Silence", {}),
  /** Nothing; the connection breaks. `code` is the error code that the in-process transport reports. */
  Schema.TaggedStruct("Break", { code: Schema.String }),
  /** The first bytes of the service's own answer; then the connection breaks. */
  Schema.TaggedStruct("Truncation", { bytes: Schema.Int.pipe(Schema.check(Schema.isGreaterThanOrEqualTo(0))) }),
  /** Another answer instead of the service's. */
  Schema.TaggedStruct("Replacement", {
    status: Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 200, maximum: 599 }))),
    headers: Schema.Record(Schema.String, Schema.String),
    body: Schema.String
  }),
  /** The service's own answer, changed by a JSON merge patch (RFC 7396: `null` removes a key). An empty body stays empty. */
  Schema.TaggedStruct("Edit", { patch: Schema.Json })
])
/** The requests that get the fault. Default: the next one. */
const Occasion = Schema.Struct({
  /** The number of requests that pass first, without the fault. */
  after: Schema.optionalKey(Schema.Int.pipe(Schema.check(Schema.isGreaterThanOrEqualTo(0)))),
  /** The probability for each later request, from 0 to 1. */
  probability: Schema.optionalKey(Schema.Finite.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 1 })))),
  /** Equal seeds choose equal requests. */
  seed: Schema.optionalKey(Schema.Int)
})
/**
 * A fault of one exchange. Create it with a function of this module.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Fault = Schema.Struct({
  /** The name that `received` shows. */
  name: Schema.String,
  /**
   * The reach of the request. `Lost`: it never arrives. `Received`: it arrives, and the service does nothing. `Acted`: the
   * service carries it out.
   */
  reach: Schema.Literals(["Lost", "Received", "Acted"]),
  /** The delay of the request. The service acts even if the client gives up meanwhile. */
  arrivesAfter: Schema.optionalKey(Schema.DurationFromMillis),
  /** The delay of the answer. */
  answersAfter: Schema.optionalKey(Schema.DurationFromMillis),
  occasion: Schema.optionalKey(Occasion),
  ending: Ending
})
/**
 * @since 0.1.0
 * @category models
 */
export interface Fault extends Schema.Schema.Type<typeof Fault> {}

/**
 * The service acts, and its answer is lost: the connection breaks.
 *
 * @example
 * ```ts
 * import { CustodyEmulator, Fault } from "@effect-custody/emulator"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const emulator = yield* CustodyEmulator
 *   yield* emulator.faults.next("authentication.refreshToken", Fault.answerLost())
 * })
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const answerLost = (code = "ECONNRESET"): Fault => ({
  name: "answerLost",
  reach: "Acted",
  ending: { _tag: "Break", code }
})

/**
 * The service reads the request and does nothing, and the connection breaks.
 *
 * @since 0.1.0
 * @category constructors
 */
export const reset = (code = "ECONNRESET"): Fault => ({
  name: "reset",
  reach: "Received",
  ending: { _tag: "Break", code }
})

/**
 * The request never reaches the service. In process, the default code says so. Over a socket, the accepted connection
 * breaks.
 *
 * @since 0.1.0
 * @category constructors
 */
export const neverArrived = (code = "ECONNREFUSED"): Fault => ({
  name: "neverArrived",
  reach: "Lost",
  ending: { _tag: "Break", code }
})

/**
 * No answer comes, and the connection stays open. Unless `acts` is false, the service acts.
 *
 * @since 0.1.0
 * @category constructors
 */
export const silence = (options?: { readonly acts?: boolean | undefined }): Fault => ({
  name: "silence",
  reach: options?.acts === false ? "Received" : "Acted",
  ending: { _tag: "Silence" }
})

/**
 * The service acts, and the connection breaks after so many bytes of the answer's body.
 *
 * @since 0.1.0
 * @category constructors
 */
export const truncated = (bytes: number): Fault => ({
  name: "truncated",
  reach: "Acted",
  ending: { _tag: "Truncation", bytes }
})

/**
 * Delays the request or the answer.
 *
 * @since 0.1.0
 * @category constructors
 */
export const delayed = (options: {
  readonly request?: Duration.Input | undefined
  readonly answer?: Duration.Input | undefined
}): Fault => ({
  name: "delayed",
  reach: "Acted",
  ...(options.request === undefined ? {} : { arrivesAfter: Duration.fromInputUnsafe(options.request) }),
  ...(options.answer === undefined ? {} : { answersAfter: Duration.fromInputUnsafe(options.answer) }),
  ending: { _tag: "Answer" }
})

/**
 * Another answer instead of the service's. Unless `acts` is true, the service does nothing.
 *
 * @since 0.1.0
 * @category constructors
 */
export const answered = (options: {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Text, or a value to send as JSON. */
  readonly body?: Schema.Json | undefined
  readonly acts?: boolean | undefined
}): Fault => {
  const { acts = false, body = "", headers = {}, status } = options
  const isText = typeof body === "string"
  return {
    name: `answered ${status}`,
    reach: acts ? "Acted" : "Received",
    ending: {
      _tag: "Replacement",
      status,
      headers: { "content-type": isText ? "text/plain" : "application/json", ...headers },
      body: isText ? body : JSON.stringify(body)
    }
  }
}

/**
 * A server error (default: 500) without a code, as similar services send it.
 *
 * @since 0.1.0
 * @category constructors
 */
export const serverError = (options?: {
  readonly status?: number | undefined
  readonly acts?: boolean | undefined
}): Fault => {
  const status = options?.status ?? 500
  const message = "Internal server error"
  return answered({ status, acts: options?.acts, body: { status, message, errors: { error: message } } })
}

/**
 * A 429 with `Retry-After`, in whole seconds.
 *
 * @since 0.1.0
 * @category constructors
 */
export const rateLimited = (retryAfter: Duration.Input): Fault => {
  const seconds = Math.ceil(Duration.toSeconds(Duration.fromInputUnsafe(retryAfter)))
  return answered({
    status: 429,
    headers: { "retry-after": String(seconds) },
    body: { status: 429, message: "Too many requests" }
  })
}

/**
 * A proxy answers instead of the service, with an HTML page.
 *
 * @since 0.1.0
 * @category constructors
 */
export const html = (options?: {
  readonly status?: number | undefined
  readonly acts?: boolean | undefined
}): Fault => {
  const status = options?.status ?? 502
  return answered({
    status,
    acts: options?.acts,
    headers: { "content-type": "text/html" },
    body: `<html><head><title>${status}</title></head><body><h1>${status}</h1></body></html>`
  })
}

/**
 * The service acts, and a JSON merge patch changes its answer: `null` removes a key. An answer without a body stays as it
 * is.
 *
 * @since 0.1.0
 * @category constructors
 */
export const edited = (patch: Schema.Json): Fault => ({
  name: "edited",
  reach: "Acted",
  ending: { _tag: "Edit", patch }
})

/**
 * Moves a fault to the n-th request from now, counted from 1. If another fault takes that request, this one waits for the next.
 *
 * @since 0.1.0
 * @category combinators
 */
export const nth = (n: number, { occasion, ...fault }: Fault): Fault => ({
  ...fault,
  occasion: { ...occasion, after: Math.max(0, n - 1) }
})

/**
 * Gives a fault a probability per request. Equal seeds (default: 1) choose equal requests.
 *
 * @since 0.1.0
 * @category combinators
 */
export const sometimes = (
  options: { readonly probability: number; readonly seed?: number | undefined },
  { occasion, ...fault }: Fault
): Fault => ({
  ...fault,
  occasion: { ...occasion, probability: options.probability, seed: options.seed ?? 1 }
})
