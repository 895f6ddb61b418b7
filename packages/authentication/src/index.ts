/** The session: API key, tokens, store and rotation. */
export * as Authentication from "./Authentication.ts"
export { AuthenticationApi } from "./AuthenticationApi.ts"
export { ApiKey, GeneratedTokens, Tokens } from "./Tokens.ts"
export * as Session from "./Session.ts"
export { type Rows, type Stored, type StoreOptions, TokenStore, VersionConflict } from "./TokenStore.ts"
export { TokenService } from "./TokenService.ts"
export * as SessionMachine from "./SessionMachine.ts"
export { SessionTiming } from "./SessionTiming.ts"
