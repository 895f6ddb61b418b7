/** Labels the end of a call or an attempt for its span and its metrics. Pure. */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { ApiError } from "../errors/ApiError.ts"
import { isDoubtful, isSuccess } from "../answer/StatusCode.ts"
import { type Classification, classify } from "../http/Classification.ts"
import { Interrupted, type TransportError } from "../errors/SdkError.ts"
import type { CallOutcome } from "./Listener.ts"
import type { ExchangeResult } from "../http/Transport.ts"
import type { CallError } from "../call/callError.ts"

interface CallEnd {
  readonly outcome: CallOutcome
  readonly tag?: string
  /** The code in the service's answer, if it has the form of a code. */
  readonly code?: string | undefined
}

/** Reads the code of an error, unless it is prose, because a span must not show an answer's text. */
const readCode = (error: CallError): string | undefined => {
  const code = "code" in error ? error.code : undefined
  return code !== undefined && /^\w[\w.-]{0,31}$/.test(code) ? code : undefined
}

const ofStatus = (status: number): CallOutcome =>
  status === 429 ? "throttled" : isDoubtful(status) ? "unanswered" : "refused"

type Labelled = Exclude<CallError, ApiError | TransportError>

/** The label of each error that is not an `ApiError` or a `TransportError`. */
const labels: Readonly<Record<Labelled["_tag"], CallOutcome>> = {
  RequestInvalid: "invalid",
  UnconfirmedEndpoint: "unconfirmed",
  NotSent: "not_sent",
  OutcomeUnknown: "uncertain",
  UnexpectedResponse: "unreadable",
  NoSession: "no_token",
  SessionLost: "no_token",
  SessionAmbiguous: "no_token",
  RefreshUnavailable: "no_token",
  StoredSessionInvalid: "no_token",
  SessionOfAnotherEnvironment: "no_token",
  TokenStoreError: "no_token"
}

const isLabelled = (error: Labelled | ApiError): error is Labelled => Object.hasOwn(labels, error._tag)

const ofError = (error: CallError): CallOutcome => {
  if (error._tag === "TransportError") return error.phase === "NotSent" ? "not_sent" : "unanswered"
  return isLabelled(error) ? labels[error._tag] : ofStatus(error.status)
}

export const of = (exit: Exit.Exit<unknown, CallError>): CallEnd => {
  if (Exit.isSuccess(exit)) return { outcome: "succeeded" }
  const failed = Cause.findError(exit.cause)
  if (Result.isSuccess(failed)) {
    const error = failed.success
    return { outcome: ofError(error), tag: error._tag, code: readCode(error) }
  }
  if (Cause.hasDies(exit.cause)) return { outcome: "defect", tag: "Defect" }
  const isUncertain = Option.isSome(Context.getOption(Cause.annotations(exit.cause), Interrupted))
  return isUncertain ? { outcome: "uncertain", tag: "Interrupted" } : { outcome: "interrupted" }
}

/** Labels the outcome of an attempt: its tag in snake case. */
export const ofAttempt = ({ _tag }: Classification<unknown>): string =>
  _tag.replace(/\B[A-Z]/g, (letter) => `_${letter}`).toLowerCase()

/** Labels an attempt without an outcome, such as after an interruption or if its upload could not be sent again. */
export const ofFailedAttempt = (cause: Cause.Cause<unknown>): string =>
  Cause.hasFails(cause) ? "not_sent" : Cause.hasDies(cause) ? "defect" : "interrupted"

/** Labels the answer of an authentication endpoint without reading its payload. */
export const ofAnswer = (answer: ExchangeResult): string =>
  answer._tag === "Answered" && isSuccess(answer.status)
    ? "succeeded"
    : ofAttempt(classify("auth", answer, Result.fail("not read")))

/** The attribute `error.type`: a status, the code of a system error, `timeout` or `_OTHER`. */
export const errorType = (answer: ExchangeResult): string => {
  if (answer._tag === "Answered") return String(answer.status)
  if (/^[A-Z][A-Z\d_]{1,63}$/.test(answer.reason)) return answer.reason
  return answer.isTimeout === true ? "timeout" : "_OTHER"
}
