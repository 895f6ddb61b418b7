/** The error unions of the API's operations, written out by hand from the tables of errors. */
import type { ErrorOf } from "./types.ts"

/** The tags of a function's errors. Not a string if the errors are `any`, `unknown` or untagged. */
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
  | "OtherApiError"

type NoToken =
  | "NoSession"
  | "SessionLost"
  | "SessionAmbiguous"
  | "RefreshUnavailable"
  | "StoredSessionInvalid"
  | "SessionOfAnotherEnvironment"
  | "TokenStoreError"

/** A read without input, with a specified wire. */
export type SpecifiedReadWithoutInput = Refusal | "TransportError" | "UnexpectedResponse" | NoToken

/** A read without input, with an assumed wire. */
export type ReadWithoutInput = Refusal | "UnconfirmedEndpoint" | "TransportError" | "UnexpectedResponse" | NoToken

/** A read with an assumed wire. */
export type Read = Refusal | "InputInvalid" | "UnconfirmedEndpoint" | "TransportError" | "UnexpectedResponse" | NoToken

/** A read of a record that may not exist, with an assumed wire. */
export type ReadOfResource =
  | Refusal
  | "NotFound"
  | "InputInvalid"
  | "UnconfirmedEndpoint"
  | "TransportError"
  | "UnexpectedResponse"
  | NoToken

/** A creation under the caller's name, with an assumed wire. */
export type Keyed = Refusal | "InputInvalid" | "UnconfirmedEndpoint" | "NotSent" | "OutcomeUnknown" | NoToken

/** A write that names records which may not exist, with an assumed wire. */
export type WriteOfResource =
  | Refusal
  | "NotFound"
  | "InputInvalid"
  | "UnconfirmedEndpoint"
  | "NotSent"
  | "OutcomeUnknown"
  | NoToken
