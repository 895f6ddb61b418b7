/** The client's side of a plan. Converts the SDK's JSON to a request, and an answer to the SDK's envelope. Pure. */
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as UrlParams from "effect/http/UrlParams"
import { isReadonlyObject as isObject } from "effect/Predicate"
import * as Result from "effect/Result"
import * as Struct from "effect/Struct"
import { isSuccess } from "@effect-custody/core/unstable/StatusCode"
import type { Encoded } from "@effect-custody/core/unstable/Wires"
import type { Issue, Wire, WireInput } from "@effect-custody/core/unstable/Wires"
import {
  makeBody,
  makePath,
  queryObjection,
  isSegment,
  notPagedByCursor,
  omitUndefined
} from "@effect-custody/core/unstable/AssumedWire"
import { isErrorCode } from "@effect-custody/core/unstable/ErrorAnswer"
import * as FalseSuccess from "@effect-custody/core/unstable/FalseSuccess"
import * as ListAnswer from "@effect-custody/core/unstable/ListAnswer"
import * as MissingPayload from "@effect-custody/core/unstable/MissingPayload"
import type { PageRequest } from "../plan/paging.ts"
import * as Path from "../plan/path.ts"
import * as InverseWire from "./inverseWire.ts"
import { isList, type Plan, type Target } from "../plan/plan.ts"
import * as Record from "../plan/record.ts"

type Json = Readonly<Record<string, unknown>>

const toText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

interface Draft {
  readonly params: Record<string, string>
  readonly query: Array<readonly [name: string, value: string]>
  readonly headers: Record<string, string>
  readonly body: Record<string, unknown>
}

const place = (draft: Draft, target: Target, value: unknown): string | undefined => {
  switch (target.in) {
    case "body":
      Path.put(draft.body, target.path, value)
      return undefined
    case "query": {
      const texts = [value].flat(2).map(toText)
      if (target.isJoined && texts.some((text) => text.includes(","))) return "has a comma, and commas join its values"
      for (const text of target.isJoined ? [texts.join(",")] : texts) draft.query.push([target.name, text])
      return queryObjection(value)
    }
    case "path":
      draft.params[target.name] = toText(value)
      return isSegment(toText(value)) ? undefined : "cannot be a segment of a path"
  }
}

/** The fields of an encoded input that have a value, under the SDK's names. */
const encodedFields = ({ body, params, query }: Encoded): Json =>
  omitUndefined({ ...params, ...query, ...(body._tag === "None" ? {} : body.fields) })

const toNumber = (value: unknown): number | undefined => (value === undefined ? undefined : Number(value))

const pageRequest = ({ baseUrl, cursor, encoded: { query } }: WireInput): PageRequest => ({
  baseUrl,
  page: toNumber(query["page"]),
  limit: toNumber(query["limit"]),
  cursor
})

/** Puts the fields of an input in their places. */
const placeFields = (
  { constants, fields, paging }: Plan,
  encoded: Encoded
): Result.Result<Draft, ReadonlyArray<Issue>> => {
  const issues: Array<Issue> = []
  const draft: Draft = { params: {}, query: [], headers: {}, body: {} }
  for (const { path, value } of constants) Path.put(draft.body, path, value)
  for (const [name, value] of Object.entries(encodedFields(encoded))) {
    const { conversion, target } = fields.get(name) ?? {}
    if (paging !== undefined && (name === "page" || name === "limit")) continue
    if (target === undefined) {
      // The service would act as if the caller had not set the field.
      issues.push({ path: [name], message: "is not sent under the contract: leave it out" })
      continue
    }
    const written = conversion === undefined ? Result.succeed(value) : conversion.write(value)
    const message = Result.isFailure(written) ? written.failure : place(draft, target, written.success)
    if (message !== undefined) issues.push({ path: [name], message })
  }
  return issues.length > 0 ? Result.fail(issues) : Result.succeed(draft)
}

/** Makes the parts of a request with code. */
const writeParts = (code: NonNullable<Plan["code"]>, encoded: Encoded): Result.Result<Draft, ReadonlyArray<Issue>> =>
  Result.map(code.write(encoded), ({ body, headers, params, query }) => ({
    params: params as Draft["params"],
    query: Object.entries(query).flatMap(([name, value]) =>
      [value].flat().map((each) => [name, String(each)] as const)
    ),
    headers: headers as Draft["headers"],
    body
  }))

