/** Whether a request that failed can have reached the service, by the error of the transport. */
import type * as HttpClientError from "effect/http/HttpClientError"
import type { Phase } from "../SdkError.ts"

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

/**
 * The codes of an error and of its causes, and whether each is certain. Where several addresses were tried, the codes of
 * the errors inside count.
 */
const judgements = (error: unknown): ReadonlyArray<{ readonly code: string; readonly certain: boolean }> => {
  const found: Array<{ readonly code: string; readonly certain: boolean }> = []
  const seen = new Set<unknown>()
  const queue: Array<unknown> = [error]
  while (queue.length > 0 && seen.size < 32) {
    const next = queue.shift()
    if (typeof next !== "object" || next === null || seen.has(next)) continue
    seen.add(next)
    const several = "errors" in next && Array.isArray(next.errors) && next.errors.length > 0 ? next.errors : undefined
    if (several !== undefined) queue.push(...several)
    else if ("code" in next && isCode(next.code)) {
      const isConnecting = "syscall" in next && next.syscall === "connect"
      const certain = beforeWrite.has(next.code) || (isConnecting && inConnect.has(next.code))
      found.push({ code: next.code, certain })
    }
    if ("cause" in next) queue.push(next.cause)
  }
  return found
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
