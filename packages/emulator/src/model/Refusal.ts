/**
 * Error answers in the specification's format.
 *
 * Specification: "Errors" (error body, authentication error codes, common error codes).
 *
 * @since 0.1.0
 */
import * as ApiError from "@effect-custody/core/ApiError"
import type * as Schema from "effect/Schema"

/**
 * An error answer: a code of the specification, or another code with its status.
 *
 * @since 0.1.0
 * @category models
 */
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

/**
 * The status and body of an error answer, in the specification's format. `errors` repeats the message, and has a key for
 * each offending field.
 *
 * @since 0.1.0
 * @category encoding
 */
export const answer = (refusal: Refusal): { readonly status: number; readonly body: Schema.MutableJson } => {
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
