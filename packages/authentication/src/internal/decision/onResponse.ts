/** What to do when the outcome of a send is known, and how a new session is merged into a changed record. Pure. */
import { type End, type Intent, isNewer, type Session, type SessionRecord } from "../../Session.ts"
import type { Tokens } from "../tokenResponse.ts"
import * as Model from "./model.ts"

/** Decides on a response, given the record as it is stored now. */
export const onResponse = (
  identity: Model.Identity,
  record: SessionRecord,
  event: Model.Response
): Model.ResponseDecision =>
  event.purpose._tag === "Refresh"
    ? onRefreshed(identity, record, event, event.purpose)
    : onStarted(identity, record, event, event.purpose)

const onRefreshed = (
  identity: Model.Identity,
  record: SessionRecord,
  event: Model.Response,
  { session: from }: Model.Refresh
): Model.ResponseDecision => {
  const { now, owner, response } = event
  const { session } = record
  // The loser of a race, and whoever finds an operator's newer record, declares nothing lost.
  if (session !== undefined && isNewer(session, from)) {
    return Model.endOf(identity, record) === undefined ? { _tag: "Adopt", session } : { _tag: "Defer" }
  }
  if (response._tag === "Tokens") return storeRefreshed(record, from, response, now)
  if (Model.isTaken(record, event)) return { _tag: "Defer" }
  const newest = Model.withNewest(record, from)
  const stored = Model.refreshIntentOf(record, from)
  const isOurs = record.lease?.owner === owner
  const priorIntent = isOurs ? event.priorIntent : (stored ?? event.priorIntent)
  switch (response._tag) {
    case "NotSpent":
      return {
        _tag: "Release",
        response,
        record: isOurs ? release(record, priorIntent) : undefined,
        ambiguousSince: priorIntent?.since
      }
    case "InDoubt": {
      const since = (priorIntent ?? stored)?.since ?? now
      return {
        _tag: "Release",
        response,
        record: release(newest, Model.inDoubtSince(from, since)),
        ambiguousSince: since
      }
    }
    default: {
      const answerLostAt = priorIntent === undefined ? {} : { answerLostAt: priorIntent.since }
      const end: End =
        response._tag === "Rejected"
          ? { _tag: "Lost", generation: from.generation, at: now, ...answerLostAt }
          : { _tag: "Invalid", generation: from.generation, at: now, reason: response.reason }
      const ended: SessionRecord = { ...release(newest, undefined), end }
      return { _tag: "End", record: ended, error: Model.endOf(identity, ended, response.support)! }
    }
  }
}

const storeRefreshed = (record: SessionRecord, from: Session, tokens: Tokens, now: number): Model.ResponseDecision => {
  const session = sessionOf(tokens, {
    generation: from.generation + 1,
    obtainedAt: now,
    ...(from.startedAt === undefined ? {} : { startedAt: from.startedAt }),
    ...(from.vaultId === undefined ? {} : { vaultId: from.vaultId })
  })
  return { _tag: "Store", session, record: { ...Model.without(record, "lease", "intent", "end"), session } }
}

/** When tokens have come, the record is our own claim. Its time becomes the time of the session: a later claim wins. */
const onStarted = (
  identity: Model.Identity,
  record: SessionRecord,
  event: Model.Response,
  { key, replaces }: Model.Start
): Model.ResponseDecision => {
  const { now, response } = event
  if (response._tag === "Tokens") {
    const { session: old } = record
    const session = sessionOf(response, {
      generation: (old?.generation ?? -1) + 1,
      startedAt: Model.lastStartOf(record),
      obtainedAt: now,
      ...(response.vaultId === undefined ? {} : { vaultId: response.vaultId })
    })
    return { _tag: "Store", session, record: { ...Model.without(record, "lease", "intent", "end"), session } }
  }
  // The record already lists the key as sent; nothing more has to be written.
  if (Model.isTaken(record, event)) return { _tag: "Defer" }
  const live = Model.endOf(identity, record) === undefined ? record.session : undefined
  // A start without `replaces` claims its key only if no session is live. So another process has brought this one.
  if (live !== undefined && !replaces) return { _tag: "Adopt", session: live }
  const pending = Model.refreshIntentOf(record, record.session)
  const fail = (reason: string, next: SessionRecord): Model.ResponseDecision => ({
    _tag: "End",
    record: next,
    error: Model.noSession(identity, `${reason}. ${Model.giveKey}`, response.support)
  })
  switch (response._tag) {
    case "NotSpent":
      return {
        _tag: "Release",
        response,
        record: withoutMarks(
          release(record, pending),
          key === undefined ? [] : [Model.markOf(key.fingerprint, event.owner)]
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
        release(record, intent)
      )
    }
    case "Rejected":
    case "Malformed":
      return fail(`the service rejected the API key (${response.reason})`, release(record, pending))
  }
}

export const withoutMarks = (record: SessionRecord, marks: ReadonlyArray<string>): SessionRecord =>
  record.spentKeys.some((one) => marks.includes(one))
    ? { ...record, spentKeys: record.spentKeys.filter((one) => !marks.includes(one)) }
    : record

/** The record without the claims of this process for keys that were certainly not sent; the same one if it has none. */
export const withoutClaims = (record: SessionRecord, owner: string, marks: ReadonlyArray<string>): SessionRecord => {
  const { intent, lease, session } = record
  const unmarked = withoutMarks(record, marks)
  const isClaimed =
    lease?.owner === owner && intent?._tag === "Start" && marks.includes(Model.markOf(intent.fingerprint, owner))
  return isClaimed ? release(unmarked, Model.refreshIntentOf(record, session)) : unmarked
}

const release = (record: SessionRecord, intent: Intent | undefined): SessionRecord => {
  const free = Model.without(record, "lease", "intent")
  return intent === undefined ? free : { ...free, intent }
}

const sessionOf = (
  { accessToken, expiresAt, refreshToken }: Tokens,
  rest: Omit<Session, "accessToken" | "refreshToken" | "expiresAt">
): Session => ({ ...rest, accessToken, refreshToken, ...(expiresAt === undefined ? {} : { expiresAt }) })

/**
 * The record to write when the stored one has changed since our new session was made; `undefined` if the stored one
 * stands. An older session never replaces a newer one; of two with the same generation the stored one stands.
 */
export const merge = (stored: SessionRecord, ours: SessionRecord): SessionRecord | undefined => {
  if (ours.session === undefined || !isNewer(ours.session, stored.session)) return undefined
  const generation = Math.max(ours.session.generation, (stored.session?.generation ?? -1) + 1)
  return {
    ...ours,
    session: { ...ours.session, generation },
    lastStartAt: Math.max(Model.lastStartOf(stored), Model.lastStartOf(ours)),
    spentKeys: [...new Set([...stored.spentKeys, ...ours.spentKeys])]
  }
}
