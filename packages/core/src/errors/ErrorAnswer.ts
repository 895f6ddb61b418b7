/** From an error answer to its class. Pure. */
import * as Predicate from "effect/Predicate"
import * as ApiError from "./ApiError.ts"

const tagByCode: ReadonlyMap<string, ApiError.Tag> = new Map(
  (Object.keys(ApiError.codes) as ReadonlyArray<keyof typeof ApiError.codes>).flatMap((tag) =>
    ApiError.codes[tag].map((code) => [code, tag] as const)
  )
)

/** The error class of each tag that an endpoint can declare. */
const classes = {
  InvalidApiKey: ApiError.InvalidApiKey,
  ValidationFailed: ApiError.ValidationFailed,
  InvalidAccessToken: ApiError.InvalidAccessToken,
  InvalidRefreshToken: ApiError.InvalidRefreshToken,
  TokenExpired: ApiError.TokenExpired,
  BadRequest: ApiError.BadRequest,
  NotFound: ApiError.NotFound,
  RateLimited: ApiError.RateLimited
}

/** What a status means if its code is unknown. */
const byStatus: Readonly<Record<number, ApiError.Tag>> = { 404: "NotFound", 422: "ValidationFailed" }

/** What a status means if there is no code. */
const withoutCode: Readonly<Record<number, ApiError.Tag>> = { 401: "InvalidAccessToken", 498: "TokenExpired" }

/** The specification's code of a meaning, where it has one. */
const codeFor = (tag: ApiError.Tag): string | undefined => [...tagByCode].find(([, each]) => each === tag)?.[0]

/** Whether a code is in the form of the specification: `E` and five digits. */
export const isErrorCode = (code: unknown): boolean => typeof code === "string" && /^E\d{5}$/.test(code)

/** The code of an error body, if it has one. */
export const codeOf = (body: unknown): string | undefined =>
  Predicate.isReadonlyObject(body) && typeof body["code"] === "string" ? body["code"] : undefined

/** What an error answer means: as the contract says, by its code, or by its status where that alone has a meaning. */
export const meaning = (status: number, body: unknown, tag: ApiError.Tag | undefined): ApiError.Tag => {
  // A throttled request was not looked at, whatever code the answer has.
  if (status === 429) return "RateLimited"
  const code = codeOf(body)
  return (
    tag ?? (code === undefined ? withoutCode[status] : tagByCode.get(code)) ?? byStatus[status] ?? "UnknownApiError"
  )
}

/** What an error answer means by its code alone. Any intermediary can answer with a status; the code is the service's. */
export const meaningOfCode = (body: unknown, tag: ApiError.Tag | undefined): ApiError.Tag =>
  tag ?? tagByCode.get(codeOf(body) ?? "") ?? "UnknownApiError"

/** Whether a body has the form of the specification's error body, so that the error's fields hold all of it. */
const isErrorBody = (body: Readonly<Record<string, unknown>> | undefined): boolean =>
  body !== undefined && (body["errors"] === undefined || Predicate.isReadonlyObject(body["errors"]))

/**
 * Whether a `NotFound` is certain: its code shows that it is the service's own (a gateway can send the status too), and
 * it is not from a cache, which may have stored it before the record was created.
 */
const isCertain = ({ isCached, listsNotFound, status, tag }: ApiError.Answer, code: string | undefined): boolean =>
  isCached !== true && (listsNotFound === true ? tag === "NotFound" : status === 404 && isErrorCode(code))

/** How much of a body an error keeps, in characters. */
export const bodyLimit = 2_000

/**
 * The error of an answer: by its code, then by its status. Where the endpoint does not declare that error, it is an
 * `UnknownApiError` that keeps what came. So is a 401 without a code, where no access token was sent.
 */
export const fromAnswer = (
  operation: string,
  declared: ReadonlySet<string>,
  hasToken: boolean,
  answer: ApiError.Answer
): ApiError.ApiError => {
  const body = Predicate.isReadonlyObject(answer.body) ? answer.body : undefined
  const sent = codeOf(body)
  const isUnnamed = !hasToken && answer.status === 401 && sent === undefined
  const tag = isUnnamed ? "UnknownApiError" : meaning(answer.status, answer.body, answer.tag)
  // The contract maps the service's own code to one of the specification.
  const code = tag === answer.tag && declared.has(tag) ? (codeFor(tag) ?? sent) : sent
  const fields = {
    operation,
    status: answer.status,
    summary: typeof body?.["message"] === "string" ? body["message"] : `HTTP ${answer.status}`,
    errors: Predicate.isReadonlyObject(body?.["errors"]) ? body["errors"] : {},
    requestIds: answer.requestIds ?? {},
    code
  }
  const waits = answer.retryAfter === undefined ? {} : { retryAfter: answer.retryAfter }
  if (tag !== "UnknownApiError" && declared.has(tag)) {
    const own = tag === "NotFound" ? { isCertain: isCertain(answer, sent) } : tag === "RateLimited" ? waits : {}
    return new classes[tag]({ ...fields, ...own } as never)
  }
  return new ApiError.UnknownApiError({
    ...fields,
    ...waits,
    ...(isErrorBody(body) || answer.text === undefined ? {} : { body: answer.text.slice(0, bodyLimit) })
  })
}
