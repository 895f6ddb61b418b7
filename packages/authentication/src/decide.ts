/**
 * Everything that a rotation decides, in the order in which it happens. Pure.
 *
 * 1. `onLook`, before the one-time secret is sent: send it, use a stored session, wait, or fail. Before a process sends
 *    a secret, it writes a claim to the stored record: its lease (which process sends) and its intent (which secret).
 * 2. `onRenewal`, while the secret is sent: renew the lease, or see that another process has it.
 * 3. `onResponse`, after the response: store the new session, release the record, or end the session.
 * 4. `onReload`, after a 401: which token a call tries next.
 */
import { NoSession } from "@effect-custody/core/SessionError"
import type * as Redacted from "effect/Redacted"
import * as Records from "./record.ts"
import { isMarked, type Key, markKey } from "./secrets.ts"
import { type End, type Intent, isNewer, pairId, type Session, type SessionRecord } from "./Session.ts"
import { findSent, liveSession, type SessionState, withMarks } from "./sessionState.ts"
import type { TokenResponse, Tokens } from "./tokenEndpoint.ts"
import type { Stored } from "./TokenStore.ts"

/** Get an access token newer than the token of `session`. */
export interface Refresh {
  readonly _tag: "Refresh"
  readonly session: Session
  /**
   * `true` if the service has rejected the access token of `session`. If `false`, a refresh token that may be spent is
   * not sent.
   */
  readonly accessTokenRejected: boolean
}

/** Start a session if none is live. Without a key, only adopt a session that another process starts. */
export interface Start {
  readonly _tag: "Start"
  readonly key: Key | undefined
  /** `true` if a key that was never sent may replace an existing session. */
  readonly replaces: boolean
}

export type Purpose = Refresh | Start

export type RequestDecision =
  /** Use the record's session. No secret has to be sent. */
  | { readonly _tag: "Adopt"; readonly session: Session }
  /** Another process holds the lease: load the record again soon. */
  | { readonly _tag: "Wait" }
  /** The holder of the lease is silent: write this record, which challenges the holder, and load the record again. */
  | { readonly _tag: "Challenge"; readonly record: SessionRecord }
  /** Send nothing, because the access token still works, and the refresh token may be spent. */
  | { readonly _tag: "KeepServing"; readonly session: Session; readonly ambiguousSince: number }
  /** An API key that was never sent is needed. `end`: why the stored session cannot continue. */
  | { readonly _tag: "NeedKey"; readonly error: NoSession; readonly end: Records.EndReason | undefined }
  /**
   * Write `record`, which is the claim. If there is a mark, write the record again with the mark. If no other process
   * was faster, send the secret.
   */
  | {
      readonly _tag: "Send"
      readonly record: SessionRecord
      /**
       * The text that marks an API key as about to be sent. Once the mark is stored, the key counts as spent.
       * `undefined` for a refresh token.
       */
      readonly mark: string | undefined
      readonly secret: Redacted.Redacted
      readonly priorIntent: Intent | undefined
    }
  /** Fail; leave the record as it is. */
  | { readonly _tag: "Fail"; readonly error: NoSession | Records.EndReason }

/** `true` if a person called `TokenService.start`. Such a start does not wait for a pause to end. */
export const isExplicit = (purpose: Purpose | undefined): boolean => purpose?._tag === "Start" && purpose.replaces

/** The process that looks at the record. */
interface Looker {
  readonly identity: Records.Identity
  readonly owner: string
  readonly leaseTimeout: number
}

export const giveKey =
  "Make a new key with the service, and give it once: the option apiKey (CUSTODY_API_KEY for NodeCustody.layerConfig())"

const noSession = (identity: Records.Identity, reason: string) => new NoSession({ identity: identity.name, reason })

export const isTaken = ({ lease }: SessionRecord, { owner }: { readonly owner: string }): boolean =>
  lease !== undefined && lease.owner !== owner

