/** Makes the error that ends a call. Pure. */
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Result from "effect/Result"
import type { ApiError } from "../errors/ApiError.ts"
import { isSuccess } from "../answer/StatusCode.ts"
import type { Failed } from "../http/Classification.ts"
import {
  NotSent,
  OutcomeUnknown,
  type Phase,
  type SdkError,
  TransportError,
  UnexpectedResponse
} from "../errors/SdkError.ts"
import type { SessionError } from "../errors/SessionError.ts"
import type { Declaration } from "../endpoint/Declaration.ts"
import { identity } from "../endpoint/openEnvelope.ts"
import { fingerprint } from "../endpoint/Operation.ts"
import * as ErrorAnswer from "../errors/ErrorAnswer.ts"
import type { Answered } from "../http/Transport.ts"
import * as Redaction from "../secrets/Redaction.ts"
import * as CallState from "./callState.ts"
import type { Call } from "./callState.ts"
import { bodyJson } from "../http/exchangeResult.ts"

/** Every error of a call. The type of an operation says which of these errors the operation can fail with. */
export type CallError = ApiError | SdkError | SessionError

/** Headers in which a cache reports a hit or a miss: by RFC 9211, and older ones. */
const cacheReports = ["cache-status", "cf-cache-status", "x-cache", "x-cache-status"]

/** `true` if a cache may have given an outdated answer. Ignores `fwd=stale`: then the cache asked the service. */
const isCached = ({ headers = {} }: Answered): boolean =>
  String(headers["age"] ?? "0")
    .split(",")
    .some((age) => Number(age) !== 0) ||
  cacheReports.some((name) => /(?:^|[^a-z=])(?:hit|stale|updating)/i.test(String(headers[name] ?? "")))

/**
 * Makes the error of an attempt whose effect is not in doubt. The error repeats no secret, even if the answer does.
 * Without `keepsBodies`, it repeats only the code and the messages of a body.
 */
export const ofAttempt = (
  { operation, wire }: Call<unknown>,
  failed: Failed,
  diagnostics: Redaction.Diagnostics
): CallError => {
  const { answer } = failed
  const { keepsBodies, redact, requestIdHeaders } = diagnostics
  const name = operation.operation
  if (answer._tag === "NotAnswered") return noAnswer(operation, answer.phase, answer.reason)
  const { retryAfter, status } = answer
  const requestIds = Redaction.redactHeaders(redact, requestIdHeaders, answer)
  const text = keepsBodies ? Redaction.redactBody(redact, answer.text) : undefined
  if (status >= 400) {
    const { body, listsNotFound, tag } = wire.error(bodyJson(answer))
    return ErrorAnswer.fromAnswer(operation, {
      status,
      body: Redaction.redactValue(redact, body),
      text,
      // A failing server may not have looked for the record, so its answer does not prove that the record is absent.
      tag: failed._tag === "InDoubt" && tag === "NotFound" ? undefined : tag,
      listsNotFound,
      isCached: isCached(answer),
      requestIds,
      retryAfter
    })
  }
  const issue = failed._tag === "InDoubt" ? failed.issue : undefined
  const reason = status >= 300 ? "a redirect, which is not followed" : Redaction.excerpt(redact, issue ?? "")
  return new UnexpectedResponse({
    operation: name,
    status,
    reason,
    requestIds,
    ...(text === undefined ? {} : { body: text })
  })
}

/** Collects what an answer shows about a change with an unknown outcome, but not the answer's text. */
export const evidence = (
  call: Call<unknown>,
  failed: Failed,
  diagnostics: Redaction.Diagnostics
): CallState.Evidence | undefined => {
  const { operation, wire } = call
  const { answer } = failed
  if (failed._tag !== "InDoubt" || answer._tag === "NotAnswered" || operation.safety === "read") return undefined
  const { status } = answer
  const { redact, requestIdHeaders } = diagnostics
  const requestIds = Redaction.redactHeaders(redact, requestIdHeaders, answer)
  if (!isSuccess(status)) return { status, requestIds }
  const { issue } = failed
  const body = bodyJson(answer)
  const envelope = wire.answer({ status, body, headers: answer.headers }, call)
  const payload = identity(envelope !== undefined && Result.isSuccess(envelope) ? envelope.success : body)
  return {
    status,
    requestIds,
    ...(issue === undefined ? {} : { issue: Redaction.excerpt(redact, issue) }),
    payload: Redaction.redactValue(redact, payload) as typeof payload
  }
}

/** Makes the error of a call that may have taken effect. The error says why, and how to look up the outcome. */
export const outcomeUnknown = (
  { encoded, operation, state }: Call<unknown>,
  ...reasons: ReadonlyArray<string | undefined>
): OutcomeUnknown =>
  new OutcomeUnknown({
    operation: operation.operation,
    fingerprint: fingerprint(encoded),
    sentAt: DateTime.makeUnsafe(state.sentAt),
    reason: [...new Set([state.doubt, ...reasons])].filter((reason) => reason !== undefined).join("; then "),
    ...state.evidence,
    ...(operation.lookUp === undefined ? {} : { lookUp: operation.lookUp().operation })
  })

/** Makes the error of a call without an answer. The end of a write in doubt is {@link outcomeUnknown}. */
export const noAnswer = (
  { operation, safety }: Pick<Declaration, "operation" | "safety">,
  phase: Phase,
  reason: string
): NotSent | TransportError =>
  safety === "read" || phase !== "NotSent"
    ? new TransportError({ operation, phase, reason })
    : new NotSent({ operation, reason })

/** Makes the error of a call whose deadline has passed. The error says whether anything was sent. */
export const deadlinePassed = (call: Call<unknown>): NotSent | TransportError | OutcomeUnknown => {
  const { deadline, operation, state } = call
  const reason = `the deadline of ${Duration.format(deadline)} passed while ${state.activity}`
  const mayHaveHappened = CallState.mayHaveHappened(state)
  if (mayHaveHappened && operation.safety !== "read") return outcomeUnknown(call, reason)
  return noAnswer(operation, mayHaveHappened ? "MaybeProcessed" : "NotSent", reason)
}

/** `true` if an error proves that a looked-up record does not exist. A gateway or a cache may answer 404 too. */
export const isAbsent = (error: CallError): boolean => error._tag === "NotFound" && error.isCertain

export interface AttemptFailure {
  readonly error: CallError
  /** `true` if the policy may send the call again. */
  readonly mayResend: boolean
  /** The wait that the service asks for before the next request. */
  readonly retryAfter: Duration.Duration | undefined
}
