/**
 * The life of a session as data: what a record becomes when something happens to it. Pure; the `TokenService` only runs
 * what is decided here.
 *
 * Specification: "Rules a client must observe".
 */
import {
  NoSession,
  SessionLost,
  SessionOfAnotherEnvironment,
  StoredSessionInvalid
} from "@effect-custody/core/SessionError"
import * as DateTime from "effect/DateTime"
import * as Redacted from "effect/Redacted"
import type { Reading } from "./internal/reading.ts"
import { type Intent, isNewer, type RefreshIntent, type Session, type SessionRecord } from "./Session.ts"

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

/** Whether a session is what a refresh wants: newer than the one that it is to replace. */
export const isPast = (session: Session, { session: rejected }: Refresh): boolean => isNewer(session, rejected)

/** The secret that a purpose sends, if it has one. */
export const secretOf = (purpose: Purpose): Redacted.Redacted | undefined =>
  purpose._tag === "Refresh" ? purpose.session.refreshToken : purpose.key?.apiKey

/** Whether two secrets are there, and the same. */
export const sameSecret = (a: Redacted.Redacted | undefined, b: Redacted.Redacted | undefined): boolean =>
  a !== undefined && b !== undefined && Redacted.value(a) === Redacted.value(b)

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

const timestamp = (millis: number) => DateTime.makeUnsafe(millis)

/** A record without the parts named. */
const without = (record: SessionRecord, ...parts: ReadonlyArray<"lease" | "intent" | "end">): SessionRecord => {
  const rest = { ...record }
  for (const part of parts) delete rest[part]
  return rest
}

/** Whether the record belongs to the environment that is configured. */
export const belongs = (identity: Identity, record: SessionRecord): SessionOfAnotherEnvironment | undefined =>
  record.environment === identity.environment
    ? undefined
    : new SessionOfAnotherEnvironment({
        identity: identity.name,
        stored: record.environment,
        configured: identity.environment
      })

/** Why the record's session cannot go on, if it cannot. */
export const ended = (identity: Identity, record: SessionRecord): Ended | undefined => {
  const { end, session } = record
  if (end === undefined || session === undefined || end.generation !== session.generation) return undefined
  return end._tag === "Invalid"
    ? new StoredSessionInvalid({ identity: identity.name, reason: end.reason })
    : new SessionLost({
        identity: identity.name,
        generation: end.generation,
        obtainedAt: timestamp(session.obtainedAt),
        ...(end.answerLostAt === undefined ? {} : { answerLostAt: timestamp(end.answerLostAt) })
      })
}

/** What is written of the refresh token of a session, sent or about to be. */
export const refreshIntentOf = (record: SessionRecord, session: Session): RefreshIntent | undefined => {
  const intent = record.intent?._tag === "Start" ? record.intent.pending : record.intent
  return intent !== undefined && intent.generation === session.generation ? intent : undefined
}

/** What is written of the secret of a purpose. */
const intentOf = (record: SessionRecord, purpose: Purpose): Intent | undefined => {
  const { intent } = record
  if (purpose._tag === "Refresh") return refreshIntentOf(record, purpose.session)
  return intent?._tag === "Start" && intent.fingerprint === purpose.key?.fingerprint ? intent : undefined
}

/** The record with the newer of its own session and another; an end is that of the session that it was written with. */
const withNewest = (record: SessionRecord, held: Session | undefined): SessionRecord =>
  held !== undefined && isNewer(held, record.session) ? { ...without(record, "end"), session: held } : record

const noSession = (identity: Identity, reason: string) => new NoSession({ identity: identity.name, reason })

/** What follows from a record when something is wanted of its session. */
export const plan = (identity: Identity, loaded: SessionRecord, event: Requested): Plan => {
  const { held, leaseIsDead, owner, purpose, sent } = event
  const foreign = belongs(identity, loaded)
  if (foreign !== undefined) return { _tag: "Fail", error: foreign }
  const known = withNewest(loaded, held)
  // What was rejected is the least that there is, whatever has become of the record.
  const record = purpose._tag === "Refresh" ? withNewest(known, purpose.session) : known
  const end = ended(identity, record)
  const { lease, session } = record
  const live = end === undefined ? session : undefined
  if (live !== undefined && !wants(record, purpose, live)) return { _tag: "Adopt", session: live }
  if (lease !== undefined && lease.owner !== owner && !leaseIsDead) return { _tag: "Wait" }

  // An intent of our own that was written but never sent, as after a lost acknowledgement, is as good as none.
  const intent = intentOf(record, purpose)
  const unsent = lease?.owner === owner && !sent && intent?.ambiguous === false
  const earlier = unsent ? undefined : intent
  return purpose._tag === "Refresh"
    ? planRefresh(identity, record, event, purpose, earlier)
    : planStart(identity, record, event, purpose, { earlier, unsent })
}

