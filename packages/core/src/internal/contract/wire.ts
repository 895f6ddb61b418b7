/** A plan from the side of the client: from our JSON to a request, and from an answer to our envelope. Pure. */
import * as Headers from "effect/http/Headers"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as UrlParams from "effect/http/UrlParams"
import { identity } from "effect/Function"
import { isReadonlyObject as isObject } from "effect/Predicate"
import * as Result from "effect/Result"
import * as Struct from "effect/Struct"
import { isSuccess } from "../../Classification.ts"
import type { Encoded, EncodedBody, Route } from "../../Operation.ts"
import type { Asked, Issue, Wire } from "../../Wire.ts"
import * as SecretRequest from "../secretRequest.ts"
import * as Upload from "../upload.ts"
import * as FalseSuccess from "../falseSuccess.ts"
import * as ListAnswer from "../listAnswer.ts"
import * as MissingPayload from "../missingPayload.ts"
import { isHeaderValue } from "../requestHeaders.ts"
import * as Errors from "./errors.ts"
import { type Asked as AskedPage, nextCursor, notByCursor } from "./paging.ts"
import * as Path from "./path.ts"
import type { Plan } from "./plan.ts"
import * as Record from "./record.ts"
import type { Target } from "./withDefaults.ts"

type Json = Readonly<Record<string, unknown>>

/** Whether a path parameter is a usable segment: not empty, not a dot segment, and well-formed Unicode. */
export const isSegment = (text: string): boolean => !["", ".", ".."].includes(text) && text.isWellFormed()

/** Why a value cannot be in a query, if it cannot: as UTF-8, every lone surrogate would be the same character. */
export const garbled = (value: unknown): string | undefined =>
  [value].flat().every((each) => typeof each !== "string" || each.isWellFormed())
    ? undefined
    : "has half a character (a lone surrogate), which a query cannot carry"

