/** What to do on a request, before the one-time secret is sent. Pure. */
import { type Intent, isNewer, type Session, type SessionRecord } from "../../Session.ts"
import { isMarked } from "../fingerprint.ts"
import * as Model from "./model.ts"

export const onRequest = (
  identity: Model.Identity,
  loaded: SessionRecord,
  request: Model.Request
): Model.RequestDecision => {
  const { local, purpose, sentAt } = request
  const mismatch = Model.environmentMismatch(identity, loaded)
  if (mismatch !== undefined) return { _tag: "Fail", error: mismatch }
  const newest = Model.withNewest(loaded, local)
  // The rejected session is a lower bound, even if the record is older.
  const record = purpose._tag === "Refresh" ? Model.withNewest(newest, purpose.session) : newest
  const { lease, session } = record
  const live = Model.endOf(identity, record) === undefined ? session : undefined
  if (live !== undefined && satisfies(record, purpose, live)) return { _tag: "Adopt", session: live }
  if (lease !== undefined && Model.isTaken(record, request)) {
    return request.leaseState === "Silent"
      ? { _tag: "Challenge", record: { ...loaded, lease: { ...lease, isChallenged: true } } }
      : { _tag: "Wait" }
  }

  // A secret that this process has sent counts as sent, even if the record no longer says so.
  const ours =
    sentAt !== undefined && purpose._tag === "Refresh" ? Model.inDoubtSince(purpose.session, sentAt) : undefined
  const priorIntent = intentOf(record, purpose) ?? ours
  return purpose._tag === "Refresh"
    ? onRefresh(identity, record, request, purpose, priorIntent)
    : onStart(identity, record, request, purpose, priorIntent)
}

const satisfies = (record: SessionRecord, purpose: Model.Purpose, live: Session): boolean => {
  if (purpose._tag === "Refresh") return isNewer(live, purpose.session)
  const { key, replaces } = purpose
  return !replaces || key === undefined || isMarked(record.spentKeys, key.fingerprint)
}

const intentOf = (record: SessionRecord, purpose: Model.Purpose): Intent | undefined => {
  const { intent } = record
  if (purpose._tag === "Refresh") return Model.refreshIntentOf(record, purpose.session)
  return intent?._tag === "Start" && intent.fingerprint === purpose.key?.fingerprint ? intent : undefined
}

const onRefresh = (
  identity: Model.Identity,
  record: SessionRecord,
  { now, owner }: Model.Request,
  { accessTokenRejected }: Model.Refresh,
  priorIntent: Intent | undefined
): Model.RequestDecision => {
  const { session } = record
  if (session === undefined) return { _tag: "Fail", error: Model.noSession(identity, "none is stored") }
  const end = Model.endOf(identity, record)
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
  identity: Model.Identity,
  record: SessionRecord,
  { now, owner }: Model.Request,
  { key }: Model.Start,
  priorIntent: Intent | undefined
): Model.RequestDecision => {
  const needKey = (reason: string): Model.RequestDecision => ({
    _tag: "NeedKey",
    error: Model.noSession(identity, reason),
    end: Model.endOf(identity, record)
  })
  if (key === undefined) return needKey(`none is stored, and no API key is given. ${Model.giveKey}`)
  if (isMarked(record.spentKeys, key.fingerprint)) {
    const reason =
      priorIntent === undefined ? "it was sent before" : "it may have been sent, and no answer says what became of it"
    return needKey(`this API key must not be sent again: ${reason}. ${Model.giveKey}`)
  }
  const pending = Model.refreshIntentOf(record, record.session)
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
      lastStartAt: Math.max(now, Model.lastStartOf(record) + 1)
    },
    mark: Model.markOf(key.fingerprint, owner)
  }
}
