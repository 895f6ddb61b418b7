/**
 * A service with a wire of its own: minor units, seconds, offsets, an envelope, its own names and words. It ignores query
 * keys that it does not know, and shows no counts.
 */
import * as BigDecimal from "effect/BigDecimal"
import {
  type Asked,
  type Dialect,
  isObject,
  jsonOf,
  renamedDeep,
  snake,
  withJson
} from "../support/servers/dialects/dialect.ts"
import { decimal, type Fields, localTime, ours, seconds, type Subject, theirs } from "./subject.ts"

const accounts = { alice: "ACC-1", bob: "ACC-2" }
const currencies = { usdc: "USDC", usdt: "USDT" }
const states = { PENDING: "queued", BROADCASTING: "sending", COMPLETED: "done", REJECTED: "refused", ERROR: "failed" }

const payment = (asked: Asked): Asked => {
  const { account, amount, currency, destination, memo } = jsonOf(asked.body)
  return withJson(
    { ...asked, path: "/transactions/send" },
    {
      clientId: ours(accounts, account),
      assetId: ours(currencies, currency),
      to: destination,
      amount: decimal(amount, 6),
      note: memo
    }
  )
}

const windowOf = ({ query }: Asked): readonly [skip: number, take: number] => [
  Number(query.get("skip") ?? 0),
  Number(query.get("take") ?? 10)
]

const listed = (asked: Asked): Asked => {
  const [skip, take] = windowOf(asked)
  const query = new URLSearchParams({ page: "1", limit: String(skip + take) })
  const read = (theirName: string, name: string, convert: (value: string) => unknown) => {
    const value = asked.query.get(theirName)
    if (value !== null) query.set(name, String(convert(value)))
  }
  const toIso = (value: string) => new Date(Number(value) * 1_000).toISOString()
  read("account", "clientId", (value) => ours(accounts, value))
  read("currency", "assetId", (value) => ours(currencies, value))
  read("state", "status", (value) => ours(states, value))
  read("created_after", "from", toIso)
  read("created_before", "to", toIso)
  read("order", "order", String)
  read("sort", "sort_key", (value) => (value === "created_at" ? "createdAt" : value))
  return { ...asked, path: "/transactions", query }
}

const rowOf = (time: typeof seconds, record: Fields): Fields => ({
  id: record["id"],
  type: record["type"],
  account: theirs(accounts, record["clientId"]),
  wallet: record["walletId"],
  currency: theirs(currencies, record["assetId"]),
  amount: Math.round(Number(record["amount"]) * 1e6),
  destination: record["to"],
  memo: record["note"],
  state: theirs(states, record["status"]),
  created_at: time(record["createdAt"])
})

const dialect = (name: string, time: typeof seconds): Dialect => ({
  name,
  toAssumed: (given) => {
    if (!given.path.startsWith("/v2/")) return undefined
    const asked = { ...given, path: given.path.slice(3) }
    if (asked.path.startsWith("/auth/")) {
      const { api_key: apiKey, refresh_token: refreshToken } = jsonOf(asked.body)
      return withJson(asked, apiKey === undefined ? { refreshToken } : { apiKey })
    }
    if (asked.path === "/payouts") return asked.method === "POST" ? payment(asked) : listed(asked)
    const [, id] = /^\/payouts\/([^/]+)$/.exec(asked.path) ?? []
    return id === undefined ? undefined : { ...asked, path: `/transactions/${id}` }
  },
  toTheirs: (asked, { body, status }) => {
    if (status >= 400) return { status, body }
    const { data } = body
    if (Array.isArray(data)) {
      const [skip, take] = windowOf(asked)
      const rows = data.slice(skip, skip + take)
      return { status, body: { result: { rows: rows.map((row: Fields) => rowOf(time, row)) } } }
    }
    const isRow = asked.path.startsWith("/v2/payouts")
    return { status, body: { result: isRow && isObject(data) ? rowOf(time, data) : renamedDeep(data, snake) } }
  }
})

const documented: Subject["documented"] = ({ amount, assetId, clientId, note, to }) => {
  const fields = {
    account: theirs(accounts, clientId),
    currency: theirs(currencies, assetId),
    destination: to,
    amount: BigDecimal.toNumberUnsafe(BigDecimal.multiply(amount, BigDecimal.make(1_000_000n, 0))),
    memo: note
  }
  return { request: fields, row: fields }
}

export const payments: Subject = {
  service: dialect("a payment service", seconds),
  inLocalTime: dialect("a payment service with local times", localTime),
  file: `${import.meta.dirname}/payments.adapters.ts`,
  documented,
  rowAt: ["result"],
  stateAt: "state",
  ends: { done: "paid", refused: "failed", failed: "failed" }
}
