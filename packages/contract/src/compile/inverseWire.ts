/** The service's side of a plan. Converts a request to the SDK's JSON, and the SDK's envelope to an answer. Pure. */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Struct from "effect/Struct"
import type { Inverse, ServerAnswer, ServerRequest } from "@effect-custody/core/Wires"
import { isBodiless } from "@effect-custody/core/MissingPayload"
import * as Path from "../plan/path.ts"
import { type Field, isList, type Plan, type Target } from "../plan/plan.ts"

type Json = Readonly<Record<string, unknown>>

const valueAt = (request: ServerRequest, target: Target | undefined): unknown => {
  switch (target?.in) {
    case "body":
      return Path.at(request.body, target.path)
    case "query": {
      const value = request.query[target.name]
      return target.isJoined && typeof value === "string" ? value.split(",") : value
    }
    case "path":
      return request.params[target.name]
    case undefined:
      return undefined
  }
}

const pageQuery = (paging: Plan["paging"], query: ServerRequest["query"]): Json => {
  const { limit, page } = paging?.parseQuery(query) ?? {}
  return {
    ...(page === undefined ? {} : { page: String(page) }),
    ...(limit === undefined ? {} : { limit: String(limit) })
  }
}

/** Reads a request with code. If the code refuses the request, returns a field that no operation has, so that the service refuses it. */
const codeReader = (code: NonNullable<Plan["code"]>, paging: Plan["paging"]) => {
  const own = (request: ServerRequest): ServerRequest => ({
    ...request,
    query: Struct.omit(request.query, paging?.names ?? [])
  })
  const accepts: Inverse["accepts"] = (request) => Result.isSuccess(code.read(own(request)))
  const input: Inverse["input"] = (request) => {
    const read = code.read(own(request))
    if (Result.isSuccess(read)) {
      return { ...read.success, query: { ...read.success.query, ...pageQuery(paging, request.query) } }
    }
    const refused = read.failure.map(({ message, path }) => [path.join(".") || "request", message])
    return { params: {}, query: { ...Object.fromEntries(refused), ...pageQuery(paging, request.query) }, body: {} }
  }
  return { accepts, input }
}

const inputReader = ({ constants, fields, paging }: Plan): Inverse["input"] => {
  const all = [...fields.values()]
  const inBody = [
    ...constants.map(({ path }) => path),
    ...all.flatMap(({ target }) => (target?.in === "body" ? [target.path] : []))
  ]
  const inQuery = new Set([
    ...all.flatMap(({ target }) => (target?.in === "query" ? [target.name] : [])),
    ...(paging?.names ?? [])
  ])
  const read = (request: ServerRequest, part: Field["part"]): Record<string, unknown> => {
    return Object.fromEntries(
      all.flatMap(({ conversion, name, part: own, target }): ReadonlyArray<readonly [string, unknown]> => {
        const value = own === part ? valueAt(request, target) : undefined
        if (value === undefined) return []
        // An unreadable value stays as it is, so that the service's validation refuses it.
        return [[name, conversion?.read(value) ?? value]]
      })
    )
  }
  return (request) => {
    const unknownKeys = Object.entries(request.query).filter(([name]) => !inQuery.has(name))
    return {
      params: read(request, "path"),
      query: {
        ...Object.fromEntries(unknownKeys),
        ...read(request, "query"),
        ...pageQuery(paging, request.query)
      },
      body: { ...Path.without(request.body, inBody), ...read(request, "body") }
    }
  }
}

const answerWriter = ({
  mediaType,
  meta,
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
    const { data, meta: pageMeta }: { readonly data?: unknown; readonly meta?: Json } = Predicate.isReadonlyObject(
      envelope
    )
      ? envelope
      : {}
    const answerStatus = first ?? status
    if (isBodiless(answerStatus)) return { status: answerStatus }
    const theirs = payload === undefined ? data : payload.write(data)
    const isBare = payloadAt.length === 0
    if (isBare && (sign === undefined || Array.isArray(theirs)))
      return { ...headers, status: answerStatus, body: theirs }
    const body: Record<string, unknown> = isBare ? { ...(theirs as Json) } : {}
    if (!isBare) Path.put(body, payloadAt, theirs)
    if (sign !== undefined) Path.put(body, sign.at, sign.success[0])
    if (isList(shape) && !isBare) {
      meta.write(body, pageMeta)
      if (paging?.nextAt !== undefined && pageMeta?.["hasNextPage"] === true) {
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
  ...(plan.code === undefined
    ? {
        accepts: ({ body }) => plan.constants.every(({ path, value }) => String(Path.at(body, path)) === String(value)),
        input: inputReader(plan)
      }
    : codeReader(plan.code, plan.paging)),
  answer: answerWriter(plan),
  error: plan.errors.write
})
