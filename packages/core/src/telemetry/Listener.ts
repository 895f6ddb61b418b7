/**
 * The interface of the metrics, in a separate file so that clients and sessions do not load the metrics.
 *
 * @stability unstable
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { SessionStatus } from "../session/TokenService.ts"

/**
 * The end of a call: the label `outcome` of the metrics, and the attribute `custody.outcome` of a span.
 *
 * - `succeeded`;
 * - `refused`: the service refused the call, and did nothing; `throttled`: the service answered 429;
 * - `uncertain`: **the call may have taken effect** (it failed with `OutcomeUnknown`, or was interrupted);
 * - `not_sent`: the call was certainly not sent;
 * - `unanswered`: a read got no answer, or a 5xx, a 408 or a 499; `unreadable`: the SDK cannot decode the answer to a
 *   read;
 * - `no_token`: the session has no token for the call;
 * - `invalid`: the input is wrong; `unconfirmed`: no contract confirms the wire, so the call was not sent;
 * - `interrupted`: the call ended before it could take effect; `defect`: a bug.
 *
 * @since 0.1.0
 * @category models
 */
export type CallOutcome =
  | "succeeded"
  | "refused"
  | "throttled"
  | "uncertain"
  | "not_sent"
  | "unanswered"
  | "unreadable"
  | "no_token"
  | "invalid"
  | "unconfirmed"
  | "interrupted"
  | "defect"

/** The state of a session for the gauges. */
export interface SessionReading {
  readonly state: SessionStatus["state"]
  readonly generation: number | undefined
  /** The time at which the session got its tokens, in milliseconds since 1970. */
  readonly obtainedAt: number | undefined
  readonly isStored: boolean
}

/** The state of a client for the gauges. */
export interface ClientReading {
  /** The number of extra requests that the retry budget still allows. */
  readonly budgetLeft: number
  /** The number of calls that wait for an access token. */
  readonly waiters: number
}

/**
 * Receives the reports of clients and sessions. `Telemetry.layer` provides a listener. A client or a session looks for
 * the listener when it is built.
 *
 * @since 0.1.0
 * @category services
 */
export interface Listener {
  /** `true` if requests carry the trace of their caller (W3C `traceparent`). */
  readonly sendsTraceContext: boolean
  readonly callEnded: (operation: string, outcome: CallOutcome, seconds: number) => void
  readonly attemptEnded: (operation: string, outcome: string) => void
  readonly rotationEnded: (outcome: string, seconds: number) => void
  /** Counts an event. With `times` 0, starts the event's series at zero, so that monitoring sees the first increase. */
  readonly sessionEvent: (tag: string, times?: number) => void
  /** Shows a session or a client in the gauges until the scope closes. Each time a gauge is read, it calls `read`. */
  readonly showSession: (read: () => SessionReading) => Effect.Effect<void, never, Scope.Scope>
  readonly showClient: (read: () => ClientReading) => Effect.Effect<void, never, Scope.Scope>
}

/**
 * The listener to which clients and sessions report.
 *
 * @since 0.1.0
 * @category services
 */
export const Listener = Context.Reference<Listener | undefined>("@effect-custody/core/Telemetry", {
  defaultValue: () => undefined
})
