/**
 * Turns an error answer into an error. Pure.
 *
 * @stability unstable
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Struct from "effect/Struct"
import * as ApiError from "./ApiError.ts"

/** The SDK's error classes by their tags. */
const classes: ReadonlyMap<string, ApiError.ErrorClass> = new Map(
  [...ApiError.ofEvery, ApiError.InvalidApiKey, ApiError.NotFound].map((one) => [ApiError.tagOf(one), one])
)

/** The meaning of a status if the answer has no code. */
const tagWithoutCode: Readonly<Record<number, ApiError.Tag>> = {
  401: "InvalidAccessToken",
  422: "ValidationFailed",
  498: "TokenExpired"
}

/** Finds the specification's code of a meaning; `undefined` if the meaning has none. */
const findCode = (tag: ApiError.Tag): string | undefined =>
  Object.hasOwn(ApiError.codes, tag) ? ApiError.codes[tag as keyof typeof ApiError.codes][0] : undefined

/** `true` if a code has the form of the specification: `E` and five digits. */
export const isErrorCode = (code: unknown): boolean => typeof code === "string" && /^E\d{5}$/.test(code)

/** Reads the code of an error body, if it has one. */
export const readCode = (body: unknown): string | undefined =>
  Predicate.isReadonlyObject(body) && typeof body["code"] === "string" ? body["code"] : undefined

/**
 * `true` if an error answer is the service's own, by what the contract recognises. Without a contract, its body has a
 * `code` of `E` and five digits, or a `status` that repeats the answer's beside a text `message`. Any other body, such as
 * an HTML page or an empty one, may come from a gateway or a proxy.
 */
export const isOwn = (
  status: number,
  body: unknown,
  reading: { readonly tag?: ApiError.Tag | undefined; readonly isOwn?: boolean | undefined }
): boolean => {
  if (reading.tag !== undefined) return true
  if (reading.isOwn !== undefined) return reading.isOwn
  if (!Predicate.isReadonlyObject(body)) return false
  return isErrorCode(body["code"]) || (Number(body["status"]) === status && typeof body["message"] === "string")
}

/** The maximum length of a body in an error, in characters. */
export const maxBody = 2_000

/** The maximum length of the words that {@link describeForeign} quotes, and of one of them, in characters. */
const maxWords = 80
const maxWord = 24

/** Selects the first words of a text, without the tags of HTML. Ends at a word so long that it may be a secret. */
const firstWords = (text: string): string => {
  const shown = text.slice(0, maxBody).replaceAll(/<(script|style)\b[^]*?<\/\1\s*>|<[^>]*>?/gi, " ")
  // A body with these characters is no text.
  if (/[^\P{Cc}\s]|\uFFFD/u.test(shown)) return ""
  const words = shown.trim().split(/\s+/)
  const end = words.findIndex((word) => word.length > maxWord)
  return words
    .slice(0, end === -1 ? words.length : end)
    .join(" ")
    .slice(0, maxWords)
    .trim()
}

/**
 * Describes an answer that is not the service's own: its content type, and the first words of a page or of the `message`
 * of JSON. `quote` makes these words fit for an error. Without `quote`, the description quotes nothing.
 */
export const describeForeign = (
  answer: {
    readonly text: string
    /** The body's JSON; `undefined` if the body is not JSON. */
    readonly body: unknown
    readonly contentType: string | undefined
  },
  quote: ((words: string) => string) | undefined
): string => {
  const { body, contentType, text } = answer
  const type = /^[\w.+-]+\/[\w.+-]+/.exec(contentType ?? "")?.[0] ?? "no content type"
  const message = Predicate.isReadonlyObject(body) ? body["message"] : undefined
  const readable = type.startsWith("text/") && body === undefined ? text : typeof message === "string" ? message : ""
  const words = quote === undefined ? "" : firstWords(readable)
  const what = text === "" ? "no body" : quote === undefined || words === "" ? type : `${type}, "${quote(words)}"`
  return `not the service's own answer (${what}): a gateway, a proxy or a wrong base address usually sends it`
}

/**
 * The meaning of an error answer. The contract decides first, then the code. The status decides only if there is no code,
 * and for a 404, because the specification shows no code for it.
 */
export const meaning = (status: number, body: unknown, tag: ApiError.Tag | undefined): ApiError.Tag => {
  // The service did not look at a throttled request, whatever code the answer has.
  if (status === 429) return "RateLimited"
  const code = readCode(body)
  return (
    tag ??
    (code === undefined ? tagWithoutCode[status] : ApiError.tagByCode.get(code)) ??
    (status === 404 ? "NotFound" : "OtherApiError")
  )
}

/**
 * The meaning of an error answer by its code, which only the service sends. Ignores the status, because any
 * intermediary can send a status.
 */
