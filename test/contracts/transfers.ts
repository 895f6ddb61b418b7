/**
 * A bank's service of transfers: cents, epoch seconds, offsets, an envelope with a flag, nested objects, errors in words
 * and statuses of its own. It ignores query keys that it does not know, and shows no counts.
 */
import * as BigDecimal from "effect/BigDecimal"
import { type Asked, type Dialect, isObject, jsonOf, withJson } from "../support/servers/dialects/dialect.ts"
import { decimal, type Fields, localTime, ours, seconds, type Subject, theirs } from "./subject.ts"

const accounts = { alice: "C-71", bob: "C-72" }
const currencies = { usdc: "USD-C", usdt: "USD-T" }
const states = { PENDING: "NEW", BROADCASTING: "SENT", COMPLETED: "BOOKED", REJECTED: "DECLINED", ERROR: "BROKEN" }
const directions = { INCOMING: "credit", OUTGOING: "debit" }
const problems = { E00401: "bad_key", E01403: "token_expired", E01401: "bad_token", E01402: "bad_refresh" }

const inner = (value: unknown): Fields => (isObject(value) ? value : {})

const transfer = (asked: Asked): Asked => {
  const { customer, reference, sum, target } = jsonOf(asked.body)
  return withJson(
    { ...asked, path: "/transactions/send" },
    {
      clientId: ours(accounts, customer),
      assetId: ours(currencies, inner(sum)["unit"]),
      to: inner(target)["address"],
      amount: decimal(inner(sum)["cents"], 2),
      note: reference
    }
  )
}

const windowOf = ({ query }: Asked): readonly [start: number, count: number] => [
  Number(query.get("start") ?? 0),
  Number(query.get("count") ?? 10)
]

const keys: Readonly<Record<string, readonly [name: string, convert: (value: string) => unknown]>> = {
  customer: ["clientId", (value) => ours(accounts, value)],
  unit: ["assetId", (value) => ours(currencies, value)],
  state: ["status", (value) => ours(states, value)],
  since: ["from", (value) => new Date(Number(value) * 1_000).toISOString()],
  until: ["to", (value) => new Date(Number(value) * 1_000).toISOString()],
  dir: ["order", (value) => value]
}

const listed = (asked: Asked): Asked => {
  const [start, count] = windowOf(asked)
  const query = new URLSearchParams({ page: "1", limit: String(start + count) })
  for (const [name, value] of asked.query) {
    const key = keys[name]
    if (key !== undefined) query.set(key[0], String(key[1](value)))
  }
  return { ...asked, path: "/transactions", query }
}

const rowOf = (time: typeof seconds, record: Fields): Fields => ({
  number: record["id"],
  wallet: record["walletId"],
  direction: theirs(directions, record["type"]),
  customer: theirs(accounts, record["clientId"]),
  sum: { cents: Math.round(Number(record["amount"]) * 100), unit: theirs(currencies, record["assetId"]) },
  ...(record["to"] === undefined ? {} : { target: { address: record["to"] } }),
  ...(record["note"] === undefined ? {} : { reference: record["note"] }),
  state: theirs(states, record["status"]),
  made: time(record["createdAt"])
})

const dialect = (name: string, time: typeof seconds): Dialect => ({
  name,
  toAssumed: (given) => {
    if (!given.path.startsWith("/bank/")) return undefined
    const asked = { ...given, path: given.path.slice(5) }
    if (asked.path.startsWith("/auth/")) return asked
    if (asked.path === "/transfers") return asked.method === "POST" ? transfer(asked) : listed(asked)
    const [, id] = /^\/transfers\/([^/]+)$/.exec(asked.path) ?? []
    return id === undefined ? undefined : { ...asked, path: `/transactions/${id}` }
  },
  toTheirs: (asked, { body, status }) => {
    if (status >= 400) {
      const { code, errors, message } = body
      return { status, body: { ok: false, problem: { kind: theirs(problems, code), text: message, fields: errors } } }
    }
    const { data } = body
    if (Array.isArray(data)) {
      const [start, count] = windowOf(asked)
      const entries = data.slice(start, start + count).map((row: Fields) => rowOf(time, row))
      return { status, body: { ok: true, content: { entries } } }
    }
    const isRow = asked.path.startsWith("/bank/transfers")
    return { status, body: { ok: true, content: isRow && isObject(data) ? rowOf(time, data) : data } }
  }
})

const documented: Subject["documented"] = (order) => {
  const fields = {
    customer: theirs(accounts, order.clientId),
    "sum.unit": theirs(currencies, order.assetId),
    "target.address": order.to,
    "sum.cents": BigDecimal.toNumberUnsafe(BigDecimal.multiply(order.amount, BigDecimal.make(100n, 0))),
    reference: order.note
  }
  return { request: fields, row: fields }
}

export const transfers: Subject = {
  service: dialect("a bank", seconds),
  inLocalTime: dialect("a bank with local times", localTime),
  file: `${import.meta.dirname}/transfers.adapters.ts`,
  documented,
  rowAt: ["content"],
  stateAt: "state",
  ends: { BOOKED: "paid", DECLINED: "failed", BROKEN: "failed" }
}
