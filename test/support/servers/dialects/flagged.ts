/**
 * A flag for success, JSON numbers for amounts, milliseconds for times, other words for statuses, a memo in a header, and
 * two lists that are whole.
 */
import { type Asked, type Dialect, isMultipart, isObject, jsonOf, withJson } from "./dialect.ts"

const amounts: ReadonlySet<string> = new Set([
  "amount",
  "balance",
  "pendingBalance",
  "fee",
  "price",
  "supply",
  "initialSupply",
  "assetAmount"
])

const words: Readonly<Record<string, string>> = {
  PENDING: "awaiting_approval",
  BROADCASTING: "broadcast",
  COMPLETED: "settled",
  REJECTED: "declined",
  ERROR: "broken"
}
const statuses = Object.fromEntries(Object.entries(words).map(([our, their]) => [their, our]))

const whole = new Set(["/assets", "/vaults/networks"])

const field = (name: string, value: unknown): unknown => {
  if (name === "metadata") return value
  if (Array.isArray(value)) return value.map((each) => field(name, each))
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, field(key, inner)]))
  if (typeof value !== "string") return value
  if (amounts.has(name)) return Number(value)
  if (name === "createdAt" || name === "updatedAt") return Date.parse(value)
  return name === "status" ? (words[value] ?? value) : value
}

const keys: Readonly<Record<string, string>> = { pageNumber: "page", pageSize: "limit", sortKey: "sort_key" }

const queryOf = ({ path, query }: Asked): URLSearchParams =>
  new URLSearchParams([
    ...[...query].map(([name, value]): [string, string] => {
      if (name === "from" || name === "to") return [name, new Date(Number(value)).toISOString()]
      return [keys[name] ?? name, name === "status" ? (statuses[value] ?? value) : value]
    }),
    ...(whole.has(path) ? [["limit", "100"] as [string, string]] : [])
  ])

export const flagged: Dialect = {
  name: "a success flag, numbers and milliseconds",
  toAssumed: (asked) => {
    const moved = { ...asked, query: queryOf(asked) }
    if (asked.body.length === 0 || isMultipart(asked)) return moved
    const memo = asked.headers["x-memo"]
    const fields = Object.entries(jsonOf(asked.body)).map(([name, value]) => [
      name,
      amounts.has(name) && typeof value === "number" ? String(value) : value
    ])
    return withJson(moved, { ...Object.fromEntries(fields), ...(memo === undefined ? {} : { note: memo }) })
  },
  toTheirs: (asked, { body, status }) => {
    if (status >= 400) {
      return {
        status,
        body: { success: false, error: { reason: body["code"], text: body["message"], violations: body["errors"] } }
      }
    }
    const { data, meta } = body
    const total = isObject(meta) && !whole.has(asked.path) ? { pagination: { total: meta["totalItems"] } } : {}
    return { status, body: { success: true, payload: field("payload", data), ...total } }
  }
}