const present = (fields: Json): Json => {
  const names = Object.keys(fields)
  return names.every((name) => fields[name] !== undefined)
    ? fields
    : Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

/** The parts of a request under construction. */
interface Draft {
  readonly params: Record<string, string>
  readonly query: Array<readonly [name: string, value: string]>
  readonly headers: Record<string, string>
  readonly body: Record<string, unknown>
}

/** Puts a value in its place, or says why it cannot be there. */
const place = (draft: Draft, target: Target, value: unknown): string | undefined => {
  switch (target.in) {
    case "body":
      Path.put(draft.body, target.path, value)
      return undefined
    case "query":
      for (const each of Array.isArray(value) ? value : [value]) draft.query.push([target.name, textOf(each)])
      return garbled(value)
    case "path":
      draft.params[target.name] = textOf(value)
      return isSegment(textOf(value)) ? undefined : "cannot be a segment of a path"
    case "header":
      draft.headers[target.name] = textOf(value)
      return isHeaderValue(textOf(value)) ? undefined : "cannot be sent in a header"
  }
}

/** The fields of an encoded input, under our names. */
export const fieldsOf = ({ body, params, query }: Encoded): ReadonlyArray<readonly [name: string, value: unknown]> => [
  ...Object.entries(params),
  ...Object.entries(query),
  ...(body._tag === "None" ? [] : Object.entries(body.fields))
]

/** Returns a function that fills in the parameters of a path. */
export const filled = (path: string): ((params: Readonly<Record<string, string>>) => string) => {
  const segments = path.split("/")
  const names = segments.map((segment) => (segment.startsWith(":") ? segment.slice(1) : undefined))
  if (names.every((name) => name === undefined)) return () => path
  return (params) =>
    segments
      .map((segment, at) => (names[at] === undefined ? segment : encodeURIComponent(params[names[at]] ?? "")))
      .join("/")
}

const numberOf = (value: unknown): number | undefined => (value === undefined ? undefined : Number(value))

const askedPage = ({ cursor, encoded: { query } }: Asked): AskedPage => ({
  page: numberOf(query["page"]),
  limit: numberOf(query["limit"]),
  cursor
})

const jsonType = "application/json"

const bodyOf = ({ body, contentType = jsonType, shape }: Plan, fields: Json): HttpBody.HttpBody => {
  if (body === "None") return HttpBody.empty
  if (body === "Multipart") return Upload.toBody(fields)
  if (shape.safety === "session") return SecretRequest.body(fields, contentType)
  // oxlint-disable-next-line effecttsgo/prefer-schema-over-json -- the fields are encoded by their schema.
  return HttpBody.text(JSON.stringify(fields), contentType)
}

const requestOf = (plan: Plan) => {
  const { constants, contentType, fields, paging, route, shape } = plan
  const accept = contentType ?? jsonType
  const pathOf = filled(route.path)
  return (asked: Asked): Result.Result<HttpClientRequest.HttpClientRequest, ReadonlyArray<Issue>> => {
    const issues: Array<Issue> = []
    const draft: Draft = { params: {}, query: [], headers: {}, body: {} }
    const put = (name: string, target: Target, value: unknown): void => {
      const message = place(draft, target, value)
      if (message !== undefined) issues.push({ path: [name], message })
    }
    const given = fieldsOf(asked.encoded)
    const beside = (name: string): unknown => given.find(([each]) => each === name)?.[1]
    for (const { target, value } of constants) put("", target, value)
    for (const [name, value] of given) {
      const field = fields.get(name)
      if (field === undefined || value === undefined) continue
      if (paging !== undefined && (name === "page" || name === "limit")) continue
      const written = field.conversion === undefined ? Result.succeed(value) : field.conversion.write(value, beside)
      if (Result.isFailure(written)) issues.push({ path: [name], message: written.failure })
      else put(name, field.target, written.success)
    }
    const page = paging?.query(askedPage(asked)) ?? Result.succeed([])
    if (Result.isFailure(page)) issues.push({ path: ["page"], message: page.failure })
    else if (asked.cursor !== undefined && shape.isPaged && paging === undefined) {
      issues.push({ path: ["page"], message: notByCursor })
    }
    if (issues.length > 0 || Result.isFailure(page)) return Result.fail(issues)
    const isLink = paging?.isWhole === true && asked.cursor !== undefined
    return Result.succeed(
      HttpClientRequest.make(route.method)(pathOf(draft.params), {
        urlParams: UrlParams.fromInput(isLink ? page.success : [...draft.query, ...page.success]),
        headers: draft.headers,
        body: bodyOf(plan, draft.body),
        accept
      })
    )
  }
}

/** What is known of a payload that is missing. */
export const expected = (
  { isPayloadSaid, shape: { needsPayload, safety }, success }: Plan,
  status: number
): MissingPayload.Expected => ({
  isRead: safety === "read",
  needsPayload,
  isPlaceSaid: isPayloadSaid,
  isStatusNamed: success?.has(status) === true
})

/** Our payload where there is none. */
export const emptyOf = (isList: boolean): unknown => (isList ? [] : {})

/**
 * The message, status and code beside a payload. Without an envelope, they count only if they are those of an error.
 */
const saidBeside = (body: unknown, isEnvelope: boolean): Json => {
  const said: Json = isObject(body) ? Struct.pick(body as Json, ["message", "status", "code"]) : {}
  return isEnvelope || (FalseSuccess.isErrorStatus(said["status"]) && FalseSuccess.isErrorCode(said["code"]))
    ? said
    : {}
}

/**
 * What an answer says about a list that is paged by cursor or link: without a next one no page follows, whatever the
 * counts and the size of the page are.
 */
const byNext = (told: Json | undefined, hasNextPage: boolean, rows: number): Json => {
  const isCounted = !(Number(told?.["totalItems"]) < rows)
  const other = ["totalPages", "itemsPerPage", ...(isCounted ? [] : ["totalItems"])]
  return { hasNextPage, ...Struct.omit(told ?? {}, hasNextPage ? [] : other) }
}

/** The rows of a list, and how to read on. */
const listOf = (
  { meta, paging, payload }: Plan,
  body: unknown,
  { holder, rows }: ListAnswer.Rows,
  asked: Asked | undefined
): object => {
  const data = payload === undefined ? rows : payload.read(rows, () => undefined)
  const told = meta.read(body, holder)
  const count = Array.isArray(data) ? data.length : 0
  const said = asked === undefined ? undefined : paging?.next(body, askedPage(asked), count)
  if (said !== undefined && Result.isFailure(said)) return { [FalseSuccess.unreadable]: said.failure }
  // An empty page that repeats its cursor is the end.
  const follows = said?.success !== undefined && (count > 0 || said.success !== asked?.cursor)
  const endsWithoutNext = paging?.endsWithoutNext === true
  const without = told?.["hasNextPage"] === true ? null : false
  const next = endsWithoutNext && said !== undefined ? (said.success ?? without) : said?.success
  const about = endsWithoutNext ? byNext(told, follows, count) : told
  return {
    data,
    ...(about === undefined ? {} : { meta: about }),
    ...(next === undefined ? {} : { [nextCursor]: next })
  }
}

const envelopeOf = (plan: Plan) => {
  const { payload, payloadAt, shape, sign } = plan
  const isList = shape.payload._tag === "List"
  const isSession = shape.safety === "session"

  return (body: unknown, status: number, asked: Asked | undefined): unknown => {
    const found = payloadAt === undefined ? body : Path.at(body, payloadAt)
    const said = saidBeside(body, payloadAt !== undefined)
    const about = expected(plan, status)
    const refusal = isSession
      ? undefined
      : FalseSuccess.refusal({ ...about, isList, status, body, at: payloadAt ?? [], sign })
    if (refusal !== undefined) return { ...said, data: found, [FalseSuccess.unreadable]: refusal }
    switch (MissingPayload.meaning({ status, body, found }, about)) {
      case "Nothing":
        return { ...said, data: emptyOf(isList) }
      case "Unreadable":
        // For a body that is not an envelope, the error says what is missing.
        return found === undefined ? (isObject(body) ? {} : body) : { data: found }
      case "Payload":
    }
    return isList
      ? { ...said, ...listOf(plan, body, ListAnswer.rowsOf(found), asked) }
      : { ...said, data: payload === undefined ? found : payload.read(found, () => undefined) }
  }
}

/** Where a field of our envelope is in an answer. */
const placeOf =
  ({ casing, payloadAt = [], record, shape }: Plan): Wire["place"] =>
  (names) =>
    names[0] === "data" ? [...payloadAt, ...Record.place(shape.payload, record, casing, names.slice(1))] : names

/** The wire of a plan. */
export const make = (plan: Plan): Wire => {
  const { doubtful, errors, route, success } = plan
  return {
    route,
    request: requestOf(plan),
    envelope: envelopeOf(plan),
    isSuccess: success === undefined ? isSuccess : (status) => success.has(status),
    isDoubtful: (status) => doubtful.has(status),
    error: errors.read,
    place: placeOf(plan)
  }
}

/** What the wire of an operation depends on, beside its route. */
interface Kind {
  /** Whether it sends a one-time secret. */
  readonly isSecret: boolean
  readonly isPaged: boolean
  readonly isList: boolean
  readonly isRead: boolean
  readonly needsPayload: boolean
}

/** The wire of an operation as it is declared: our JSON as it is. */
export const assumed = (route: Route, { isList, isPaged, isRead, isSecret, needsPayload }: Kind): Wire => {
  const said = { isRead, needsPayload, isPlaceSaid: false, isStatusNamed: false }
  const bodyOf = (body: EncodedBody): HttpBody.HttpBody => {
    switch (body._tag) {
      case "None":
        return HttpBody.empty
      case "Json":
        return isSecret ? SecretRequest.body(present(body.fields), jsonType) : HttpBody.jsonUnsafe(present(body.fields))
      case "Multipart":
        return Upload.toBody(present(body.fields))
    }
  }
  const empty = HttpClientRequest.make(route.method)(route.path, { acceptJson: true })
  const pathOf = filled(route.path)
  return {
    route,
    request: ({ cursor, encoded: { body, params, query } }) => {
      if (cursor !== undefined && isPaged) return Result.fail([{ path: ["page"], message: notByCursor }])
      const urlParams = UrlParams.fromInput(present(query) as UrlParams.Input)
      const make = (headers: Headers.Headers) =>
        HttpClientRequest.makeWith(route.method, pathOf(params), urlParams, empty.hash, headers, HttpBody.empty)
      return Result.succeed(
        body._tag === "None"
          ? make(empty.headers)
          : HttpClientRequest.acceptJson(HttpClientRequest.setBody(make(Headers.empty), bodyOf(body)))
      )
    },
    envelope: (body, status) => {
      const refusal = isSecret ? undefined : FalseSuccess.refusal({ ...said, isList, status, body, at: ["data"] })
      if (refusal !== undefined) return { ...(isObject(body) ? body : {}), [FalseSuccess.unreadable]: refusal }
      return isObject(body) &&
        body["data"] === null &&
        MissingPayload.meaning({ status, body, found: null }, said) === "Nothing"
        ? { ...body, data: {} }
        : body
    },
    isSuccess,
    isDoubtful: () => false,
    error: Errors.assumed.read,
    place: identity
  }
}