/** Whether a purpose wants anything but the live session that is there. */
const wants = (record: SessionRecord, purpose: Purpose, live: Session): boolean =>
  purpose._tag === "Refresh"
    ? !isPast(live, purpose)
    : purpose.replaces && purpose.key !== undefined && !record.spentKeys.includes(purpose.key.fingerprint)

const planRefresh = (
  identity: Identity,
  record: SessionRecord,
  { longestPause, now, owner }: Requested,
  purpose: Refresh,
  earlier: Intent | undefined
): Plan => {
  const { session } = record
  if (session === undefined) return { _tag: "Fail", error: noSession(identity, "none is stored") }
  const end = ended(identity, record)
  if (end !== undefined) return { _tag: "Fail", error: end }
  // The refresh token may be spent: it is worth one more attempt only when there is nothing left to lose.
  if (earlier !== undefined && !purpose.dead) return { _tag: "Hold", session, ambiguousSince: earlier.since }
  const retryAt = earlier?._tag === "Refresh" ? (earlier.retryAt ?? 0) : 0
  if (earlier !== undefined && now < retryAt && retryAt - now <= longestPause) {
    return { _tag: "Pause", until: retryAt, ambiguousSince: earlier.since }
  }
  const intent: Intent = {
    _tag: "Refresh",
    generation: session.generation,
    since: earlier?.since ?? now,
    ambiguous: earlier !== undefined
  }
  return {
    _tag: "Send",
    secret: session.refreshToken,
    earlier,
    record: { ...record, lease: { owner, renewedAt: now }, intent }
  }
}

const planStart = (
  identity: Identity,
  record: SessionRecord,
  { now, owner }: Requested,
  { key }: Start,
  { earlier, unsent }: { readonly earlier: Intent | undefined; readonly unsent: boolean }
): Plan => {
  const need = (reason: string): Plan => ({
    _tag: "NeedKey",
    error: noSession(identity, reason),
    end: ended(identity, record)
  })
  if (key === undefined) return need("none is stored, and no API key is given")
  const spent = record.spentKeys.includes(key.fingerprint)
  if (spent && !unsent) {
    const reason = earlier === undefined ? "it was sent before" : "it was sent, and no answer says what became of it"
    return need(`this API key must not be sent again: ${reason}. Make a new one`)
  }
  const pending = record.session === undefined ? undefined : refreshIntentOf(record, record.session)
  return {
    _tag: "Send",
    secret: key.apiKey,
    earlier,
    record: {
      ...record,
      lease: { owner, renewedAt: now },
      intent: {
        _tag: "Start",
        fingerprint: key.fingerprint,
        since: now,
        ambiguous: false,
        ...(pending === undefined ? {} : { pending })
      },
      spentKeys: spent ? record.spentKeys : [...record.spentKeys, key.fingerprint]
    }
  }
}

/** What follows from a record when the secret of a purpose was sent. */
export const settle = (identity: Identity, record: SessionRecord, event: Answered): Settlement =>
  event.purpose._tag === "Refresh"
    ? settleRefresh(identity, record, event, event.purpose)
    : settleStart(identity, record, event, event.purpose)

/** What follows from a record when something happens to it. */
export const decide = (identity: Identity, record: SessionRecord, event: Event): Plan | Settlement =>
  event._tag === "Requested" ? plan(identity, record, event) : settle(identity, record, event)

/** Whether somebody else is at work on a record. */
const isTaken = (record: SessionRecord, { leaseIsDead, owner }: Answered): boolean =>
  record.lease !== undefined && record.lease.owner !== owner && !leaseIsDead

const released = (record: SessionRecord, intent: Intent | undefined): SessionRecord => {
  const free = without(record, "lease", "intent")
  return intent === undefined ? free : { ...free, intent }
}

type Tokens = Extract<Reading, { readonly _tag: "Tokens" }>

const sessionOf = (
  { accessToken, expiresAt }: Tokens,
  refreshToken: Redacted.Redacted,
  rest: Pick<Session, "generation" | "obtainedAt" | "startedAt" | "vaultId">
): Session => ({
  ...rest,
  accessToken,
  refreshToken,
  ...(expiresAt === undefined ? {} : { expiresAt })
})

