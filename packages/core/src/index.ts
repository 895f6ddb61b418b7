/** Exports what every call to the custody service needs. */
export * as Amount from "./values/Amount.ts"
export * as ApiError from "./errors/ApiError.ts"
export {
  type AnswerError,
  BadRequest,
  catchCode,
  catchRefused,
  InvalidAccessToken,
  InvalidApiKey,
  InvalidRefreshToken,
  NotFound,
  OtherApiError,
  RateLimited,
  TokenExpired,
  ValidationFailed
} from "./errors/ApiError.ts"
export { type ContractFacts, CustodyClient, type OperationFacts } from "./client/CustodyClient.ts"
export * as Endpoint from "./client/Endpoint.ts"
export * as Environment from "./http/Environment.ts"
export * as Id from "./values/Id.ts"
export * as Lenient from "./values/Lenient.ts"
export { Network, OpenEnum } from "./values/Lenient.ts"
export * as Outcome from "./client/Outcome.ts"
export { isRetryable } from "./client/Outcome.ts"
export * as Page from "./lists/Page.ts"
export { PageRepeated, PagesIncomplete } from "./lists/Page.ts"
export * as Polling from "./status/Polling.ts"
export { StillPending } from "./status/Polling.ts"
export { withHeaders } from "./call/withHeaders.ts"
export * as RetryPolicy from "./retry/RetryPolicy.ts"
export * from "./errors/SdkError.ts"
export * from "./errors/SessionError.ts"
export {
  type AccessToken,
  type SessionEvent,
  sessionEvents,
  type SessionStatus,
  TokenService
} from "./session/TokenService.ts"
export * as Telemetry from "./telemetry/Telemetry.ts"
export * as Text from "./values/Text.ts"
export * as Timestamp from "./values/Timestamp.ts"
export * as Upload from "./values/Upload.ts"
