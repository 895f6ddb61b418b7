/** The types of the session state machine. `onRequest` decides before the secret is sent, `onResponse` after. */
import type { SupportData } from "@effect-custody/core/unstable/Classification"
import {
  NoSession,
  SessionLost,
  SessionOfAnotherEnvironment,
  StoredSessionInvalid
} from "@effect-custody/core/SessionError"
import * as DateTime from "effect/DateTime"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import { type Intent, isNewer, type RefreshIntent, type Session, type SessionRecord } from "../../Session.ts"
import type { TokenResponse } from "../tokenResponse.ts"

export interface Identity {
  readonly name: string
  readonly environment: string
}

/** A one-time API key, with the SHA-256 that the record keeps instead of it. */
export interface Key {
  readonly apiKey: Redacted.Redacted
  readonly fingerprint: string
}

/** Get a newer access token than the one of `session`. */
export interface Refresh {
  readonly _tag: "Refresh"
  readonly session: Session
  /** Whether the service has rejected the access token of `session`. While it has not, the refresh token is not risked. */
  readonly accessTokenRejected: boolean
}

/** Start a session where there is none. Without a key: only adopt one that another process starts. */
export interface Start {
  readonly _tag: "Start"
  readonly key: Key | undefined
  /** Whether a key that was never sent replaces a session that is there. */
  readonly replaces: boolean
}

export type Purpose = Refresh | Start

/**
 * What a process has seen of another one's lease. `Silent`: it was not renewed for half of the time that a holder may be
 * silent. `Dead`: nor after a challenge, which proves that the store takes writes.
 */
export type LeaseState = "Alive" | "Silent" | "Dead"

export interface Request {
  readonly purpose: Purpose
  readonly owner: string
  /** When this process first sent the secret of `purpose`. `undefined`: never, or it was certainly not used. */
  readonly sentAt: number | undefined
  /** The newest session this process knows. It can be newer than the record: not stored yet, or the store was restored. */
  readonly local: Session | undefined
  readonly leaseState: LeaseState
  readonly now: number
}

export interface Response {
  readonly purpose: Purpose
  readonly owner: string
  readonly response: TokenResponse
  /** The intent from before this send: an earlier send whose outcome is unknown. */
  readonly priorIntent: Intent | undefined
  readonly leaseState: LeaseState
  readonly now: number
}

export type RequestDecision =
  /** Use the record's session: it is newer. */
  | { readonly _tag: "Adopt"; readonly session: Session }
  /** Another process holds the lease: look again in a moment. */
  | { readonly _tag: "Wait" }
  /** The holder of the lease is silent: write this record, which challenges it, and look again. */
  | { readonly _tag: "Challenge"; readonly record: SessionRecord }
  /** Send nothing: the access token still works, and the refresh token may be spent. */
  | { readonly _tag: "KeepServing"; readonly session: Session; readonly ambiguousSince: number }
  /** Only an API key that was never sent can help. `end`: why the stored session cannot go on. */
  | { readonly _tag: "NeedKey"; readonly error: NoSession; readonly end: EndReason | undefined }
  /** Write the record (the claim), then with the mark; if no other process was faster, send the secret. */
  | {
      readonly _tag: "Send"
      readonly record: SessionRecord
      /** Says that the API key is about to be sent. It is written last, and uses up the key. */
      readonly mark: string | undefined
      readonly secret: Redacted.Redacted
      readonly priorIntent: Intent | undefined
    }
  /** Fail; leave the record as it is. */
  | { readonly _tag: "Fail"; readonly error: NoSession | EndReason | SessionOfAnotherEnvironment }

export type ResponseDecision =
  /** Use the session: it is newer. */
  | { readonly _tag: "Adopt"; readonly session: Session }
  /** Another process has taken the record over, or its newer session has ended: leave it alone and look again. */
  | { readonly _tag: "Defer" }
  /** Store the new session, and only then use it. */
  | { readonly _tag: "Store"; readonly record: SessionRecord; readonly session: Session }
  /** Write the record, if there is one. The secret was not used up, or that is unknown. */
  | {
      readonly _tag: "Release"
      readonly response: Extract<TokenResponse, { readonly _tag: "NotSpent" | "InDoubt" }>
      readonly record: SessionRecord | undefined
      readonly ambiguousSince: number | undefined
    }
  /** Write the record, and fail. */
  | { readonly _tag: "End"; readonly record: SessionRecord; readonly error: NoSession | EndReason }

