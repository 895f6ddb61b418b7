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

type Refusal =
  | "InvalidAccessToken"
  | "InvalidRefreshToken"
  | "TokenExpired"
  | "ValidationFailed"
  | "BadRequest"
  | "RateLimited"
  | "UnknownApiError"

type NoToken =
  | "NoSession"
  | "SessionLost"
  | "SessionAmbiguous"
  | "RefreshUnavailable"
  | "StoredSessionInvalid"
  | "SessionOfAnotherEnvironment"
  | "TokenStoreError"

/** A read whose wire is specified, without input. */
export type SpecifiedReadWithoutInput = Refusal | "TransportError" | "UnexpectedResponse" | NoToken

/** A read whose wire is assumed, without input. */
export type ReadWithoutInput = Refusal | "UnconfirmedEndpoint" | "TransportError" | "UnexpectedResponse" | NoToken

/** A read whose wire is assumed. */
export type Read =
  | Refusal
  | "RequestInvalid"
  | "UnconfirmedEndpoint"
  | "TransportError"
  | "UnexpectedResponse"
  | NoToken

/** A read of something that may not exist, whose wire is assumed. */
export type ReadOfResource =
  | Refusal
  | "NotFound"
  | "RequestInvalid"
  | "UnconfirmedEndpoint"
  | "TransportError"
  | "UnexpectedResponse"
  | NoToken

/** A creation under a name of the caller's, whose wire is assumed. */
export type Keyed = Refusal | "RequestInvalid" | "UnconfirmedEndpoint" | "TransportError" | "OutcomeUnknown" | NoToken

/** A write that names things which may not exist, whose wire is assumed. */
export type WriteOfResource =
  | Refusal
  | "NotFound"
  | "RequestInvalid"
  | "UnconfirmedEndpoint"
  | "TransportError"
  | "OutcomeUnknown"
  | NoToken
