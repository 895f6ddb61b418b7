/** A plan from the side of the client: from our JSON to a request, and from an answer to our envelope. Pure. */
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as UrlParams from "effect/http/UrlParams"
import { isReadonlyObject as isObject } from "effect/Predicate"
import * as Result from "effect/Result"
import * as Struct from "effect/Struct"
import { isSuccess } from "@effect-custody/core/unstable/HttpStatus"
import type { Encoded } from "@effect-custody/core/unstable/Wires"
import type { Issue, Wire, WireInput } from "@effect-custody/core/unstable/Wires"
import { pathFrom, queryObjection, isSegment, notPagedByCursor } from "@effect-custody/core/unstable/AssumedWire"
import { isErrorCode } from "@effect-custody/core/unstable/ErrorAnswer"
import * as FalseSuccess from "@effect-custody/core/unstable/FalseSuccess"
import * as ListAnswer from "@effect-custody/core/unstable/ListAnswer"
import * as MissingPayload from "@effect-custody/core/unstable/MissingPayload"
import { isHeaderValue } from "@effect-custody/core/unstable/Text"
import * as SecretRequest from "@effect-custody/core/unstable/SecretRequest"
import * as Upload from "@effect-custody/core/unstable/Multipart"
import type { Asked as AskedPage } from "../plan/paging.ts"
import * as Path from "../plan/path.ts"
import { isList, type Plan, type Target } from "../plan/plan.ts"
import * as Record from "../plan/record.ts"

type Json = Readonly<Record<string, unknown>>

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

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
    case "query":
      for (const each of Array.isArray(value) ? value : [value]) draft.query.push([target.name, textOf(each)])
      return queryObjection(value)
    case "path":
      draft.params[target.name] = textOf(value)
      return isSegment(textOf(value)) ? undefined : "cannot be a segment of a path"
    case "header":
      draft.headers[target.name] = textOf(value)
      return isHeaderValue(textOf(value)) ? undefined : "cannot be sent in a header"
  }
}

