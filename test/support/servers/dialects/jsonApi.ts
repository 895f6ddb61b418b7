/** JSON:API: `data.attributes` with ids beside, links to the next page, a content type of its own. */
import { type Asked, type Dialect, isMultipart, isObject, jsonOf, withJson } from "./dialect.ts"

const type = "application/vnd.api+json"

const toAssumed = (asked: Asked): Asked => {
  const query = new URLSearchParams()
  for (const [name, value] of asked.query) {
    query.append(name === "page[number]" ? "page" : name === "page[size]" ? "limit" : name, value)
  }
  const moved = { ...asked, query }
  if (asked.body.length === 0 || isMultipart(asked)) return moved
  const { data } = jsonOf(asked.body)
  return withJson(moved, isObject(data) && isObject(data["attributes"]) ? data["attributes"] : {})
}

const resource = (record: unknown): unknown => {
  if (!isObject(record)) return record
  const { id, ...attributes } = record
  return { type: "resource", ...(id === undefined ? {} : { id }), attributes }
}

const nextLink = ({ path, query }: Asked, page: number): string => {
  const next = new URLSearchParams(query)
  next.set("page[number]", String(page))
  return `https://elsewhere.example${path}?${next}`
}

export const jsonApi: Dialect = {
  name: "JSON:API and links",
  toAssumed,
  toTheirs: (asked, { body, status }) => {
    if (status >= 400) {
      const { code, errors, message } = body
      return { status, type, body: { errors: [{ code, detail: message, meta: { fields: errors ?? {} } }] } }
    }
    const { data, meta } = body
    if (!Array.isArray(data)) return { status, type, body: { data: resource(data) } }
    const { currentPage, hasNextPage, totalItems } = isObject(meta) ? meta : {}
    const next = hasNextPage === true ? nextLink(asked, Number(currentPage) + 1) : null
    return { status, type, body: { data: data.map(resource), links: { next }, meta: { total: totalItems ?? null } } }
  }
}
