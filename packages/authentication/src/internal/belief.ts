/** What this process believes of a session, and how that is told. */
import type { SessionError, SessionLost, StoredSessionInvalid } from "@effect-custody/core/SessionError"
import type { AccessToken, SessionStatus } from "@effect-custody/core/TokenService"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import type { Intent, Session } from "../Session.ts"
import type { Reading } from "./reading.ts"

export interface Belief {
  readonly session: Session | undefined
  /** Whether the session is known to be stored. */
  readonly isDurable: boolean
  /** Since when this process uses the session, by its uptime; absent if it was there from the start. */
  readonly usedSince: number | undefined
  /** Why the session cannot go on. */
  readonly end: SessionLost | StoredSessionInvalid | undefined
  /** Since when a refresh of the session is without an answer. */
  readonly ambiguousSince: number | undefined
  /** The secret that this process has sent and whose fate it does not know. */
  readonly sent: string | undefined
  /** A secret that was refused, and it could not be seen yet whether the store has a newer one. */
  readonly refused: Refused | undefined
  /** Until when nothing is tried, by the uptime of this process, and what is said meanwhile. */
  readonly pause: { readonly until: number; readonly error: SessionError } | undefined
}

export interface Refused {
  readonly secret: string
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
  refused: undefined,
  pause: undefined
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
