/** The two authentication endpoints, the session and its store, and the layer that keeps a session. */
export * as Authentication from "./Authentication.ts"
export { AuthenticationApi } from "./AuthenticationApi.ts"
export { ApiKey, GeneratedTokens, TokenPair } from "./TokenPair.ts"
export * as Session from "./Session.ts"
export { type Row, type Rows, type Stored, type StoreOptions, TokenStore, VersionConflict } from "./TokenStore.ts"
export { ApiKeySource } from "./ApiKeySource.ts"
export { TokenService } from "./TokenService.ts"
export { SessionTiming } from "./SessionTiming.ts"
