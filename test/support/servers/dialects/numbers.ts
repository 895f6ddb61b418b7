/** Numbers for ids, amounts (in units of 10^-8), times (in seconds) and error codes, and other words for enums. */
import { type Asked, decimalOf, type Dialect, isMultipart, isObject, jsonOf, unitsOf, withJson } from "./dialect.ts"

const digits = 8

export const amounts: ReadonlySet<string> = new Set([
  "amount",
  "balance",
  "pendingBalance",
  "fee",
  "price",
  "supply",
  "initialSupply",
  "assetAmount"
])
const times = new Set(["createdAt", "updatedAt"])

const words: Readonly<Record<string, string>> = {
  PENDING: "waiting",
  BROADCASTING: "sent",
  COMPLETED: "done",
  REJECTED: "refused",
  ERROR: "failed",
  INCOMING: "in",
  OUTGOING: "out"
}
const ours = Object.fromEntries(Object.entries(words).map(([our, their]) => [their, our]))

const units = (amount: string): number | undefined => {
  const whole = unitsOf(amount, digits)
  return whole === undefined ? undefined : Number(whole)
}

const field = (name: string, value: unknown): unknown => {
  if (name === "metadata") return value
  if (Array.isArray(value)) return value.map((each) => field(name, each))
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, field(key, inner)]))
  if (typeof value !== "string") return value
  if (amounts.has(name)) return units(value)
  if (times.has(name)) return Date.parse(value) / 1_000
  if ((name === "id" || name.endsWith("Id")) && /^[1-9]\d*$/.test(value)) return Number(value)
  return name === "status" || name === "type" ? (words[value] ?? value) : value
}

const back = (name: string, value: unknown): unknown => {
  if (amounts.has(name)) return decimalOf(String(value), digits)
  return typeof value === "number" && name.endsWith("Id") ? String(value) : value
}

const queryOf = (asked: Asked): URLSearchParams =>
  new URLSearchParams(
    [...asked.query].map(([name, value]): [string, string] => {
      if (name === "from" || name === "to") return [name, new Date(Number(value) * 1_000).toISOString()]
      return [name, name === "status" || name === "type" ? (ours[value] ?? value) : value]
    })
  )

const inParts = (body: Buffer): Buffer =>
  Buffer.from(
    body
      .toString("latin1")
      .replaceAll(/(name="(?:amount|initialSupply)"\r\n\r\n)(\d+)\r\n/g, (_, before: string, value: string) => {
        return `${before}${decimalOf(value, digits)}\r\n`
      }),
    "latin1"
  )

export const numbers: Dialect = {
  name: "numeric ids, minor units and other enums",
  toAssumed: (asked) => {
    const moved = { ...asked, query: queryOf(asked) }
    if (asked.body.length === 0) return moved
    if (isMultipart(asked)) return { ...moved, body: inParts(asked.body) }
    const fields = Object.entries(jsonOf(asked.body)).map(([name, value]) => [name, back(name, value)])
    return withJson(moved, Object.fromEntries(fields))
  },
  toTheirs: (_, { body, status }) =>
    status >= 400
      ? { status, body: { ...body, code: Number(String(body["code"]).slice(1)) } }
      : { status, body: { ...body, data: isAuth(body["data"]) ? body["data"] : field("data", body["data"]) } }
}

const isAuth = (data: unknown): boolean => isObject(data) && "accessToken" in data
