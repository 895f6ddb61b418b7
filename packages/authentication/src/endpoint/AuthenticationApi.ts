/** The contract of the two authentication endpoints. The specification describes both in full. */
import * as ApiError from "@effect-custody/core/ApiError"
import * as EndpointSpec from "@effect-custody/core/EndpointSpec"
import * as HttpContract from "@effect-custody/core/unstable/HttpContract"
import * as Schema from "effect/Schema"
import { ApiKey, GeneratedTokens, RefreshToken, TokenPair } from "./TokenPair.ts"

/**
 * The endpoint that exchanges an API key for tokens, and the endpoint that refreshes tokens.
 *
 * @since 0.1.0
 * @category contracts
 */
export class AuthenticationApi extends HttpContract.group("authentication").add(
  HttpContract.post("generateTokens", "/auth/generate-tokens", {
    payload: Schema.Struct({ apiKey: ApiKey }),
    success: EndpointSpec.envelope(GeneratedTokens).pipe(HttpContract.status(201)),
    error: ApiError.generateTokens
  }).pipe(EndpointSpec.specified({ safety: "session", section: "POST /auth/generate-tokens" })),
  HttpContract.post("refreshToken", "/auth/refresh-token", {
    payload: Schema.Struct({ refreshToken: RefreshToken }),
    success: EndpointSpec.envelope(TokenPair).pipe(HttpContract.status(201)),
    error: ApiError.authenticated
  }).pipe(EndpointSpec.specified({ safety: "session", section: "POST /auth/refresh-token" }))
) {}
