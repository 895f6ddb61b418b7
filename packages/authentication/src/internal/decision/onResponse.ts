/** What to do when the outcome of sending a secret is known, and how a new session is merged into a changed record: pure. */
import type * as Redacted from "effect/Redacted"
import { type Intent, isNewer, type Session, type SessionRecord } from "../../Session.ts"
import type { Tokens } from "../tokenResponse.ts"
import {
  endOf,
  giveKey,
  type Identity,
  inDoubtSince,
  isPast,
  isTaken,
  lastStartOf,
  markOf,
  noSession,
  type Refresh,
  refreshIntentOf,
  type Purpose,
  type Response,
  type ResponseDecision,
  sameSecret,
  type Start,
  storedRefreshIntent,
  withNewest,
  without
} from "./model.ts"

/** Decides on a response, given the record as it is stored now. */
export const onResponse = (identity: Identity, record: SessionRecord, event: Response): ResponseDecision =>
  event.purpose._tag === "Refresh"
    ? onRefreshed(identity, record, event, event.purpose)
    : onStarted(identity, record, event, event.purpose)

const onRefreshed = (
  identity: Identity,
  record: SessionRecord,
  event: Response,
  purpose: Refresh
): ResponseDecision => {
  const { now, owner, response, retryAt } = event
  const { session: from } = purpose
  const { session } = record
  // The loser of a race, and whoever finds an operator's newer record, declares nothing lost.
  const superseded = (by: Session): ResponseDecision =>
    endOf(identity, record) === undefined ? adopt(record, by, owner) : { _tag: "Defer" }
  if (session !== undefined && isNewer(session, from)) return superseded(session)
  if (response._tag === "Tokens") return storeRefreshed(record, from, response, now)
  if (isTaken(record, event)) return { _tag: "Defer" }
  if (session !== undefined && isPast(session, purpose)) return superseded(session)
  const newest = withNewest(record, from)
  const { generation } = from
  const stored = refreshIntentOf(record, from)
  const isOurs = record.lease?.owner === owner
  const priorIntent = isOurs ? event.priorIntent : (stored ?? event.priorIntent)
  switch (response._tag) {
    case "NotSpent":
      return {
        _tag: "Release",
        record: isOurs ? release(record, priorIntent) : undefined,
        ambiguousSince: priorIntent?.since
      }
    case "InDoubt": {
      const since = (priorIntent ?? stored)?.since ?? now
      // The first doubt allows one more attempt at once, unless the service asks to wait.
      const mustWait = priorIntent !== undefined || response.retryAfter !== undefined
      const intent: Intent = {
        _tag: "Refresh",
        generation,
        since,
        ambiguous: true,
        ...(mustWait ? { retryAt, pause: retryAt - now } : {})
      }
      return { _tag: "Release", record: release(newest, intent), ambiguousSince: since }
    }
    case "Rejected": {
      const answerLostAt = priorIntent === undefined ? {} : { answerLostAt: priorIntent.since }
      const end = { _tag: "Lost" as const, generation, at: now, ...answerLostAt }
      const lost: SessionRecord = { ...release(newest, undefined), end }
      return { _tag: "End", record: lost, error: endOf(identity, lost, response.support)! }
    }
    case "Malformed": {
      const end = { _tag: "Invalid" as const, generation, at: now, reason: response.reason }
      const invalid: SessionRecord = { ...release(newest, undefined), end }
      return { _tag: "End", record: invalid, error: endOf(identity, invalid, response.support)! }
    }
  }
}

/** A lease of ours on a session that we have not claimed is one of a restored record: its token may have been sent then. */
const adopt = (record: SessionRecord, session: Session, owner: string): ResponseDecision => {
  if (record.lease?.owner !== owner) return { _tag: "Adopt", session, record: undefined }
  const intent = refreshIntentOf(record, session)
  return { _tag: "Adopt", session, record: release(record, intent && { ...intent, ambiguous: true }) }
}

const storeRefreshed = (record: SessionRecord, from: Session, tokens: Tokens, now: number): ResponseDecision => {
  const refreshToken = tokens.refreshToken ?? from.refreshToken
  const hasOldRefreshToken = sameSecret(refreshToken, from.refreshToken)
  const session = sessionOf(tokens, refreshToken, {
    generation: from.generation + 1,
    obtainedAt: now,
    ...(hasOldRefreshToken ? { hasOldRefreshToken } : {}),
    ...(from.startedAt === undefined ? {} : { startedAt: from.startedAt }),
    ...(from.vaultId === undefined ? {} : { vaultId: from.vaultId })
  })
  // The refresh token that we keep is probably spent.
  const doubt = hasOldRefreshToken ? inDoubtSince(session, now) : undefined
  return { _tag: "Store", session, record: { ...without(release(record, doubt), "end"), session } }
}

