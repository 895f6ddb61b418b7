/**
 * The two authentication endpoints.
 *
 * Specification: "POST /auth/generate-tokens", "POST /auth/refresh-token".
 */
import * as AuthenticationSdk from "@effect-custody/authentication/Authentication"
import * as DateTime from "effect/DateTime"
import * as Redacted from "effect/Redacted"
import * as Answer from "../http/answer.ts"
import * as Category from "./category.ts"
import * as Sessions from "../state/sessionTokens.ts"

const redacted = ({ accessToken, expiresAt, refreshToken }: Sessions.TokenPair) => ({
  accessToken: Redacted.make(accessToken, { label: "accessToken" }),
  refreshToken: Redacted.make(refreshToken, { label: "refreshToken" }),
  expiresAt: DateTime.makeUnsafe(expiresAt)
})

export const authentication = Category.define(AuthenticationSdk.endpoints, {
  generateTokens: ({ now, input, used, world }) => {
    const apiKey = Redacted.value(input.apiKey)
    used(Sessions.findUse(world, "apiKey", apiKey))
    const pair = Sessions.start(world, apiKey, now)
    if (pair === undefined) return Answer.invalidApiKey
    return Answer.granted("Vault API keys were generated", { ...redacted(pair), vaultId: String(pair.vaultId) })
  },

  refreshToken: ({ now, input, used, world }) => {
    const refreshToken = Redacted.value(input.refreshToken)
    used(Sessions.findUse(world, "refreshToken", refreshToken))
    const pair = Sessions.rotate(world, refreshToken, now)
    if (pair === undefined) return Answer.invalidRefreshToken(world.settings.quirks)
    return Answer.granted("Tokens were refreshed", redacted(pair))
  }
})
