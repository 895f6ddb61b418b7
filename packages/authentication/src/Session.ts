/**
 * A session, and the record of it that a {@link TokenStore} keeps.
 *
 * Specification: "Token session data", "Rules a client must observe".
 */
import * as Schema from "effect/Schema"
import { AccessToken, RefreshToken } from "./TokenPair.ts"

/** Milliseconds since the Unix epoch. */
const Millis = Schema.Int

/** A pair of tokens and when it came. */
export const Session = Schema.Struct({
  /** 0 for the first tokens of all, one more with each rotation and each new start; it never goes down. */
  generation: Schema.Int,
  /** When the API key was exchanged that the tokens go back to, in milliseconds since the Unix epoch, by our clock. */
  startedAt: Schema.optionalKey(Millis),
  accessToken: AccessToken,
  refreshToken: RefreshToken,
  /** When the access token expires, in milliseconds since the Unix epoch; absent if the service said nothing credible. */
  expiresAt: Schema.optionalKey(Millis),
  /** When the tokens came, in milliseconds since the Unix epoch, by our clock. */
  obtainedAt: Millis,
  /** The vault that the API key belongs to. */
  vaultId: Schema.optionalKey(Schema.Union([Schema.Int, Schema.String]))
})
export type Session = typeof Session.Type

/** Whether a session replaces another: it goes back to a later API key, or to the same one and was rotated since. */
export const isNewer = (session: Session, other: Session | undefined): boolean => {
  if (other === undefined) return true
  const [started, otherStarted] = [session.startedAt ?? 0, other.startedAt ?? 0]
  return started === otherStarted ? session.generation > other.generation : started > otherStarted
}

/** What tells one pair of tokens from every other. Holds no secret. */
export const keyOf = ({ generation, startedAt }: Session): string => `${startedAt ?? 0}.${generation}`

/** Who is changing the session now. It is dead when it has not been renewed for ten seconds. */
export const Lease = Schema.Struct({ owner: Schema.String, renewedAt: Millis })
export interface Lease extends Schema.Schema.Type<typeof Lease> {}

/**
 * The refresh token of a generation is about to be sent: written before it is. `ambiguous`: it was sent, and no answer
 * came that says what became of it; `retryAt`: not to be sent again before.
 */
export const RefreshIntent = Schema.TaggedStruct("Refresh", {
  generation: Schema.Int,
  since: Millis,
  ambiguous: Schema.Boolean,
  retryAt: Schema.optionalKey(Millis)
})
export type RefreshIntent = typeof RefreshIntent.Type

/**
 * A one-time secret that is about to be sent, or was: a refresh token, or an API key, by its fingerprint. `pending`: what
 * is not known of the refresh token that the new session is to replace.
 */
export const Intent = Schema.Union([
  RefreshIntent,
  Schema.TaggedStruct("Start", {
    fingerprint: Schema.String,
    since: Millis,
    ambiguous: Schema.Boolean,
    pending: Schema.optionalKey(RefreshIntent)
  })
])
export type Intent = typeof Intent.Type

/** Why a session of a generation cannot go on; the record is kept for the operator. */
export const End = Schema.Union([
  Schema.TaggedStruct("Lost", { generation: Schema.Int, at: Millis, answerLostAt: Schema.optionalKey(Millis) }),
  Schema.TaggedStruct("Invalid", { generation: Schema.Int, at: Millis, reason: Schema.String })
])
export type End = typeof End.Type

/** Everything that is stored of one session. */
export const SessionRecord = Schema.Struct({
  /** The base address that the session belongs to. */
  environment: Schema.String,
  session: Schema.optionalKey(Session),
  lease: Schema.optionalKey(Lease),
  intent: Schema.optionalKey(Intent),
  end: Schema.optionalKey(End),
  /** Fingerprints of the API keys that were sent: none of them is ever sent again. */
  spentKeys: Schema.Array(Schema.String)
})
export type SessionRecord = typeof SessionRecord.Type

/** The record of a session that has not started. */
export const empty = (environment: string): SessionRecord => ({ environment, spentKeys: [] })
