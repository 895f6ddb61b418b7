/** A plan from the side of the service: from a request to our JSON, and from our envelope to an answer. Pure. */
import * as Predicate from "effect/Predicate"
import type { Inverse, ServerAnswer, ServerRequest } from "@effect-custody/core/unstable/Wires"
import { isBodiless } from "@effect-custody/core/unstable/MissingPayload"
import { cursorOfPage } from "../plan/paging.ts"
import * as Path from "../plan/path.ts"
import { type Field, isList, type Plan, type Target } from "../plan/plan.ts"

type Json = Readonly<Record<string, unknown>>

const valueAt = (request: ServerRequest, target: Target | undefined): unknown => {
  switch (target?.in) {
    case "body":
      return Path.at(request.body, target.path)
    case "query":
      return request.query[target.name]
    case "path":
      return request.params[target.name]
    case "header":
      return request.headers[target.name.toLowerCase()]
    case undefined:
      return undefined
  }
}

const inputOf = ({ constants, fields, paging }: Plan): Inverse["input"] => {
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
    const beside = (name: string): unknown => valueAt(request, fields.get(name)?.target)
    return Object.fromEntries(
      all.flatMap(({ conversion, name, part: own, target }): ReadonlyArray<readonly [string, unknown]> => {
        const value = own === part ? valueAt(request, target) : undefined
        if (value === undefined) return []
        // A value that cannot be read is passed on unchanged: the service's validation refuses it.
        return [[name, conversion?.read(value, beside) ?? value]]
      })
    )
  }
  return (request) => {
    const { limit, page } = paging?.asked(request.query) ?? {}
    const strange = Object.entries(request.query).filter(([name]) => !inQuery.has(name))
    return {
      params: read(request, "path"),
      query: {
        ...Object.fromEntries(strange),
        ...read(request, "query"),
        ...(page === undefined ? {} : { page: String(page) }),
        ...(limit === undefined ? {} : { limit: String(limit) })
      },
      body: { ...Path.without(request.body, inBody), ...read(request, "body") }
    }
  }
}

const answerOf = ({ meta, paging, payload, payloadAt, shape, sign, success }: Plan): Inverse["answer"] => {
  const [first] = success ?? []
  return (envelope, status, request): ServerAnswer => {
    const { data, meta: told }: { readonly data?: unknown; readonly meta?: Json } = Predicate.isReadonlyObject(envelope)
      ? envelope
      : {}
    const answered = first ?? status
    if (isBodiless(answered)) return { status: answered }
    const theirs = payload === undefined ? data : payload.write(data, () => undefined)
    const isBare = payloadAt.length === 0
    if (isBare && (sign === undefined || Array.isArray(theirs))) return { status: answered, body: theirs }
    const body: Record<string, unknown> = isBare ? { ...(theirs as Json) } : {}
    if (!isBare) Path.put(body, payloadAt, theirs)
    if (sign !== undefined) Path.put(body, sign.at, sign.success[0])
    if (isList(shape) && !isBare) {
      meta.write(body, told)
      if (paging?.nextAt !== undefined && told?.["hasNextPage"] === true) {
        const { page = 1 } = paging.asked(request.query)
        Path.put(body, paging.nextAt, cursorOfPage(page + 1))
      }
    }
    return { status: answered, body }
  }
}

export const make = (plan: Plan): Inverse => ({
  route: plan.route,
  hasBody: plan.body !== "None",
  accepts: ({ body }) => plan.constants.every(({ path, value }) => String(Path.at(body, path)) === String(value)),
  input: inputOf(plan),
  answer: answerOf(plan),
  error: plan.errors.write
})
