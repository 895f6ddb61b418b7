/** What came of one exchange: its payload, its error, and how it is told in brief. Pure. */
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as ApiError from "../ApiError.ts"
import type { Encoded, Operation } from "../Operation.ts"
import { type SdkError, TransportError, UnexpectedResponse } from "../SdkError.ts"
import type { SessionError } from "../SessionError.ts"
import type { AccessToken } from "../TokenService.ts"
import type { Outcome } from "../Transport.ts"
import type { Differences } from "../WireContract.ts"
import * as AnswerText from "./answerText.ts"
import * as Ending from "./ending.ts"
import * as Redaction from "./redaction.ts"
import * as Response from "./response.ts"

/** Everything that any endpoint can fail with; each one's own type says which of it. */
export type AnyError = ApiError.ApiError | SdkError | SessionError

/** What to do with an exchange that has come to its end. */
export interface Ended<A> {
  readonly outcome: Outcome
  readonly body: unknown
  readonly decoded: Result.Result<A, string>
  readonly ending: Ending.Ending
  /** What no error may repeat, even if the answer does. */
  readonly secrets: ReadonlyArray<string>
}

/** What went to the service and is secret: the access token, or the one-time secret in the body. */
export const secretsIn = ({ body }: Encoded, token: AccessToken | undefined): ReadonlyArray<string> => {
  if (token !== undefined) return [Redacted.value(token.value)]
  return body._tag === "None" ? [] : Object.values(body.fields).filter(Predicate.isString)
}

/** Reads an exchange: what came, whether it is the payload, how it ended. Pure. */
export const read = <A>(
  operation: Operation<A, unknown>,
  differences: Differences,
  outcome: Outcome,
  secrets: ReadonlyArray<string>
): Ended<A> => {
  const body = outcome._tag === "Answered" ? Response.json(outcome.text) : undefined
  const succeeded = outcome._tag === "Answered" && outcome.status >= 200 && outcome.status < 300
  const decoded = succeeded ? operation.decode(Response.envelope(body, differences)) : Result.fail("not a success")
  return { outcome, body, decoded, secrets, ending: Ending.of(outcome, body, Result.isSuccess(decoded)) }
}

/** The error of an answer or of none, where its effect is not in doubt. Pure. */
export const errorOf = (operation: Operation<unknown, unknown>, ended: Ended<unknown>): AnyError => {
  const { decoded, outcome, secrets } = ended
  const name = operation.operation
  if (outcome._tag === "NotAnswered") {
    return new TransportError({ operation: name, phase: outcome.phase, reason: outcome.reason })
  }
  const { retryAfter, status } = outcome
  const redact = Redaction.make(secrets)
  const text = AnswerText.bodyIn(redact, outcome.text)
  if (status >= 400) {
    const body = AnswerText.valueIn(redact, ended.body)
    return ApiError.fromAnswer({ operation: name, status, body, text, retryAfter }, operation.declared)
  }
  const reason =
    status >= 300
      ? "a redirect, which is not followed"
      : AnswerText.bodyIn(redact, Result.isFailure(decoded) ? decoded.failure : "")
  return new UnexpectedResponse({ operation: name, status, reason, body: text })
}

/** How an attempt ended, in a word or two. */
export const inBrief = ({ outcome }: Ended<unknown>): string =>
  outcome._tag === "NotAnswered"
    ? outcome.reason
    : outcome.status < 300
      ? `HTTP ${outcome.status} that cannot be read`
      : `HTTP ${outcome.status}`

/** A 404 that the service said itself. A proxy without a service behind it says one too. */
export const isAbsent = (error: AnyError): boolean =>
  error._tag === "NotFound" && (error.code !== undefined || error.message !== `HTTP ${error.status}`)
