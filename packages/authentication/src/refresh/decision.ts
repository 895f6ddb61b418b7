/**
 * Decides, before a rotation sends its one-time secret: send it, use a stored session, wait, or fail. Before a process
 * sends a secret, it writes a claim to the stored record: its lease (which process sends) and its intent (which secret).
 * `responseDecision.ts` decides what follows the response.
 */
import { NoSession, type SessionOfAnotherEnvironment } from "@effect-custody/core/SessionError"
import type * as Redacted from "effect/Redacted"
import { judge, type LeaseState } from "../session/leaseWatch.ts"
import { findSent, liveSession, type SessionState, withMarks } from "../session/sessionState.ts"
import * as Records from "../store/record.ts"
import { isMarked, type Key, markKey } from "../store/secrets.ts"
import { type Intent, isNewer, type Session, type SessionRecord } from "../store/Session.ts"
import type { Stored } from "../store/TokenStore.ts"

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

export interface Request {
  readonly purpose: Purpose
  readonly owner: string
  /**
   * When this process first sent the secret of `purpose`. `undefined` if never, or if the secret was certainly not
   * spent.
   */
  readonly sentAt: number | undefined
  /** Marks of API keys that this process certainly did not send. The stored record may still list these marks. */
  readonly unsent: ReadonlyArray<string>
  /**
   * The newest session that this process knows. The store may not have this session yet, or may have lost it in a
   * restore.
   */
  readonly local: Session | undefined
  readonly leaseState: LeaseState
  readonly now: number
}

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
  | { readonly _tag: "Fail"; readonly error: NoSession | Records.EndReason | SessionOfAnotherEnvironment }

/** `true` if a person called `TokenService.start`. Such a start does not wait for a pause to end. */
export const isExplicit = (purpose: Purpose | undefined): boolean => purpose?._tag === "Start" && purpose.replaces

export const getSecret = (purpose: Purpose): Redacted.Redacted | undefined =>
  purpose._tag === "Refresh" ? purpose.session.refreshToken : purpose.key?.apiKey

interface Looker {
  readonly identity: Records.Identity
  readonly owner: string
  readonly leaseTimeout: number
}

/** Adds the state of this process (`known`) to the stored record, and decides what to do next. */
export const onLook = (looker: Looker, purpose: Purpose, known: SessionState, stored: Stored, now: number) => {
  const { identity, leaseTimeout, owner } = looker
  const record = withMarks(stored.record, known)
  const request = {
    purpose,
    owner,
    sentAt: findSent(known, getSecret(purpose))?.at,
    unsent: known.unsent,
    local: liveSession(known),
    leaseState: judge(known.watch, stored, leaseTimeout),
    now
  }
  return { decision: onRequest(identity, record, request), record }
}

export const giveKey =
  "Make a new key with the service, and give it once: the option apiKey (CUSTODY_API_KEY for NodeCustody.layerConfig())"

const noSession = (identity: Records.Identity, reason: string) => new NoSession({ identity: identity.name, reason })

export const isTaken = ({ lease }: SessionRecord, { owner }: { readonly owner: string }): boolean =>
  lease !== undefined && lease.owner !== owner

/** Decides before the one-time secret is sent: send it, use a stored session, wait, or fail. */
export const onRequest = (identity: Records.Identity, loaded: SessionRecord, request: Request): RequestDecision => {
  const { local, purpose, sentAt, unsent } = request
  const mismatch = Records.environmentMismatch(identity, loaded)
  if (mismatch !== undefined) return { _tag: "Fail", error: mismatch }
  const unmarked = Records.withoutMarks(loaded, unsent)
  const newest = Records.withNewest(unmarked, local)
  // If the stored session is older than the rejected session, decide on the rejected session.
  const record = purpose._tag === "Refresh" ? Records.withNewest(newest, purpose.session) : newest
  const { lease, session } = record
  const live = Records.endReason(identity, record) === undefined ? session : undefined
  if (live !== undefined && satisfies(record, purpose, live)) return { _tag: "Adopt", session: live }
  if (lease !== undefined && isTaken(record, request) && request.leaseState !== "Dead") {
    return request.leaseState === "Silent"
      ? { _tag: "Challenge", record: { ...loaded, lease: { ...lease, isChallenged: true } } }
      : { _tag: "Wait" }
  }

  // A secret that this process has sent counts as sent, even if the record no longer says so.
  const ours =
    sentAt !== undefined && purpose._tag === "Refresh" ? Records.ambiguousIntent(purpose.session, sentAt) : undefined
  const priorIntent = priorRequestIntent(record, purpose) ?? ours
  return purpose._tag === "Refresh"
    ? onRefresh(identity, record, request, purpose, priorIntent)
    : onStart(identity, record, request, purpose, priorIntent)
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
  identity: Records.Identity,
  record: SessionRecord,
  { now, owner }: Request,
  { accessTokenRejected }: Refresh,
  priorIntent: Intent | undefined
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
  identity: Records.Identity,
  record: SessionRecord,
  { now, owner }: Request,
  { key }: Start,
  priorIntent: Intent | undefined
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