/** Decides from the stored record and from the state of this process (`known`) what to do next. */
export const onLook = (
  looker: Looker,
  purpose: Purpose,
  known: SessionState,
  stored: Stored,
  now: number
): RequestDecision => {
  const { identity, leaseTimeout } = looker
  const loaded = withMarks(stored.record, known)
  // The store may not have this process's session yet, or may have lost it in a restore.
  const newest = Records.withNewest(Records.withoutMarks(loaded, known.unsent), liveSession(known))
  // If the stored session is older than the rejected session, decide on the rejected session.
  const record = purpose._tag === "Refresh" ? Records.withNewest(newest, purpose.session) : newest
  const { lease, session } = record
  const live = Records.endReason(identity, record) === undefined ? session : undefined
  if (live !== undefined && satisfies(record, purpose, live)) return { _tag: "Adopt", session: live }
  const leaseState = Records.judge(known.watch, stored, leaseTimeout)
  if (lease !== undefined && isTaken(record, looker) && leaseState !== "Dead") {
    return leaseState === "Silent"
      ? { _tag: "Challenge", record: { ...loaded, lease: { ...lease, isChallenged: true } } }
      : { _tag: "Wait" }
  }
  const priorIntent = priorRequestIntent(record, purpose)
  if (purpose._tag === "Start") return onStart(looker, record, purpose, priorIntent, now)
  // A secret that this process has sent counts as sent, even if the record no longer says so.
  const sentAt = findSent(known, purpose.session.refreshToken)?.at
  const ours = sentAt === undefined ? undefined : Records.ambiguousIntent(purpose.session, sentAt)
  return onRefresh(looker, record, purpose, priorIntent ?? ours, now)
}

const satisfies = (record: SessionRecord, purpose: Purpose, live: Session): boolean => {
  if (purpose._tag === "Refresh") return isNewer(live, purpose.session)
  const { key, replaces } = purpose
  return !replaces || key === undefined || isMarked(record.spentKeys, key.fingerprint)
}

const priorRequestIntent = (record: SessionRecord, purpose: Purpose): Intent | undefined => {
  const { intent } = record
  if (purpose._tag === "Refresh") return Records.refreshIntent(record, purpose.session)
  return intent?._tag === "Start" && intent.fingerprint === purpose.key?.fingerprint ? intent : undefined
}

const onRefresh = (
  { identity, owner }: Looker,
  record: SessionRecord,
  { accessTokenRejected }: Refresh,
  priorIntent: Intent | undefined,
  now: number
): RequestDecision => {
  const { session } = record
  if (session === undefined) return { _tag: "Fail", error: noSession(identity, "none is stored") }
  const end = Records.endReason(identity, record)
  if (end !== undefined) return { _tag: "Fail", error: end }
  // The refresh token may be spent. Send it again only if the service has rejected the access token, because then
  // nothing can be lost.
  if (priorIntent !== undefined && !accessTokenRejected) {
    return { _tag: "KeepServing", session, ambiguousSince: priorIntent.since }
  }
  const intent: Intent = {
    _tag: "Refresh",
    generation: session.generation,
    since: priorIntent?.since ?? now,
    ambiguous: priorIntent !== undefined
  }
  return {
    _tag: "Send",
    secret: session.refreshToken,
    priorIntent,
    record: { ...record, lease: { owner, renewedAt: now }, intent },
    mark: undefined
  }
}

const onStart = (
  { identity, owner }: Looker,
  record: SessionRecord,
  { key }: Start,
  priorIntent: Intent | undefined,
  now: number
): RequestDecision => {
  const needKey = (reason: string): RequestDecision => ({
    _tag: "NeedKey",
    error: noSession(identity, reason),
    end: Records.endReason(identity, record)
  })
  if (key === undefined) return needKey(`none is stored, and no API key is given. ${giveKey}`)
  if (isMarked(record.spentKeys, key.fingerprint)) {
    const reason =
      priorIntent === undefined
        ? "it was sent before"
        : "it may have been sent, and no answer says what became of it; a process that is killed before the answer uses up its key"
    return needKey(`this API key must not be sent again: ${reason}. ${giveKey}`)
  }
  const pending = Records.refreshIntent(record, record.session)
  return {
    _tag: "Send",
    secret: key.apiKey,
    priorIntent,
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
      spentKeys: record.spentKeys,
      lastStartAt: Math.max(now, Records.lastStart(record) + 1)
    },
    mark: markKey(key.fingerprint, owner)
  }
}

/** The lease of a claim, while its secret is sent. */
export type Holding =
  | {
      readonly _tag: "Held"
      /** The version of this process's last write. */
      readonly version: number
      /** The uptime at the beginning of the last write that has certainly renewed the lease. */
      readonly since: number
    }
  /** Another process has the lease. */
  | { readonly _tag: "Taken" }

export interface Renewal {
  /** The record that renews the lease; `undefined` if this process does not have the lease, or cannot know. */
  readonly record: SessionRecord | undefined
  readonly isTaken: boolean
}

