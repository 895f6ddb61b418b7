/**
 * Error answers in the specification's format.
 *
 * Specification: "Errors" (error body, authentication error codes, common error codes).
 */
import * as ApiError from "@effect-custody/core/ApiError"
import * as Classification from "@effect-custody/core/unstable/Classification"
import type { Operation } from "@effect-custody/core/unstable/Operation"
import type { OutcomeUnknown } from "@effect-custody/core/SdkError"
import type * as Schema from "effect/Schema"

/** An error answer: a code of the specification, or another code with its status. */
export type Refusal =
  | ApiError.Code
  | {
      /** Default: the status of the code. */
      readonly status?: number | undefined
      readonly code?: ApiError.Code | (string & {}) | undefined
      readonly message?: string | undefined
      /** Validation messages by offending field. */
      readonly fields?: Readonly<Record<string, ReadonlyArray<string>>> | undefined
    }

const isKnown = (code: string | undefined): code is ApiError.Code =>
  code !== undefined && Object.hasOwn(ApiError.answers, code)

/** The status and body of an error answer. */
export const makeAnswer = (refusal: Refusal): { readonly status: number; readonly body: Schema.MutableJson } => {
  const { code, fields, message, status } = typeof refusal === "string" ? { code: refusal } : refusal
  const usual = isKnown(code)
    ? ApiError.answers[code]
    : { status: fields === undefined ? 400 : 422, message: "Refused" }
  const body = { status: status ?? usual.status, message: message ?? usual.message }
  if (code === undefined && fields === undefined) return { status: body.status, body }
  const errors = Object.fromEntries(Object.entries(fields ?? {}).map(([name, messages]) => [name, [...messages]]))
  return {
    status: body.status,
    body: { ...body, errors: { message: body.message, ...errors }, ...(code === undefined ? {} : { code }) }
  }
}

type Answer = ReturnType<typeof makeAnswer>

/** Classifies an answer as the real client does. Returns the doubt that it leaves about a change, if there is one. */
export const findDoubt = (
  { safety }: Pick<Operation<unknown, unknown>, "safety">,
  { body, status }: Answer,
  isDoubtful: (status: number) => boolean
): Pick<OutcomeUnknown, "reason" | "status"> | undefined => {
  if (safety === "read") return undefined
  const { _tag, reason } = Classification.classify(
    safety === "session" ? "auth" : "call",
    { _tag: "Answered", status, text: JSON.stringify(body), retryAfter: undefined },
    undefined,
    { isDoubtful, error: (json) => ({ body: json, tag: undefined }) }
  ) as Classification.Failed
  return _tag === "InDoubt" ? { reason, status } : undefined
}
