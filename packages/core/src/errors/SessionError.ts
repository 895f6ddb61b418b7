/**
 * The errors of a call that has no access token. Their messages say what to do. A rotation (or refresh) replaces the
 * tokens.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as CatchGroup from "./catchGroup.ts"
import { explain } from "./OperatorLog.ts"

/** Facts for the service's support, if the service answered. */
const supportFields = {
  status: Schema.optionalKey(Schema.Int),
  code: Schema.optionalKey(Schema.String),
  requestIds: Schema.Record(Schema.String, Schema.String).pipe(Schema.withConstructorDefault(Effect.succeed({})))
}

const describeAnswer = ({ code, requestIds, status }: Schema.Struct.Type<typeof supportFields>): string => {
  if (status === undefined) return ""
  const ids = Object.entries(requestIds).map(([name, id]) => `${name} ${id}`)
  return ` The answer was ${[`HTTP ${status}`, ...(code === undefined ? [] : [code]), ...ids].join(", ")}.`
}

/**
 * There is no session. A person has to start one with a new API key. If the service refused the API key, `code` is
 * E00401 (not valid) or E00402 (malformed).
 *
 * @since 0.1.0
 * @category errors
 */
export class NoSession extends Schema.TaggedError<NoSession>("@effect-custody/core/SessionError/NoSession")(
  "NoSession",
  {
    identity: Schema.String,
    reason: Schema.String,
    ...supportFields
  }
) {
  override get message(): string {
    return `there is no session "${this.identity}": ${this.reason}.${describeAnswer(this)}`
  }
}

/**
 * The service no longer accepts the session's refresh token. A person has to create a new API key.
 *
 * @since 0.1.0
 * @category errors
 */
export class SessionLost extends Schema.TaggedError<SessionLost>("@effect-custody/core/SessionError/SessionLost")(
  "SessionLost",
  {
    identity: Schema.String,
    generation: Schema.Int,
    /** When the session got its tokens. If that was long ago, the store may be an old copy of a store in use elsewhere. */
    obtainedAt: Schema.optionalKey(Schema.DateTimeUtc),
    /** When the SDK sent the rotation whose answer was lost; absent if no answer was lost. */
    answerLostAt: Schema.optionalKey(Schema.DateTimeUtc),
    ...supportFields
  }
) {
  override get message(): string {
    const why =
      this.answerLostAt === undefined
        ? `its refresh token${this.obtainedAt === undefined ? "" : `, obtained at ${DateTime.formatIso(this.obtainedAt)},`} was refused, and no newer one is stored: the session was revoked or used elsewhere, or the store is an older copy`
        : "the answer to a rotation was lost, and the refresh token sent with it is dead"
    return `${this.identity}: the session of generation ${this.generation} is lost: ${why}. Create a new API key and start again.${describeAnswer(this)}`
  }
}

/**
 * A rotation was sent, and its answer was lost. The SDK sends the rotation once more after `retryAt`.
 *
 * @since 0.1.0
 * @category errors
 */
export class SessionAmbiguous extends Schema.TaggedError<SessionAmbiguous>(
  "@effect-custody/core/SessionError/SessionAmbiguous"
)("SessionAmbiguous", {
  identity: Schema.String,
  generation: Schema.Int,
  since: Schema.DateTimeUtc,
  retryAt: Schema.DateTimeUtc,
  ...supportFields
}) {
  override get message(): string {
    return `${this.identity}: it is not yet known whether the refresh of generation ${this.generation} succeeded; the next attempt is due at ${DateTime.formatIso(this.retryAt)}.${describeAnswer(this)}`
  }
}

/**
 * The session cannot be rotated or started now, and no refresh token or API key was spent. Until `retryAt`, calls wait
 * within their deadline and retry policy.
 *
 * @since 0.1.0
 * @category errors
 */
