/** What one attempt of a call came to, and the error that tells it. Pure. */
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as ApiError from "../ApiError.ts"
import * as AttemptOutcome from "../AttemptOutcome.ts"
import type { Encoded, Operation } from "../Operation.ts"
import { type SdkError, TransportError, UnexpectedResponse } from "../SdkError.ts"
import type { SessionError } from "../SessionError.ts"
import type { AccessToken } from "../TokenService.ts"
import type { Outcome } from "../Transport.ts"
import type { Differences } from "../WireContract.ts"
import * as AnswerText from "./answerText.ts"
import * as Redaction from "./redaction.ts"
import * as Response from "./response.ts"

/** Everything that any endpoint can fail with; each one's own type says which of it. */
export type AnyError = ApiError.ApiError | SdkError | SessionError

/** What went to the service and is secret: the access token, or the one-time secret in the body. */
export const secretsIn = ({ body }: Encoded, token: AccessToken | undefined): ReadonlyArray<string> => {
  if (token !== undefined) return [Redacted.value(token.value)]
  return body._tag === "None" ? [] : Object.values(body.fields).filter(Predicate.isString)
}

/** Reads the end of one attempt of an operation. Pure. */
export const read = <A>(
  operation: Operation<A, unknown>,
  differences: Differences,
  outcome: Outcome
): AttemptOutcome.AttemptOutcome<A> =>
  AttemptOutcome.classify(operation.safety === "session" ? "auth" : "call", outcome, (body) =>
    operation.decode(Response.envelope(body, differences))
  )

/** The error of an attempt, where its effect is not in doubt. No error repeats a secret that the answer repeats. Pure. */
export const errorOf = (
  operation: Operation<unknown, unknown>,
  failed: AttemptOutcome.Failed,
  secrets: ReadonlyArray<string>
): AnyError => {
  const { answer } = failed
  const name = operation.operation
  if (answer._tag === "NotAnswered") {
    return new TransportError({ operation: name, phase: answer.phase, reason: answer.reason })
  }
  const { retryAfter, status } = answer
  const redact = Redaction.make(secrets)
  const text = AnswerText.bodyIn(redact, answer.text)
  if (status >= 400) {
    const body = AnswerText.valueIn(redact, Response.json(answer.text))
    return ApiError.fromAnswer({ operation: name, status, body, text, retryAfter }, operation.declared)
  }
  const issue = failed._tag === "InDoubt" ? failed.issue : undefined
  const reason = status >= 300 ? "a redirect, which is not followed" : AnswerText.bodyIn(redact, issue ?? "")
  return new UnexpectedResponse({ operation: name, status, reason, body: text })
}

/** A 404 that the service said itself. A proxy without a service behind it says one too. */
export const isAbsent = (error: AnyError): boolean =>
  error._tag === "NotFound" && (error.code !== undefined || error.message !== `HTTP ${error.status}`)
