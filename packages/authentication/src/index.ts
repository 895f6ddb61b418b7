/** The session: API key, tokens, store and rotation. */
export * as Authentication from "./Authentication.ts"
export { AuthenticationApi } from "./AuthenticationApi.ts"
export { ApiKey, GeneratedTokens, Tokens } from "./TokenPair.ts"
export * as Session from "./Session.ts"
export { type Rows, type Stored, type StoreOptions, TokenStore, VersionConflict } from "./TokenStore.ts"
export { ApiKeySource } from "./ApiKeySource.ts"
export { TokenService } from "./TokenService.ts"
export { SessionTiming } from "./SessionTiming.ts"
