/** JSON:API: records under `data.attributes`, the address of the next page under `links`, a media type of its own. */
import { type Asked, type Dialect, isMultipart, isObject, jsonOf, withJson } from "./dialect.ts"

const type = "application/vnd.api+json"

const isPlain = (asked: Asked): boolean => asked.path.startsWith("/auth/")

const resource = (record: unknown): unknown => {
  if (!isObject(record)) return record
  const { id, ...attributes } = record
  return { type: "resource", ...(id === undefined ? {} : { id }), attributes }
}

const number = "page[number]"
const size = "page[size]"

export const jsonApi: Dialect = {
  name: "JSON:API",
  toAssumed: (asked) => {
    if (isPlain(asked)) return asked
    // A request in another media type is not one of this service.
    if (asked.headers["accept"] !== type) return undefined
    const query = new URLSearchParams(asked.query)
    for (const [their, our] of [
      [number, "page"],
      [size, "limit"]
    ] as const) {
      const value = query.get(their)
      query.delete(their)
      if (value !== null) query.set(our, value)
    }
    const moved = { ...asked, query }
    if (asked.body.length === 0 || isMultipart(asked)) return moved
    const { data } = jsonOf(asked.body)
    if (asked.headers["content-type"] !== type || !isObject(data) || data["type"] !== "request") return undefined
    return withJson(moved, isObject(data["attributes"]) ? data["attributes"] : {})
  },
  toTheirs: (asked, { body, status }) => {
    if (status >= 400) {
      const { code, errors, message } = body
      return { status, type, body: { errors: [{ status: String(status), code, title: message, meta: errors ?? {} }] } }
    }
    if (isPlain(asked)) return { status, body }
    const { data, meta } = body
    if (!Array.isArray(data)) return { status, type, body: { data: resource(data) } }
    const { currentPage, hasNextPage, totalItems } = isObject(meta) ? meta : {}
    const query = new URLSearchParams(asked.query)
    query.set(number, String(Number(currentPage) + 1))
    // Relative to the origin, so that it holds behind any host.
    const next = hasNextPage === true ? `/api/integration${asked.path}?${query}` : null
    return { status, type, body: { data: data.map(resource), links: { next }, meta: { total: totalItems ?? null } } }
  }
}
