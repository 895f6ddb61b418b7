/**
 * The service's answers, before they are bytes.
 *
 * Specification: "Success envelope", "Errors".
 */
import type { Quirks } from "../Options.ts"

/** The payload of an operation, and what stands beside it in the envelope. */
export interface Granted<A> {
  readonly _tag: "Granted"
  readonly message: string
  readonly data: A
  readonly meta?: object
  /** What the payload is called where the service does not call it `data`. */
  readonly ownName?: string
}

/** An answer that says no. */
export interface Refused {
  readonly _tag: "Refused"
  readonly status: number
  readonly message: string
  readonly code?: string
  /** Messages by offending field. */
  readonly fields?: Readonly<Record<string, ReadonlyArray<string>>>
}

export type Answer<A> = Granted<A> | Refused

export const granted = <A>(message: string, data: A, beside?: Pick<Granted<A>, "meta" | "ownName">): Granted<A> => ({
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

export const invalid = (code: string, fields: NonNullable<Refused["fields"]>): Refused => ({
  ...refused(422, code, "Validation failed"),
  fields
})

/** Something that the request names does not exist. */
export const notFound = (code: string, message: string): Refused => refused(404, code, message)

/** The request is a right one, but not for things as they are. */
export const notNow = (code: string, message: string, fields?: NonNullable<Refused["fields"]>): Refused => ({
  ...refused(400, code, message),
  ...(fields === undefined ? {} : { fields })
})

/** The code of a 422 where an endpoint has none of its own. */
export const validationCode = "E00402"

/** Without a code: no endpoint has one for it. */
export const noSuchRoute = (method: string, path: string): Refused => ({
  _tag: "Refused",
  status: 404,
  message: `Cannot ${method} ${path}`
})

export const tooLarge: Refused = { _tag: "Refused", status: 413, message: "Request body is too large" }

const ofTokens: ReadonlySet<number> = new Set([401, 498])

const fieldsIn = (fields: NonNullable<Refused["fields"]>, form: Quirks["errorBodies"]): object =>
  Object.fromEntries(
    Object.entries(fields).map(([field, messages]) => [
      field,
      form === "PlainFields"
        ? messages.join(", ")
        : form === "ObjectFields"
          ? messages.map((text) => ({ field, text }))
          : messages
    ])
  )

/** The error body: a summary, which `errors` repeats, and a key per offending field. */
export const errorBody = ({ code, fields = {}, message, status }: Refused, { errorBodies }: Quirks): object => {
  const form = ofTokens.has(status) ? "Specified" : errorBodies
  if (code === undefined || form === "Bare") return { status, message }
  const summary = form === "WithoutSummary" ? {} : { message }
  return { status, message, errors: { ...summary, ...fieldsIn(fields, form) }, code }
}
