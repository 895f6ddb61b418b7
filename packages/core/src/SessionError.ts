/**
 * Why a call has no access token to go with, and what to do about it.
 *
 * Specification: "Authentication", rules a client must observe.
 */
import * as DateTime from "effect/DateTime"
import * as Schema from "effect/Schema"

/** There is no session yet, and none could be started: nothing was sent with the call. */
export class NoSession extends Schema.TaggedError<NoSession>()("NoSession", {
  identity: Schema.String,
  reason: Schema.String
}) {
  override get message(): string {
    return `${this.identity} has no session: ${this.reason}`
  }
}

/** The service no longer accepts the session's refresh token. A person has to make a new API key. */
export class SessionLost extends Schema.TaggedError<SessionLost>()("SessionLost", {
  identity: Schema.String,
  generation: Schema.Int,
  /** When its tokens came: long ago, the store may be an older copy of one that is in use elsewhere. */
  obtainedAt: Schema.optionalKey(Schema.DateTimeUtc),
  /** When the rotation was sent whose answer never came; absent where no answer was lost. */
  answerLostAt: Schema.optionalKey(Schema.DateTimeUtc)
}) {
  override get message(): string {
    const why =
      this.answerLostAt === undefined
        ? `its refresh token${this.obtainedAt === undefined ? "" : `, obtained at ${DateTime.formatIso(this.obtainedAt)},`} was refused, and no newer one is stored: the session was revoked or used elsewhere, or the store is an older copy`
        : "the answer to a rotation was lost, and the refresh token sent with it is dead"
    return `${this.identity}: the session of generation ${this.generation} is lost: ${why}. Make a new API key and start again.`
  }
}

/** A rotation was sent and its answer never came. It is tried once more after `retryAt`. */
export class SessionAmbiguous extends Schema.TaggedError<SessionAmbiguous>()("SessionAmbiguous", {
  identity: Schema.String,
  generation: Schema.Int,
  since: Schema.DateTimeUtc,
  retryAt: Schema.DateTimeUtc
}) {
  override get message(): string {
    return `${this.identity}: whether the session of generation ${this.generation} was rotated is not known yet; the next attempt is due later`
  }
}

/** The session could not be rotated now, and it is certain that nothing changed. It is tried again after `retryAt`. */
export class RefreshUnavailable extends Schema.TaggedError<RefreshUnavailable>()("RefreshUnavailable", {
  identity: Schema.String,
  reason: Schema.String,
  retryAt: Schema.DateTimeUtc
}) {
  override get message(): string {
    return `${this.identity} could not be refreshed: ${this.reason}. The session is as it was.`
  }
}

/** The stored refresh token is malformed (422): sending it again is useless. */
export class StoredSessionInvalid extends Schema.TaggedError<StoredSessionInvalid>()("StoredSessionInvalid", {
  identity: Schema.String,
  reason: Schema.String
}) {
  override get message(): string {
    return `${this.identity}: the stored session cannot be used: ${this.reason}`
  }
}

/** The stored session belongs to another environment: it was not used, and nothing was changed. */
export class SessionOfAnotherEnvironment extends Schema.TaggedError<SessionOfAnotherEnvironment>()(
  "SessionOfAnotherEnvironment",
  { identity: Schema.String, stored: Schema.String, configured: Schema.String }
) {
  override get message(): string {
    return `${this.identity}: the stored session belongs to ${this.stored}, but ${this.configured} is configured`
  }
}

/** The store of sessions could not be read or written. Nothing stored was changed. */
export class TokenStoreError extends Schema.TaggedError<TokenStoreError>()("TokenStoreError", {
  operation: Schema.Literals(["open", "load", "compareAndSwap"]),
  reason: Schema.String
}) {
  override get message(): string {
    return `the token store failed to ${this.operation}: ${this.reason}`
  }
}

/** Why a call has no access token to go with. */
export type SessionError =
  | NoSession
  | SessionLost
  | SessionAmbiguous
  | RefreshUnavailable
  | StoredSessionInvalid
  | SessionOfAnotherEnvironment
  | TokenStoreError
