/** The client's side of a plan. Converts the SDK's JSON to a request, and an answer to the SDK's envelope. Pure. */
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as UrlParams from "effect/http/UrlParams"
import { isReadonlyObject as isObject } from "effect/Predicate"
import * as Record from "effect/Record"
import * as Result from "effect/Result"
import * as Struct from "effect/Struct"
import { isSuccess } from "@effect-custody/core/StatusCode"
import type { Encoded } from "@effect-custody/core/Wires"
import type { Reading, Wire, WireInput } from "@effect-custody/core/Wires"
import { makeBody, makePath, notPagedByCursor, omitUndefined } from "@effect-custody/core/AssumedWire"
import * as ListAnswer from "@effect-custody/core/ListAnswer"
import * as Success from "@effect-custody/core/Success"
import type { PageRequest } from "../plan/paging.ts"
import * as Path from "../plan/path.ts"
import { toText } from "../plan/fields.ts"
import * as InverseWire from "./inverseWire.ts"
import { isList, type Plan } from "../plan/plan.ts"
import { place as placeOf } from "../plan/record.ts"

type Json = Readonly<Record<string, unknown>>

const toNumber = (value: unknown): number | undefined => (value === undefined ? undefined : Number(value))

const pageRequest = ({ baseUrl, cursor, encoded: { query } }: WireInput): PageRequest => ({
  baseUrl,
  page: toNumber(query["page"]),
  limit: toNumber(query["limit"]),
  cursor
})

const toPairs = (query: Json): Array<readonly [name: string, value: string]> =>
  Object.entries(query).flatMap(([name, value]) => [value].flat().map((each) => [name, toText(each)] as const))

const requestBuilder = (plan: Plan): Wire["request"] => {
  const { body: kind, mediaType, paging, request, route, shape } = plan
  const fillPath = makePath(route.path)
  const unpaged = (encoded: Encoded): Encoded =>
    paging === undefined ? encoded : { ...encoded, query: Struct.omit(encoded.query, ["page", "limit"]) }
  return (input) => {
    const written = request.write(unpaged(input.encoded))
    const noCursor = input.cursor !== undefined && shape.isPaged ? Result.fail(notPagedByCursor) : Result.succeed([])
    const page = paging?.query(pageRequest(input)) ?? noCursor
    const issues = Result.isFailure(written) ? written.failure : []
    if (Result.isFailure(page)) return Result.fail([...issues, { path: ["page"], message: page.failure }])
    return Result.map(written, ({ body, headers, params, query }) =>
      HttpClientRequest.make(route.method)(fillPath(Record.map(params, toText)), {
        // The address of a next page may repeat the filters, or lack them: they stay as the caller gave them.
        urlParams: UrlParams.fromInput([
          ...toPairs(query),
          ...page.success.filter(([name]) => !Object.hasOwn(query, name))
        ]),
        headers: headers as Readonly<Record<string, string>>,
        body:
          mediaType !== undefined && kind === "Json"
            ? HttpBody.text(JSON.stringify(omitUndefined(body)), mediaType)
            : makeBody(shape.declaration.safety, { _tag: kind, fields: body }),
        accept: mediaType ?? "application/json"
      })
    )
  }
}

const expected = (
  { namesPayload, shape: { declaration, needsPayload }, success }: Plan,
  status: number
): Success.Expected => ({
  isRead: declaration.safety === "read",
  needsPayload,
  isPlaceDeclared: namesPayload,
  isStatusNamed: success?.has(status) === true
})

const emptyPayload = (plan: Plan): unknown => (isList(plan.shape) ? [] : {})

/**
 * The message, status and code beside a payload. Without an envelope, these may be fields of the payload itself. So
 * they are read only if they indicate an error.
 */
const outerFields = (body: unknown, isEnvelope: boolean): Json => {
  const outer: Json = isObject(body) ? Struct.pick(body as Json, ["message", "status", "code"]) : {}
  return isEnvelope || Success.isError(outer) ? outer : {}
}

