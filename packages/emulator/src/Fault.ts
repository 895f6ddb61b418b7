/**
 * What can go wrong between a client and the service, as data: how far the request gets, when, and what comes
 * back.
 */
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"

/** What comes back to the client. */
export const Ending = Schema.Union([
  /** The service's own answer. */
  Schema.TaggedStruct("Answer", {}),
  /** Nothing, for ever: the connection stays open. */
  Schema.TaggedStruct("Silence", {}),
  /** Nothing: the connection breaks. `code` is what a transport in the same process reports. */
  Schema.TaggedStruct("Break", { code: Schema.String }),
  /** The service's own answer up to a number of bytes of its body; then the connection breaks. */
  Schema.TaggedStruct("Truncation", { bytes: Schema.Int.pipe(Schema.check(Schema.isGreaterThanOrEqualTo(0))) }),
  /** Another answer in place of the service's. */
  Schema.TaggedStruct("Replacement", {
    status: Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 200, maximum: 599 }))),
    headers: Schema.Record(Schema.String, Schema.String),
    body: Schema.String
  }),
  /** The service's own answer after a JSON merge patch (RFC 7396: `null` takes a key away). */
  Schema.TaggedStruct("Edit", { patch: Schema.Json })
])
export type Ending = typeof Ending.Type

/** Which requests a fault is meant for. Without one: the next. */
export const Occasion = Schema.Struct({
  /** How many requests pass before it. */
  after: Schema.optionalKey(Schema.Int.pipe(Schema.check(Schema.isGreaterThanOrEqualTo(0)))),
  /** How likely it is with each of the others. */
  probability: Schema.optionalKey(Schema.Finite.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 1 })))),
  /** What the chance follows from: the same seed, the same requests. */
  seed: Schema.optionalKey(Schema.Int)
})
export interface Occasion extends Schema.Schema.Type<typeof Occasion> {}

/** One thing that goes wrong, once. Make one with a function of this module. */
export const Fault = Schema.Struct({
  /** What `received` says of it. */
  name: Schema.String,
  /**
   * How far the request gets: `Lost` on the way, `Received` and not acted on, or `Acted` on: a session rotates, money
   * moves.
   */
  reach: Schema.Literals(["Lost", "Received", "Acted"]),
  /** How long the request is on its way. The service acts even if the client has given up by then. */
  arrivesAfter: Schema.optionalKey(Schema.DurationFromMillis),
  /** How long the answer is on its way. */
  answersAfter: Schema.optionalKey(Schema.DurationFromMillis),
  occasion: Schema.optionalKey(Occasion),
  ending: Ending
})
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
 */
export const answerLost = (code = "ECONNRESET"): Fault => ({
  name: "answerLost",
  reach: "Acted",
  ending: { _tag: "Break", code }
})

/**
 * The request never reaches the service. With the default code a client in the same process knows it; over a socket the
 * connection has been accepted by then, and breaks.
 */
export const neverArrived = (code = "ECONNREFUSED"): Fault => ({
  name: "neverArrived",
  reach: "Lost",
  ending: { _tag: "Break", code }
})

/** Nothing comes back, and the connection stays open. */
export const silence = (options?: { readonly acts?: boolean | undefined }): Fault => ({
  name: "silence",
  reach: options?.acts === false ? "Received" : "Acted",
  ending: { _tag: "Silence" }
})

/** The service acts, and the connection breaks after so many bytes of its answer's body. */
export const truncated = (bytes: number): Fault => ({
  name: "truncated",
  reach: "Acted",
  ending: { _tag: "Truncation", bytes }
})

/** The request, or the answer, takes its time. Otherwise all is well. */
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

/** Another answer than the service's. Unless `acts` is true, the service does nothing. */
export const answered = (options: {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Text, or a value that is sent as JSON. */
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

/** The service fails, with the body that such services send: no code. */
export const serverError = (options?: {
  readonly status?: number | undefined
  readonly acts?: boolean | undefined
}): Fault => {
  const status = options?.status ?? 500
  const message = "Internal server error"
  return answered({ status, acts: options?.acts, body: { status, message, errors: { error: message } } })
}

/** The service asks to wait: a 429 with `Retry-After`. */
export const rateLimited = (retryAfter: Duration.Input): Fault => {
  const seconds = Math.ceil(Duration.toSeconds(Duration.fromInputUnsafe(retryAfter)))
  return answered({
    status: 429,
    headers: { "retry-after": String(seconds) },
    body: { status: 429, message: "Too many requests" }
  })
}

/** A proxy answers in the service's place, with a page. */
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
 * The service acts, and its answer is changed by a JSON merge patch on the way: `null` takes a key away.
 *
 * @example
 * ```ts
 * import { Fault } from "@effect-custody/emulator"
 *
 * const withoutExpiry = Fault.edited({ data: { expiresAt: null } })
 * ```
 */
export const edited = (patch: Schema.Json): Fault => ({
  name: "edited",
  reach: "Acted",
  ending: { _tag: "Edit", patch }
})

/**
 * The fault on the n-th request from now, counted from 1. Where another fault takes that request, it waits for the next.
 *
 * @example
 * ```ts
 * import { CustodyEmulator, Fault } from "@effect-custody/emulator"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const { faults } = yield* CustodyEmulator
 *   yield* faults.next("vaults.details", Fault.nth(3, Fault.answerLost()))
 * })
 * ```
 */
export const nth = (n: number, { occasion, ...fault }: Fault): Fault => ({
  ...fault,
  occasion: { ...occasion, after: Math.max(0, n - 1) }
})

/** The fault with some requests and not with others, as chance has it: the same seed, the same requests. */
export const sometimes = (
  options: { readonly probability: number; readonly seed?: number | undefined },
  { occasion, ...fault }: Fault
): Fault => ({
  ...fault,
  occasion: { ...occasion, probability: options.probability, seed: options.seed ?? 1 }
})
