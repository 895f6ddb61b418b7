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
import type * as Redacted from "effect/Redacted"
import type { Reading } from "./internal/reading.ts"
import type { Intent, Session, SessionRecord } from "./Session.ts"

/** What is wanted of a session. */
export type Purpose =
  /** A newer access token than that of `generation`. `dead`: the service has rejected it as expired. */
  | { readonly _tag: "Refresh"; readonly generation: number; readonly dead: boolean }
  /** The first tokens, for an API key. */
  | { readonly _tag: "Start"; readonly fingerprint: string; readonly apiKey: Redacted.Redacted }

/** What names the secret that a purpose sends: a generation, or the fingerprint of a key. */
export const secretOf = (purpose: Purpose): number | string =>
  purpose._tag === "Refresh" ? purpose.generation : purpose.fingerprint

/** What can happen to a record. */
export type Event =
  | {
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
    }
  | {
      readonly _tag: "Answered"
      readonly purpose: Purpose
      readonly reading: Reading
      /** The intent that stood before the secret was sent this time. */
      readonly before: Intent | undefined
      readonly now: number
    }

/** What to do about it. */
export type Decision =
  /** Use the record's session: it is newer. */
  | { readonly _tag: "Adopt"; readonly session: Session }
  /** Somebody else is changing the record: look again in a moment. */
  | { readonly _tag: "Wait" }
  /** Do nothing now: the access token still serves, and the refresh token may already be spent. */
  | { readonly _tag: "Hold"; readonly session: Session }
  /** Write the record, and if nobody was faster, send the secret. */
  | { readonly _tag: "Send"; readonly record: SessionRecord; readonly secret: Redacted.Redacted }
  /** Write the record with the new session, and only then use it. */
  | { readonly _tag: "Publish"; readonly record: SessionRecord; readonly session: Session }
  /** Write the record: nothing happened to the session, or nobody knows. */
  | { readonly _tag: "Release"; readonly record: SessionRecord; readonly ambiguousSince: number | undefined }
  /** Write the record, if one is given, and fail. */
  | { readonly _tag: "End"; readonly record: SessionRecord | undefined; readonly error: EndError }

export type EndError = NoSession | SessionLost | StoredSessionInvalid | SessionOfAnotherEnvironment

/** Under which name, and of which environment, a session is wanted. */
export interface Identity {
  readonly name: string
  readonly environment: string
}

const timestamp = (millis: number) => DateTime.makeUnsafe(millis)

/** A record without the parts named. */
const without = <K extends "lease" | "intent" | "end">(record: SessionRecord, ...parts: ReadonlyArray<K>): SessionRecord =>
  Object.fromEntries(
    Object.entries(record).filter(([name]) => !(parts as ReadonlyArray<string>).includes(name))
  ) as unknown as SessionRecord

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
export const ended = (identity: Identity, record: SessionRecord): SessionLost | StoredSessionInvalid | undefined => {
  const { end } = record
  if (end === undefined || end.generation !== record.session?.generation) return undefined
  return end._tag === "Invalid"
    ? new StoredSessionInvalid({ identity: identity.name, reason: end.reason })
    : new SessionLost({
        identity: identity.name,
        generation: end.generation,
        ...(end.answerLostAt === undefined ? {} : { answerLostAt: timestamp(end.answerLostAt) })
      })
}

/** Whether an intent is about the same secret as a purpose. */
const concerns = (intent: Intent | undefined, purpose: Purpose): intent is Intent =>
  intent !== undefined &&
  (intent._tag === "Refresh"
    ? purpose._tag === "Refresh" && intent.generation === purpose.generation
    : purpose._tag === "Start" && intent.fingerprint === purpose.fingerprint)

/** The record with the newer of its own session and another. */
const withNewest = (record: SessionRecord, held: Session | undefined): SessionRecord =>
  held !== undefined && held.generation > (record.session?.generation ?? -1) ? { ...record, session: held } : record

const fail = (error: EndError): Decision => ({ _tag: "End", record: undefined, error })

/** What follows from a record when something happens to it. */
export const decide = (identity: Identity, record: SessionRecord, event: Event): Decision => {
  switch (event._tag) {
    case "Requested":
      return requested(identity, record, event)
    case "Answered":
      return event.purpose._tag === "Refresh"
        ? refreshAnswered(identity, record, event, event.purpose)
        : startAnswered(identity, record, event, event.purpose)
  }
}

const requested = (
  identity: Identity,
  loaded: SessionRecord,
  event: Extract<Event, { _tag: "Requested" }>
): Decision => {
  const { leaseIsDead, now, owner, purpose, sent } = event
  const foreign = belongs(identity, loaded)
  if (foreign !== undefined) return fail(foreign)
  const record = withNewest(loaded, event.held)
  const end = ended(identity, record)
  const { lease, session } = record
  if (session !== undefined && end === undefined) {
    if (purpose._tag === "Start" || session.generation > purpose.generation) return { _tag: "Adopt", session }
  }
  if (lease !== undefined && lease.owner !== owner && !leaseIsDead) return { _tag: "Wait" }

  // An intent of our own that was written but never sent, as after a lost acknowledgement, is as good as none.
  const own = lease?.owner === owner && !sent
  const earlier = !own && concerns(record.intent, purpose) ? record.intent : undefined
  const claimed = { ...record, lease: { owner, renewedAt: now } }

  if (purpose._tag === "Start") {
    const spent = record.spentKeys.includes(purpose.fingerprint)
    if (spent && !(own && concerns(record.intent, purpose))) {
      const reason = earlier === undefined ? "it was sent before" : "it was sent, and no answer says what became of it"
      return fail(new NoSession({ identity: identity.name, reason: `this API key must not be sent again: ${reason}. Make a new one` }))
    }
    return {
      _tag: "Send",
      secret: purpose.apiKey,
      record: {
        ...claimed,
        intent: { _tag: "Start", fingerprint: purpose.fingerprint, since: now, ambiguous: false },
        spentKeys: spent ? record.spentKeys : [...record.spentKeys, purpose.fingerprint]
      }
    }
  }

  if (session === undefined) return fail(new NoSession({ identity: identity.name, reason: "none is stored" }))
  if (end !== undefined) return fail(end)
  // The refresh token may be spent: it is worth one more attempt only when there is nothing left to lose.
  if (earlier !== undefined && !purpose.dead) return { _tag: "Hold", session }
  return {
    _tag: "Send",
    secret: session.refreshToken,
    record: {
      ...claimed,
      intent: {
        _tag: "Refresh",
        generation: session.generation,
        since: earlier?.since ?? now,
        ambiguous: earlier !== undefined
      }
    }
  }
}