/**
 * The counts of a list whose answers contain the next page's cursor. An answer without a cursor is the last page, so
 * the counts that could contradict this are left out.
 */
const metaByNext = (counts: Json | undefined, hasNextPage: boolean, rows: number): Json => {
  const isCounted = !(Number(counts?.["totalItems"]) < rows)
  const other = ["totalPages", "itemsPerPage", ...(isCounted ? [] : ["totalItems"])]
  return { hasNextPage, ...Struct.omit(counts ?? {}, hasNextPage ? [] : other) }
}

const readList = (
  { meta, paging, payload }: Plan,
  body: unknown,
  { holder, rows }: ListAnswer.Rows,
  outer: Json,
  input: WireInput | undefined
): Reading => {
  const data = payload === undefined ? rows : payload.read(rows)
  const counts = meta.read(body, holder)
  const count = Array.isArray(data) ? data.length : 0
  const nextCursor = input === undefined ? undefined : paging?.next(body, pageRequest(input), count)
  if (nextCursor !== undefined && Result.isFailure(nextCursor)) return Result.fail(nextCursor.failure)
  // An empty page that repeats the request's cursor is the end of the list.
  const hasNext = nextCursor?.success !== undefined && (count > 0 || nextCursor.success !== input?.cursor)
  const saysNext = paging?.nextAt !== undefined
  const without = saysNext && nextCursor !== undefined ? { hasNext: counts?.["hasNextPage"] === true } : {}
  const next = nextCursor?.success === undefined ? without : { nextCursor: nextCursor.success }
  const listMeta = saysNext ? metaByNext(counts, hasNext, count) : counts
  return Result.succeed({
    envelope: { ...outer, data, ...(listMeta === undefined ? {} : { meta: listMeta }) },
    ...next
  })
}

const answerReader = (plan: Plan): Wire["answer"] => {
  const { payload, payloadAt, shape, sign, success } = plan
  const rows = isList(shape)
  const isSecret = shape.declaration.safety === "session"
  return ({ body, status }, input) => {
    if (!isSecret && !(success === undefined ? isSuccess(status) : success.has(status))) return undefined
    const found = Path.at(body, payloadAt)
    const outer = outerFields(body, payloadAt.length > 0)
    const about = expected(plan, status)
    const refusal = isSecret
      ? undefined
      : Success.refusal({ ...about, isList: rows, status, body, at: payloadAt, sign })
    if (refusal !== undefined) return Result.fail(refusal)
    switch (Success.meaning({ status, body, found }, about)) {
      case "Nothing":
        return Result.succeed({ envelope: { ...outer, data: emptyPayload(plan) } })
      case "Unreadable":
        // Return a value that the schema refuses, so that the schema's error says what is missing from the body.
        return Result.succeed({ envelope: found === undefined ? (isObject(body) ? {} : body) : { data: found } })
      case "Payload":
    }
    if (rows) return readList(plan, body, ListAnswer.readRows(found), outer, input)
    const data = payload === undefined ? found : payload.read(found)
    return Result.succeed({ envelope: { ...outer, data } })
  }
}

export const make = (plan: Plan): Wire => {
  const { defaults, differences, doubtful, errors, fields, origins, payloadAt, route, shape } = plan
  return {
    route,
    request: requestBuilder(plan),
    answer: answerReader(plan),
    isDoubtful: (status) => doubtful.has(status),
    error: errors.read,
    proven: differences.proven,
    omits: fields.flatMap(({ name, target }) => (target === undefined ? [name] : [])),
    get inverse() {
      return InverseWire.make(plan)
    },
    place: ([first, ...names]) =>
      first === "data"
        ? [...payloadAt, ...placeOf(shape.payload, origins, defaults.casing, names)]
        : first === undefined
          ? []
          : [first, ...names]
  }
}
