/**
 * API keys, sessions and tokens, and their rules, without HTTP.
 *
 * Specification: "Authentication", "POST /auth/generate-tokens", "POST /auth/refresh-token".
 */
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import type { SessionSummary, TokenUse } from "../model/Received.ts"
import * as StateField from "./stateField.ts"
import type { World } from "./world.ts"

const Session = Schema.Struct({
  number: Schema.Int,
  vaultId: Schema.Int,
  generation: Schema.mutableKey(Schema.Int),
  revoked: Schema.mutableKey(Schema.Boolean),
  startedAt: Schema.Finite,
  rotatedAt: Schema.mutableKey(Schema.Finite)
})
type Session = typeof Session.Type

const ApiKey = Schema.Struct({ vaultId: Schema.Int, used: Schema.mutableKey(Schema.Boolean) })

const AccessToken = Schema.Struct({
  /** The number of the session that the token belongs to. */
  session: Schema.Int,
  generation: Schema.Int,
  activeFrom: Schema.Finite,
  expiresAt: Schema.mutableKey(Schema.Finite)
})

const TokenPair = Schema.Struct({
  accessToken: Schema.String,
  refreshToken: Schema.String,
  /** Milliseconds since the Unix epoch. */
  expiresAt: Schema.Finite,
  vaultId: Schema.Int
})
export type TokenPair = typeof TokenPair.Type

const RefreshToken = Schema.Struct({
  session: Schema.Int,
  generation: Schema.Int,
  /** The time at which the token was spent, and the pair that replaced it. `undefined` for an unspent token. */
  spent: Schema.mutableKey(Schema.UndefinedOr(Schema.Struct({ at: Schema.Finite, pair: TokenPair })))
})

export const sessionState = StateField.make({
  name: "sessions",
  schema: Schema.Struct({
    apiKeys: StateField.map(ApiKey),
    /** Session number n is at index n - 1. */
    all: StateField.list(Session),
    accessTokens: StateField.map(AccessToken),
    refreshTokens: StateField.map(RefreshToken),
    rotations: Schema.mutableKey(Schema.Int)
  }).pipe(
    Schema.check(
      Schema.makeFilter(({ accessTokens, all, refreshTokens }) =>
        [...accessTokens.values(), ...refreshTokens.values()].every(
          ({ session }) => all[session - 1]?.number === session
        )
          ? undefined
          : "a token belongs to no session"
      )
    )
  ),
  initial: () => ({ apiKeys: new Map(), all: [], accessTokens: new Map(), refreshTokens: new Map(), rotations: 0 })
})

const findSession = (world: World, { session }: { readonly session: number }): Session =>
  world.state(sessionState).all[session - 1]!

const issue = (world: World, session: Session, now: number): TokenPair => {
  const { accessTokens, refreshTokens } = world.state(sessionState)
  const { quirks, tokenLifetime } = world.settings
  const pair: TokenPair = {
    accessToken: world.newSecret("at"),
    refreshToken: world.newSecret("rt"),
    expiresAt: now + Duration.toMillis(tokenLifetime),
    vaultId: session.vaultId
  }
  accessTokens.set(pair.accessToken, {
    session: session.number,
    generation: session.generation,
    activeFrom: now + Duration.toMillis(quirks.accessTokenActivation),
    expiresAt: pair.expiresAt
  })
  refreshTokens.set(pair.refreshToken, { session: session.number, generation: session.generation, spent: undefined })
  return pair
}

export const issueApiKey = (world: World, vaultId: number): string => {
  const key = world.newSecret("ak")
  world.state(sessionState).apiKeys.set(key, { vaultId, used: false })
  return key
}

/** Starts a session and spends the key. Returns `undefined` if the key is unknown or spent. */
export const start = (world: World, apiKey: string, now: number): TokenPair | undefined => {
  const { all, apiKeys } = world.state(sessionState)
  const key = apiKeys.get(apiKey)
  if (key === undefined || key.used) return undefined
  key.used = true
  const session: Session = {
    number: all.length + 1,
    vaultId: key.vaultId,
    generation: 0,
    revoked: false,
    startedAt: now,
    rotatedAt: now
  }
  all.push(session)
  return issue(world, session, now)
}

/**
 * Exchanges the latest refresh token of a session for a new pair. A token that was spent within the reuse grace returns
 * the pair that replaced it. Returns `undefined` for any other token.
 */
export const rotate = (world: World, refreshToken: string, now: number): TokenPair | undefined => {
  const state = world.state(sessionState)
  const { quirks } = world.settings
  const token = state.refreshTokens.get(refreshToken)
  if (token === undefined) return undefined
  const session = findSession(world, token)
  if (session.revoked) return undefined
  if (token.spent !== undefined) {
    if (now - token.spent.at < Duration.toMillis(quirks.refreshReuseGrace)) return token.spent.pair
    if (quirks.reuseRevokesSession) session.revoked = true
    return undefined
  }
  session.generation++
  session.rotatedAt = now
  state.rotations++
  const pair = issue(world, session, now)
  token.spent = { at: now, pair }
  return pair
}

/** The vault of an access token, or the reason to refuse the token. */
export const authenticate = (
  world: World,
  accessToken: string | undefined,
  now: number
): { readonly vaultId: number } | "invalid" | "expired" => {
  const token = accessToken === undefined ? undefined : world.state(sessionState).accessTokens.get(accessToken)
  if (token === undefined) return "invalid"
  const session = findSession(world, token)
  if (session.revoked || now < token.activeFrom) return "invalid"
  const superseded = token.generation < session.generation
  if (superseded && !world.settings.quirks.oldAccessTokenOutlivesRotation) return "invalid"
  return now >= token.expiresAt ? "expired" : { vaultId: session.vaultId }
}

/** The kind of a secret. If the secret is a token that the emulator issued, also the token's session and generation. */
export const findUse = (world: World, kind: TokenUse["kind"], secret: string): TokenUse => {
  const state = world.state(sessionState)
  const found = kind === "apiKey" ? undefined : state[`${kind}s`].get(secret)
  return found === undefined ? { kind } : { kind, session: found.session, generation: found.generation }
}

export const expireAll = (world: World, now: number): void => {
  for (const token of world.state(sessionState).accessTokens.values()) token.expiresAt = Math.min(token.expiresAt, now)
}

export const revokeAll = (world: World): void => {
  for (const session of world.state(sessionState).all) session.revoked = true
}

export const rotations = (world: World): number => world.state(sessionState).rotations

export const summaries = (world: World): ReadonlyArray<SessionSummary> => {
  const { accessTokens, all } = world.state(sessionState)
  // A map iterates tokens in the order in which they were issued, so the last token of each session wins.
  const expiries = new Map(Array.from(accessTokens.values(), ({ expiresAt, session }) => [session, expiresAt]))
  return all.map(({ number, ...session }) => ({
    ...session,
    session: number,
    expiresAt: expiries.get(number) ?? session.startedAt
  }))
}
