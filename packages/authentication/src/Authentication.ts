/**
 * The endpoint that exchanges an API key for tokens, and the endpoint that refreshes tokens. Call them yourself only if
 * you keep the session without `TokenService`.
 */
import { InvalidApiKey } from "@effect-custody/core/ApiError"
import * as Endpoint from "@effect-custody/core/Endpoint"
import { GeneratedTokens, TokenPair, ApiKey, RefreshToken } from "./secrets.ts"

/**
 * Exchanges a one-time API key for the first access token and refresh token. Sends no access token. A key has 1 to 255
 * characters.
 *
 * Fails with `InvalidApiKey` (E00401), `ValidationFailed` (E00402), and `OutcomeUnknown` if the answer was lost. After
 * `OutcomeUnknown` the key may be spent: never send it again.
 *
 * Specification: "POST /auth/generate-tokens".
 *
 * @example
 * ```ts
 * import { Authentication } from "@effect-custody/authentication"
 * import { Redacted } from "effect"
 *
 * const program = Authentication.generateTokens({ apiKey: Redacted.make("one-time key") })
 * ```
 *
 * @since 0.1.0
 * @category endpoints
 */
export const generateTokens = Endpoint.session("authentication.generateTokens", {
  route: "POST /auth/generate-tokens",
  section: "POST /auth/generate-tokens",
  payload: { apiKey: ApiKey },
  success: GeneratedTokens,
  errors: [InvalidApiKey]
})

/**
 * Exchanges the latest refresh token for a new pair. The sent token becomes invalid when the service processes the
 * request.
 *
 * Fails with `InvalidRefreshToken` (E01402), `ValidationFailed` (E00402), and `OutcomeUnknown` if the answer was lost:
 * the sent token may be spent.
 *
 * Specification: "POST /auth/refresh-token".
 *
 * @example
 * ```ts
 * import { Authentication } from "@effect-custody/authentication"
 * import type { Redacted } from "effect"
 *
 * const program = (latest: Redacted.Redacted) => Authentication.refreshToken({ refreshToken: latest })
 * ```
 *
 * @since 0.1.0
 * @category endpoints
 */
export const refreshToken = Endpoint.session("authentication.refreshToken", {
  route: "POST /auth/refresh-token",
  section: "POST /auth/refresh-token",
  payload: { refreshToken: RefreshToken },
  success: TokenPair
})

/**
 * The endpoints of this category, in the order of the specification.
 *
 * @since 0.1.0
 * @category constants
 */
export const endpoints = { generateTokens, refreshToken }
