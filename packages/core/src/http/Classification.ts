/**
 * Classifies an attempt by its answer, or by the lack of one, for calls and for the two authentication endpoints. No
 * other file classifies attempts.
 *
 * @siblings `authentication` classifies the answers of its two endpoints by these rules, and `testing` makes failures.
 */
import type * as Duration from "effect/Duration"
import * as Result from "effect/Result"
import type * as ApiError from "../errors/ApiError.ts"
import { isDoubtful, isOwn, isSuccess, meaning as meaningOf, meaningOfCode } from "../answer/Answer.ts"
import { bodyJson } from "./Transport.ts"
import * as ExactJson from "../json/ExactJson.ts"
import type { Received, Wire } from "../endpoint/Wires.ts"
import type { Answered, ExchangeResult, NotAnswered } from "./Transport.ts"

/**
 * The kind of endpoint:
 *
 * - `call`: takes an access token, so a 498 or a 401 is about this token. Only a 2xx has a payload.
 * - `auth`: takes a one-time secret. Only the code gives a rejection its meaning, because a status may come from a gateway.
 *   Any answer with a status below 400, even an incomplete one, is searched for new tokens, because the service may
 *   have replaced the old tokens already. An error answer is not searched, because its tokens may be an example.
 */
export type Kind = "call" | "auth"

/**
 * The service refused the request and did nothing:
 *
 * - `Expired`: 498, or the code of an expired token. Only for calls.
 * - `Unauthorized`: the access token is not accepted. Only for calls.
 * - `Throttled`: 429, whatever code it carries.
 * - `Rejected`: any other 4xx of the service's own, except 408 and 499. For `auth`, also one that is not its own.
 */
export interface Refused {
  readonly _tag: "Expired" | "Unauthorized" | "Throttled" | "Rejected"
  readonly answer: Answered
  /** The meaning of the code. If a call's answer has no known code, the meaning of its status. */
  readonly meaning: ApiError.Tag
  /** The error body in the specification's form. */
  readonly body: unknown
  /** A word or two, such as `HTTP 429`. */
  readonly reason: string
  /** The wait that the service asks for before the next request. */
  readonly retryAfter: Duration.Duration | undefined
}

/**
 * The service may have acted:
 *
 * - `InDoubt`: the first byte of the request was written but no whole answer came, the status is doubtful (by
 *   {@link isDoubtful} or by the contract), or a 2xx cannot be read.
 * - `Foreign`: any other 4xx that is not the service's own answer (by `Answer.isOwn`), except 429 and 498. It says
 *   nothing: not about the token, not about a record, and not whether the service has acted. Only for calls.
 */
export interface InDoubt {
  readonly _tag: "InDoubt" | "Foreign"
  readonly answer: ExchangeResult
  /** A word or two, such as `HTTP 502` or `ECONNRESET`. */
  readonly reason: string
  /** The reason why the payload of a 2xx cannot be read. May repeat text of the service. */
  readonly issue: string | undefined
  /** The wait that the service asks for before the next request. */
  readonly retryAfter: Duration.Duration | undefined
}

/** The outcome of an attempt. */
export type Classification<A> = { readonly _tag: "Succeeded"; readonly value: A; readonly answer: Answered } | Failed

/** A failed attempt. `NotSent`: the request certainly never reached the service. */
export type Failed =
  | {
      readonly _tag: "NotSent"
      readonly answer: NotAnswered
      readonly reason: string
      readonly retryAfter: undefined
    }
  | Refused
  | InDoubt

/** `true` if the service may have acted. */
export const isInDoubt = (attempt: Classification<unknown>): attempt is InDoubt =>
  attempt._tag === "InDoubt" || attempt._tag === "Foreign"

/**
 * `true` if the answer shows that the service has accepted the access token: a 2xx, even one that cannot be read, or a
 * 4xx of its own that the service sends only after it has checked the token. A 407, a 408, a 429, a 499, a 3xx or a 5xx
 * shows nothing, because a proxy may have sent it.
 */
export const acceptsToken = (attempt: Classification<unknown>): boolean => {
  switch (attempt._tag) {
    case "Succeeded":
      return true
    case "Rejected":
      return attempt.answer.status !== 401 && attempt.answer.status !== 407
    case "InDoubt":
      return attempt.answer._tag === "Answered" && isSuccess(attempt.answer.status)
    default:
      return false
  }
}

const refusal = (kind: Kind, status: number, meaning: ApiError.Tag): Refused["_tag"] => {
  if (status === 429) return "Throttled"
  if (kind === "auth") return "Rejected"
  if (status === 498 || meaning === "TokenExpired") return "Expired"
  if (meaning === "InvalidAccessToken" || (status === 401 && meaning === "OtherApiError")) return "Unauthorized"
  return "Rejected"
}

/** The part of a wire that interprets everything in an answer except the payload. */
type Reading = Pick<Wire, "isDoubtful" | "error">

const specified: Reading = { isDoubtful: () => false, error: (body) => ({ body, tag: undefined }) }

/**
 * The answer that may hold a payload: one that arrived whole. One to a session's request may be cut off, and any below
 * 400 may hold new tokens.
 */
export const received = (kind: Kind, answer: ExchangeResult): Received | undefined => {
  const arrived = answer._tag === "Answered" ? answer : kind === "auth" ? answer.partial : undefined
  if (arrived === undefined) return undefined
  const { headers, status } = arrived
  if (kind === "call") return { status, body: bodyJson(arrived), headers }
  return status < 400 ? { status, body: bodyJson(arrived) ?? ExactJson.parsePrefix(arrived.text), headers } : undefined
}

/**
 * Classifies one attempt. `payload` is what was read from its answer, or what is wrong with it; `undefined` if the
 * answer is no success. `wire` interprets statuses and error bodies according to a contract; by default, according to
 * the specification.
 */
export const classify = <A>(
  kind: Kind,
  answer: ExchangeResult,
  payload: Result.Result<A, string> | undefined,
  wire: Reading = specified
): Classification<A> => {
  const isRead = payload !== undefined && Result.isSuccess(payload)
  if (answer._tag === "NotAnswered") {
    const { partial, phase, reason } = answer
    if (phase === "NotSent") return { _tag: "NotSent", answer, reason, retryAfter: undefined }
    if (isRead && partial !== undefined) return { _tag: "Succeeded", value: payload.success, answer: partial }
    return { _tag: "InDoubt", answer, reason, issue: undefined, retryAfter: partial?.retryAfter }
  }
  if (isRead) return { _tag: "Succeeded", value: payload.success, answer }
  const { retryAfter, status } = answer
  if (isDoubtful(status) || wire.isDoubtful(status)) {
    const isUnread = payload !== undefined && isSuccess(status)
    const reason = isUnread ? `HTTP ${status} that cannot be read` : `HTTP ${status}`
    const issue = isSuccess(status) ? (payload?.failure ?? "a status that the contract does not name") : undefined
    return { _tag: "InDoubt", answer, reason, issue, retryAfter }
  }
  const sent = bodyJson(answer)
  const error = wire.error(sent)
  // The status alone gives a 429 and a 498 their meaning, because neither the service nor a proxy acts before it.
  if (kind === "call" && status !== 429 && status !== 498 && !isOwn(status, sent, error)) {
    return { _tag: "Foreign", answer, reason: `HTTP ${status}`, issue: undefined, retryAfter }
  }
  const meaning = kind === "auth" ? meaningOfCode(error.body, error.tag) : meaningOf(status, error.body, error.tag)
  const reason = `HTTP ${status}`
  return { _tag: refusal(kind, status, meaning), answer, meaning, body: error.body, reason, retryAfter }
}
