/** A plan from the side of the service: from a request to our JSON, and from our envelope to an answer. Pure. */
import * as Predicate from "effect/Predicate"
import type { Inverse, Parts, ServerAnswer, ServerRequest } from "../../Wire.ts"
import { isBodiless } from "../missingPayload.ts"
import * as Path from "./path.ts"
import type { Field, Plan } from "./plan.ts"
import type { Target } from "./withDefaults.ts"

type Json = Readonly<Record<string, unknown>>

const valueAt = (request: ServerRequest, target: Target): unknown => {
  switch (target.in) {
    case "body":
      return Path.at(request.body, target.path)
    case "query":
      return request.query[target.name]
    case "path":
      return request.params[target.name]
    case "header":
      return request.headers[target.name.toLowerCase()]
  }
}

const inputOf = ({ constants, fields, paging }: Plan) => {
  const all = [...fields.values()]
  const targets = [...all, ...constants].map(({ target }) => target)
  const strangers = Path.without(targets.flatMap((target) => (target.in === "body" ? [target.path] : [])))
  const queryNames = new Set([
    ...targets.flatMap((target) => (target.in === "query" ? [target.name] : [])),
    ...(paging?.names ?? [])
  ])
  const read = (request: ServerRequest, part: Field["part"]): Record<string, unknown> => {
    const beside = (name: string): unknown => {
      const field = fields.get(name)
      return field === undefined ? undefined : valueAt(request, field.target)
    }
    return Object.fromEntries(
      all.flatMap(({ conversion, name, part: own, target }): ReadonlyArray<readonly [string, unknown]> => {
        const value = own === part ? valueAt(request, target) : undefined
        if (value === undefined) return []
        const ours = conversion === undefined ? value : conversion.read(value, beside)
        // A value that cannot be read is passed on unchanged: the service's validation refuses it.
        return [[name, ours ?? value]]
      })
    )
  }
  return (request: ServerRequest): Parts => {
    const pages = paging?.asked(request.query)
    const asked =
      pages === undefined
        ? {}
        : {
            ...(pages.page === undefined ? {} : { page: String(pages.page) }),
            ...(pages.limit === undefined ? {} : { limit: String(pages.limit) })
          }
    const strange = Object.entries(request.query).filter(([name]) => !queryNames.has(name))
    return {
      params: read(request, "path"),
      query: { ...Object.fromEntries(strange), ...read(request, "query"), ...asked },
      body: { ...strangers(request.body), ...read(request, "body") }
    }
  }
}

const hasNext = (meta: Json | undefined): boolean => meta?.["hasNextPage"] === true

const answerOf = ({ meta, paging, payload, payloadAt, shape, sign, success }: Plan) => {
  const [first] = success ?? []
  const isList = shape.payload._tag === "List"
  return (envelope: unknown, status: number, request: ServerRequest): ServerAnswer => {
    const { data, meta: told } = (Predicate.isReadonlyObject(envelope) ? envelope : {}) as {
      readonly data?: unknown
      readonly meta?: Json
    }
    const answered = first ?? status
    if (isBodiless(answered)) return { status: answered }
    const theirs = payload === undefined ? data : payload.write(data, () => undefined)
    if (payloadAt === undefined && (sign === undefined || Array.isArray(theirs))) {
      return { status: answered, body: theirs }
    }
    const body: Record<string, unknown> = payloadAt === undefined ? { ...(theirs as Json) } : {}
    if (payloadAt !== undefined) Path.put(body, payloadAt, theirs)
    if (sign !== undefined) Path.put(body, sign.at, sign.success[0])
    if (isList && payloadAt !== undefined) {
      meta.write(body, told)
      if (paging !== undefined && hasNext(told)) paging.putNext(body, paging.asked(request.query), request.target)
    }
    return { status: answered, body }
  }
}

/** A wire from the side of the service. */
export const make = (plan: Plan): Inverse => ({
  route: plan.route,
  hasBody: plan.body !== "None",
  contentType: plan.contentType ?? "application/json",
  accepts: (request) => plan.constants.every(({ target, value }) => String(valueAt(request, target)) === String(value)),
  input: inputOf(plan),
  answer: answerOf(plan),
  error: plan.errors.write
})
