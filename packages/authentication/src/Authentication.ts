/**
 * The two authentication endpoints. `TokenService` calls them at the right time; call them yourself only if you keep
 * the session yourself.
 *
 * @since 0.1.0
 */
import * as Endpoint from "@effect-custody/core/Endpoint"
import { AuthenticationApi } from "./AuthenticationApi.ts"

/**
 * Exchanges a one-time API key for the first access token and refresh token. Sends no access token.
 *
 * Fails with `InvalidApiKey` (E00401), `ValidationFailed` (E00402), and `OutcomeUnknown` if the answer was lost: the key
 * may be used, and must not be sent again.
 *
 * Specification: "POST /auth/generate-tokens".
 *
 * @example
 * ```ts
 * import { Authentication } from "@effect-custody/authentication"
 * import { Effect, Redacted } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const tokens = yield* Authentication.generateTokens({ apiKey: Redacted.make("one-time key") })
 *   return tokens.refreshToken // Redacted
 * })
 * ```
 *
 * @since 0.1.0
 * @category endpoints
 */
export const generateTokens = Endpoint.make(AuthenticationApi, "generateTokens")

/**
 * Exchanges the latest refresh token for a new pair. The token is dead once the service has processed the request,
 * whether or not the answer arrives.
 *
 * Fails with `InvalidRefreshToken` (E01402), `ValidationFailed` (E00402), and `OutcomeUnknown` if the answer was lost:
 * the token may be spent.
 *
 * Specification: "POST /auth/refresh-token".
 *
 * @example
 * ```ts
 * import { Authentication } from "@effect-custody/authentication"
 * import { Effect, type Redacted } from "effect"
 *
 * const program = (latest: Redacted.Redacted) =>
 *   Effect.gen(function* () {
 *     const tokens = yield* Authentication.refreshToken({ refreshToken: latest })
 *     return tokens.accessToken // Redacted
 *   })
 * ```
 *
 * @since 0.1.0
 * @category endpoints
 */
export const refreshToken = Endpoint.make(AuthenticationApi, "refreshToken")