export const meaningOfCode = (body: unknown, tag: ApiError.Tag | undefined): ApiError.Tag =>
  tag ?? ApiError.tagByCode.get(readCode(body) ?? "") ?? "OtherApiError"

/**
 * `true` if a body has the form of the specification's error body, so that the error's fields already contain
 * everything in it.
 */
const isErrorBody = (body: Readonly<Record<string, unknown>> | undefined): boolean =>
  body !== undefined && (body["errors"] === undefined || Predicate.isReadonlyObject(body["errors"]))

/**
 * `true` if a `NotFound` is certain. The answer needs a code, because a gateway can send a 404 without a code. The
 * answer must not come from a cache, because the cache may have stored it before the record was created.
 */
const isCertain = ({ isCached, listsNotFound, status, tag }: ApiError.Answer, code: string | undefined): boolean =>
  isCached !== true && (listsNotFound === true ? tag === "NotFound" : status === 404 && isErrorCode(code))

/**
 * Makes an error without stack frames. Frames would only show the SDK's own calls, and double the cost of the error.
 */
const withoutFrames = <E extends Error>(make: () => E): E => {
  const stackTraceLimit: unknown = Reflect.get(Error, "stackTraceLimit")
  // Where `Error` is frozen, this changes nothing.
  Reflect.set(Error, "stackTraceLimit", 0)
  try {
    return make()
  } finally {
    Reflect.set(Error, "stackTraceLimit", stackTraceLimit)
  }
}

const make = (errorClass: ApiError.ErrorClass, fields: object): ApiError.ApiError =>
  withoutFrames(() => new (errorClass as unknown as new (fields: object) => ApiError.ApiError)(fields))

/** The part of a declaration that an error answer needs. */
export interface Declared {
  readonly operation: string
  readonly safety: string
  readonly refusals: ReadonlyArray<ApiError.ErrorClass>
}

/** Makes the first of the endpoint's own errors whose fields fit the answer. */
const ownError = (
  refusals: Declared["refusals"],
  fields: Readonly<Record<string, unknown>>
): ApiError.ApiError | undefined => {
  for (const one of refusals) {
    if (classes.get(ApiError.tagOf(one)) === one) continue
    const error = Result.try(() => make(one, Struct.pick(fields, Object.keys(one.fields))))
    if (Result.isSuccess(error)) return error.success
  }
  return undefined
}

/**
 * Makes the error that the {@link meaning} of an answer names. An error class of the endpoint's own comes first. If the
 * endpoint does not declare that error, the result is an `OtherApiError` with the answer's fields. So is an answer that
 * is not the service's own, unless its status is 429 or 498, and a 401 without a code after a request without an access
 * token, because it is not about a token.
 */
export const fromAnswer = ({ operation, refusals, safety }: Declared, answer: ApiError.Answer): ApiError.ApiError => {
  const isDeclared = (tag: ApiError.Tag): boolean =>
    ApiError.ofEveryEndpoint.has(tag) || refusals.some((one) => classes.get(tag) === one)
  const body = Predicate.isReadonlyObject(answer.body) ? answer.body : undefined
  const ownCode = readCode(body)
  const isForeign = answer.foreign !== undefined && answer.status !== 429 && answer.status !== 498
  const hasNoMeaning = isForeign || (safety === "session" && answer.status === 401 && ownCode === undefined)
  const tag = hasNoMeaning ? "OtherApiError" : meaning(answer.status, answer.body, answer.tag)
  // If the contract gave the answer its meaning, the specification's code for the meaning replaces the service's code.
  const code = tag === answer.tag && isDeclared(tag) ? (findCode(tag) ?? ownCode) : ownCode
  const fields = {
    operation,
    status: answer.status,
    summary: answer.foreign ?? (typeof body?.["message"] === "string" ? body["message"] : `HTTP ${answer.status}`),
    errors: Predicate.isReadonlyObject(body?.["errors"]) ? body["errors"] : {},
    requestIds: answer.requestIds ?? {},
    code
  }
  const own = isForeign ? undefined : ownError(refusals, fields)
  if (own !== undefined) return own
  const wait = answer.retryAfter === undefined ? {} : { retryAfter: answer.retryAfter }
  if (tag !== "OtherApiError" && isDeclared(tag)) {
    const more = tag === "NotFound" ? { isCertain: isCertain(answer, ownCode) } : tag === "RateLimited" ? wait : {}
    return make(classes.get(tag)!, { ...fields, ...more })
  }
  const text = isErrorBody(body) || answer.text === undefined ? {} : { body: answer.text.slice(0, maxBody) }
  return make(ApiError.OtherApiError, { ...fields, ...wait, ...text, isForeign })
}
