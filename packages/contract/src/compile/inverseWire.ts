/** The service's side of a plan. Converts a request to the SDK's JSON, and the SDK's envelope to an answer. Pure. */
import * as Predicate from "effect/Predicate"
import type { Inverse, ServerAnswer, ServerRequest } from "@effect-custody/core/unstable/Wires"
import { isBodiless } from "@effect-custody/core/unstable/MissingPayload"
import { pageCursor } from "../plan/paging.ts"
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
    case "header":
      return request.headers[target.name.toLowerCase()]
    case undefined:
      return undefined
  }
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
    const { limit, page } = paging?.parseQuery(request.query) ?? {}
    const unknownKeys = Object.entries(request.query).filter(([name]) => !inQuery.has(name))
    return {
      params: read(request, "path"),
      query: {
        ...Object.fromEntries(unknownKeys),
        ...read(request, "query"),
        ...(page === undefined ? {} : { page: String(page) }),
        ...(limit === undefined ? {} : { limit: String(limit) })
      },
      body: { ...Path.without(request.body, inBody), ...read(request, "body") }
    }
  }
}

const answerWriter = ({ meta, paging, payload, payloadAt, shape, sign, success }: Plan): Inverse["answer"] => {
  const [first] = success ?? []
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
    if (isBare && (sign === undefined || Array.isArray(theirs))) return { status: answerStatus, body: theirs }
    const body: Record<string, unknown> = isBare ? { ...(theirs as Json) } : {}
    if (!isBare) Path.put(body, payloadAt, theirs)
    if (sign !== undefined) Path.put(body, sign.at, sign.success[0])
    if (isList(shape) && !isBare) {
      meta.write(body, pageMeta)
      if (paging?.nextAt !== undefined && pageMeta?.["hasNextPage"] === true) {
        const { page = 1 } = paging.parseQuery(request.query)
        Path.put(body, paging.nextAt, pageCursor(page + 1))
      }
    }
    return { status: answerStatus, body }
  }
}

export const make = (plan: Plan): Inverse => ({
  route: plan.route,
  hasBody: plan.body !== "None",
  accepts: ({ body }) => plan.constants.every(({ path, value }) => String(Path.at(body, path)) === String(value)),
  input: inputReader(plan),
  answer: answerWriter(plan),
  error: plan.errors.write
})
