/**
 * Decides, before a rotation sends its one-time secret: send it, use a stored session, wait, or fail. Before a process
 * sends a secret, it writes a claim to the stored record: its lease (which process sends) and its intent (which secret).
 * `responseDecision.ts` decides what follows the response.
 */
import { NoSession } from "@effect-custody/core/SessionError"
import type * as Redacted from "effect/Redacted"
import { findSent, liveSession, type SessionState, withMarks } from "../session/sessionState.ts"
import * as Records from "../store/record.ts"
import { isMarked, type Key, markKey } from "../endpoint/records.ts"
import { type Intent, isNewer, type Session, type SessionRecord } from "../store/Session.ts"
import type { Stored } from "../store/TokenStore.ts"
import { judge } from "./lease.ts"

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
  const leaseState = judge(known.watch, stored, leaseTimeout)
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
