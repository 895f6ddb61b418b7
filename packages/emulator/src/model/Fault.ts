/**
 * Faults between a client and the service, as data. A fault sets how far the request gets, its delays, and how the
 * exchange ends for the client.
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import * as Refusal from "./Refusal.ts"

/** How the exchange ends for the client. */
const Ending = Schema.Union([
  /** The client gets the service's own answer. */
  Schema.TaggedStruct("Answer", {}),
  /** The client gets no answer, and the connection stays open. */
  Schema.TaggedStruct("Silence", {}),
  /** The connection breaks without an answer. `code` is the error code that the in-process transport reports. */
  Schema.TaggedStruct("Break", { code: Schema.String }),
  /** The client gets the first bytes of the body of the service's own answer. Then the connection breaks. */
  Schema.TaggedStruct("Truncation", { bytes: Schema.Int.pipe(Schema.check(Schema.isGreaterThanOrEqualTo(0))) }),
  /** The client gets this answer instead of the service's own. */
  Schema.TaggedStruct("Replacement", {
    status: Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 200, maximum: 599 }))),
    headers: Schema.Record(Schema.String, Schema.String),
    body: Schema.String
  }),
  /** A JSON merge patch (RFC 7396) changes the service's own answer: `null` removes a key. An empty body stays empty. */
  Schema.TaggedStruct("Edit", { patch: Schema.Json })
])
/** The requests that get the fault. Default: the next one. */
const Occasion = Schema.Struct({
  /** The number of requests that pass first, without the fault. */
  after: Schema.optionalKey(Schema.Int.pipe(Schema.check(Schema.isGreaterThanOrEqualTo(0)))),
  /** The probability, from 0 to 1, that a request gets the fault after the first `after` requests. */
  probability: Schema.optionalKey(Schema.Finite.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 1 })))),
  /** The same seed always chooses the same requests. */
  seed: Schema.optionalKey(Schema.Int)
})
/**
 * A fault of one exchange. Create it with a function of this module.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Fault = Schema.Struct({
  /** The fault's name in `received`. */
  name: Schema.String,
  /**
   * How far the request gets. `Lost`: the request never arrives. `Received`: the request arrives, and the service does
   * nothing. `Acted`: the service carries out the request.
   */
  reach: Schema.Literals(["Lost", "Received", "Acted"]),
  /** The delay of the request. The service acts even if the client gives up meanwhile. */
  arrivesAfter: Schema.optionalKey(Schema.DurationFromMillis),
  /** The delay of the answer. */
  answersAfter: Schema.optionalKey(Schema.DurationFromMillis),
  /** How long after its arrival the service carries out the request. The exchange with the client ends earlier. */
  actsAfter: Schema.optionalKey(Schema.DurationFromMillis),
  occasion: Schema.optionalKey(Occasion),
  ending: Ending
})
/**
 * @since 0.1.0
 * @category models
 */
export interface Fault extends Schema.Schema.Type<typeof Fault> {}

/**
 * The service acts, and the connection breaks before its answer arrives.
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
 * The request never reaches the service. In process, the client learns from the default code that the request did not
 * arrive. Over a socket, the server accepts the connection and then breaks it.
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
 * The service acts, and the connection breaks after the given number of bytes of the answer's body.
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
 * The client gets this answer instead of the service's own. Unless `acts` is true, the service does nothing.
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
 * The service does nothing and answers with an error. `refused("E40003")` is a 498: the access token of the request has
 * expired, and a refresh works.
 *
 * @since 0.1.0
 * @category constructors
 */
export const refused = (refusal: Refusal.Refusal): Fault => {
  const { ending, name, reach } = answered(Refusal.answer(refusal))
  const code = typeof refusal === "string" ? refusal : refusal.code
  return { name: code === undefined ? name : `refused with ${code}`, reach, ending }
}

/**
 * A server error (default: 500) without an error code, as similar services send.
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
 * The service acts, and a JSON merge patch changes its answer. In the patch, `null` removes a key. An answer without a
 * body is not changed.
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
 * Ends the exchange as the fault says, and carries out the request after `delay`. So a write that seemed to fail
 * appears late. If the fault's ending needs the service's own answer, the connection breaks instead.
 *
 * @example
 * ```ts
 * import { Fault } from "@effect-custody/emulator"
 *
 * const timeout = Fault.late("30 seconds", Fault.serverError({ status: 504 }))
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const late = (delay: Duration.Input, { name, ...fault }: Fault): Fault => ({
  ...fault,
  name: `${name}, late`,
  reach: "Acted",
  actsAfter: Duration.fromInputUnsafe(delay)
})

/**
 * Makes a fault wait for the n-th request after its injection, counted from 1. If another fault takes that request,
 * this fault waits for the next request.
 *
 * @since 0.1.0
 * @category combinators
 */
export const nth = (n: number, { occasion, ...fault }: Fault): Fault => ({
  ...fault,
  occasion: { ...occasion, after: Math.max(0, n - 1) }
})

/**
 * Gives a fault a probability per request. The same seed (default: 1) always chooses the same requests.
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
