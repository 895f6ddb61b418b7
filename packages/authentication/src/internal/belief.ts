/** What this process believes of a session, and how that is told. */
import type { SessionError } from "@effect-custody/core/SessionError"
import type { AccessToken, SessionStatus } from "@effect-custody/core/TokenService"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import type { Session } from "../Session.ts"

export interface Belief {
  readonly session: Session | undefined
  /** Whether the session is known to be stored. */
  readonly durable: boolean
  /** Why the session cannot go on, or could not start. */
  readonly end: SessionError | undefined
  /** Since when a refresh of this generation is without an answer. */
  readonly ambiguousSince: number | undefined
  /** A secret that this process has sent and whose fate it does not know: a generation, or a key's fingerprint. */
  readonly sent: number | string | undefined
  /** Until when nothing is tried, and what is said meanwhile. */
  readonly cooldown: { readonly until: number; readonly error: SessionError } | undefined
}

export const nothing: Belief = {
  session: undefined,
  durable: true,
  end: undefined,
  ambiguousSince: undefined,
  sent: undefined,
  cooldown: undefined
}

export const accessToken = (session: Session): AccessToken => ({
  value: session.accessToken,
  generation: session.generation
})

const stateOf = (belief: Belief, isRotating: boolean): SessionStatus["state"] => {
  const { ambiguousSince, durable, end, session } = belief
  if (end !== undefined) return end._tag === "NoSession" ? "none" : "lost"
  if (session === undefined) return "none"
  if (!durable) return "unpersisted"
  if (isRotating) return "rotating"
  return ambiguousSince === undefined ? "serving" : "ambiguous"
}

/** The status that a user sees. */
export const status = (identity: string, belief: Belief, isRotating: boolean): SessionStatus => ({
  identity,
  state: stateOf(belief, isRotating),
  generation: Option.map(Option.fromUndefinedOr(belief.session), ({ generation }) => generation),
  expiresAt: Option.map(Option.fromUndefinedOr(belief.session?.expiresAt), DateTime.makeUnsafe)
})