/**
 * Decides whether to renew the lease of `claim`. A lease of this process counts only if the stored record also has the
 * claimed session: a restored backup may have an old lease of this process, and another session. A version lower than
 * that of the last write (`written`) comes from a replica or a backup, and does not show who has the lease.
 */
export const onRenewal = (claim: SessionRecord, written: number, stored: Stored, now: number): Renewal => {
  const { lease, session } = stored.record
  const isSame = (session && pairId(session)) === (claim.session && pairId(claim.session))
  return claim.lease !== undefined && lease?.owner === claim.lease.owner && isSame
    ? { record: { ...claim, lease: { owner: lease.owner, renewedAt: now } }, isTaken: false }
    : { record: undefined, isTaken: stored.version >= written }
}

/** The lease after a renewal. A late answer counts too. Without a record, it does not count as held until it is renewed. */
export const afterRenewal = (
  before: Holding,
  { isTaken, record }: Renewal,
  version: number,
  beganAt: number
): Holding => {
  if (before._tag === "Taken" || isTaken) return { _tag: "Taken" }
  return record === undefined
    ? { ...before, since: -Infinity }
    : { _tag: "Held", version, since: Math.max(before.since, beganAt) }
}

export interface Response {
  readonly purpose: Purpose
  readonly owner: string
  readonly response: TokenResponse
  /** The intent of an earlier send whose outcome is unknown. `undefined` if there was none. */
  readonly priorIntent: Intent | undefined
  readonly now: number
}

export type ResponseDecision =
  /** Use the record's session, which another process or an operator has stored. */
  | { readonly _tag: "Adopt"; readonly session: Session; readonly record?: undefined }
  /**
   * Write nothing and load the record again: another process has the lease, or the record's newer session has ended.
   */
  | { readonly _tag: "Defer"; readonly record?: undefined }
  /** Store the new session, and only then use it. */
  | { readonly _tag: "Store"; readonly record: SessionRecord; readonly session: Session }
  /** The request did not spend the secret, or its outcome is unknown. Write `record`, if there is one. */
  | {
      readonly _tag: "Release"
      readonly response: Extract<TokenResponse, { readonly _tag: "NotSpent" | "InDoubt" }>
      readonly record: SessionRecord | undefined
      readonly ambiguousSince: number | undefined
    }
  /** Write the record, and fail. */
  | { readonly _tag: "End"; readonly record: SessionRecord; readonly error: NoSession | Records.EndReason }

/** Decides what to do after a response. `record` is the newest record that this process has read or written. */
export const onResponse = (identity: Records.Identity, record: SessionRecord, event: Response): ResponseDecision =>
  event.purpose._tag === "Refresh"
    ? onRefreshed(identity, record, event, event.purpose)
    : onStarted(identity, record, event, event.purpose)

const onRefreshed = (
  identity: Records.Identity,
  record: SessionRecord,
  event: Response,
  { session: from }: Refresh
): ResponseDecision => {
  const { now, owner, response } = event
  const { session } = record
  // A faster process or an operator has stored a newer session, so this response ends no session.
  if (session !== undefined && isNewer(session, from)) {
    return Records.endReason(identity, record) === undefined ? { _tag: "Adopt", session } : { _tag: "Defer" }
  }
  if (response._tag === "Tokens") return storeRefreshed(record, from, response, now)
  if (isTaken(record, event)) return { _tag: "Defer" }
  const newest = Records.withNewest(record, from)
  const stored = Records.refreshIntent(record, from)
  const isOurs = record.lease?.owner === owner
  const priorIntent = isOurs ? event.priorIntent : (stored ?? event.priorIntent)
  switch (response._tag) {
    case "NotSpent":
      return {
        _tag: "Release",
        response,
        record: isOurs ? Records.release(record, priorIntent) : undefined,
        ambiguousSince: priorIntent?.since
      }
    case "InDoubt": {
      const since = (priorIntent ?? stored)?.since ?? now
      return {
        _tag: "Release",
        response,
        record: Records.release(newest, Records.ambiguousIntent(from, since)),
        ambiguousSince: since
      }
    }
    default: {
      const answerLostAt = priorIntent === undefined ? {} : { answerLostAt: priorIntent.since }
      const end: End =
        response._tag === "Dead"
          ? { _tag: "Lost", generation: from.generation, at: now, ...answerLostAt }
          : { _tag: "Invalid", generation: from.generation, at: now, reason: response.reason }
      const ended: SessionRecord = { ...Records.release(newest, undefined), end }
      return { _tag: "End", record: ended, error: Records.endReason(identity, ended, response.support)! }
    }
  }
}