export class RefreshUnavailable extends Schema.TaggedError<RefreshUnavailable>(
  "@effect-custody/core/SessionError/RefreshUnavailable"
)("RefreshUnavailable", {
  identity: Schema.String,
  /**
   * - `NotSent`: the request certainly did not reach the service;
   * - `Throttled`: the service answered 429;
   * - `Rejected`: the service answered with another 4xx, or with tokens that no header can carry. Calls do not wait,
   *   because the rejection may last;
   * - `Stopped`: this client stopped, because it is closing or has an internal error. Calls do not wait.
   */
  phase: Schema.Literals(["NotSent", "Throttled", "Rejected", "Stopped"]),
  reason: Schema.String,
  retryAt: Schema.DateTimeUtc,
  /** `true` if the start of a session failed, not a rotation. Calls do not wait, because the address may be wrong. */
  isStart: Schema.optionalKey(Schema.Boolean),
  ...supportFields
}) {
  override get message(): string {
    const retryAt = DateTime.formatIso(this.retryAt)
    const what = this.isStart === true ? "was not started" : "has no new tokens"
    return `the session "${this.identity}" ${what}: ${explain(this.reason)}. Nothing was spent; the next attempt is due at ${retryAt}.${describeAnswer(this)}`
  }
}

/**
 * The service refused the stored refresh token as malformed (E00402). Only a new API key helps.
 *
 * @since 0.1.0
 * @category errors
 */
export class StoredSessionInvalid extends Schema.TaggedError<StoredSessionInvalid>(
  "@effect-custody/core/SessionError/StoredSessionInvalid"
)("StoredSessionInvalid", {
  identity: Schema.String,
  reason: Schema.String,
  ...supportFields
}) {
  override get message(): string {
    return `${this.identity}: the service refused the stored refresh token as malformed (${this.reason}). Start again with a new API key.${describeAnswer(this)}`
  }
}

/**
 * The stored session belongs to another environment. The SDK did not use the session, and changed nothing.
 *
 * @since 0.1.0
 * @category errors
 */
export class SessionOfAnotherEnvironment extends Schema.TaggedError<SessionOfAnotherEnvironment>(
  "@effect-custody/core/SessionError/SessionOfAnotherEnvironment"
)("SessionOfAnotherEnvironment", { identity: Schema.String, stored: Schema.String, configured: Schema.String }) {
  override get message(): string {
    return (
      `${this.identity}: the stored session belongs to ${this.stored}, but ${this.configured} is configured. ` +
      `Use another identity or another store.`
    )
  }
}

/**
 * The SDK could not read or write the session store. Nothing in the store has changed. Until `retryAt`, calls wait
 * within their deadline and retry policy.
 *
 * @since 0.1.0
 * @category errors
 */
export class TokenStoreError extends Schema.TaggedError<TokenStoreError>(
  "@effect-custody/core/SessionError/TokenStoreError"
)("TokenStoreError", {
  operation: Schema.Literals(["open", "load", "compareAndSwap"]),
  reason: Schema.String,
  /** When the SDK asks the store again; present only if a call needed a token. */
  retryAt: Schema.optionalKey(Schema.DateTimeUtc)
}) {
  override get message(): string {
    return `the token store failed to ${this.operation}: ${this.reason}`
  }
}

/**
 * The errors of a call that has no access token.
 *
 * Specification: "Authentication", rules a client must observe.
 *
 * @since 0.1.0
 * @category errors
 */
export type SessionError =
  | NoSession
  | SessionLost
  | SessionAmbiguous
  | RefreshUnavailable
  | StoredSessionInvalid
  | SessionOfAnotherEnvironment
  | TokenStoreError

/**
 * The classes of the errors of a call that has no access token.
 *
 * @since 0.1.0
 * @category constants
 */
export const sessionErrors = [
  NoSession,
  SessionLost,
  SessionAmbiguous,
  RefreshUnavailable,
  StoredSessionInvalid,
  SessionOfAnotherEnvironment,
  TokenStoreError
] as const

/**
 * `true` if a value is one of the seven errors of a call that has no access token. Checks the class.
 *
 * @since 0.1.0
 * @category guards
 */
export const isSessionError: (error: unknown) => error is SessionError = Schema.is(Schema.Union(sessionErrors))

/**
 * Handles the seven errors of a call that has no access token, and removes them from the error type.
 *
 * @example
 * ```ts
 * import { catchSession } from "@effect-custody/core"
 * import { Vaults } from "@effect-custody/sdk"
 * import { Effect } from "effect"
 *
 * const details = Vaults.details().pipe(catchSession((error) => Effect.logError(error.message)))
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const catchSession: CatchGroup.CatchGroup<SessionError> = CatchGroup.make(isSessionError)
