/** What a process remembers of the secrets it has sent and the sessions it has seen end, even if the store forgets it. */
import type * as Redacted from "effect/Redacted"
import type { Intent, Session, SessionRecord } from "../Session.ts"
import { type EndReason, type Purpose, sameSecret, secretOf } from "./decision/model.ts"
import type { TokenResponse } from "./tokenResponse.ts"

export interface SessionMemory {
  /** The secrets that this process has sent, oldest first. One that was certainly not used is removed. */
  readonly sent: ReadonlyArray<SentSecret>
  /** Secrets that the service rejected. They wait until the store has been asked for a newer session. */
  readonly rejectedSecrets: ReadonlyArray<RejectedSecret>
  /** The sessions that this process has seen end, the latest last. */
  readonly endedSessions: ReadonlyArray<{ readonly session: Session; readonly end: EndReason }>
}

interface SentSecret {
  readonly secret: Redacted.Redacted
  /** When it was sent first. */
  readonly at: number
  /** What the record says of it, if it is an API key. */
  readonly mark: string | undefined
}

interface RejectedSecret {
  readonly secret: Redacted.Redacted
  readonly response: TokenResponse
  readonly priorIntent: Intent | undefined
}

export const initial: SessionMemory = {
  sent: [],
  rejectedSecrets: [],
  endedSessions: []
}

/** How many sent secrets, rejected secrets and ended sessions are remembered. */
const rememberedAtMost = 64

/** The changes when a session ends. */
export const ended = (
  { endedSessions, rejectedSecrets }: SessionMemory,
  session: Session | undefined,
  end: EndReason
): Partial<SessionMemory> => ({
  endedSessions:
    session === undefined || endedSessions.some((one) => sameSecret(one.session.refreshToken, session.refreshToken))
      ? endedSessions
      : [...endedSessions.slice(1 - rememberedAtMost), { session, end }],
  rejectedSecrets: rejectedSecrets.filter((one) => !sameSecret(one.secret, session?.refreshToken))
})

export const sends =
  (secret: SentSecret) =>
  ({ sent }: SessionMemory): Partial<SessionMemory> => ({
    sent: sent.some((one) => sameSecret(one.secret, secret.secret))
      ? sent
      : [...sent.slice(1 - rememberedAtMost), secret]
  })

/** When this process first sent the secret of a purpose. `undefined`: never, or it was certainly not used. */
export const sentAt = ({ sent }: SessionMemory, purpose: Purpose): number | undefined =>
  sent.find(({ secret }) => sameSecret(secret, secretOf(purpose)))?.at

export const rejectionOf = (
  { rejectedSecrets }: SessionMemory,
  secret: Redacted.Redacted
): RejectedSecret | undefined => rejectedSecrets.find((one) => sameSecret(one.secret, secret))

export const rejected =
  (rejection: RejectedSecret) =>
  ({ rejectedSecrets }: SessionMemory): Partial<SessionMemory> => ({
    rejectedSecrets: [...rejectedSecrets.slice(1 - rememberedAtMost), rejection]
  })

/** Whether a session is another one, or what that one was before it was refreshed: its tokens are as dead. */
const isUpTo = (session: Session, { generation, refreshToken, startedAt }: Session): boolean =>
  sameSecret(session.refreshToken, refreshToken) ||
  (startedAt !== undefined && session.startedAt === startedAt && session.generation <= generation)

/** How a session has ended, as this process has seen it: with the answer that said so, which no record keeps. */
export const endSeen = ({ endedSessions }: SessionMemory, session: Session | undefined): EndReason | undefined =>
  session && endedSessions.find((one) => isUpTo(session, one.session))?.end

const withKnownEnd = (record: SessionRecord, memory: SessionMemory, at: number): SessionRecord => {
  const { session } = record
  const end = endSeen(memory, session)
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

export const withKnownKeys = (record: SessionRecord, { sent }: SessionMemory): SessionRecord => {
  const { spentKeys } = record
  const forgotten = sent.flatMap(({ mark }) => (mark === undefined || spentKeys.includes(mark) ? [] : [mark]))
  return forgotten.length === 0 ? record : { ...record, spentKeys: [...spentKeys, ...forgotten] }
}

/** Adds to the record all that this process knows and the store may have lost. */
export const withKnown = (record: SessionRecord, known: SessionMemory, at: number): SessionRecord =>
  withKnownKeys(withKnownEnd(record, known, at), known)
