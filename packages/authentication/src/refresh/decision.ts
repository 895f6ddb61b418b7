/** Pure functions that decide what a rotation does: before it sends the one-time secret, and after the response. */
import { NoSession } from "@effect-custody/core/SessionError"
import type { SupportData } from "@effect-custody/core/unstable/Classification"
import type { Tokens } from "../endpoint/tokenEndpoint.ts"
import { judge } from "../session/leaseWatch.ts"
import { findSent, liveSession, type SessionState, withMarks } from "../session/sessionState.ts"
import * as Records from "../store/record.ts"
import { isMarked, markKey } from "../store/secrets.ts"
import { type End, type Intent, isNewer, type Session, type SessionRecord } from "../store/Session.ts"
import type { Stored } from "../store/TokenStore.ts"
import * as Model from "./decisionModel.ts"

interface Looker {
  readonly identity: Records.Identity
  readonly owner: string
  readonly leaseTimeout: number
}

/** Adds the state of this process (`known`) to the stored record, and decides what to do next. */
export const onLook = (looker: Looker, purpose: Model.Purpose, known: SessionState, stored: Stored, now: number) => {
  const { identity, leaseTimeout, owner } = looker
  const record = withMarks(stored.record, known)
  const request = {
    purpose,
    owner,
    sentAt: findSent(known, Model.getSecret(purpose))?.at,
    unsent: known.unsent,
    local: liveSession(known),
    leaseState: judge(known.watch, stored, leaseTimeout),
    now
  }
  return { decision: onRequest(identity, record, request), record }
}

const giveKey =
  "Make a new key with the service, and give it once: the option apiKey (CUSTODY_API_KEY for NodeCustody.layerConfig())"

const noSession = (identity: Records.Identity, reason: string, support?: SupportData) =>
  new NoSession({ identity: identity.name, reason, ...support })

const isTaken = ({ lease }: SessionRecord, { owner }: { readonly owner: string }): boolean =>
  lease !== undefined && lease.owner !== owner

/** Decides before the one-time secret is sent: send it, use a stored session, wait, or fail. */
export const onRequest = (
  identity: Records.Identity,
  loaded: SessionRecord,
  request: Model.Request
): Model.RequestDecision => {
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

const satisfies = (record: SessionRecord, purpose: Model.Purpose, live: Session): boolean => {
  if (purpose._tag === "Refresh") return isNewer(live, purpose.session)
  const { key, replaces } = purpose
  return !replaces || key === undefined || isMarked(record.spentKeys, key.fingerprint)
}

const priorRequestIntent = (record: SessionRecord, purpose: Model.Purpose): Intent | undefined => {
  const { intent } = record
  if (purpose._tag === "Refresh") return Records.refreshIntent(record, purpose.session)
  return intent?._tag === "Start" && intent.fingerprint === purpose.key?.fingerprint ? intent : undefined
}

const onRefresh = (
  identity: Records.Identity,
  record: SessionRecord,
  { now, owner }: Model.Request,
  { accessTokenRejected }: Model.Refresh,
  priorIntent: Intent | undefined
): Model.RequestDecision => {
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
  { now, owner }: Model.Request,
  { key }: Model.Start,
  priorIntent: Intent | undefined
): Model.RequestDecision => {
  const needKey = (reason: string): Model.RequestDecision => ({
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

/** Decides what to do after a response. `record` is the newest record that this process has read or written. */
export const onResponse = (
  identity: Records.Identity,
  record: SessionRecord,
  event: Model.Response
): Model.ResponseDecision =>
  event.purpose._tag === "Refresh"
    ? onRefreshed(identity, record, event, event.purpose)
    : onStarted(identity, record, event, event.purpose)

const onRefreshed = (
  identity: Records.Identity,
  record: SessionRecord,
  event: Model.Response,
  { session: from }: Model.Refresh
): Model.ResponseDecision => {
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
        response._tag === "Rejected"
          ? { _tag: "Lost", generation: from.generation, at: now, ...answerLostAt }
          : { _tag: "Invalid", generation: from.generation, at: now, reason: response.reason }
      const ended: SessionRecord = { ...Records.release(newest, undefined), end }
      return { _tag: "End", record: ended, error: Records.endReason(identity, ended, response.support)! }
    }
  }
}

const storeRefreshed = (record: SessionRecord, from: Session, tokens: Tokens, now: number): Model.ResponseDecision => {
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
  event: Model.Response,
  { key, replaces }: Model.Start
): Model.ResponseDecision => {
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
  const fail = (reason: string, next: SessionRecord): Model.ResponseDecision => ({
    _tag: "End",
    record: next,
    error: noSession(identity, `${reason}. ${giveKey}`, response.support)
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
    case "Rejected":
    case "Malformed":
      return fail(`the service rejected the API key (${response.reason})`, Records.release(record, pending))
  }
}

const newSession = (
  { accessToken, expiresAt, refreshToken }: Tokens,
  rest: Omit<Session, "accessToken" | "refreshToken" | "expiresAt">
): Session => ({ ...rest, accessToken, refreshToken, ...(expiresAt === undefined ? {} : { expiresAt }) })
