/** Pure functions that read and change a session record. */
import { SessionLost, SessionOfAnotherEnvironment, StoredSessionInvalid } from "@effect-custody/core/SessionError"
import * as DateTime from "effect/DateTime"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { markKey } from "./secrets.ts"
import { type Intent, isNewer, type RefreshIntent, type Session, type SessionRecord } from "./Session.ts"
import type { SupportData } from "./tokenEndpoint.ts"
import type { Stored } from "./TokenStore.ts"

export interface Identity {
  readonly name: string
  readonly environment: string
}

export type EndReason = SessionLost | StoredSessionInvalid

export const isEndReason = (error: { readonly _tag: string }): error is EndReason =>
  error._tag === "SessionLost" || error._tag === "StoredSessionInvalid"

export const without = (record: SessionRecord, ...parts: ReadonlyArray<"lease" | "intent" | "end">): SessionRecord => {
  const rest = { ...record }
  for (const part of parts) delete rest[part]
  return rest
}

/**
 * Returns a record of this environment, or fails. A record of another environment that has no session, end, claim or sent
 * API key moves to this one. This is safe, because then no secret was used up at the other environment.
 */
export const inEnvironment = (
  { environment, name: identity }: Identity,
  record: SessionRecord
): Result.Result<SessionRecord, SessionOfAnotherEnvironment> => {
  const { end, environment: stored, intent, lease, session, spentKeys } = record
  if (stored === environment) return Result.succeed(record)
  const isUnused = [end, intent, lease, session].every(Predicate.isUndefined) && spentKeys.length === 0
  return isUnused
    ? Result.succeed({ ...record, environment })
    : Result.fail(new SessionOfAnotherEnvironment({ identity, stored, configured: environment }))
}

/**
 * Returns the reason why the record's session cannot continue, or `undefined` if the record has no end of this session.
 * `support` is the support data of the answer that has just ended the session.
 */
export const endReason = (identity: Identity, record: SessionRecord, support?: SupportData): EndReason | undefined => {
  const { end, session } = record
  if (end === undefined || session === undefined || end.generation !== session.generation) return undefined
  return end._tag === "Invalid"
    ? new StoredSessionInvalid({ identity: identity.name, reason: end.reason, ...support })
    : new SessionLost({
        identity: identity.name,
        generation: end.generation,
        obtainedAt: DateTime.makeUnsafe(session.obtainedAt),
        ...(end.answerLostAt === undefined ? {} : { answerLostAt: DateTime.makeUnsafe(end.answerLostAt) }),
        ...support
      })
}

/** The recorded intent for the refresh token of `session`. */
export const refreshIntent = ({ intent }: SessionRecord, session: Session | undefined): RefreshIntent | undefined => {
  const refresh = intent?._tag === "Start" ? intent.pending : intent
  return refresh?.generation === session?.generation ? refresh : undefined
}

export const ambiguousIntent = ({ generation }: Session, since: number): RefreshIntent => ({
  _tag: "Refresh",
  generation,
  since,
  ambiguous: true
})

export const lastStart = ({ lastStartAt = 0, session }: SessionRecord): number =>
  Math.max(lastStartAt, session?.startedAt ?? 0)

/**
 * If `other` is newer than the record's session, replaces that session by `other`, and drops the `end` of the older
 * session.
 */
export const withNewest = (record: SessionRecord, other: Session | undefined): SessionRecord =>
  other !== undefined && isNewer(other, record.session) ? { ...without(record, "end"), session: other } : record

export const release = (record: SessionRecord, intent: Intent | undefined): SessionRecord => {
  const free = without(record, "lease", "intent")
  return intent === undefined ? free : { ...free, intent }
}

export const withoutMarks = (record: SessionRecord, marks: ReadonlyArray<string>): SessionRecord =>
  record.spentKeys.some((one) => marks.includes(one))
    ? { ...record, spentKeys: record.spentKeys.filter((one) => !marks.includes(one)) }
    : record

/** Removes this process's claims on API keys that it certainly did not send. Without such claims, returns the same object. */
export const withoutClaims = (record: SessionRecord, owner: string, marks: ReadonlyArray<string>): SessionRecord => {
  const { intent, lease, session } = record
  const unmarked = withoutMarks(record, marks)
  const isClaimed =
    lease?.owner === owner && intent?._tag === "Start" && marks.includes(markKey(intent.fingerprint, owner))
  return isClaimed ? release(unmarked, refreshIntent(record, session)) : unmarked
}

/**
 * The record to write when the stored record has changed since our new session was made. `undefined` if the stored record
 * must stay, because its session is newer than ours, or has the same start and generation.
 */
export const merge = (stored: SessionRecord, ours: SessionRecord): SessionRecord | undefined => {
  if (ours.session === undefined || !isNewer(ours.session, stored.session)) return undefined
  const generation = Math.max(ours.session.generation, (stored.session?.generation ?? -1) + 1)
  return {
    ...ours,
    session: { ...ours.session, generation },
    lastStartAt: Math.max(lastStart(stored), lastStart(ours)),
    spentKeys: [...new Set([...stored.spentKeys, ...ours.spentKeys])]
  }
}

/** How long this process has watched an unchanged record, summed over all calls. */
export interface Watch {
  readonly version: number
  readonly millis: number
}

export const watch = (before: Watch, { version }: Stored): Watch =>
  before.version === version ? before : { version, millis: 0 }

/**
 * The state of another process's lease. `Silent`: not renewed for half of the lease timeout. `Dead`: not renewed after
 * a challenge either. The challenge is a write to the record, so it also proves that the store takes writes.
 */
export type LeaseState = "Alive" | "Silent" | "Dead"

/** A silent holder is challenged after this fraction of the lease timeout. The rest is the holder's time to answer. */
const challengeAfter = 0.5

/** Judges the lease of a loaded record. `before` is the watch when the load began. */
export const judge = (before: Watch, stored: Stored, leaseTimeout: number): LeaseState => {
  const { millis } = watch(before, stored)
  if (stored.record.lease?.isChallenged === true) {
    return millis >= leaseTimeout * (1 - challengeAfter) ? "Dead" : "Alive"
  }
  return millis >= leaseTimeout * challengeAfter ? "Silent" : "Alive"
}
