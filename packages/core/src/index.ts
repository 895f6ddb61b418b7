/** What every call to the custody service needs. */
export * as Amount from "./Amount.ts"
export * as ApiError from "./ApiError.ts"
export {
  BadRequest,
  catchCode,
  InvalidAccessToken,
  InvalidApiKey,
  InvalidRefreshToken,
  NotFound,
  RateLimited,
  TokenExpired,
  UnknownApiError,
  ValidationFailed
} from "./ApiError.ts"
export * as AnswerReport from "./AnswerReport.ts"
export * as Contract from "./Contract.ts"
export * as ContractDocument from "./ContractDocument.ts"
export * as ContractFile from "./ContractFile.ts"
export { CustodyClient } from "./CustodyClient.ts"
export { onDefect } from "./Defect.ts"
export * as Endpoint from "./Endpoint.ts"
export * as Envelope from "./Envelope.ts"
export * as Environment from "./Environment.ts"
export * as EnvironmentConfig from "./EnvironmentConfig.ts"
export * as Fingerprint from "./Fingerprint.ts"
export * as Id from "./Id.ts"
export * as Lenient from "./Lenient.ts"
export { Network } from "./Network.ts"
export { OpenEnum } from "./OpenEnum.ts"
export * as Outcome from "./Outcome.ts"
export * as Page from "./Page.ts"
export { PageRepeated, PagesIncomplete } from "./Page.ts"
export * as Polling from "./Polling.ts"
export { StillPending } from "./Polling.ts"
export { withHeaders } from "./RequestHeaders.ts"
export * as RetryPolicy from "./RetryPolicy.ts"
export * from "./SdkError.ts"
export * from "./SessionError.ts"
export * as Status from "./Status.ts"
export { type AccessToken, type SessionEvent, type SessionStatus, TokenService } from "./TokenService.ts"
export * as Telemetry from "./Telemetry.ts"
export * as Timestamp from "./Timestamp.ts"
export * as Upload from "./Upload.ts"
export * as Wire from "./Wire.ts"
export * as WireContract from "./WireContract.ts"
