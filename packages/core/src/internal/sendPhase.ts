/** Whether a request that failed can have reached the service, from what the transport says. */
import type * as HttpClientError from "effect/http/HttpClientError"
import type { Phase } from "../SdkError.ts"

/**
 * Failures that happen before the first byte of a request is written: no name, no connection, no TLS. Every other one
 * may have happened after.
 */
const beforeWrite: ReadonlySet<string> = new Set([
  "ENOTFOUND",
  "EAI_AGAIN",
  "EAI_FAIL",
  "EAI_NODATA",
  "EAI_NONAME",
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EADDRNOTAVAIL",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_INVALID_ARG",
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "ERR_SSL_WRONG_VERSION_NUMBER"
])

/** The codes of an error and of everything it was caused by. */
const codesOf = (error: unknown): ReadonlyArray<string> => {
  const found: Array<string> = []
  const seen = new Set<unknown>()
  const queue: Array<unknown> = [error]
  while (queue.length > 0 && seen.size < 32) {
    const next = queue.shift()
    if (typeof next !== "object" || next === null || seen.has(next)) continue
    seen.add(next)
    if ("code" in next && typeof next.code === "string") found.push(next.code)
    if ("cause" in next) queue.push(next.cause)
    if ("errors" in next && Array.isArray(next.errors)) queue.push(...next.errors)
  }
  return found
}

/**
 * A connection tried over several addresses fails with one error that has all of them: it was not sent only if each
 * says so.
 */
export const of = (error: HttpClientError.HttpClientError): { readonly phase: Phase; readonly reason: string } => {
  const { reason } = error
  switch (reason._tag) {
    case "InvalidUrlError":
    case "EncodeError":
      return { phase: "NotSent", reason: reason._tag }
    case "TransportError": {
      const codes = codesOf(reason.cause)
      const certain = codes.length > 0 && codes.every((code) => beforeWrite.has(code))
      return { phase: certain ? "NotSent" : "MaybeProcessed", reason: codes[0] ?? "the connection failed" }
    }
    default:
      return { phase: "MaybeProcessed", reason: codesOf(reason.cause)[0] ?? "the answer broke off" }
  }
}
