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
  TokenExpired,
  UnknownApiError,
  ValidationFailed
} from "./ApiError.ts"
export * as Contract from "./Contract.ts"
export { CustodyClient } from "./CustodyClient.ts"
export * as Endpoint from "./Endpoint.ts"
export * as Envelope from "./Envelope.ts"
export * as Environment from "./Environment.ts"
export * as Fingerprint from "./Fingerprint.ts"
export * as Id from "./Id.ts"
export * as Multipart from "./Multipart.ts"
export { Network } from "./Network.ts"
export * as Open from "./Open.ts"
export * as Page from "./Page.ts"
export * as Progress from "./Progress.ts"
export { StillPending } from "./Progress.ts"
export * as RetryPolicy from "./RetryPolicy.ts"
export * from "./SdkError.ts"
export * from "./SessionError.ts"
export { type AccessToken, type SessionEvent, type SessionStatus, TokenService } from "./TokenService.ts"
export * as Transmission from "./Transmission.ts"
export { Transport } from "./Transport.ts"
export * as WireContract from "./WireContract.ts"
