/** Decides whether a failed request may have reached the service, by the transport's error. */
import * as HttpClientError from "effect/http/HttpClientError"
import * as Predicate from "effect/Predicate"
import type { Failure } from "./exchangeResult.ts"
import { tooLate } from "./SendProgress.ts"

/** Codes of failures that only occur before the first byte of a request. */
const beforeWrite: ReadonlySet<string> = new Set([
  // `mayStart` returned `false`.
  tooLate.code,
  // The host name was not found.
  "ENOTFOUND",
  "EAI_AGAIN",
  "EAI_FAIL",
  "EAI_NODATA",
  "EAI_NONAME",
  // No connection was made. (An established connection is reset, never refused.)
  "ECONNREFUSED",
  "UND_ERR_CONNECT_TIMEOUT",
  // TLS failed. The certificate is checked before a request is written.
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "ERR_TLS_CERT_ALTNAME_INVALID"
])

/**
 * These codes prove that nothing was sent, but only if `connect` has failed: an open connection can end with the same
 * codes.
 */
const inConnect: ReadonlySet<string> = new Set([
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENETDOWN",
  "EHOSTDOWN",
  "EADDRNOTAVAIL",
  "ETIMEDOUT"
])

/** `true` for an error code of the operating system or a library. Reject other texts, because they may hold a secret. */
const isCode = (code: unknown): code is string => typeof code === "string" && /^[A-Z][A-Z0-9_]{2,39}$/.test(code)

interface Finding {
  readonly code: string
  /** `true` if the code proves that nothing was sent. */
  readonly isCertain: boolean
}

/** The codes of an error and its causes. If several addresses were tried, the error holds an error for each address. */
const findCodes = (error: unknown, depth = 0): ReadonlyArray<Finding> => {
  if (!Predicate.isReadonlyObject(error) || depth > 8) return []
  const { cause, code, errors, syscall } = error
  const inCause = findCodes(cause, depth + 1)
  if (Array.isArray(errors) && errors.length > 0) {
    return [...errors.flatMap((each) => findCodes(each, depth + 1)), ...inCause]
  }
  if (!isCode(code)) return inCause
  return [{ code, isCertain: beforeWrite.has(code) || (syscall === "connect" && inConnect.has(code)) }, ...inCause]
}

/** Judges an error before an answer has begun. `NotSent` only if every code proves it. */
export const ofConnection = (cause: unknown): Failure => {
  if (!HttpClientError.isHttpClientError(cause)) return ofCodes(cause)
  const { reason } = cause
  switch (reason._tag) {
    case "InvalidUrlError":
    case "EncodeError":
      return { phase: "NotSent", reason: reason._tag }
    case "TransportError":
      return ofCodes(reason.cause)
    default:
      return ofAnswer(reason.cause)
  }
}

const ofCodes = (cause: unknown): Failure => {
  const found = findCodes(cause)
  const certain = found.length > 0 && found.every(({ isCertain }) => isCertain)
  return { phase: certain ? "NotSent" : "MaybeProcessed", reason: found[0]?.code ?? "the connection failed" }
}

/** Judges an error after an answer has begun. */
export const ofAnswer = (cause: unknown): Failure => ({
  phase: "MaybeProcessed",
  reason:
    findCodes(HttpClientError.isHttpClientError(cause) ? cause.reason.cause : cause)[0]?.code ?? "the answer broke off"
})
