/** Whether a request that failed can have reached the service, by the error of the transport. */
import type * as HttpClientError from "effect/http/HttpClientError"
import * as Predicate from "effect/Predicate"
import type { Phase } from "../errors/SdkError.ts"

/** Failures that can only occur before the first byte of a request is written. */
const beforeWrite: ReadonlySet<string> = new Set([
  // No name.
  "ENOTFOUND",
  "EAI_AGAIN",
  "EAI_FAIL",
  "EAI_NODATA",
  "EAI_NONAME",
  // No connection. (An established one is reset, never refused.)
  "ECONNREFUSED",
  "UND_ERR_CONNECT_TIMEOUT",
  // No TLS: the certificate is checked before a request is written.
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "ERR_TLS_CERT_ALTNAME_INVALID"
])

/** Failures before the first byte only if they come from connecting: an established connection can end with each too. */
const inConnect: ReadonlySet<string> = new Set([
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENETDOWN",
  "EHOSTDOWN",
  "EADDRNOTAVAIL",
  "ETIMEDOUT"
])

/** Whether it is a code of a system or a library. Any other text may hold anything. */
const isCode = (code: unknown): code is string => typeof code === "string" && /^[A-Z][A-Z0-9_]{2,39}$/.test(code)

interface Judgement {
  readonly code: string
  readonly certain: boolean
}

/** The codes of an error and of its causes. Where several addresses were tried, the codes of the errors inside count. */
const judgements = (error: unknown, depth = 0): ReadonlyArray<Judgement> => {
  if (!Predicate.isReadonlyObject(error) || depth > 8) return []
  const { cause, code, errors, syscall } = error
  const ofCause = judgements(cause, depth + 1)
  if (Array.isArray(errors) && errors.length > 0) {
    return [...errors.flatMap((each) => judgements(each, depth + 1)), ...ofCause]
  }
  if (!isCode(code)) return ofCause
  return [{ code, certain: beforeWrite.has(code) || (syscall === "connect" && inConnect.has(code)) }, ...ofCause]
}

interface Judged {
  readonly phase: Phase
  readonly reason: string
}

/** What a connection's error says before an answer has begun. Nothing was sent only if every code says so. */
export const ofConnection = (cause: unknown): Judged => {
  const found = judgements(cause)
  const certain = found.length > 0 && found.every((judgement) => judgement.certain)
  return { phase: certain ? "NotSent" : "MaybeProcessed", reason: found[0]?.code ?? "the connection failed" }
}

/** What a connection's error says after an answer has begun. */
export const ofAnswer = (cause: unknown): Judged => ({
  phase: "MaybeProcessed",
  reason: judgements(cause)[0]?.code ?? "the answer broke off"
})

/** What an error of the `HttpClient` says. */
export const of = ({ reason }: HttpClientError.HttpClientError): Judged => {
  switch (reason._tag) {
    case "InvalidUrlError":
    case "EncodeError":
      return { phase: "NotSent", reason: reason._tag }
    case "TransportError":
      return ofConnection(reason.cause)
    default:
      return ofAnswer(reason.cause)
  }
}
