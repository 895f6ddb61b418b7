/**
 * Remembers the secrets that a process has sent and the sessions that it has seen end, even if the store loses them.
 */
import type * as Redacted from "effect/Redacted"
import type { TokenResponse } from "../endpoint/tokenEndpoint.ts"
import type { EndReason } from "../store/record.ts"
import { sameSecret } from "../store/secrets.ts"
import type { Intent, Session, SessionRecord } from "../store/Session.ts"

export interface SentSecrets {
  /** The secrets that this process has sent, oldest first, except secrets that were certainly not used. */
  readonly sent: ReadonlyArray<SentSecret>
  /** Secrets that the service rejected. They are kept until the store has been searched for a newer session. */
  readonly rejectedSecrets: ReadonlyArray<RejectedSecret>
  /** The sessions that this process has seen end, the latest last. */
  readonly endedSessions: ReadonlyArray<{ readonly session: Session; readonly end: EndReason }>
}

interface SentSecret {
  readonly secret: Redacted.Redacted
  /** The time of the first send. */
  readonly at: number
  /** The mark in the record, if the secret is an API key. */
  readonly mark: string | undefined
}

interface RejectedSecret {
  readonly secret: Redacted.Redacted
  readonly response: TokenResponse
  readonly priorIntent: Intent | undefined
}

export const initial: SentSecrets = {
  sent: [],
  rejectedSecrets: [],
  endedSessions: []
}

/** The maximum length of each list: the sent secrets, the rejected secrets, and the ended sessions. */
const maxRemembered = 64

export const addEnd = (
  { endedSessions, rejectedSecrets }: SentSecrets,
  session: Session | undefined,
  end: EndReason
): Partial<SentSecrets> => ({
  endedSessions:
    session === undefined || endedSessions.some((one) => sameSecret(one.session.refreshToken, session.refreshToken))
      ? endedSessions
      : [...endedSessions.slice(1 - maxRemembered), { session, end }],
  rejectedSecrets: rejectedSecrets.filter((one) => !sameSecret(one.secret, session?.refreshToken))
})

export const addSent =
  (secret: SentSecret) =>
  ({ sent }: SentSecrets): Partial<SentSecrets> => ({
    sent: sent.some((one) => sameSecret(one.secret, secret.secret)) ? sent : [...sent.slice(1 - maxRemembered), secret]
  })

/** When this process first sent a secret. `undefined` if never, or if the secret was certainly not used. */
export const sentAt = ({ sent }: SentSecrets, secret: Redacted.Redacted | undefined): number | undefined =>
  sent.find((one) => sameSecret(one.secret, secret))?.at

export const findRejection = (
  { rejectedSecrets }: SentSecrets,
  secret: Redacted.Redacted
): RejectedSecret | undefined => rejectedSecrets.find((one) => sameSecret(one.secret, secret))

export const addRejection =
  (rejection: RejectedSecret) =>
  ({ rejectedSecrets }: SentSecrets): Partial<SentSecrets> => ({
    rejectedSecrets: [...rejectedSecrets.slice(1 - maxRemembered), rejection]
  })

/**
 * `true` if the first session is the second session or an earlier generation of it. If the second has ended, so has the
 * first.
 */
const isSameOrEarlier = (session: Session, { generation, refreshToken, startedAt }: Session): boolean =>
  sameSecret(session.refreshToken, refreshToken) ||
  (startedAt !== undefined && session.startedAt === startedAt && session.generation <= generation)

/** The end of a session, if this process has seen it. Contains the answer's support data, which no record keeps. */
export const findEnd = ({ endedSessions }: SentSecrets, session: Session | undefined): EndReason | undefined =>
  session && endedSessions.find((one) => isSameOrEarlier(session, one.session))?.end

const withKnownEnd = (record: SessionRecord, memory: SentSecrets, at: number): SessionRecord => {
  const { session } = record
  const end = findEnd(memory, session)
  if (end === undefined || session === undefined) return record
  const { generation } = session
  const answerLostAt = end._tag === "SessionLost" ? end.answerLostAt?.epochMilliseconds : undefined
  return {
    ...record,
    end:
      end._tag === "SessionLost"
        ? { _tag: "Lost", generation, at, ...(answerLostAt === undefined ? {} : { answerLostAt }) }
        : { _tag: "Invalid", generation, at, reason: end.reason }
  }
}

export const withKnownKeys = (record: SessionRecord, { sent }: SentSecrets): SessionRecord => {
  const { spentKeys } = record
  const forgotten = sent.flatMap(({ mark }) => (mark === undefined || spentKeys.includes(mark) ? [] : [mark]))
  return forgotten.length === 0 ? record : { ...record, spentKeys: [...spentKeys, ...forgotten] }
}

/** Adds what this process knows, and the store may have lost: the session's end, and the API keys that were sent. */
export const withKnown = (record: SessionRecord, known: SentSecrets, at: number): SessionRecord =>
  withKnownKeys(withKnownEnd(record, known, at), known)
