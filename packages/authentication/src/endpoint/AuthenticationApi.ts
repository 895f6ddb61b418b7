/** The contract of the two authentication endpoints, both specified in full. */
import * as ApiError from "@effect-custody/core/ApiError"
import * as EndpointSpec from "@effect-custody/core/EndpointSpec"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { ApiKey, GeneratedTokens, RefreshToken, TokenPair } from "./TokenPair.ts"

/**
 * Exchange an API key for tokens; refresh tokens.
 *
 * @since 0.1.0
 * @category contracts
 */
export class AuthenticationApi extends HttpApiGroup.make("authentication").add(
  HttpApiEndpoint.post("generateTokens", "/auth/generate-tokens", {
    payload: Schema.Struct({ apiKey: ApiKey }),
    success: EndpointSpec.envelope(GeneratedTokens).pipe(HttpApiSchema.status(201)),
    error: ApiError.generateTokens
  }).pipe(EndpointSpec.specified({ safety: "session", section: "POST /auth/generate-tokens" })),
  HttpApiEndpoint.post("refreshToken", "/auth/refresh-token", {
    payload: Schema.Struct({ refreshToken: RefreshToken }),
    success: EndpointSpec.envelope(TokenPair).pipe(HttpApiSchema.status(201)),
    error: ApiError.authenticated
  }).pipe(EndpointSpec.specified({ safety: "session", section: "POST /auth/refresh-token" }))
) {}