const settleRefresh = (identity: Identity, record: SessionRecord, event: Answered, purpose: Refresh): Settlement => {
  const { now, owner, reading, retryAt } = event
  const { session } = record
  // Whoever was faster, or whatever an operator has put there, stands: the loser of a race declares nobody dead.
  if (session !== undefined && isNewer(session, purpose.session)) return { _tag: "Adopt", session }
  if (reading._tag === "Tokens") return refreshed(record, purpose.session, reading, now)
  if (isTaken(record, event)) return { _tag: "Defer" }
  const held = withNewest(record, purpose.session)
  const { generation } = purpose.session
  const written = refreshIntentOf(record, purpose.session)
  const ours = record.lease?.owner === owner
  const earlier = ours ? event.earlier : (written ?? event.earlier)
  switch (reading._tag) {
    case "Unchanged":
      return {
        _tag: "Release",
        record: ours ? released(record, earlier) : undefined,
        ambiguousSince: earlier?.since
      }
    case "Unanswered": {
      const since = (earlier ?? written)?.since ?? now
      const intent: Intent = {
        _tag: "Refresh",
        generation,
        since,
        ambiguous: true,
        ...(earlier === undefined ? {} : { retryAt })
      }
      return { _tag: "Release", record: released(held, intent), ambiguousSince: since }
    }
    case "Refused": {
      const answerLostAt = earlier === undefined ? {} : { answerLostAt: earlier.since }
      const end = { _tag: "Lost" as const, generation, at: now, ...answerLostAt }
      const lost: SessionRecord = { ...released(held, undefined), end }
      return { _tag: "End", record: lost, error: ended(identity, lost)! }
    }
    case "Malformed": {
      const end = { _tag: "Invalid" as const, generation, at: now, reason: reading.reason }
      const invalid: SessionRecord = { ...released(held, undefined), end }
      return { _tag: "End", record: invalid, error: ended(identity, invalid)! }
    }
  }
}

const refreshed = (record: SessionRecord, from: Session, reading: Tokens, now: number): Settlement => {
  const refreshToken = reading.refreshToken ?? from.refreshToken
  const session = sessionOf(reading, refreshToken, {
    generation: from.generation + 1,
    obtainedAt: now,
    ...(from.startedAt === undefined ? {} : { startedAt: from.startedAt }),
    ...(from.vaultId === undefined ? {} : { vaultId: from.vaultId })
  })
  // A refresh without a new refresh token, or with the same, leaves us one that is probably spent.
  const doubt: Intent | undefined = sameSecret(refreshToken, from.refreshToken)
    ? { _tag: "Refresh", generation: session.generation, since: now, ambiguous: true }
    : undefined
  return { _tag: "Publish", session, record: { ...without(released(record, doubt), "end"), session } }
}

const settleStart = (identity: Identity, record: SessionRecord, event: Answered, { key }: Start): Settlement => {
  const { now, reading } = event
  if (reading._tag === "Tokens" && reading.refreshToken !== undefined) {
    const { session: old } = record
    const session = sessionOf(reading, reading.refreshToken, {
      generation: (old?.generation ?? -1) + 1,
      startedAt: Math.max(now, (old?.startedAt ?? 0) + 1),
      obtainedAt: now,
      ...(reading.vaultId === undefined ? {} : { vaultId: reading.vaultId })
    })
    return { _tag: "Publish", session, record: { ...without(released(record, undefined), "end"), session } }
  }
  // The key is written down as sent, which is all that has to be kept of it.
  if (isTaken(record, event)) return { _tag: "Defer" }
  const pending = record.session === undefined ? undefined : refreshIntentOf(record, record.session)
  const none = (reason: string, next: SessionRecord): Settlement => ({
    _tag: "End",
    record: next,
    error: noSession(identity, reason)
  })
  switch (reading._tag) {
    case "Unchanged":
      return none(`the API key could not be exchanged (${reading.reason}); it was not used`, {
        ...released(record, pending),
        spentKeys: record.spentKeys.filter((fingerprint) => fingerprint !== key?.fingerprint)
      })
    case "Unanswered": {
      const intent: Intent = {
        _tag: "Start",
        fingerprint: key?.fingerprint ?? "",
        since: now,
        ambiguous: true,
        ...(pending === undefined ? {} : { pending })
      }
      return none(
        `the API key was sent, and no answer says what became of it (${reading.reason}). Make a new key`,
        released(record, intent)
      )
    }
    case "Tokens":
      return none("the answer to the API key held no refresh token. Make a new key", released(record, pending))
    case "Refused":
    case "Malformed":
      return none(`the service refused the API key (${reading.reason}). Make a new key`, released(record, pending))
  }
}

/**
 * What to write over a stored record that is not the one our new session was made from; `undefined` if the stored one
 * stands. A record is never replaced by an older session, and of two of the same generation the stored one wins.
 */
export const reconcile = (stored: SessionRecord, ours: SessionRecord): SessionRecord | undefined => {
  if (ours.session === undefined || !isNewer(ours.session, stored.session)) return undefined
  const generation = Math.max(ours.session.generation, (stored.session?.generation ?? -1) + 1)
  return {
    ...ours,
    session: { ...ours.session, generation },
    spentKeys: [...new Set([...stored.spentKeys, ...ours.spentKeys])]
  }
}
