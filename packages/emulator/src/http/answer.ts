/**
 * The service's answers, before they are encoded.
 *
 * Specification: "Success envelope", "Errors".
 */
import * as Refusal from "../model/Refusal.ts"
import type { Quirks } from "../model/Settings.ts"
import { hint, type InventedCode, codeMessage } from "./inventedCodes.ts"

/** A success: the message and the payload of an operation. */
export interface Granted<A> {
  readonly _tag: "Granted"
  readonly message: string
  readonly data: A
  /** Of a list: what the answer says of the whole list. */
  readonly counts?: object
}

export interface Refused {
  readonly _tag: "Refused"
  readonly status: number
  readonly message: string
  readonly code?: string
  /** Validation messages, by field. */
  readonly fields?: Readonly<Record<string, ReadonlyArray<string>>>
}

export type Answer<A> = Granted<A> | Refused

export const granted = <A>(message: string, data: A, beside?: Pick<Granted<A>, "counts">): Granted<A> => ({
  _tag: "Granted",
  message,
  data,
  ...beside
})

const refused = (status: number, code: string, message: string): Refused => ({ _tag: "Refused", status, code, message })

export const invalidApiKey = refused(400, "E00401", "Invalid API key")

export const malformed = (message: string): Refused => refused(400, "E40000", message)

export const invalidAccessToken = (quirks: Quirks): Refused =>
  refused(401, quirks.invalidAccessTokenCode, "Invalid access token")

export const invalidRefreshToken = (quirks: Quirks): Refused =>
  refused(401, quirks.invalidRefreshTokenCode, "Invalid refresh token")

export const tokenExpired = (quirks: Quirks): Refused => refused(498, quirks.tokenExpiredCode, "Token has expired")

/** The error code of a 422, unless the endpoint has its own code. */
export const validationCode = "E00402"

type Fields = NonNullable<Refused["fields"]>

export const invalid = (fields: Fields, code: string = validationCode): Refused => ({
  ...refused(422, code, "Validation failed"),
  fields
})

/** The request refers to something that does not exist. */
export const notFound = (code: InventedCode): Refused => refused(404, code, codeMessage(code))

/** The request is valid, but the current state does not allow it. */
export const notNow = (code: InventedCode, fields: Fields = {}): Refused => ({
  ...refused(400, code, codeMessage(code)),
  fields
})

/**
 * A 404 for a path without an endpoint. Its body has no code, because by the specification every code of a 404 is an
 * endpoint's own. Otherwise it is the body of every other error.
 */
export const noSuchRoute = (method: string, path: string): Refused => ({
  _tag: "Refused",
  status: 404,
  message: `Cannot ${method} ${path}`
})

export const tooLarge: Refused = { _tag: "Refused", status: 413, message: "Request body is too large" }

const tokenStatuses: ReadonlySet<number> = new Set([401, 498])

/** The error body. */
export const errorBody = ({ code, fields, message, status }: Refused, { bareErrors }: Quirks): object =>
  bareErrors && !tokenStatuses.has(status)
    ? { status, message }
    : code === undefined
      ? { status, message, errors: { message, ...fields } }
      : (Refusal.answer({ status, code, message: `${message}${hint(code)}`, fields }).body as object)
