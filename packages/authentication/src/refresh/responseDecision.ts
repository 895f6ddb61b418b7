/** Decides what a rotation does after the response to its one-time secret. */
import { NoSession } from "@effect-custody/core/SessionError"
import type { TokenResponse, Tokens } from "../endpoint/tokenEndpoint.ts"
import * as Records from "../store/record.ts"
import { markKey } from "../endpoint/records.ts"
import { type End, type Intent, isNewer, type Session, type SessionRecord } from "../store/Session.ts"
import { giveKey, isTaken, type Purpose, type Refresh, type Start } from "./decision.ts"

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
  | { readonly _tag: "Adopt"; readonly session: Session }
  /**
   * Write nothing and load the record again: another process has the lease, or the record's newer session has ended.
   */
  | { readonly _tag: "Defer" }
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
        response._tag === "Rejected"
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
    case "Rejected":
    case "Malformed":
      return fail(`the service rejected the API key (${response.reason})`, Records.release(record, pending))
  }
}

const newSession = (
  { accessToken, expiresAt, refreshToken }: Tokens,
  rest: Omit<Session, "accessToken" | "refreshToken" | "expiresAt">
): Session => ({ ...rest, accessToken, refreshToken, ...(expiresAt === undefined ? {} : { expiresAt }) })
