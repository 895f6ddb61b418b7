/**
 * The errors of the SDK itself. They say what went wrong, and whether the service may have acted. No error holds a
 * request, a header or a token.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { explain, report } from "./OperatorLog.ts"

export { onDefect } from "./OperatorLog.ts"

/**
 * An option is missing or wrong. The layer was not built, and nothing was sent.
 *
 * @since 0.1.0
 * @category errors
 */
export class ConfigurationInvalid extends Schema.TaggedError<ConfigurationInvalid>(
  "@effect-custody/core/SdkError/ConfigurationInvalid"
)("ConfigurationInvalid", {
  /** The path and name of the option. */
  option: Schema.String,
  reason: Schema.String
}) {
  override get message(): string {
    return `${this.option}: ${this.reason}`
  }
}

const Issue = Schema.Struct({
  path: Schema.Array(Schema.Union([Schema.String, Schema.Finite])),
  message: Schema.String
})

/**
 * The input does not fit the endpoint's schema, and nothing was sent. `issues` does not repeat the input's values.
 *
 * @since 0.1.0
 * @category errors
 */
export class InputInvalid extends Schema.TaggedError<InputInvalid>("@effect-custody/core/SdkError/InputInvalid")(
  "InputInvalid",
  {
    operation: Schema.String,
    issues: Schema.Array(Issue)
  }
) {
  override get message(): string {
    const issues = this.issues.map(({ message, path }) =>
      path.length === 0 ? message : `${path.join(".")}: ${message}`
    )
    return `${this.operation} was not sent: ${issues.join("; ")}`
  }
}

/**
 * The environment is a real service, but no contract confirms the endpoint's assumed wire format. Nothing was sent. A read
 * of a sandbox does not fail with this error: it is sent, with a warning.
 *
 * @since 0.1.0
 * @category errors
 */
export class UnconfirmedEndpoint extends Schema.TaggedError<UnconfirmedEndpoint>(
  "@effect-custody/core/SdkError/UnconfirmedEndpoint"
)("UnconfirmedEndpoint", {
  operation: Schema.String,
  /** The assumed method and path. */
  assumed: Schema.String
}) {
  override get message(): string {
    return [
      `${this.operation} was not sent: the specification does not show its wire, and "${this.assumed}" is assumed.`,
      "To confirm it after a look at the service's documentation: Adapter.layer([Adapter.assumed(…)]), or Adapter.make in place of Adapter.assumed if it is not as assumed.",
      "To compare assumed reads with the answers of the sandbox: custody contract probe.",
      "To send it as assumed: Adapter.acceptAssumed. It risks that the service takes the request for another one, such as another amount.",
      "An emulator needs no confirmation: Environment.emulator, or CUSTODY_ENVIRONMENT=emulator."
    ].join("\n")
  }
}

/**
 * The progress of a request without an answer: `NotSent` if the request certainly did not reach the service,
 * `MaybeProcessed` if the service may have acted.
 *
 * @since 0.1.0
 * @category models
 */
export type Phase = "NotSent" | "MaybeProcessed"

/**
 * No answer to a read came. `phase` says whether the request may have reached the service.
 *
 * @since 0.1.0
 * @category errors
 */
export class TransportError extends Schema.TaggedError<TransportError>("@effect-custody/core/SdkError/TransportError")(
  "TransportError",
  {
    operation: Schema.String,
    phase: Schema.Literals(["NotSent", "MaybeProcessed"]),
    /** The transport's reason, such as `ECONNREFUSED`. */
    reason: Schema.String
  }
) {
  override get message(): string {
    const reason = explain(this.reason)
    return this.phase === "NotSent"
      ? `${this.operation} was not sent: ${reason}`
      : `${this.operation} got no whole answer: ${reason}; the service may have received it`
  }
}

/**
 * A call that changes something certainly did not reach the service, and nothing happened.
 *
 * @since 0.1.0
 * @category errors
 */
