/** The errors that a call ends with. Pure. */
import * as DateTime from "effect/DateTime"
import * as ApiError from "../ApiError.ts"
import { type Failed, isSuccess } from "../Classification.ts"
import type { Encoded, Operation } from "../Operation.ts"
import { OutcomeUnknown, type SdkError, TransportError, UnexpectedResponse } from "../SdkError.ts"
import type { SessionError } from "../SessionError.ts"
import * as AnswerExcerpt from "./answerExcerpt.ts"
import { isCached } from "./cachedAnswer.ts"
import * as CallState from "./callState.ts"
import type { Call } from "./exchange.ts"
import { jsonOf } from "./exchangeResult.ts"
import { fingerprint } from "./fingerprint.ts"
import type { Diagnostics } from "./knownSecrets.ts"

/** Everything that a call can fail with. The type of each operation says which of these it can be. */
export type CallError = ApiError.ApiError | SdkError | SessionError

type Called = Pick<Call<unknown>, "operation" | "wire">

/**
 * The error of an attempt whose effect is not in doubt. It repeats no secret, even if the answer does, and nothing of a
 * body but its code and its messages, unless bodies are kept.
 */
export const ofAttempt = ({ operation, wire }: Called, failed: Failed, diagnostics: Diagnostics): CallError => {
  const { answer } = failed
  const { keepsBodies, redact, requestIdHeaders } = diagnostics
  const name = operation.operation
  if (answer._tag === "NotAnswered") {
    return new TransportError({ operation: name, phase: answer.phase, reason: answer.reason })
  }
  const { retryAfter, status } = answer
  const requestIds = AnswerExcerpt.headersIn(redact, requestIdHeaders, answer)
  const text = keepsBodies ? AnswerExcerpt.bodyIn(redact, answer.text) : undefined
  if (status >= 400) {
    const { body, listsNotFound, tag } = wire.error(jsonOf(answer))
    return operation.decodeError({
      status,
      body: AnswerExcerpt.valueIn(redact, body),
      text,
      // A server that may not have looked, such as one that fails, cannot know what does not exist.
      tag: failed._tag === "InDoubt" && tag === "NotFound" ? undefined : tag,
      listsNotFound,
      isCached: isCached(answer),
      requestIds,
      retryAfter
    })
  }
  const issue = failed._tag === "InDoubt" ? failed.issue : undefined
  const reason = status >= 300 ? "a redirect, which is not followed" : AnswerExcerpt.textIn(redact, issue ?? "")
  return new UnexpectedResponse({
    operation: name,
    status,
    reason,
    requestIds,
    ...(text === undefined ? {} : { body: text })
  })
}

/** The same refusal, where an API key is configured that was never sent. */
export const withUnusedKey = (error: ApiError.InvalidAccessToken): ApiError.InvalidAccessToken => {
  const { code, errors, operation, requestIds, status, summary } = error
  return new ApiError.InvalidAccessToken({ code, errors, operation, requestIds, status, summary, hasUnusedKey: true })
}

/** What an answer in doubt shows about a call that changes something. Never the answer's text. */
export const evidence = (
  call: Call<unknown>,
  failed: Failed,
  diagnostics: Diagnostics
): CallState.Evidence | undefined => {
  const { operation, wire } = call
  const { answer } = failed
  if (failed._tag !== "InDoubt" || answer._tag === "NotAnswered" || operation.safety === "read") return undefined
  const { status } = answer
  const { redact, requestIdHeaders } = diagnostics
  const requestIds = AnswerExcerpt.headersIn(redact, requestIdHeaders, answer)
  if (!isSuccess(status)) return { status, requestIds }
  const { issue = failed.issue, payload } = operation.unread(wire.envelope(jsonOf(answer), status, call), wire.place)
  return {
    status,
    requestIds,
    ...(issue === undefined ? {} : { issue: AnswerExcerpt.textIn(redact, issue) }),
    payload: AnswerExcerpt.valueIn(redact, payload) as typeof payload
  }
}

/** The call may have taken effect, why that is unknown, and how to find out. */
export const outcomeUnknown = (
  operation: Operation<unknown, unknown>,
  encoded: Encoded,
  { doubt, evidence: shown, sentAt }: CallState.CallState,
  ...reasons: ReadonlyArray<string | undefined>
): OutcomeUnknown =>
  new OutcomeUnknown({
    operation: operation.operation,
    fingerprint: fingerprint(encoded),
    sentAt: DateTime.makeUnsafe(sentAt),
    reason: [...new Set([doubt, ...reasons])].filter((reason) => reason !== undefined).join("; then "),
    ...shown,
    ...(operation.lookUp === undefined ? {} : { lookUp: operation.lookUp })
  })

/** What a call was doing, to complete "the deadline passed while …". */
const activity: Readonly<Record<CallState.Phase["_tag"], string>> = {
  Begun: "the call had not begun",
  AwaitingToken: "the call waited for an access token",
  AwaitingTurn: "the call waited for its turn under requestsPerSecond",
  InFlight: "the request was under way",
  Failed: "the answer was read",
  Rotating: "the session was being rotated, which continues",
  Reloading: "the session was loaded from its store",
  LookingUp: "the call was looked up",
  BackingOff: "the call waited to be sent again"
}

/** The error of a call whose deadline has passed, by what was sent of it. */
export const deadlinePassed = (
  operation: Operation<unknown, unknown>,
  encoded: Encoded,
  state: CallState.CallState,
  deadline: string
): TransportError | OutcomeUnknown => {
  const reason = `the deadline of ${deadline} passed while ${activity[state.phase._tag]}`
  if (!CallState.mayHaveHappened(state)) {
    return new TransportError({ operation: operation.operation, phase: "NotSent", reason })
  }
  return operation.safety === "read"
    ? new TransportError({ operation: operation.operation, phase: "MaybeProcessed", reason })
    : outcomeUnknown(operation, encoded, state, reason)
}

/** Whether an error says for certain that what was looked up does not exist. A gateway or a cache may answer 404 too. */
export const isAbsent = (error: CallError): boolean => error._tag === "NotFound" && error.isCertain
