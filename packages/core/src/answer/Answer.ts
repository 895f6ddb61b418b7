/**
 * What an answer says: is it the service's own, and is it a success of this endpoint or which error? A program that takes
 * an error for an empty list of payments may pay again. A program that takes it for a success believes that its change was
 * made. Pure.
 *
 * 1. `isSuccess` and `isDoubtful` interpret the status, and `isErrorCode` the code of the specification.
 * 2. `refusal` finds an error with the status of a success, by what the specification shows (the envelope's `status` and
 *    `code`), by `success: false`, and by the sign that a contract names. An error that only another field shows, such as
 *    `"error": "no"` or `"ok": false`, counts as a success: only a contract can name such a sign.
 * 3. `holds` decides about a success without a payload: `data: null`, an empty body, or a 204. A proxy may send any of
 *    them, so each counts only if the contract or the envelope confirms it.
 * 4. `readRows` and `readMeta` read a list. By the specification, `data` is an object: the assumed wire of a list is
 *    `data: { items, totalItems, itemsPerPage, … }`. Services of this kind also send `data: [...]` with the counts in a
 *    `meta` beside it, so both are read.
 * 5. `isOwn`, `meaning` and `fromAnswer` turn an error answer into an error.
 *
 * @siblings `contract` reads the answers of another service by these rules, and `testing` makes error answers.
 */
import type * as Duration from "effect/Duration"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Struct from "effect/Struct"
import * as ApiError from "../errors/ApiError.ts"
import * as ExactJson from "../json/ExactJson.ts"

// 1. The status and the code.

/** `true` for 2xx. */
export const isSuccess = (status: number): boolean => status >= 200 && status < 300

/** `true` if the status leaves open what the service did. A proxy that gives up sends 408 or 499. */
export const isDoubtful = (status: number): boolean => status < 400 || status >= 500 || status === 408 || status === 499

/** `true` if a code has the form of the specification: `E` and five digits. */
export const isErrorCode = (code: unknown): boolean => typeof code === "string" && /^E\d{5}$/.test(code)

// 2. An error with the status of a success.

/** The HTTP statuses for unfinished work, and for an answer with only a part of the data. */
const unfinished: ReadonlySet<number> = new Set([202, 206, 207])

/** The contract's test for a success: the path of a field in the answer, and the values that mean success. */
export interface Sign {
  readonly at: ReadonlyArray<string>
  readonly success: ReadonlyArray<unknown>
}

export interface PlacedAnswer extends Omit<Found, "found">, Pick<Expected, "isRead" | "isStatusNamed"> {
  readonly isList: boolean
  /** The path of keys to the payload; empty if the body is the payload. */
  readonly at: ReadonlyArray<string>
  readonly sign?: Sign | undefined
}

type FieldTest = (name: string, value: unknown) => boolean

/** Tests a field of a payload that a change returns. Any other field may be about another request. */
const isErrorInPayload: FieldTest = (name, value) =>
  (name === "success" && value === false) || (name === "code" && isErrorCode(value))

/** `true` for an HTTP status of a success, as a number or in digits. */
const isSuccessStatus = (status: unknown): boolean =>
  (typeof status === "number" || typeof status === "string") && /^2\d\d$/.test(String(status))

/** Tests a field around a payload. A `status` there is the HTTP status of a success, or there is none. */
const isErrorAround: FieldTest = (name, value) =>
  isErrorInPayload(name, value) || (name === "status" && value !== null && !isSuccessStatus(value))

const find = (object: unknown, test: FieldTest, except: ReadonlyArray<string | undefined>): string | undefined =>
  Predicate.isReadonlyObject(object)
    ? Object.keys(object).find((name) => !except.includes(name) && test(name, object[name]))
    : undefined

/** `true` for the specification's error body, which is an error in every place: it has the status and the code of one. */
export const isError = (body: unknown): body is { readonly status: unknown; readonly code: string } =>
  Predicate.isReadonlyObject(body) &&
  isErrorCode(body["code"]) &&
  body["status"] !== undefined &&
  isErrorAround("status", body["status"])

/** Says why an answer with the status of a success is none; `undefined` if nothing denies the success. */
export const refusal = (answer: PlacedAnswer): string | undefined => {
  const { at, body, isList, isRead, isStatusNamed, sign, status } = answer
  if (isList && isRead && unfinished.has(status) && !isStatusNamed) {
    return "the status does not say that the list is complete"
  }
  if (isError(body)) return `its envelope says HTTP ${String(body.status)}, ${body.code}`
  if (sign !== undefined && !isBodiless(status) && !sign.success.includes(ExactJson.at(body, sign.at))) {
    return `its envelope reports an error: ${sign.at.join(".")}`
  }
  // The key of `sign` in the object at this depth. `sign` is checked above, so the search below skips this key.
  const signKey = (depth: number): string | undefined =>
    at.slice(0, depth).every((key, nth) => key === sign?.at[nth]) ? sign?.at[depth] : undefined
  const around: Array<readonly [object: unknown, key: string]> = []
  let found = body
  for (const key of at) {
    around.push([found, key])
    found = ExactJson.at(found, [key])
  }
  const { holder, rows } = isList ? readRows(found) : { holder: undefined, rows: found }
  if (holder !== undefined) around.push([holder, "items"])
  for (const [depth, [object, key]] of around.entries()) {
    const name = find(object, isErrorAround, [key, signKey(depth)])
    if (name !== undefined) return `its envelope reports an error: ${name}`
  }
  // Skip the record of a read: its error fields may be about an earlier change, not about this request.
  if (isRead) return undefined
  for (const record of Array.isArray(rows) ? rows : [rows]) {
    const name = find(record, isErrorInPayload, [signKey(at.length)])
    if (name !== undefined) return `its payload reports an error: ${name}`
  }
  return undefined
}

