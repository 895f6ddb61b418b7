/**
 * API keys, sessions and tokens, and the rules that they live by. All state, no HTTP.
 *
 * Specification: "Authentication", "POST /auth/generate-tokens", "POST /auth/refresh-token".
 */
import * as Duration from "effect/Duration"
import type { SessionSummary, TokenUse } from "../Received.ts"
import type { Slice, World } from "./world.ts"

interface Session {
  readonly number: number
  readonly vaultId: number
  generation: number
  revoked: boolean
}

interface ApiKey {
  readonly vaultId: number
  used: boolean
}

interface AccessToken {
  readonly session: Session
  readonly generation: number
  readonly activeFrom: number
  expiresAt: number
}

interface RefreshToken {
  readonly session: Session
  readonly generation: number
  /** What it was exchanged for, once it was. */
  spent: { readonly at: number; readonly pair: TokenPair } | undefined
}

/** A new pair of tokens. */
export interface TokenPair {
  readonly accessToken: string
  readonly refreshToken: string
  /** Milliseconds since the Unix epoch. */
  readonly expiresAt: number
  readonly vaultId: number
}

interface Sessions {
  readonly apiKeys: Map<string, ApiKey>
  readonly all: Array<Session>
  readonly accessTokens: Map<string, AccessToken>
  readonly refreshTokens: Map<string, RefreshToken>
  rotations: number
}

const sessions: Slice<Sessions> = {
  name: "sessions",
  initial: () => ({ apiKeys: new Map(), all: [], accessTokens: new Map(), refreshTokens: new Map(), rotations: 0 })
}

const issue = (world: World, session: Session, now: number): TokenPair => {
  const { accessTokens, refreshTokens } = world.state(sessions)
  const { quirks, tokenLifetime } = world.settings
  const pair: TokenPair = {
    accessToken: world.opaque("at"),
    refreshToken: world.opaque("rt"),
    expiresAt: now + Duration.toMillis(tokenLifetime),
    vaultId: session.vaultId
  }
  accessTokens.set(pair.accessToken, {
    session,
    generation: session.generation,
    activeFrom: now + Duration.toMillis(quirks.accessTokenActivation),
    expiresAt: pair.expiresAt
  })
  refreshTokens.set(pair.refreshToken, { session, generation: session.generation, spent: undefined })
  return pair
}

/** A new one-time key of a vault. */
export const issueApiKey = (world: World, vaultId: number): string => {
  const key = world.opaque("ak")
  world.state(sessions).apiKeys.set(key, { vaultId, used: false })
  return key
}

/** A session for a key, which is used up by it; or nothing, if it is not a key or was used before. */
export const start = (world: World, apiKey: string, now: number): TokenPair | undefined => {
  const { all, apiKeys } = world.state(sessions)
  const key = apiKeys.get(apiKey)
  if (key === undefined || key.used) return undefined
  key.used = true
  const session: Session = { number: all.length + 1, vaultId: key.vaultId, generation: 0, revoked: false }
  all.push(session)
  return issue(world, session, now)
}

/** The next pair of a session for its latest refresh token; or nothing, if it is not the latest. */
export const rotate = (world: World, refreshToken: string, now: number): TokenPair | undefined => {
  const state = world.state(sessions)
  const { quirks } = world.settings
  const token = state.refreshTokens.get(refreshToken)
  if (token === undefined || token.session.revoked) return undefined
  if (token.spent !== undefined) {
    if (now - token.spent.at < Duration.toMillis(quirks.refreshReuseGrace)) return token.spent.pair
    if (quirks.reuseRevokesSession) token.session.revoked = true
    return undefined
  }
  token.session.generation++
  state.rotations++
  const pair = issue(world, token.session, now)
  token.spent = { at: now, pair }
  return pair
}

/** The session and vault of an access token, or why it is not accepted. */
export const authenticate = (
  world: World,
  accessToken: string | undefined,
  now: number
): { readonly vaultId: number } | "invalid" | "expired" => {
  const token = accessToken === undefined ? undefined : world.state(sessions).accessTokens.get(accessToken)
  if (token === undefined || token.session.revoked || now < token.activeFrom) return "invalid"
  const superseded = token.generation < token.session.generation
  if (superseded && !world.settings.quirks.oldAccessTokenOutlivesRotation) return "invalid"
  return now >= token.expiresAt ? "expired" : { vaultId: token.session.vaultId }
}

/** Where a secret stands in the history of its session. */
export const useOf = (world: World, kind: TokenUse["kind"], secret: string): TokenUse => {
  const state = world.state(sessions)
  const found =
    kind === "accessToken"
      ? state.accessTokens.get(secret)
      : kind === "refreshToken"
        ? state.refreshTokens.get(secret)
        : undefined
  return found === undefined ? { kind } : { kind, session: found.session.number, generation: found.generation }
}

/** Every access token that there is expires now. */
export const expireAll = (world: World, now: number): void => {
  for (const token of world.state(sessions).accessTokens.values()) token.expiresAt = Math.min(token.expiresAt, now)
}

/** No token that there is is accepted from now on. */
export const revokeAll = (world: World): void => {
  for (const session of world.state(sessions).all) session.revoked = true
}

export const summaries = (world: World): ReadonlyArray<SessionSummary> =>
  world.state(sessions).all.map(({ generation, number, revoked, vaultId }) => ({
    session: number,
    vaultId,
    generation,
    revoked
  }))

export const rotations = (world: World): number => world.state(sessions).rotations
