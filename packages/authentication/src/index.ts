/** The two authentication endpoints, the session and its store, and the layer that keeps a session. */
export * as Authentication from "./endpoint/Authentication.ts"
export { AuthenticationApi } from "./endpoint/AuthenticationApi.ts"
export { ApiKey, GeneratedTokens, TokenPair } from "./endpoint/TokenPair.ts"
export * as Session from "./store/Session.ts"
export { type Row, type Rows, type Stored, type StoreOptions, TokenStore, VersionConflict } from "./store/TokenStore.ts"
export { ApiKeySource } from "./session/ApiKeySource.ts"
export { TokenService } from "./service/TokenService.ts"
export { SessionTiming } from "./session/SessionTiming.ts"
