/**
 * Error answers in the specification's format.
 *
 * Specification: "Errors" (error body, authentication error codes, common error codes).
 */
import type * as Schema from "effect/Schema"

/** The codes of the specification, with status and message. */
const known = {
  E00401: [400, "Invalid API key"],
  E00402: [422, "Validation failed"],
  E01401: [401, "Invalid access token"],
  E01402: [401, "Invalid refresh token"],
  E01403: [498, "Token has expired"],
  E40000: [400, "Bad request"],
  E40001: [401, "Invalid access token"],
  E40002: [401, "Invalid refresh token"],
  E40003: [498, "Token has expired"]
} as const

/** A code of the specification. */
export type Code = keyof typeof known

/** An error answer: a code of the specification, or another code with its status. */
export type Refusal =
  | Code
  | {
      /** Default: that of the code. */
      readonly status?: number | undefined
      readonly code?: Code | (string & {}) | undefined
      readonly message?: string | undefined
      /** Validation messages by offending field. */
      readonly fields?: Readonly<Record<string, ReadonlyArray<string>>> | undefined
    }

const isKnown = (code: string | undefined): code is Code => code !== undefined && Object.hasOwn(known, code)

/** The status and body of an error answer. */
export const answerOf = (refusal: Refusal): { readonly status: number; readonly body: Schema.MutableJson } => {
  const { code, fields, message, status } = typeof refusal === "string" ? { code: refusal } : refusal
  const [defaultStatus, defaultMessage] = isKnown(code) ? known[code] : [fields === undefined ? 400 : 422, "Refused"]
  const body = { status: status ?? defaultStatus, message: message ?? defaultMessage }
  if (code === undefined && fields === undefined) return { status: body.status, body }
  const errors = Object.fromEntries(Object.entries(fields ?? {}).map(([name, messages]) => [name, [...messages]]))
  return {
    status: body.status,
    body: { ...body, errors: { message: body.message, ...errors }, ...(code === undefined ? {} : { code }) }
  }
}
