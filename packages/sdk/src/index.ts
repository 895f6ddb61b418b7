/**
 * The entry point of the SDK: every category as a namespace, the client for all of them, and the modules that programs
 * use with them. `@effect-custody/core` and `@effect-custody/authentication` have the modules for transports and tools.
 */
export { Assets } from "@effect-custody/assets"
export { Authentication } from "@effect-custody/authentication"
export { Clients } from "@effect-custody/clients"
export { FiatGateway } from "@effect-custody/fiat-gateway"
export { Nfts } from "@effect-custody/nfts"
export { PaymentOrders } from "@effect-custody/payment-orders"
export { Tokens } from "@effect-custody/tokens"
export { Transactions } from "@effect-custody/transactions"
export { Vaults } from "@effect-custody/vaults"
export { Wallets } from "@effect-custody/wallets"
export * as Custody from "./Custody.ts"
export { CustodyApi } from "./CustodyApi.ts"

// The client, its session and its policy.
export { ApiKeySource } from "@effect-custody/authentication/ApiKeySource"
export { SessionTiming } from "@effect-custody/authentication/SessionTiming"
export * as RowStore from "@effect-custody/authentication/RowStore"
export { TokenStore } from "@effect-custody/authentication/TokenStore"
export {
  type AccessToken,
  CustodyClient,
  Environment,
  EnvironmentConfig,
  onDefect,
  onUncertain,
  RetryPolicy,
  type SessionEvent,
  SessionEvents,
  type SessionStatus,
  Telemetry,
  TokenService
} from "@effect-custody/core"

// Inputs and results.
export { Amount, Id, Network, Outcome, Page, Polling, Upload } from "@effect-custody/core"

// Errors.
export {
  type AnswerError,
  ApiError,
  BadRequest,
  catchCode,
  catchRefused,
  catchSession,
  ConfigurationInvalid,
  HttpStatus,
  InvalidAccessToken,
  InvalidApiKey,
  InvalidRefreshToken,
  isRetryable,
  isSessionError,
  NoSession,
  NotFound,
  NotSent,
  OutcomeUnknown,
  PageRepeated,
  PagesIncomplete,
  RateLimited,
  RefreshUnavailable,
  RequestInvalid,
  type SdkError,
  SessionAmbiguous,
  type SessionError,
  SessionLost,
  SessionOfAnotherEnvironment,
  StillPending,
  StoredSessionInvalid,
  TokenExpired,
  TokenStoreError,
  TransportError,
  UnconfirmedEndpoint,
  UnexpectedResponse,
  UnknownApiError,
  ValidationFailed
} from "@effect-custody/core"

// Endpoints of your own.
export { Endpoint, Lenient, OpenEnum } from "@effect-custody/core"