const storeRefreshed = (record: SessionRecord, from: Session, tokens: Tokens, now: number): ResponseDecision => {
  const session = newSession(tokens, {
    generation: from.generation + 1,
    obtainedAt: now,
    ...(from.startedAt === undefined ? {} : { startedAt: from.startedAt }),
    ...(from.vaultId === undefined ? {} : { vaultId: from.vaultId })
  })
  return { _tag: "Store", session, record: { ...Records.without(record, "lease", "intent", "end"), session } }
}

/**
 * Decides what to do after the response to an API key. `record` is the stored record, in which this process has written
 * its claim. The claim's time becomes the new session's `startedAt`, so that the session of a later claim is newer.
 */
const onStarted = (
  identity: Records.Identity,
  record: SessionRecord,
  event: Response,
  { key, replaces }: Start
): ResponseDecision => {
  const { now, response } = event
  if (response._tag === "Tokens") {
    const { session: old } = record
    const session = newSession(response, {
      generation: (old?.generation ?? -1) + 1,
      startedAt: Records.lastStart(record),
      obtainedAt: now,
      ...(response.vaultId === undefined ? {} : { vaultId: response.vaultId })
    })
    return { _tag: "Store", session, record: { ...Records.without(record, "lease", "intent", "end"), session } }
  }
  // The record already lists the key as sent, so no write is needed.
  if (isTaken(record, event)) return { _tag: "Defer" }
  const live = Records.endReason(identity, record) === undefined ? record.session : undefined
  // A start without `replaces` claims its key only if no session is live. So another process has stored this session
  // since the claim.
  if (live !== undefined && !replaces) return { _tag: "Adopt", session: live }
  const pending = Records.refreshIntent(record, record.session)
  const fail = (reason: string, next: SessionRecord): ResponseDecision => ({
    _tag: "End",
    record: next,
    error: new NoSession({ identity: identity.name, reason: `${reason}. ${giveKey}`, ...response.support })
  })
  switch (response._tag) {
    case "NotSpent":
      return {
        _tag: "Release",
        response,
        record: Records.withoutMarks(
          Records.release(record, pending),
          key === undefined ? [] : [markKey(key.fingerprint, event.owner)]
        ),
        ambiguousSince: pending?.since
      }
    case "InDoubt": {
      const intent: Intent = {
        _tag: "Start",
        fingerprint: key?.fingerprint ?? "",
        since: now,
        ambiguous: true,
        ...(pending === undefined ? {} : { pending })
      }
      return fail(
        `the API key was sent, and no answer says what became of it (${response.reason})`,
        Records.release(record, intent)
      )
    }
    case "Dead":
    case "Malformed":
      return fail(`the service rejected the API key (${response.reason})`, Records.release(record, pending))
  }
}

const newSession = (
  { accessToken, expiresAt, refreshToken }: Tokens,
  rest: Omit<Session, "accessToken" | "refreshToken" | "expiresAt">
): Session => ({ ...rest, accessToken, refreshToken, ...(expiresAt === undefined ? {} : { expiresAt }) })

/** What a call does after a 401. */
export type ReloadDecision =
  | { readonly _tag: "Adopt" | "Use" | "Replace"; readonly session: Session }
  /** No usable session: adopt one that another process starts, or start one. */
  | { readonly _tag: "Recover" }
  /** Some servers of the service may not know the token yet: look once more, after its activation. */
  | { readonly _tag: "Wait" }

/** Decides which token a call tries after a 401. `isFresh`: the rejected token is so new that it may yet be accepted. */
export const onReload = (
  identity: Records.Identity,
  record: SessionRecord,
  session: Session,
  isFresh: boolean,
  isSecondLook: boolean
): ReloadDecision => {
  const { session: stored } = record
  // An end in the record: another process has seen that the session cannot continue.
  const hasEnded = Records.endReason(identity, record) !== undefined
  if (hasEnded && !isNewer(session, stored)) return { _tag: "Recover" }
  if (stored !== undefined && isNewer(stored, session)) return { _tag: "Adopt", session: stored }
  if (isSecondLook) return { _tag: "Use", session }
  if (isFresh) return { _tag: "Wait" }
  // A refresh intent means that another process rotates the session, or that the outcome of a rotation is unknown.
  // Treat the token as expired.
  return { _tag: Records.refreshIntent(record, session) === undefined ? "Use" : "Replace", session }
}
