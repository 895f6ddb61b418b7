/** What to do when a secret was sent, and when a record has changed under our hands. */
import * as Redacted from "effect/Redacted"
import { type Intent, isNewer, type Session, type SessionRecord } from "../../Session.ts"
import type { Answered, Identity, Refresh, Settlement, Start } from "./model.ts"
import type { Reading } from "../tokenResponse.ts"
import { ended, isTaken, noSession, refreshIntentOf, sameSecret, withNewest, without } from "./record.ts"

/** What follows from a record when the secret of a purpose was sent. */
export const settle = (identity: Identity, record: SessionRecord, event: Answered): Settlement =>
  event.purpose._tag === "Refresh"
    ? settleRefresh(identity, record, event, event.purpose)
    : settleStart(identity, record, event, event.purpose)

const released = (record: SessionRecord, intent: Intent | undefined): SessionRecord => {
  const free = without(record, "lease", "intent")
  return intent === undefined ? free : { ...free, intent }
}

type Tokens = Extract<Reading, { readonly _tag: "Tokens" }>

const sessionOf = (
  { accessToken, expiresAt }: Tokens,
  refreshToken: Redacted.Redacted,
  rest: Pick<Session, "generation" | "obtainedAt" | "startedAt" | "vaultId">
): Session => ({
  ...rest,
  accessToken,
  refreshToken,
  ...(expiresAt === undefined ? {} : { expiresAt })
})

const settleRefresh = (identity: Identity, record: SessionRecord, event: Answered, purpose: Refresh): Settlement => {
  const { now, owner, reading, retryAt } = event
  const { session } = record
  // Whoever was faster, or whatever an operator has put there, stands: the loser of a race declares nobody dead.
  if (session !== undefined && isNewer(session, purpose.session)) return { _tag: "Adopt", session }
  if (reading._tag === "Tokens") return refreshed(record, purpose.session, reading, now)
  if (isTaken(record, event)) return { _tag: "Defer" }
  const held = withNewest(record, purpose.session)
  const { generation } = purpose.session
  const written = refreshIntentOf(record, purpose.session)
  const ours = record.lease?.owner === owner
  const earlier = ours ? event.earlier : (written ?? event.earlier)
  switch (reading._tag) {
    case "Unchanged":
      return {
        _tag: "Release",
        record: ours ? released(record, earlier) : undefined,
        ambiguousSince: earlier?.since
      }
    case "Unanswered": {
      const since = (earlier ?? written)?.since ?? now
      const intent: Intent = {
        _tag: "Refresh",
        generation,
        since,
        ambiguous: true,
        ...(earlier === undefined ? {} : { retryAt })
      }
      return { _tag: "Release", record: released(held, intent), ambiguousSince: since }
    }
    case "Refused": {
      const answerLostAt = earlier === undefined ? {} : { answerLostAt: earlier.since }
      const end = { _tag: "Lost" as const, generation, at: now, ...answerLostAt }
      const lost: SessionRecord = { ...released(held, undefined), end }
      return { _tag: "End", record: lost, error: ended(identity, lost)! }
    }
    case "Malformed": {
      const end = { _tag: "Invalid" as const, generation, at: now, reason: reading.reason }
      const invalid: SessionRecord = { ...released(held, undefined), end }
      return { _tag: "End", record: invalid, error: ended(identity, invalid)! }
    }
  }
}

const refreshed = (record: SessionRecord, from: Session, reading: Tokens, now: number): Settlement => {
  const refreshToken = reading.refreshToken ?? from.refreshToken
  const session = sessionOf(reading, refreshToken, {
    generation: from.generation + 1,
    obtainedAt: now,
    ...(from.startedAt === undefined ? {} : { startedAt: from.startedAt }),
    ...(from.vaultId === undefined ? {} : { vaultId: from.vaultId })
  })
  // A refresh without a new refresh token, or with the same, leaves us one that is probably spent.
  const doubt: Intent | undefined = sameSecret(refreshToken, from.refreshToken)
    ? { _tag: "Refresh", generation: session.generation, since: now, ambiguous: true }
    : undefined
  return { _tag: "Publish", session, record: { ...without(released(record, doubt), "end"), session } }
}

const settleStart = (identity: Identity, record: SessionRecord, event: Answered, { key }: Start): Settlement => {
  const { now, reading } = event
  if (reading._tag === "Tokens" && reading.refreshToken !== undefined) {
    const { session: old } = record
    const session = sessionOf(reading, reading.refreshToken, {
      generation: (old?.generation ?? -1) + 1,
      startedAt: Math.max(now, (old?.startedAt ?? 0) + 1),
      obtainedAt: now,
      ...(reading.vaultId === undefined ? {} : { vaultId: reading.vaultId })
    })
    return { _tag: "Publish", session, record: { ...without(released(record, undefined), "end"), session } }
  }
  // The key is written down as sent, which is all that has to be kept of it.
  if (isTaken(record, event)) return { _tag: "Defer" }
  const pending = refreshIntentOf(record, record.session)
  const none = (reason: string, next: SessionRecord): Settlement => ({
    _tag: "End",
    record: next,
    error: noSession(identity, reason)
  })
  switch (reading._tag) {
    case "Unchanged":
      return none(`the API key could not be exchanged (${reading.reason}); it was not used`, {
        ...released(record, pending),
        spentKeys: record.spentKeys.filter((fingerprint) => fingerprint !== key?.fingerprint)
      })
    case "Unanswered": {
      const intent: Intent = {
        _tag: "Start",
        fingerprint: key?.fingerprint ?? "",
        since: now,
        ambiguous: true,
        ...(pending === undefined ? {} : { pending })
      }
      return none(
        `the API key was sent, and no answer says what became of it (${reading.reason}). Make a new key`,
        released(record, intent)
      )
    }
    case "Tokens":
      return none("the answer to the API key held no refresh token. Make a new key", released(record, pending))
    case "Refused":
    case "Malformed":
      return none(`the service refused the API key (${reading.reason}). Make a new key`, released(record, pending))
  }
}

/**
 * What to write over a stored record that is not the one our new session was made from; `undefined` if the stored one
 * stands. A record is never replaced by an older session, and of two of the same generation the stored one wins.
 */
export const reconcile = (stored: SessionRecord, ours: SessionRecord): SessionRecord | undefined => {
  if (ours.session === undefined || !isNewer(ours.session, stored.session)) return undefined
  const generation = Math.max(ours.session.generation, (stored.session?.generation ?? -1) + 1)
  return {
    ...ours,
    session: { ...ours.session, generation },
    spentKeys: [...new Set([...stored.spentKeys, ...ours.spentKeys])]
  }
}
