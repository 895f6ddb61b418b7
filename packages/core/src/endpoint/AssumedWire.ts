/**
 * Makes the wire that is used without a contract. It sends and reads the SDK's JSON unchanged. Pure.
 *
 * @stability unstable
 */
import { identity } from "effect/Function"
import * as Headers from "effect/http/Headers"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as UrlParams from "effect/http/UrlParams"
import { isReadonlyObject as isObject } from "effect/Predicate"
import * as Result from "effect/Result"
import { isSuccess } from "../values/StatusCode.ts"
import type { Declaration, Safety } from "./Declaration.ts"
import * as Shape from "./Shape.ts"
import type { EncodedBody, Wire } from "./Wires.ts"
import * as Success from "../answer/Success.ts"
import * as SecretRequest from "../secrets/SecretRequest.ts"
import * as Multipart from "../values/Multipart.ts"

type Json = Readonly<Record<string, unknown>>

/** `true` if a path parameter can be a segment of a path: well-formed Unicode that is not empty, `.` or `..`. */
export const isSegment = (text: string): boolean => text !== "" && text !== "." && text !== ".." && text.isWellFormed()

/** Says why a path parameter cannot be a segment of a path, or returns `undefined`. */
export const segmentObjection = (value: unknown): string | undefined =>
  isSegment(String(value)) ? undefined : "cannot be a segment of a path"

/**
 * Says why a query cannot hold a value, or returns `undefined`. Refuses a lone surrogate, because UTF-8 would replace
 * it with U+FFFD.
 */
export const queryObjection = (value: unknown): string | undefined =>
  [value].flat().every((each) => typeof each !== "string" || each.isWellFormed())
    ? undefined
    : "has half a character (a lone surrogate), which a query cannot carry"

export const omitUndefined = (fields: Json): Json => {
  const names = Object.keys(fields)
  return names.every((name) => fields[name] !== undefined)
    ? fields
    : Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

/** Returns a function that fills in the parameters of a path. */
export const makePath = (path: string): ((params: Readonly<Record<string, string>>) => string) => {
  const segments = path.split("/")
  const names = segments.map((segment) => (segment.startsWith(":") ? segment.slice(1) : undefined))
  if (names.every((name) => name === undefined)) return () => path
  return (params) =>
    segments
      .map((segment, at) => (names[at] === undefined ? segment : encodeURIComponent(params[names[at]] ?? "")))
      .join("/")
}

/** Makes a body, whose fields may be under any names. The body of a session's request is kept out of logs. */
export const makeBody = (safety: Safety, body: EncodedBody): HttpBody.HttpBody => {
  if (body._tag === "None") return HttpBody.empty
  const fields = omitUndefined(body.fields)
  if (body._tag === "Multipart") return Multipart.toBody(fields)
  return safety === "session" ? SecretRequest.body(fields) : HttpBody.jsonUnsafe(fields)
}

/** Converts the SDK's name to the assumed query name. */
export const queryName = (name: string): string => (name === "sortKey" ? "sort_key" : name)

/** Converts the assumed query name to the SDK's name. */
export const fieldName = (name: string): string => (name === "sort_key" ? "sortKey" : name)

const renameQuery = (query: Json): Json =>
  query["sortKey"] === undefined
    ? query
    : Object.fromEntries(Object.entries(query).map(([name, value]) => [queryName(name), value]))

export const notPagedByCursor = "the service does not page by cursor"

const noTag = (body: unknown) => ({ body, tag: undefined })
const never = () => false

/** Makes the wire of an operation from its declaration. */
export const make = (declaration: Declaration): Wire => {
  const { route, safety } = declaration
  const isSecret = safety === "session"
  const isPaged = Shape.isPaged(declaration)
  const expected = {
    isList: Shape.isList(declaration),
    isRead: safety === "read",
    needsPayload: Shape.needsPayload(declaration),
    isPlaceDeclared: false,
    isStatusNamed: false,
    at: ["data"]
  }
  const empty = HttpClientRequest.make(route.method)(route.path, { acceptJson: true })
  const fillPath = makePath(route.path)
  return {
    route,
    request: ({ cursor, encoded: { body, params, query } }) => {
      if (cursor !== undefined && isPaged) return Result.fail([{ path: ["page"], message: notPagedByCursor }])
      const urlParams = UrlParams.fromInput(omitUndefined(isPaged ? renameQuery(query) : query) as UrlParams.Input)
      const make = (headers: Headers.Headers) =>
        HttpClientRequest.makeWith(route.method, fillPath(params), urlParams, empty.hash, headers, HttpBody.empty)
      return Result.succeed(
        body._tag === "None"
          ? make(empty.headers)
          : HttpClientRequest.acceptJson(HttpClientRequest.setBody(make(Headers.empty), makeBody(safety, body)))
      )
    },
    answer: ({ body, status }) => {
      // Any answer to a session's request may hold tokens.
      if (isSecret) return Result.succeed({ envelope: body })
      if (!isSuccess(status)) return undefined
      const refusal = Success.refusal({ ...expected, status, body })
      if (refusal !== undefined) return Result.fail(refusal)
      const isNothing =
        isObject(body) &&
        body["data"] === null &&
        Success.meaning({ status, body, found: null }, expected) === "Nothing"
      return Result.succeed({ envelope: isNothing ? { ...body, data: {} } : body })
    },
    isDoubtful: never,
    error: noTag,
    place: identity
  }
}