export type EndReason = SessionLost | StoredSessionInvalid

export const isEndReason = (error: { readonly _tag: string }): error is EndReason =>
  error._tag === "SessionLost" || error._tag === "StoredSessionInvalid"

/** Whether a person asks for a start. It waits for no pause. */
export const isExplicit = (purpose: Purpose): boolean => purpose._tag === "Start" && purpose.replaces

export const secretOf = (purpose: Purpose): Redacted.Redacted | undefined =>
  purpose._tag === "Refresh" ? purpose.session.refreshToken : purpose.key?.apiKey

export const sameSecret = (a: Redacted.Redacted | undefined, b: Redacted.Redacted | undefined): boolean =>
  a !== undefined && b !== undefined && Redacted.value(a) === Redacted.value(b)

/** What marks an API key as about to be sent by a process. */
export const markOf = (fingerprint: string, owner: string): string => `${fingerprint} ${owner}`

export const without = (record: SessionRecord, ...parts: ReadonlyArray<"lease" | "intent" | "end">): SessionRecord => {
  const rest = { ...record }
  for (const part of parts) delete rest[part]
  return rest
}

/** A record without session, claim and sent API key moves to this environment: its address accepted nothing. */
export const ofIdentity = ({ environment }: Identity, record: SessionRecord): SessionRecord => {
  const { end, intent, lease, session, spentKeys } = record
  const isOfNone = [end, intent, lease, session].every(Predicate.isUndefined) && spentKeys.length === 0
  return isOfNone && record.environment !== environment ? { ...record, environment } : record
}

export const environmentMismatch = (
  identity: Identity,
  record: SessionRecord
): SessionOfAnotherEnvironment | undefined =>
  record.environment === identity.environment
    ? undefined
    : new SessionOfAnotherEnvironment({
        identity: identity.name,
        stored: record.environment,
        configured: identity.environment
      })

export const isTaken = (
  { lease }: SessionRecord,
  { leaseState, owner }: { readonly owner: string; readonly leaseState: LeaseState }
): boolean => lease !== undefined && lease.owner !== owner && leaseState !== "Dead"

/** Why the record's session cannot go on, if it cannot; with the answer that says so, if it came just now. */
export const endOf = (identity: Identity, record: SessionRecord, support?: SupportData): EndReason | undefined => {
  const { end, session } = record
  if (end === undefined || session === undefined || end.generation !== session.generation) return undefined
  return end._tag === "Invalid"
    ? new StoredSessionInvalid({ identity: identity.name, reason: end.reason, ...support })
    : new SessionLost({
        identity: identity.name,
        generation: end.generation,
        obtainedAt: DateTime.makeUnsafe(session.obtainedAt),
        ...(end.answerLostAt === undefined ? {} : { answerLostAt: DateTime.makeUnsafe(end.answerLostAt) }),
        ...support
      })
}

export const refreshIntentOf = ({ intent }: SessionRecord, session: Session | undefined): RefreshIntent | undefined => {
  const refresh = intent?._tag === "Start" ? intent.pending : intent
  return refresh?.generation === session?.generation ? refresh : undefined
}

export const inDoubtSince = ({ generation }: Session, since: number): RefreshIntent => ({
  _tag: "Refresh",
  generation,
  since,
  ambiguous: true
})

export const lastStartOf = ({ lastStartAt = 0, session }: SessionRecord): number =>
  Math.max(lastStartAt, session?.startedAt ?? 0)

/** The record with the newer of two sessions: its own and another one. An end stays only with its own session. */
export const withNewest = (record: SessionRecord, other: Session | undefined): SessionRecord =>
  other !== undefined && isNewer(other, record.session) ? { ...without(record, "end"), session: other } : record

export const giveKey =
  "Make a new key with the service, and give it once: the option apiKey (CUSTODY_API_KEY for NodeCustody.layerConfig)"

export const noSession = (identity: Identity, reason: string, support?: SupportData) =>
  new NoSession({ identity: identity.name, reason, ...support })
