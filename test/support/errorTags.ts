/** The error unions of the API's operations, spelled out: what the tables of errors say, and nothing derived from it. */
import type { ErrorOf } from "./types.ts"

/** The tags of what a function can fail with. Not a string, if that is `any`, `unknown` or untagged. */
export type TagsOf<F> = 0 extends 1 & ErrorOf<F>
  ? ["any"]
  : unknown extends ErrorOf<F>
    ? ["unknown"]
    : ErrorOf<F> extends { readonly _tag: infer Tag }
      ? Tag
      : ["untagged"]

/** A read whose wire is specified, without input. */
export type SpecifiedReadWithoutInput =
  | "InvalidAccessToken"
  | "InvalidRefreshToken"
  | "TokenExpired"
  | "ValidationFailed"
  | "BadRequest"
  | "RateLimited"
  | "UnknownApiError"
  | "TransportError"
  | "UnexpectedResponse"
  | "NoSession"
  | "SessionLost"
  | "SessionAmbiguous"
  | "RefreshUnavailable"
  | "StoredSessionInvalid"
  | "SessionOfAnotherEnvironment"
  | "TokenStoreError"

/** A read whose wire is assumed, without input. */
export type ReadWithoutInput =
  | "InvalidAccessToken"
  | "InvalidRefreshToken"
  | "TokenExpired"
  | "ValidationFailed"
  | "BadRequest"
  | "RateLimited"
  | "UnknownApiError"
  | "UnconfirmedEndpoint"
  | "TransportError"
  | "UnexpectedResponse"
  | "NoSession"
  | "SessionLost"
  | "SessionAmbiguous"
  | "RefreshUnavailable"
  | "StoredSessionInvalid"
  | "SessionOfAnotherEnvironment"
  | "TokenStoreError"

/** A read whose wire is assumed. */
export type Read =
  | "InvalidAccessToken"
  | "InvalidRefreshToken"
  | "TokenExpired"
  | "ValidationFailed"
  | "BadRequest"
  | "RateLimited"
  | "UnknownApiError"
  | "RequestInvalid"
  | "UnconfirmedEndpoint"
  | "TransportError"
  | "UnexpectedResponse"
  | "NoSession"
  | "SessionLost"
  | "SessionAmbiguous"
  | "RefreshUnavailable"
  | "StoredSessionInvalid"
  | "SessionOfAnotherEnvironment"
  | "TokenStoreError"

/** A read of something that may not exist, whose wire is assumed. */
export type ReadOfResource =
  | "InvalidAccessToken"
  | "InvalidRefreshToken"
  | "TokenExpired"
  | "ValidationFailed"
  | "BadRequest"
  | "NotFound"
  | "RateLimited"
  | "UnknownApiError"
  | "RequestInvalid"
  | "UnconfirmedEndpoint"
  | "TransportError"
  | "UnexpectedResponse"
  | "NoSession"
  | "SessionLost"
  | "SessionAmbiguous"
  | "RefreshUnavailable"
  | "StoredSessionInvalid"
  | "SessionOfAnotherEnvironment"
  | "TokenStoreError"

/** A creation under a name of the caller's, whose wire is assumed. */
export type Keyed =
  | "InvalidAccessToken"
  | "InvalidRefreshToken"
  | "TokenExpired"
  | "ValidationFailed"
  | "BadRequest"
  | "RateLimited"
  | "UnknownApiError"
  | "RequestInvalid"
  | "UnconfirmedEndpoint"
  | "TransportError"
  | "OutcomeUnknown"
  | "NoSession"
  | "SessionLost"
  | "SessionAmbiguous"
  | "RefreshUnavailable"
  | "StoredSessionInvalid"
  | "SessionOfAnotherEnvironment"
  | "TokenStoreError"

/** A write that names things which may not exist, whose wire is assumed. */
export type WriteOfResource =
  | "InvalidAccessToken"
  | "InvalidRefreshToken"
  | "TokenExpired"
  | "ValidationFailed"
  | "BadRequest"
  | "NotFound"
  | "RateLimited"
  | "UnknownApiError"
  | "RequestInvalid"
  | "UnconfirmedEndpoint"
  | "TransportError"
  | "OutcomeUnknown"
  | "NoSession"
  | "SessionLost"
  | "SessionAmbiguous"
  | "RefreshUnavailable"
  | "StoredSessionInvalid"
  | "SessionOfAnotherEnvironment"
  | "TokenStoreError"
