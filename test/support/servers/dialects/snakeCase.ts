/** Names in snake_case, pages by cursor, an envelope `result`, errors in words under `error`. */
import {
  type Asked,
  camel,
  type Dialect,
  isMultipart,
  isObject,
  jsonOf,
  mapKeys,
  renamedDeep,
  renamedParts,
  snake,
  withJson
} from "./dialect.ts"

const words: Readonly<Record<string, string>> = {
  E00401: "invalid_api_key",
  E00402: "validation_failed",
  E01401: "invalid_token",
  E40001: "invalid_token",
  E01402: "invalid_refresh_token",
  E40002: "invalid_refresh_token",
  E01403: "token_expired",
  E40003: "token_expired",
  E40000: "bad_request"
}

const toAssumed = (asked: Asked): Asked => {
  const query = new URLSearchParams()
  for (const [name, value] of asked.query) {
    if (name === "after") query.append("page", Buffer.from(value, "base64").toString())
    else query.append(name === "page_size" ? "limit" : camel(name), value)
  }
  const moved = { ...asked, query }
  if (asked.body.length === 0) return moved
  return isMultipart(asked)
    ? { ...moved, body: renamedParts(asked.body, camel) }
    : withJson(moved, mapKeys(jsonOf(asked.body), camel))
}

export const snakeCase: Dialect = {
  name: "snake_case and cursors",
  toAssumed,
  toTheirs: (_, { body, status }) => {
    if (status >= 400) {
      const code = typeof body["code"] === "string" ? body["code"] : "unknown"
      return {
        status,
        body: {
          error: {
            code: words[code] ?? code,
            message: body["message"],
            details: renamedDeep(body["errors"] ?? {}, snake)
          }
        }
      }
    }
    const { data, meta } = body
    if (!Array.isArray(data)) return { status, body: { result: renamedDeep(data, snake) } }
    const { currentPage, hasNextPage, totalItems } = isObject(meta) ? meta : {}
    const cursor = hasNextPage === true ? Buffer.from(String(Number(currentPage) + 1)).toString("base64") : null
    return {
      status,
      body: { result: { items: renamedDeep(data, snake) }, page: { next_cursor: cursor, total: totalItems ?? null } }
    }
  }
}
