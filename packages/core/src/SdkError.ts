/**
 * The calls that could not be completed on our side: what went wrong, and whether anything can have happened at the
 * service. No error holds a request, a header or a token.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/**
 * An option is missing or wrong: the layer was not built and nothing was sent.
 */
export class ConfigurationInvalid extends Schema.TaggedError<ConfigurationInvalid>()("ConfigurationInvalid", {
  /** The option's name, with its path. */
  option: Schema.String,
  reason: Schema.String
}) {
  override get message(): string {
    return `${this.option}: ${this.reason}`
  }
}

/** One thing that is wrong with an input, and where. */
export const Issue = Schema.Struct({
  path: Schema.Array(Schema.Union([Schema.String, Schema.Finite])),
  message: Schema.String
})
export type Issue = typeof Issue.Type

/**
 * The input does not satisfy the endpoint's schema: nothing was sent. `issues` says what is wrong and where; the
 * values themselves are not repeated.
 */
export class RequestInvalid extends Schema.TaggedError<RequestInvalid>()("RequestInvalid", {
  operation: Schema.String,
  issues: Schema.Array(Issue)
}) {
  override get message(): string {
    const issues = this.issues.map(({ message, path }) =>
      path.length === 0 ? message : `${path.join(".")}: ${message}`
    )
    return `${this.operation} was not sent: ${issues.join("; ")}`
  }
}

/**
 * The wire of this endpoint is our assumption, the environment is a real one, and nobody has confirmed it: nothing was
 * sent. Confirm it with a `WireContract` once the service's own documentation has been read.
 */
export class UnconfirmedEndpoint extends Schema.TaggedError<UnconfirmedEndpoint>()("UnconfirmedEndpoint", {
  operation: Schema.String,
  /** The method and path that are assumed. */
  assumed: Schema.String
}) {
  override get message(): string {
    return (
      `${this.operation} was not sent: the specification does not show its wire, and "${this.assumed}" is assumed. ` +
      `Compare it with the service's documentation, then confirm it: ` +
      `WireContract.layer({ "${this.operation}": true }, CustodyApi), or the differences in place of true.`
    )
  }
}

/** Whether a request that got no answer can have reached the service. */
export const Phase = Schema.Literals(["NotSent", "MaybeProcessed"])
export type Phase = typeof Phase.Type

/**
 * No answer came. `NotSent`: it is certain that the service did not act. `MaybeProcessed`: it may have acted.
 */
export class TransportError extends Schema.TaggedError<TransportError>()("TransportError", {
  operation: Schema.String,
  phase: Phase,
  /** What the transport says, such as `ECONNREFUSED`. */
  reason: Schema.String
}) {
  override get message(): string {
    return this.phase === "NotSent"
      ? `${this.operation} was not sent: ${this.reason}`
      : `${this.operation} got no answer: ${this.reason}; the service may have received it`
  }
}

/**
 * The only `TransportError` that a call which changes something fails with: it is certain that the service saw nothing.
 * Where that is not certain, the call fails with {@link OutcomeUnknown}.
 */
export type NotSent = TransportError & { readonly phase: "NotSent" }

/**
 * A call that changes something ended without saying whether it did: **it may have happened**. Never send it again
 * before it has been looked up.
 */
export class OutcomeUnknown extends Schema.TaggedError<OutcomeUnknown>()("OutcomeUnknown", {
  operation: Schema.String,
  /** SHA-256 of the encoded input, hexadecimal: the same for the same input, and says nothing about it. */
  fingerprint: Schema.String,
  sentAt: Schema.DateTimeUtc,
  /** How the call ended, such as `502` or `ECONNRESET`. */
  reason: Schema.String,
  /** How to find out: the operation that would show it. */
  lookUp: Schema.optional(Schema.String)
}) {
  override get message(): string {
    const advice = this.lookUp === undefined ? "look it up" : `look it up with ${this.lookUp}`
    return `${this.operation} may have happened (${this.reason}): ${advice} before sending it again`
  }
}

/**
 * The service answered a read with something that is not an answer of this endpoint. Nothing was changed by it.
 */
export class UnexpectedResponse extends Schema.TaggedError<UnexpectedResponse>()("UnexpectedResponse", {
  operation: Schema.String,
  status: Schema.Int,
  reason: Schema.String,
  /** The body's first characters. */
  body: Schema.String
}) {
  override get message(): string {
    return `${this.operation} was answered with HTTP ${this.status} that cannot be read: ${this.reason}`
  }
}

/**
 * What is done when a call that changes something is interrupted on its way, so that nobody is left to receive its
 * `OutcomeUnknown`: a fiber that is killed, an `Effect.timeout`, a layer that is closed. It gets the error that the call
 * would have failed with; what it fails with is logged. Unless you say otherwise, it logs a warning.
 *
 * The error is in the interruption's cause as well, under {@link Interrupted}.
 *
 * @example
 * ```ts
 * import { onUncertain } from "@effect-custody/core"
 * import { Effect, Layer } from "effect"
 *
 * const live = Layer.succeed(onUncertain, (error) => Effect.logError("to be reconciled", error.fingerprint, error.sentAt))
 * ```
 */
export const onUncertain = Context.Reference<(error: OutcomeUnknown) => Effect.Effect<void>>(
  "@effect-custody/core/onUncertain",
  { defaultValue: () => (error) => Effect.logWarning(`interrupted: ${error.message}`) }
)

/** In the cause of an interruption that came when a call which changes something was on its way: what is not known. */
export class Interrupted extends Context.Service<Interrupted, OutcomeUnknown>()("@effect-custody/core/Interrupted") {}

/** An error of this module that an endpoint can fail with. */
export type SdkError = RequestInvalid | UnconfirmedEndpoint | TransportError | OutcomeUnknown | UnexpectedResponse