const isGiven = (query: Draft["query"], name: string): boolean => query.some(([own]) => own === name)

const requestBuilder = (plan: Plan): Wire["request"] => {
  const { body: kind, code, mediaType, paging, route, shape } = plan
  const fillPath = makePath(route.path)
  return (input) => {
    const drafted = code === undefined ? placeFields(plan, input.encoded) : writeParts(code, input.encoded)
    const unpaged = input.cursor !== undefined && shape.isPaged ? Result.fail(notPagedByCursor) : Result.succeed([])
    const page = paging?.query(pageRequest(input)) ?? unpaged
    const issues = Result.isFailure(drafted) ? drafted.failure : []
    if (Result.isFailure(page)) return Result.fail([...issues, { path: ["page"], message: page.failure }])
    return Result.map(drafted, ({ body, headers, params, query }) =>
      HttpClientRequest.make(route.method)(fillPath(params), {
        // The address of a next page may repeat the filters, or lack them: they stay as the caller gave them.
        urlParams: UrlParams.fromInput([...query, ...page.success.filter(([name]) => !isGiven(query, name))]),
        headers,
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
): MissingPayload.Expected => ({
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
  return isEnvelope || (FalseSuccess.isErrorStatus(outer["status"]) && isErrorCode(outer["code"])) ? outer : {}
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
  input: WireInput | undefined
): Result.Result<object, string> => {
  const data = payload === undefined ? rows : payload.read(rows)
  const counts = meta.read(body, holder)
  const count = Array.isArray(data) ? data.length : 0
  const nextCursor = input === undefined ? undefined : paging?.next(body, pageRequest(input), count)
  if (nextCursor !== undefined && Result.isFailure(nextCursor)) return Result.fail(nextCursor.failure)
  // An empty page that repeats the request's cursor is the end of the list.
  const hasNext = nextCursor?.success !== undefined && (count > 0 || nextCursor.success !== input?.cursor)
  const saysNext = paging?.nextAt !== undefined
  const without = counts?.["hasNextPage"] === true ? null : false
  const next = saysNext && nextCursor !== undefined ? (nextCursor.success ?? without) : nextCursor?.success
  const listMeta = saysNext ? metaByNext(counts, hasNext, count) : counts
  return Result.succeed({
    data,
    ...(listMeta === undefined ? {} : { meta: listMeta }),
    ...(next === undefined ? {} : { [ListAnswer.nextCursor]: next })
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
      : FalseSuccess.refusal({ ...about, isList: rows, status, body, at: payloadAt, sign })
    if (refusal !== undefined) return Result.fail(refusal)
    switch (MissingPayload.meaning({ status, body, found }, about)) {
      case "Nothing":
        return Result.succeed({ ...outer, data: emptyPayload(plan) })
      case "Unreadable":
        // Return a value that the schema refuses, so that the schema's error says what is missing from the body.
        return Result.succeed(found === undefined ? (isObject(body) ? {} : body) : { data: found })
      case "Payload":
    }
    if (!rows) return Result.succeed({ ...outer, data: payload === undefined ? found : payload.read(found) })
    return Result.map(readList(plan, body, ListAnswer.readRows(found), input), (list) => ({ ...outer, ...list }))
  }
}

export const make = (plan: Plan): Wire => {
  const { defaults, doubtful, errors, fields, origins, payloadAt, route, shape } = plan
  return {
    route,
    request: requestBuilder(plan),
    answer: answerReader(plan),
    isDoubtful: (status) => doubtful.has(status),
    error: errors.read,
    proven: plan.proven,
    omits: [...fields.values()].flatMap(({ name, target }) => (target === undefined ? [name] : [])),
    echoes: plan.echoes,
    get inverse() {
      return InverseWire.make(plan)
    },
    place: ([first, ...names]) =>
      first === "data"
        ? [...payloadAt, ...Record.place(shape.payload, origins, defaults.casing, names)]
        : first === undefined
          ? []
          : [first, ...names]
  }
}