// 3. A success without a payload.

interface Found {
  readonly status: number
  /** The body's JSON; `undefined` if the body is not JSON. */
  readonly body: unknown
  /** The value in the place of the payload. */
  readonly found: unknown
}

export interface Expected {
  readonly isRead: boolean
  /** `true` if a success must have a payload, such as an id, or a list of created records. */
  readonly needsPayload: boolean
  /** `true` if the contract declares the place of the payload. */
  readonly isPlaceDeclared: boolean
  /** `true` if the contract lists the status of the answer as a success. */
  readonly isStatusNamed: boolean
}

/** `true` for the statuses that have no body in HTTP. */
export const isBodiless = (status: number): boolean => status === 204 || status === 205

/**
 * `Nothing`: the service itself answers with success and without a payload, so a change has taken effect. `Unreadable`:
 * the answer may not be the service's, or lacks a required payload, so the outcome of a change is unknown.
 */
export const holds = (
  { body, found, status }: Found,
  { isPlaceDeclared, isRead, isStatusNamed, needsPayload }: Expected
): "Payload" | "Nothing" | "Unreadable" => {
  if (found !== undefined && found !== null) return "Payload"
  if (needsPayload) return "Unreadable"
  if (isBodiless(status)) return isStatusNamed ? "Nothing" : "Unreadable"
  // An empty body, a body that is not JSON, and a body without the payload's key may not come from the service.
  if (found === undefined) return "Unreadable"
  // A null counts as sent by the service, not by a proxy, in two cases: the contract declares the place of the
  // payload, or the operation changes something and the envelope has a message or a status.
  const isEnvelope = Predicate.isReadonlyObject(body) && ("message" in body || "status" in body)
  return isPlaceDeclared || (isEnvelope && !isRead) ? "Nothing" : "Unreadable"
}

// 4. The answer to a list.

/** Reads the rows of a list. `holder` is the object that has the rows under `items`, if there is one. */
export const readRows = (found: unknown) =>
  Predicate.isReadonlyObject(found) && Array.isArray(found["items"])
    ? { rows: found["items"], holder: found }
    : { rows: found, holder: undefined }

export const metaNames = [
  "totalItems",
  "itemsPerPage",
  "totalPages",
  "currentPage",
  "hasPreviousPage",
  "hasNextPage"
] as const

/** Reads a flag that a service may send as a text or a number. */
const readFlag = (value: unknown): boolean | undefined => {
  const text = Predicate.isObjectOrArray(value) ? "" : String(value).toLowerCase()
  return text === "true" || text === "1" ? true : text === "false" || text === "0" ? false : undefined
}

const readCount = (value: unknown): number | undefined => {
  const count = typeof value === "string" && value.trim() !== "" ? Number(value) : value
  return Number.isSafeInteger(count) ? Number(count) : undefined
}

/** Reads the known counts and flags of an object. Ignores a field whose value makes no sense. */
export const readMeta = (meta: unknown): Readonly<Record<string, number | boolean>> =>
  Object.fromEntries(
    metaNames.flatMap((name) => {
      const sent = Predicate.hasProperty(meta, name) ? meta[name] : undefined
      const value = name.startsWith("has") ? readFlag(sent) : readCount(sent)
      return value === undefined ? [] : [[name, value]]
    })
  )

// 5. An error answer.

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
const isCertain = ({ isCached, listsNotFound, status, tag }: ErrorAnswer, code: string | undefined): boolean =>
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

/** An error answer. */
export interface ErrorAnswer {
  readonly status: number
  /** The body's JSON; `undefined` if the body is not JSON. */
  readonly body: unknown
  /** The text of the body, if the error may keep it. */
  readonly text?: string | undefined
  readonly requestIds?: Readonly<Record<string, string>> | undefined
  /** The meaning of the answer, if a contract states it. */
  readonly tag?: ApiError.Tag | undefined
  /** See `ErrorReading` of the wires. */
  readonly listsNotFound?: boolean | undefined
  /** `true` if the answer came from a cache. Then a `NotFound` is not certain. */
  readonly isCached?: boolean | undefined
  /** If the answer is not the service's own: what came instead. */
  readonly foreign?: string | undefined
  /** The wait that the service asks for. */
  readonly retryAfter: Duration.Duration | undefined
}

/** The part of a declaration that an error answer needs. */
interface Declared {
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
export const fromAnswer = ({ operation, refusals, safety }: Declared, answer: ErrorAnswer): ApiError.ApiError => {
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
