/**
 * The two authentication endpoints, as they are. A client's session is kept by its `TokenService`, which calls them at
 * the right time; call them yourself only for a session that you keep yourself.
 */
import * as Endpoint from "@effect-custody/core/Endpoint"
import { AuthenticationApi } from "./AuthenticationApi.ts"

/**
 * Exchanges a one-time API key for the first access token and refresh token. Sends no access token.
 *
 * Fails with `InvalidApiKey` (E00401), `ValidationFailed` (E00402), and `OutcomeUnknown` if the key may have been used
 * and the answer was lost: then it must not be sent again.
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
 */
export const generateTokens = Endpoint.make(AuthenticationApi, "generateTokens")

/**
 * Exchanges the latest refresh token for a new pair. The token that was sent is dead from then on, whether or not the
 * answer arrives.
 *
 * Fails with `InvalidRefreshToken` (E01402), `ValidationFailed` (E00402), and `OutcomeUnknown` if the token may have
 * been spent and the answer was lost.
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
 */
export const refreshToken = Endpoint.make(AuthenticationApi, "refreshToken")
