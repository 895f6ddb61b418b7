/** The service's side of a plan. Converts a request to the SDK's JSON, and the SDK's envelope to an answer. Pure. */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Struct from "effect/Struct"
import type { Inverse, ServerAnswer, ServerRequest } from "@effect-custody/core/Wires"
import { isBodiless } from "@effect-custody/core/Success"
import * as Path from "../plan/path.ts"
import { isList, type Plan } from "../plan/plan.ts"

type Json = Readonly<Record<string, unknown>>

const pageQuery = (paging: Plan["paging"], query: ServerRequest["query"]): Json => {
  const { limit, page } = paging?.parseQuery(query) ?? {}
  return {
    ...(page === undefined ? {} : { page: String(page) }),
    ...(limit === undefined ? {} : { limit: String(limit) })
  }
}

/** Reads requests. One that the contract refuses becomes a field that no operation has, so that the service refuses it. */
const requestReader = ({ paging, request: mapping }: Plan): Pick<Inverse, "accepts" | "input"> => {
  const read = (request: ServerRequest) =>
    mapping.read({ ...request, query: Struct.omit(request.query, paging?.names ?? []) })
  return {
    accepts: (request) => Result.isSuccess(read(request)),
    input: (request) => {
      const { body, params, query } = Result.getOrElse(read(request), (issues) => {
        const refused = issues.map(({ message, path }) => [path.join(".") || "request", message])
        return { params: {}, query: Object.fromEntries(refused), body: {} }
      })
      return { params, query: { ...query, ...pageQuery(paging, request.query) }, body }
    }
  }
}

const answerWriter = ({
  mediaType,
  meta,
  namesPayload,
  paging,
  payload,
  payloadAt,
  shape,
  sign,
  success
}: Plan): Inverse["answer"] => {
  const [first] = success ?? []
  const headers = mediaType === undefined ? {} : { headers: { "content-type": mediaType } }
  return (envelope, status, request): ServerAnswer => {
    const { data: whole }: { readonly data?: unknown } = Predicate.isReadonlyObject(envelope) ? envelope : {}
    const { items, ...counts }: { readonly items?: unknown } & Json =
      isList(shape) && Predicate.isReadonlyObject(whole) ? whole : { items: whole }
    const data = items
    const answerStatus = first ?? status
    if (isBodiless(answerStatus)) return { status: answerStatus }
    const theirs = payload === undefined ? data : payload.write(data)
    const isBare = payloadAt.length === 0
    if (isBare && (sign === undefined || Array.isArray(theirs)))
      return { ...headers, status: answerStatus, body: theirs }
    const body: Record<string, unknown> = isBare ? { ...(theirs as Json) } : {}
    if (!isBare) Path.put(body, payloadAt, isList(shape) && !namesPayload ? { items: theirs } : theirs)
    if (sign !== undefined) Path.put(body, sign.at, sign.success[0])
    if (isList(shape) && !isBare) {
      meta.write(body, counts, !namesPayload)
      if (paging?.nextAt !== undefined && counts["hasNextPage"] === true) {
        const { page = 1 } = paging.parseQuery(request.query)
        Path.put(body, paging.nextAt, paging.writeNext?.(page + 1, request.query))
      }
    }
    return { ...headers, status: answerStatus, body }
  }
}

export const make = (plan: Plan): Inverse => ({
  route: plan.route,
  hasBody: plan.body !== "None",
  ...requestReader(plan),
  answer: answerWriter(plan),
  error: plan.errors.write
})