/** When tokens have come, the record is our own claim. Its time becomes the time of the session: a later claim wins. */
const onStarted = (
  identity: Identity,
  record: SessionRecord,
  event: Response,
  { key, replaces }: Start
): ResponseDecision => {
  const { now, response } = event
  if (response._tag === "Tokens" && response.refreshToken !== undefined) {
    const { session: old } = record
    const session = sessionOf(response, response.refreshToken, {
      generation: (old?.generation ?? -1) + 1,
      startedAt: lastStartOf(record),
      obtainedAt: now,
      ...(response.vaultId === undefined ? {} : { vaultId: response.vaultId })
    })
    return { _tag: "Store", session, record: { ...without(release(record, undefined), "end"), session } }
  }
  // The record already lists the key as sent; nothing more has to be written.
  if (isTaken(record, event)) return { _tag: "Defer" }
  const live = endOf(identity, record) === undefined ? record.session : undefined
  // A start without `replaces` claims its key only if there is no live session. So another process has brought this one.
  if (live !== undefined && !replaces) return adopt(record, live, event.owner)
  const pending = refreshIntentOf(record, record.session)
  const fail = (reason: string, next: SessionRecord): ResponseDecision => ({
    _tag: "End",
    record: next,
    error: noSession(identity, `${reason}. ${giveKey}`, response._tag === "Tokens" ? undefined : response.support)
  })
  switch (response._tag) {
    case "NotSpent":
      return {
        _tag: "Release",
        record: withoutMark(release(record, pending), event.owner, event),
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
        release(record, intent)
      )
    }
    case "Tokens":
      return fail("the answer to the API key has no refresh token", release(record, pending))
    case "Rejected":
    case "Malformed":
      return fail(`the service rejected the API key (${response.reason})`, release(record, pending))
  }
}

/** A claim that was written, or may have been, whose secret was certainly not sent. */
export interface Unsent {
  readonly purpose: Purpose
  /** The intent that the claim replaced. */
  readonly priorIntent: Intent | undefined
}

/** The record without the mark of our claim, wherever it has come to since. */
export const withoutMark = (record: SessionRecord, owner: string, { purpose }: Unsent): SessionRecord => {
  const mark =
    purpose._tag === "Start" && purpose.key !== undefined ? markOf(purpose.key.fingerprint, owner) : undefined
  return mark !== undefined && record.spentKeys.includes(mark)
    ? { ...record, spentKeys: record.spentKeys.filter((one) => one !== mark) }
    : record
}

/** The record without our claim and its mark; the same record if neither is there. */
export const withoutClaim = (record: SessionRecord, owner: string, unsent: Unsent): SessionRecord => {
  const { priorIntent, purpose } = unsent
  const unmarked = withoutMark(record, owner, unsent)
  const { intent, lease, session } = record
  if (lease?.owner !== owner) return unmarked
  if (purpose._tag === "Refresh") {
    // Our claim has a written intent. One that only follows from the kept token of an older session is no claim.
    return storedRefreshIntent(record)?.generation === purpose.session.generation
      ? release(record, priorIntent)
      : record
  }
  return intent?._tag === "Start" && intent.fingerprint === purpose.key?.fingerprint
    ? release(unmarked, refreshIntentOf(record, session))
    : unmarked
}

/** A record without a lease, with this intent or none. */
const release = (record: SessionRecord, intent: Intent | undefined): SessionRecord => {
  const free = without(record, "lease", "intent")
  return intent === undefined ? free : { ...free, intent }
}

const sessionOf = (
  { accessToken, expiresAt }: Tokens,
  refreshToken: Redacted.Redacted,
  rest: Omit<Session, "accessToken" | "refreshToken" | "expiresAt">
): Session => ({
  ...rest,
  accessToken,
  refreshToken,
  ...(expiresAt === undefined ? {} : { expiresAt })
})

/**
 * The record to write when the stored one has changed since our new session was made; `undefined` if the stored one
 * stands. An older session never replaces a newer one; of two with the same generation the stored one stands.
 */
export const merge = (stored: SessionRecord, ours: SessionRecord): SessionRecord | undefined => {
  if (ours.session === undefined || !isNewer(ours.session, stored.session)) return undefined
  const generation = Math.max(ours.session.generation, (stored.session?.generation ?? -1) + 1)
  const intent = refreshIntentOf(ours, ours.session)
  return {
    ...ours,
    session: { ...ours.session, generation },
    ...(intent === undefined ? {} : { intent: { ...intent, generation } }),
    lastStartAt: Math.max(lastStartOf(stored), lastStartOf(ours)),
    spentKeys: [...new Set([...stored.spentKeys, ...ours.spentKeys])]
  }
}
