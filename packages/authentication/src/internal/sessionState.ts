/** What this process believes of a session, and how that is told. */
import type { SessionError, SessionLost, StoredSessionInvalid } from "@effect-custody/core/SessionError"
import type { AccessToken, SessionStatus } from "@effect-custody/core/TokenService"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import type { Intent, Session, SessionRecord } from "../Session.ts"
import { sameSecret } from "./decision/record.ts"
import type { Reading } from "./tokenResponse.ts"

export interface Belief {
  readonly session: Session | undefined
  /** Whether the session is known to be stored. */
  readonly isDurable: boolean
  /** Since when this process uses the session, by its uptime. */
  readonly usedSince: number | undefined
  /** Why the session cannot go on. */
  readonly end: SessionLost | StoredSessionInvalid | undefined
  /** Since when a refresh of the session is without an answer. */
  readonly ambiguousSince: number | undefined
  /** The secret that this process has sent and whose fate it does not know. */
  readonly sent: Redacted.Redacted | undefined
  /** The secrets that were refused, and it could not be seen yet whether the store has a newer one. */
  readonly refused: ReadonlyArray<Refused>
  /** The sessions that this process has seen end, the latest last: also after the store has forgotten it. */
  readonly gone: ReadonlyArray<Gone>
  /** Until when nothing is tried, by the uptime of this process, and what is said meanwhile. */
  readonly pause: { readonly until: number; readonly error: SessionError } | undefined
}

export interface Gone {
  readonly session: Session
  readonly end: SessionLost | StoredSessionInvalid
}

export interface Refused {
  readonly secret: Redacted.Redacted
  readonly reading: Reading
  readonly earlier: Intent | undefined
}

export const nothing: Belief = {
  session: undefined,
  isDurable: true,
  usedSince: undefined,
  end: undefined,
  ambiguousSince: undefined,
  sent: undefined,
  refused: [],
  gone: [],
  pause: undefined
}

/** How many sessions that have ended, or were refused, are remembered: each cost a human a new key. */
const kept = 16

/** What outlives the session: what the service has said no to, it says no to for ever. */
export const outliving = ({ gone, refused }: Belief): Belief => ({ ...nothing, gone, refused })

/** What changes when a session has ended: its refusal, if there was one, is settled. */
export const afterEnd = (
  { gone, refused }: Belief,
  session: Session | undefined,
  end: Gone["end"]
): Pick<Belief, "end" | "gone" | "refused"> => ({
  end,
  gone:
    session === undefined || gone.some((one) => sameSecret(one.session.refreshToken, session.refreshToken))
      ? gone
      : [...gone.slice(1 - kept), { session, end }],
  refused: refused.filter((one) => !sameSecret(one.secret, session?.refreshToken))
})

/** What was said of a secret, if it was refused. */
export const refusalOf = ({ refused }: Belief, secret: Redacted.Redacted): Refused | undefined =>
  refused.find((one) => sameSecret(one.secret, secret))

/** The refusals that are still to be settled, with one more. */
export const withRefusal = ({ refused }: Belief, one: Refused): ReadonlyArray<Refused> => [
  ...refused.slice(1 - kept),
  one
]

/** A record whose session this process has seen end, also where the store does not say so. */
export const withEnd = (record: SessionRecord, { gone }: Belief, at: number): SessionRecord => {
  const { session } = record
  const end = gone.find((one) => sameSecret(one.session.refreshToken, session?.refreshToken))?.end
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

/** The session, if it can go on. */
export const liveSession = ({ end, session }: Belief): Session | undefined => (end === undefined ? session : undefined)

export const accessToken = (session: Session): AccessToken => ({
  value: session.accessToken,
  generation: session.generation
})

const stateOf = (belief: Belief, isRotating: boolean): SessionStatus["state"] => {
  if (belief.end !== undefined) return "lost"
  if (belief.session === undefined) return "none"
  if (!belief.isDurable) return "unpersisted"
  if (isRotating) return "rotating"
  return belief.ambiguousSince === undefined ? "serving" : "ambiguous"
}

/** The status that a user sees. */
export const status = (identity: string, belief: Belief, isRotating: boolean): SessionStatus => ({
  identity,
  state: stateOf(belief, isRotating),
  generation: Option.map(Option.fromUndefinedOr(belief.session), ({ generation }) => generation),
  expiresAt: Option.map(Option.fromUndefinedOr(belief.session?.expiresAt), DateTime.makeUnsafe)
})
