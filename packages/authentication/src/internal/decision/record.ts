/** What a record says of its session, and what a purpose means by it. */
import {
  NoSession,
  SessionLost,
  SessionOfAnotherEnvironment,
  StoredSessionInvalid
} from "@effect-custody/core/SessionError"
import * as DateTime from "effect/DateTime"
import * as Redacted from "effect/Redacted"
import { isNewer, type RefreshIntent, type Session, type SessionRecord } from "../../Session.ts"
import type { Ended, Event, Identity, Purpose, Refresh } from "./model.ts"

/** Whether a session is what a refresh wants: newer than the one that it is to replace. */
export const isPast = (session: Session, { session: rejected }: Refresh): boolean => isNewer(session, rejected)

/** The secret that a purpose sends, if it has one. */
export const secretOf = (purpose: Purpose): Redacted.Redacted | undefined =>
  purpose._tag === "Refresh" ? purpose.session.refreshToken : purpose.key?.apiKey

/** Whether two secrets are there, and the same. */
export const sameSecret = (a: Redacted.Redacted | undefined, b: Redacted.Redacted | undefined): boolean =>
  a !== undefined && b !== undefined && Redacted.value(a) === Redacted.value(b)

const timestamp = (millis: number) => DateTime.makeUnsafe(millis)

/** A record without the parts named. */
export const without = (record: SessionRecord, ...parts: ReadonlyArray<"lease" | "intent" | "end">): SessionRecord => {
  const rest = { ...record }
  for (const part of parts) delete rest[part]
  return rest
}

/** Whether the record belongs to the environment that is configured. */
export const belongs = (identity: Identity, record: SessionRecord): SessionOfAnotherEnvironment | undefined =>
  record.environment === identity.environment
    ? undefined
    : new SessionOfAnotherEnvironment({
        identity: identity.name,
        stored: record.environment,
        configured: identity.environment
      })

/** Whether somebody else is at work on a record. */
export const isTaken = ({ lease }: SessionRecord, { leaseIsDead, owner }: Event): boolean =>
  lease !== undefined && lease.owner !== owner && !leaseIsDead

/** Why the record's session cannot go on, if it cannot. */
export const ended = (identity: Identity, record: SessionRecord): Ended | undefined => {
  const { end, session } = record
  if (end === undefined || session === undefined || end.generation !== session.generation) return undefined
  return end._tag === "Invalid"
    ? new StoredSessionInvalid({ identity: identity.name, reason: end.reason })
    : new SessionLost({
        identity: identity.name,
        generation: end.generation,
        obtainedAt: timestamp(session.obtainedAt),
        ...(end.answerLostAt === undefined ? {} : { answerLostAt: timestamp(end.answerLostAt) })
      })
}

/** What is written of the refresh token of a session, sent or about to be. */
export const refreshIntentOf = (record: SessionRecord, session: Session | undefined): RefreshIntent | undefined => {
  const intent = record.intent?._tag === "Start" ? record.intent.pending : record.intent
  return intent !== undefined && intent.generation === session?.generation ? intent : undefined
}

/** The record with the newer of its own session and another; an end is that of the session that it was written with. */
export const withNewest = (record: SessionRecord, held: Session | undefined): SessionRecord =>
  held !== undefined && isNewer(held, record.session) ? { ...without(record, "end"), session: held } : record

export const noSession = (identity: Identity, reason: string) => new NoSession({ identity: identity.name, reason })
