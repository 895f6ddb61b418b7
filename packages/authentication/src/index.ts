/** The session: API key, tokens, store and rotation. */
export * as Authentication from "./Authentication.ts"
export { AuthenticationApi } from "./AuthenticationApi.ts"
export { ApiKey, GeneratedTokens, Tokens } from "./Tokens.ts"
