/** From an answer of the error kind to its class. Pure. */
import * as Predicate from "effect/Predicate"
import * as ApiError from "../ApiError.ts"

const tagByCode: ReadonlyMap<string, ApiError.Tag> = new Map(
  (Object.keys(ApiError.codes) as ReadonlyArray<keyof typeof ApiError.codes>).flatMap((tag) =>
    ApiError.codes[tag].map((code) => [code, tag] as const)
  )
)

const classes = {
  InvalidApiKey: ApiError.InvalidApiKey,
  ValidationFailed: ApiError.ValidationFailed,
  InvalidAccessToken: ApiError.InvalidAccessToken,
  InvalidRefreshToken: ApiError.InvalidRefreshToken,
  TokenExpired: ApiError.TokenExpired,
  BadRequest: ApiError.BadRequest,
  NotFound: ApiError.NotFound
}

const tagOf = (status: number, code: string | undefined): ApiError.Tag => {
  const tag = code === undefined ? undefined : tagByCode.get(code)
  return tag ?? (status === 422 ? "ValidationFailed" : status === 404 ? "NotFound" : "UnknownApiError")
}

const codeOf = (body: unknown): string | undefined =>
  Predicate.isReadonlyObject(body) && typeof body["code"] === "string" ? body["code"] : undefined

/** What an answer of the error kind means: by its code, or by its status where that alone has a meaning. */
export const meaning = (status: number, body: unknown): ApiError.Tag => tagOf(status, codeOf(body))

/** Whether the fields of the specification's error body, as far as they are present, hold all that the body says. */
const isErrorBody = (body: Readonly<Record<string, unknown>> | undefined): boolean =>
  body !== undefined && (body["errors"] === undefined || Predicate.isReadonlyObject(body["errors"]))

/** How much of a body an error keeps, in characters. */
export const bodyLimit = 2_000

/**
 * The error of an answer: by its code, then by its status. Where the endpoint does not declare that error, it is an
 * `UnknownApiError` that keeps what came.
 */
export const fromAnswer = (
  operation: string,
  declared: ReadonlySet<string>,
  answer: ApiError.Answer
): ApiError.ApiError => {
  const body = Predicate.isReadonlyObject(answer.body) ? answer.body : undefined
  const code = codeOf(body)
  const fields = {
    operation,
    status: answer.status,
    message: typeof body?.["message"] === "string" ? body["message"] : `HTTP ${answer.status}`,
    errors: Predicate.isReadonlyObject(body?.["errors"]) ? body["errors"] : {},
    code
  }
  const tag = tagOf(answer.status, code)
  if (tag !== "UnknownApiError" && declared.has(tag)) return new classes[tag](fields as never)
  return new ApiError.UnknownApiError({
    ...fields,
    ...(isErrorBody(body) || answer.text === undefined ? {} : { body: answer.text.slice(0, bodyLimit) }),
    ...(answer.retryAfter === undefined ? {} : { retryAfter: answer.retryAfter })
  })
}