/** The fields of an encoded input that have a value, under our names. */
export const oursOf = ({ body, params, query }: Encoded): Json => {
  const fields = { ...params, ...query, ...(body._tag === "None" ? {} : body.fields) }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

const numberOf = (value: unknown): number | undefined => (value === undefined ? undefined : Number(value))

const askedPage = ({ cursor, encoded: { query } }: WireInput): AskedPage => ({
  page: numberOf(query["page"]),
  limit: numberOf(query["limit"]),
  cursor
})

export const bodyOf = ({ safety }: Plan["shape"], kind: Plan["body"], fields: Json): HttpBody.HttpBody => {
  if (kind === "None") return HttpBody.empty
  if (kind === "Multipart") return Upload.toBody(fields)
  return safety === "session" ? SecretRequest.body(fields) : HttpBody.jsonUnsafe(fields)
}

const requestOf = ({ body: kind, constants, fields, paging, route, shape }: Plan): Wire["request"] => {
  const pathOf = pathFrom(route.path)
  return (asked) => {
    const issues: Array<Issue> = []
    const draft: Draft = { params: {}, query: [], headers: {}, body: {} }
    const ours = oursOf(asked.encoded)
    for (const { path, value } of constants) Path.put(draft.body, path, value)
    for (const [name, value] of Object.entries(ours)) {
      const { conversion, isOptional = false, target } = fields.get(name) ?? {}
      if (paging !== undefined && (name === "page" || name === "limit")) continue
      if (target === undefined) {
        // Without it the service would do something else than was asked. A required field gives nobody the choice.
        if (isOptional) issues.push({ path: [name], message: "is not sent under the contract: leave it out" })
        continue
      }
      const written = conversion === undefined ? Result.succeed(value) : conversion.write(value, (each) => ours[each])
      const message = Result.isFailure(written) ? written.failure : place(draft, target, written.success)
      if (message !== undefined) issues.push({ path: [name], message })
    }
    const unpaged = asked.cursor !== undefined && shape.isPaged ? Result.fail(notPagedByCursor) : Result.succeed([])
    const page = paging?.query(askedPage(asked)) ?? unpaged
    if (Result.isFailure(page)) issues.push({ path: ["page"], message: page.failure })
    if (issues.length > 0 || Result.isFailure(page)) return Result.fail(issues)
    return Result.succeed(
      HttpClientRequest.make(route.method)(pathOf(draft.params), {
        urlParams: UrlParams.fromInput([...draft.query, ...page.success]),
        headers: draft.headers,
        body: bodyOf(shape, kind, draft.body),
        acceptJson: true
      })
    )
  }
}

export const expected = (
  { isPayloadSaid, shape: { needsPayload, safety }, success }: Plan,
  status: number
): MissingPayload.Expected => ({
  isRead: safety === "read",
  needsPayload,
  isPlaceDeclared: isPayloadSaid,
  isStatusNamed: success?.has(status) === true
})

export const emptyOf = (plan: Plan): unknown => (isList(plan.shape) ? [] : {})

/** The message, status and code beside a payload. Without an envelope, they count only if they are those of an error. */
const saidBeside = (body: unknown, isEnvelope: boolean): Json => {
  const said: Json = isObject(body) ? Struct.pick(body as Json, ["message", "status", "code"]) : {}
  return isEnvelope || (FalseSuccess.isErrorStatus(said["status"]) && isErrorCode(said["code"])) ? said : {}
}

/**
 * What an answer says about a list whose answers say where the next page is: without a next one no page follows, whatever
 * the counts and the size of the page are.
 */
const byNext = (told: Json | undefined, hasNextPage: boolean, rows: number): Json => {
  const isCounted = !(Number(told?.["totalItems"]) < rows)
  const other = ["totalPages", "itemsPerPage", ...(isCounted ? [] : ["totalItems"])]
  return { hasNextPage, ...Struct.omit(told ?? {}, hasNextPage ? [] : other) }
}

const listOf = (
  { meta, paging, payload }: Plan,
  body: unknown,
  { holder, rows }: ListAnswer.Rows,
  asked: WireInput | undefined
): object => {
  const data = payload === undefined ? rows : payload.read(rows, () => undefined)
  const told = meta.read(body, holder)
  const count = Array.isArray(data) ? data.length : 0
  const said = asked === undefined ? undefined : paging?.next(body, askedPage(asked), count)
  if (said !== undefined && Result.isFailure(said)) return { [FalseSuccess.unreadable]: said.failure }
  // An empty page that repeats its cursor is the end.
  const follows = said?.success !== undefined && (count > 0 || said.success !== asked?.cursor)
  const saysNext = paging?.nextAt !== undefined
  const without = told?.["hasNextPage"] === true ? null : false
  const next = saysNext && said !== undefined ? (said.success ?? without) : said?.success
  const about = saysNext ? byNext(told, follows, count) : told
  return {
    data,
    ...(about === undefined ? {} : { meta: about }),
    ...(next === undefined ? {} : { [ListAnswer.nextCursor]: next })
  }
}

const envelopeOf = (plan: Plan): Wire["envelope"] => {
  const { payload, payloadAt, shape, sign } = plan
  const rows = isList(shape)
  return (body, status, asked) => {
    const found = Path.at(body, payloadAt)
    const said = saidBeside(body, payloadAt.length > 0)
    const about = expected(plan, status)
    const refusal =
      shape.safety === "session"
        ? undefined
        : FalseSuccess.refusal({ ...about, isList: rows, status, body, at: payloadAt, sign })
    if (refusal !== undefined) return { ...said, data: found, [FalseSuccess.unreadable]: refusal }
    switch (MissingPayload.meaning({ status, body, found }, about)) {
      case "Nothing":
        return { ...said, data: emptyOf(plan) }
      case "Unreadable":
        // For a body that is not an envelope, the error says what is missing.
        return found === undefined ? (isObject(body) ? {} : body) : { data: found }
      case "Payload":
    }
    return rows
      ? { ...said, ...listOf(plan, body, ListAnswer.readRows(found), asked) }
      : { ...said, data: payload === undefined ? found : payload.read(found, () => undefined) }
  }
}

export const make = (plan: Plan): Wire => {
  const { defaults, doubtful, errors, origins, payloadAt, route, shape, success } = plan
  return {
    route,
    request: requestOf(plan),
    envelope: envelopeOf(plan),
    isSuccess: success === undefined ? isSuccess : (status) => success.has(status),
    isDoubtful: (status) => doubtful.has(status),
    error: errors.read,
    place: ([first, ...names]) =>
      first === "data"
        ? [...payloadAt, ...Record.place(shape.payload, origins, defaults.casing, names)]
        : first === undefined
          ? []
          : [first, ...names]
  }
}
