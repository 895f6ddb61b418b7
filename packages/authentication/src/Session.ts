/** A session and its stored record. Times are milliseconds since the Unix epoch, by the clock of the writer. */
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { AccessToken, fingerprintKey, isMarked, RefreshToken } from "./secrets.ts"

const Millis = Schema.Int

/**
 * A pair of tokens with its origin.
 *
 * Specification: "Token session data", "Rules a client must observe".
 *
 * @since 0.1.0
 * @category schemas
 */
export const Session = Schema.Struct({
  /** 0 for the first session; one more with each rotation and each new start. It never goes down. */
  generation: Schema.Int,
  /** When the API key of these tokens was claimed, shortly before it was sent. See `lastStartAt` of the record. */
  startedAt: Schema.optionalKey(Millis),
  accessToken: AccessToken,
  refreshToken: RefreshToken,
  /** When the access token expires; absent if the service gave no credible time. */
  expiresAt: Schema.optionalKey(Millis),
  /** When the tokens arrived. */
  obtainedAt: Millis,
  /** The vault that the API key belongs to. */
  vaultId: Schema.optionalKey(Schema.Union([Schema.Int, Schema.String]))
})
/**
 * @since 0.1.0
 * @category models
 */
export type Session = typeof Session.Type

/**
 * `true` if `session` replaces `other`: `session` comes from a later API key, or from the same key after more
 * rotations.
 *
 * @since 0.1.0
 * @category ordering
 */
export const isNewer = (session: Session, other: Session | undefined): boolean => {
  if (other === undefined) return true
  const [started, otherStarted] = [session.startedAt ?? 0, other.startedAt ?? 0]
  if (started !== otherStarted) return started > otherStarted
  return session.generation > other.generation
}

/**
 * Identifies a pair of tokens. Contains no secret.
 *
 * @since 0.1.0
 * @category getters
 */
export const pairId = ({ generation, startedAt }: Session): string => `${startedAt ?? 0}.${generation}`

const RefreshIntent = Schema.TaggedStruct("Refresh", {
  generation: Schema.Int,
  since: Millis,
  /** `true` if the refresh token was sent before without a usable answer. The service may have used it up. */
  ambiguous: Schema.Boolean
})
/**
 * Says that the refresh token of a generation is about to be sent or was sent.
 *
 * @since 0.1.0
 * @category models
 */
export type RefreshIntent = typeof RefreshIntent.Type

const Intent = Schema.Union([
  RefreshIntent,
  Schema.TaggedStruct("Start", {
    fingerprint: Schema.String,
    since: Millis,
    ambiguous: Schema.Boolean,
    /** The intent for the refresh token of the replaced session, if there was one. */
    pending: Schema.optionalKey(RefreshIntent)
  })
])
/**
 * Says which one-time secret is about to be sent or was sent: a refresh token (by its generation) or an API key (by its
 * SHA-256).
 *
 * @since 0.1.0
 * @category models
 */
export type Intent = typeof Intent.Type

const End = Schema.Union([
  Schema.TaggedStruct("Lost", { generation: Schema.Int, at: Millis, answerLostAt: Schema.optionalKey(Millis) }),
  Schema.TaggedStruct("Invalid", { generation: Schema.Int, at: Millis, reason: Schema.String })
])
/**
 * The reason why the session of a generation cannot continue. The record keeps the session's tokens for the operator.
 *
 * @since 0.1.0
 * @category models
 */
export type End = typeof End.Type

/**
 * The stored record of one session.
 *
 * @since 0.1.0
 * @category schemas
 */
export const SessionRecord = Schema.Struct({
  /** The base address that the session belongs to. */
  environment: Schema.String,
  session: Schema.optionalKey(Session),
  /**
   * The process that may change the record. If another process sets `isChallenged`, the owner renews the lease to show
   * that it is alive.
   */
  lease: Schema.optionalKey(
    Schema.Struct({ owner: Schema.String, renewedAt: Millis, isChallenged: Schema.optionalKey(Schema.Boolean) })
  ),
  intent: Schema.optionalKey(Intent),
  end: Schema.optionalKey(End),
  /**
   * A mark (SHA-256 and process) for each API key that was or may have been sent. The SDK never sends such a key again.
   */
  spentKeys: Schema.Array(Schema.String),
  /** When an API key was last claimed. A later claim has a later time, even if the clock of its process is behind. */
  lastStartAt: Schema.optionalKey(Millis)
})
/**
 * @since 0.1.0
 * @category models
 */
export type SessionRecord = typeof SessionRecord.Type

/**
 * The record before a session has started.
 *
 * @since 0.1.0
 * @category constructors
 */
export const empty = (environment: string): SessionRecord => ({ environment, spentKeys: [] })

/**
 * `true` if the record says that an API key was sent. Such a key is never sent again.
 *
 * @since 0.1.0
 * @category guards
 */
export const isSpent = ({ spentKeys }: SessionRecord, apiKey: Redacted.Redacted): boolean =>
  isMarked(spentKeys, fingerprintKey(apiKey))