export class NotSent extends Schema.TaggedError<NotSent>("@effect-custody/core/SdkError/NotSent")("NotSent", {
  operation: Schema.String,
  /** The transport's reason, such as `ECONNREFUSED`. */
  reason: Schema.String
}) {
  override get message(): string {
    return `${this.operation} was not sent: ${explain(this.reason)}`
  }
}

/**
 * A call that changes something ended without a clear answer: **it may have taken effect**. Look up its effect before you
 * send the call again.
 *
 * @since 0.1.0
 * @category errors
 */
export class OutcomeUnknown extends Schema.TaggedError<OutcomeUnknown>("@effect-custody/core/SdkError/OutcomeUnknown")(
  "OutcomeUnknown",
  {
    operation: Schema.String,
    /** SHA-256 of the encoded input, hexadecimal. */
    fingerprint: Schema.String,
    sentAt: Schema.DateTimeUtc,
    /** How the call ended, such as `502` or `ECONNRESET`. */
    reason: Schema.String,
    /** The HTTP status of the answer, if one came. */
    status: Schema.optionalKey(Schema.Int),
    /** What is wrong with the answer, such as `data.id is missing`, or that it is not the service's own. */
    issue: Schema.optionalKey(Schema.String),
    /** The readable fields of an answer with a success status: ids, a status, a hash or a reference. */
    payload: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
    requestIds: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
    /** The operation that shows whether the call took effect. */
    lookUp: Schema.optional(Schema.String)
  }
) {
  override get message(): string {
    const advice = this.lookUp === undefined ? "look it up" : `look it up with ${this.lookUp}`
    const ended = this.issue === undefined ? explain(this.reason) : `${this.reason}: ${this.issue}`
    return `${this.operation} may have happened (${ended}): ${advice} before sending it again`
  }
}

/**
 * The SDK cannot decode the answer to a read. The read changed nothing.
 *
 * @since 0.1.0
 * @category errors
 */
export class UnexpectedResponse extends Schema.TaggedError<UnexpectedResponse>(
  "@effect-custody/core/SdkError/UnexpectedResponse"
)("UnexpectedResponse", {
  operation: Schema.String,
  status: Schema.Int,
  reason: Schema.String,
  requestIds: Schema.Record(Schema.String, Schema.String).pipe(Schema.withConstructorDefault(Effect.succeed({}))),
  /** The body's first characters. Only with `diagnostics: "bodies"`. */
  body: Schema.optionalKey(Schema.String)
}) {
  override get message(): string {
    return `${this.operation} was answered with HTTP ${this.status} that cannot be read: ${this.reason}`
  }
}

/**
 * Receives the `OutcomeUnknown` of a call that is interrupted (by a timeout, or a layer that closes) after it may have
 * taken effect. A receiver provided to the call takes precedence over a receiver provided to the client's layer.
 * Default: log a warning.
 *
 * @example
 * ```ts
 * import { onUncertain } from "@effect-custody/core"
 * import { Effect, Layer } from "effect"
 *
 * const live = Layer.succeed(onUncertain, (error) => Effect.logError("to be reconciled", error.fingerprint, error.sentAt))
 * ```
 *
 * @since 0.1.0
 * @category services
 */
export const onUncertain = Context.Reference<(error: OutcomeUnknown) => Effect.Effect<void>>(
  "@effect-custody/core/onUncertain",
  { defaultValue: () => (error) => report("call.uncertain", error.message) }
)

/**
 * Annotates the cause of an interruption with the outcome of the interrupted call.
 *
 * @since 0.1.0
 * @category services
 */
export class Interrupted extends Context.Service<Interrupted, OutcomeUnknown>()("@effect-custody/core/Interrupted") {}

/**
 * The errors of this module that an endpoint can fail with.
 *
 * @since 0.1.0
 * @category errors
 */
export type SdkError =
  | InputInvalid
  | UnconfirmedEndpoint
  | TransportError
  | NotSent
  | OutcomeUnknown
  | UnexpectedResponse
