/** Labels the end of a call or an attempt for its span and its metrics. Pure. */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { isSuccess } from "../values/StatusCode.ts"
import type { CallError } from "../call/callEnd.ts"
import * as ErrorFacts from "../errors/ErrorFacts.ts"
import { type Classification, classify } from "../http/Classification.ts"
import { Interrupted } from "../errors/SdkError.ts"
import type { CallOutcome } from "./Listener.ts"
import type { ExchangeResult } from "../http/Transport.ts"

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

export const of = (exit: Exit.Exit<unknown, CallError>): CallEnd => {
  if (Exit.isSuccess(exit)) return { outcome: "succeeded" }
  const failed = Cause.findError(exit.cause)
  if (Result.isSuccess(failed)) {
    const error = failed.success
    return { outcome: ErrorFacts.ofKnown(error).label, tag: error._tag, code: readCode(error) }
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