type Answered = Extract<Event, { _tag: "Answered" }>

const released = (record: SessionRecord, intent: Intent | undefined): SessionRecord => {
  const free = without(record, "lease", "intent")
  return intent === undefined ? free : { ...free, intent }
}

const refreshAnswered = (
  identity: Identity,
  record: SessionRecord,
  { before, now, reading }: Answered,
  purpose: Extract<Purpose, { _tag: "Refresh" }>
): Decision => {
  const { session } = record
  // Whoever was faster, or whatever an operator has put there, stands: the loser of a race declares nobody dead.
  if (session === undefined) return fail(new NoSession({ identity: identity.name, reason: "the record is gone" }))
  if (session.generation > purpose.generation) return { _tag: "Adopt", session }
  const earlier = concerns(before, purpose) ? before : undefined
  switch (reading._tag) {
    case "Tokens": {
      const generation = purpose.generation + 1
      const next: Session = {
        generation,
        accessToken: reading.accessToken,
        refreshToken: reading.refreshToken ?? session.refreshToken,
        ...(reading.expiresAt === undefined ? {} : { expiresAt: reading.expiresAt }),
        obtainedAt: now,
        ...(session.vaultId === undefined ? {} : { vaultId: session.vaultId })
      }
      // A refresh without a new refresh token leaves us one that is probably spent.
      const doubt: Intent | undefined =
        reading.refreshToken === undefined ? { _tag: "Refresh", generation, since: now, ambiguous: true } : undefined
      return { _tag: "Publish", session: next, record: { ...without(released(record, doubt), "end"), session: next } }
    }
    case "Unchanged":
      return { _tag: "Release", record: released(record, earlier), ambiguousSince: undefined }
    case "Unanswered": {
      const since = earlier?.since ?? now
      const intent: Intent = { _tag: "Refresh", generation: purpose.generation, since, ambiguous: true }
      return { _tag: "Release", record: released(record, intent), ambiguousSince: since }
    }
    case "Refused": {
      const end = {
        _tag: "Lost" as const,
        generation: purpose.generation,
        at: now,
        ...(earlier === undefined ? {} : { answerLostAt: earlier.since })
      }
      const lost: SessionRecord = { ...released(record, undefined), end }
      return { _tag: "End", record: lost, error: ended(identity, lost)! }
    }
    case "Malformed": {
      const end = { _tag: "Invalid" as const, generation: purpose.generation, at: now, reason: reading.reason }
      const invalid: SessionRecord = { ...released(record, undefined), end }
      return { _tag: "End", record: invalid, error: ended(identity, invalid)! }
    }
  }
}

const startAnswered = (
  identity: Identity,
  record: SessionRecord,
  { now, reading }: Answered,
  purpose: Extract<Purpose, { _tag: "Start" }>
): Decision => {
  const none = (reason: string, next: SessionRecord): Decision => ({
    _tag: "End",
    record: next,
    error: new NoSession({ identity: identity.name, reason })
  })
  switch (reading._tag) {
    case "Tokens": {
      if (reading.refreshToken === undefined) {
        return none("the answer to the API key held no refresh token. Make a new key", released(record, undefined))
      }
      const session: Session = {
        generation: (record.session?.generation ?? -1) + 1,
        accessToken: reading.accessToken,
        refreshToken: reading.refreshToken,
        ...(reading.expiresAt === undefined ? {} : { expiresAt: reading.expiresAt }),
        obtainedAt: now,
        ...(reading.vaultId === undefined ? {} : { vaultId: reading.vaultId })
      }
      return { _tag: "Publish", session, record: { ...without(released(record, undefined), "end"), session } }
    }
    case "Unchanged": {
      const unspent = record.spentKeys.filter((fingerprint) => fingerprint !== purpose.fingerprint)
      return none(`the API key could not be exchanged (${reading.reason}); it was not used`, {
        ...released(record, undefined),
        spentKeys: unspent
      })
    }
    case "Unanswered":
      return none(
        `the API key was sent, and no answer says what became of it (${reading.reason}). Make a new key`,
        released(record, { _tag: "Start", fingerprint: purpose.fingerprint, since: now, ambiguous: true })
      )
    case "Refused":
    case "Malformed":
      return none(`the service refused the API key (${reading.reason}). Make a new key`, released(record, undefined))
  }
}

/**
 * What to write over a stored record that is not the one our new session was made from; `undefined` if the stored one
 * stands. A record is never replaced by an older generation, and of two of the same generation the stored one wins.
 */
export const reconcile = (stored: SessionRecord, ours: SessionRecord): SessionRecord | undefined => {
  const generation = stored.session?.generation ?? -1
  if (generation >= (ours.session?.generation ?? -1)) return undefined
  return { ...ours, spentKeys: [...new Set([...stored.spentKeys, ...ours.spentKeys])] }
}
