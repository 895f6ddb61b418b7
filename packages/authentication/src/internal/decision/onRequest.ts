/** What to do on a request, before the one-time secret is sent. Pure. */
import { type Intent, isNewer, type Session, type SessionRecord } from "../../Session.ts"
import { isMarked } from "../fingerprint.ts"
import {
  endOf,
  environmentMismatch,
  giveKey,
  type Identity,
  inDoubtSince,
  isTaken,
  lastStartOf,
  markOf,
  noSession,
  type Purpose,
  type Refresh,
  refreshIntentOf,
  type Request,
  type RequestDecision,
  type Start,
  withNewest
} from "./model.ts"

/** Decides on a request, given the record as it was loaded. */
export const onRequest = (identity: Identity, loaded: SessionRecord, request: Request): RequestDecision => {
  const { local, purpose, sentAt } = request
  const mismatch = environmentMismatch(identity, loaded)
  if (mismatch !== undefined) return { _tag: "Fail", error: mismatch }
  const newest = withNewest(loaded, local)
  // The rejected session is a lower bound, even if the record is older.
  const record = purpose._tag === "Refresh" ? withNewest(newest, purpose.session) : newest
  const { lease, session } = record
  const live = endOf(identity, record) === undefined ? session : undefined
  if (live !== undefined && satisfies(record, purpose, live)) return { _tag: "Adopt", session: live }
  if (lease !== undefined && isTaken(record, request)) {
    return request.leaseState === "Silent"
      ? { _tag: "Challenge", record: { ...loaded, lease: { ...lease, isChallenged: true } } }
      : { _tag: "Wait" }
  }

  // A secret that this process has sent counts as sent, even if the record no longer says so.
  const ours = sentAt !== undefined && purpose._tag === "Refresh" ? inDoubtSince(purpose.session, sentAt) : undefined
  const priorIntent = intentOf(record, purpose) ?? ours
  return purpose._tag === "Refresh"
    ? onRefresh(identity, record, request, purpose, priorIntent)
    : onStart(identity, record, request, purpose, priorIntent)
}

const satisfies = (record: SessionRecord, purpose: Purpose, live: Session): boolean => {
  if (purpose._tag === "Refresh") return isNewer(live, purpose.session)
  const { key, replaces } = purpose
  return !replaces || key === undefined || isMarked(record.spentKeys, key.fingerprint)
}

const intentOf = (record: SessionRecord, purpose: Purpose): Intent | undefined => {
  const { intent } = record
  if (purpose._tag === "Refresh") return refreshIntentOf(record, purpose.session)
  return intent?._tag === "Start" && intent.fingerprint === purpose.key?.fingerprint ? intent : undefined
}

const onRefresh = (
  identity: Identity,
  record: SessionRecord,
  { now, owner }: Request,
  { accessTokenRejected }: Refresh,
  priorIntent: Intent | undefined
): RequestDecision => {
  const { session } = record
  if (session === undefined) return { _tag: "Fail", error: noSession(identity, "none is stored") }
  const end = endOf(identity, record)
  if (end !== undefined) return { _tag: "Fail", error: end }
  // The refresh token may be spent: it is sent again only when the access token is dead and nothing is left to lose.
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
  identity: Identity,
  record: SessionRecord,
  { now, owner }: Request,
  { key }: Start,
  priorIntent: Intent | undefined
): RequestDecision => {
  const needKey = (reason: string): RequestDecision => ({
    _tag: "NeedKey",
    error: noSession(identity, reason),
    end: endOf(identity, record)
  })
  if (key === undefined) return needKey(`none is stored, and no API key is given. ${giveKey}`)
  if (isMarked(record.spentKeys, key.fingerprint)) {
    const reason =
      priorIntent === undefined ? "it was sent before" : "it may have been sent, and no answer says what became of it"
    return needKey(`this API key must not be sent again: ${reason}. ${giveKey}`)
  }
  const pending = refreshIntentOf(record, record.session)
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
      lastStartAt: Math.max(now, lastStartOf(record) + 1)
    },
    mark: markOf(key.fingerprint, owner)
  }
}
