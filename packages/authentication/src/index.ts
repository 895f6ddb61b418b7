/** The two authentication endpoints, the session and its store, and the layer that keeps a session. */
export { TokenService } from "./TokenService.ts"
export { ApiKeySource, type SessionOptions, SessionTiming } from "./SessionOptions.ts"
export * as Session from "./Session.ts"
export { type Row, type Rows, type Stored, type StoreOptions, TokenStore, VersionConflict } from "./TokenStore.ts"
export * as RowStore from "./RowStore.ts"
export * as Authentication from "./Authentication.ts"
export { ApiKey, GeneratedTokens, TokenPair } from "./secrets.ts"
