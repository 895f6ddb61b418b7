/**
 * The life of a session as data: what a record becomes when something happens to it. Pure; the `TokenService` only runs
 * what is decided here.
 *
 * Specification: "Rules a client must observe".
 */
import type {
  NoSession,
  SessionLost,
  SessionOfAnotherEnvironment,
  StoredSessionInvalid
} from "@effect-custody/core/SessionError"
import type * as Redacted from "effect/Redacted"
import { plan } from "./onRequest.ts"
import type { Reading } from "../tokenResponse.ts"
import { reconcile, settle } from "./onResponse.ts"
import type { Intent, Session, SessionRecord } from "../../Session.ts"

/** A one-time API key and what names it without giving it away. */
export interface Key {
  readonly apiKey: Redacted.Redacted
  readonly fingerprint: string
}

/** A newer access token than that of a session. `dead`: the service no longer accepts the one it has. */
export interface Refresh {
  readonly _tag: "Refresh"
  readonly session: Session
  readonly dead: boolean
}

/**
 * A session, where there is none. Without a key, one that somebody else starts. `replaces`: also where there is one, if
 * the key was never sent.
 */
export interface Start {
  readonly _tag: "Start"
  readonly key: Key | undefined
  readonly replaces: boolean
}

/** What is wanted of a session. */
export type Purpose = Refresh | Start

/** Somebody wants something of a session, and has read its record. */
export interface Requested {
  readonly _tag: "Requested"
  readonly purpose: Purpose
  /** Who asks: one name per process and service. */
  readonly owner: string
  /** Whether the asker has itself sent the secret in question and never learned its fate. */
  readonly sent: boolean
  /** The newest session that the asker knows, which may be newer than the record's: not stored yet, or restored from a backup. */
  readonly held: Session | undefined
  /** Whether the lease on the record, if any, has been seen unchanged for longer than a holder may be silent. */
  readonly leaseIsDead: boolean
  readonly now: number
  /** The longest pause that is kept for somebody else, in milliseconds. */
  readonly longestPause: number
}

/** The secret was sent, and it is known how that ended. */
export interface Answered {
  readonly _tag: "Answered"
  readonly purpose: Purpose
  readonly owner: string
  readonly reading: Reading
  /** What was not known of the secret before it was sent this time. */
  readonly earlier: Intent | undefined
  readonly leaseIsDead: boolean
  readonly now: number
  /** Before when a secret whose fate is not known is not to be sent again. */
  readonly retryAt: number
}

/** What can happen to a record. */
export type Event = Requested | Answered

/** What to do when something is wanted. */
export type Plan =
  /** Use the record's session: it is newer. */
  | { readonly _tag: "Adopt"; readonly session: Session }
  /** Somebody else is changing the record: look again in a moment. */
  | { readonly _tag: "Wait" }
  /** Do nothing now: the access token still serves, and the refresh token may already be spent. */
  | { readonly _tag: "Hold"; readonly session: Session; readonly ambiguousSince: number }
  /** Somebody has just tried to no avail: not before `until`. */
  | { readonly _tag: "Pause"; readonly until: number; readonly ambiguousSince: number }
  /** Only a key that was never sent can help. `end`: why the session that is there cannot go on. */
  | { readonly _tag: "NeedKey"; readonly error: NoSession; readonly end: Ended | undefined }
  /** Write the record, and if nobody was faster, send the secret. */
  | {
      readonly _tag: "Send"
      readonly record: SessionRecord
      readonly secret: Redacted.Redacted
      readonly earlier: Intent | undefined
    }
  /** Fail: the record is left as it is. */
  | { readonly _tag: "Fail"; readonly error: EndError }

/** What to do when an answer is there. */
export type Settlement =
  /** Use the record's session: it is newer. */
  | { readonly _tag: "Adopt"; readonly session: Session }
  /** Somebody else has taken the record over: look again when they are done. */
  | { readonly _tag: "Defer" }
  /** Write the record with the new session, and only then use it. */
  | { readonly _tag: "Publish"; readonly record: SessionRecord; readonly session: Session }
  /** Write the record, if one is given: nothing happened to the session, or nobody knows. */
  | {
      readonly _tag: "Release"
      readonly record: SessionRecord | undefined
      readonly ambiguousSince: number | undefined
    }
  /** Write the record, and fail. */
  | { readonly _tag: "End"; readonly record: SessionRecord; readonly error: EndError }

/** Why a session cannot go on. */
export type Ended = SessionLost | StoredSessionInvalid

export type EndError = NoSession | Ended | SessionOfAnotherEnvironment

/** Under which name, and of which environment, a session is wanted. */
export interface Identity {
  readonly name: string
  readonly environment: string
}

/** What follows from a record when something happens to it. */
export const decide = (identity: Identity, record: SessionRecord, event: Event): Plan | Settlement =>
  event._tag === "Requested" ? plan(identity, record, event) : settle(identity, record, event)

export { plan, reconcile, settle }
