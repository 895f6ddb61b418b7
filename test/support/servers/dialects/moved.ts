/** Below `/v2`: pages by offset, parameters in other places, a job for each payout, and two special requests. */
import { type Asked, type Dialect, isObject, jsonOf, withJson } from "./dialect.ts"

const payouts = /^\/clients\/([^/]+)\/payouts$/

const text = (value: unknown): string => (typeof value === "string" ? value : "")

const present = (fields: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

const payout = (asked: Asked, clientId: string): Asked => {
  const { amount, asset, destination, kind, memo } = jsonOf(asked.body)
  const to = isObject(destination) ? destination : {}
  const common = { assetId: asset, amount, note: memo }
  const query = new URLSearchParams()
  return kind === "INTERNAL"
    ? withJson(
        { ...asked, path: "/transactions/transfer", query },
        present({ fromClientId: clientId, toClientId: to["client"], ...common })
      )
    : withJson(
        { ...asked, path: "/transactions/send", query },
        present({ clientId, to: to["address"], networkId: asked.query.get("network") ?? undefined, ...common })
      )
}

const order = (asked: Asked): Asked => {
  const { asset, client, memo, price } = jsonOf(asked.body)
  const [amount, currency] = text(price).split(" ")
  const fields = { amount, currency, assetId: asset, clientId: client, note: memo }
  return withJson({ ...asked, path: "/payment-vault-orders" }, present(fields))
}

const refund = (asked: Asked): Asked => {
  const { of, value, why } = jsonOf(asked.body)
  const path = `/fiat-gateway/transactions/${encodeURIComponent(text(of))}/refund`
  return withJson(
    { ...asked, path },
    present({ amount: value === undefined ? undefined : text(value).slice(1), reason: why })
  )
}

const windowOf = (asked: Asked): readonly [offset: number, size: number] => [
  Number(asked.query.get("offset") ?? 0),
  Number(asked.query.get("size") ?? 10)
]

/** Every row up to the end of the window, in one page. */
const listed = (asked: Asked): Asked => {
  const query = new URLSearchParams(asked.query)
  const [offset, size] = windowOf(asked)
  query.delete("offset")
  query.delete("size")
  query.set("page", "1")
  query.set("limit", String(offset + size))
  return { ...asked, query }
}

export const moved: Dialect = {
  name: "a prefix, offsets and moved parameters",
  toAssumed: (given) => {
    if (!given.path.startsWith("/v2/")) return undefined
    const asked = { ...given, path: given.path.slice(3) }
    const [, clientId] = payouts.exec(asked.path) ?? []
    if (clientId !== undefined) return payout(asked, decodeURIComponent(clientId))
    if (asked.path === "/orders" && asked.method === "POST") return order(asked)
    if (asked.path === "/refunds") return refund(asked)
    if (asked.path === "/transaction") {
      const path = `/transactions/${encodeURIComponent(asked.query.get("id") ?? "")}`
      return { ...asked, path, query: new URLSearchParams() }
    }
    return asked.query.has("offset") ? listed(asked) : asked
  },
  toTheirs: (asked, { body, status }) => {
    if (status >= 400) return { status, body }
    const { data, meta } = body
    if (Array.isArray(data)) {
      const [offset, size] = windowOf(asked)
      const rows = asked.query.has("offset") ? data.slice(offset, offset + size) : data
      return { status, body: { rows, total: isObject(meta) ? meta["totalItems"] : null } }
    }
    const record = isObject(data) ? data : {}
    if (payouts.test(asked.path.slice(3))) {
      return { status: 202, body: { job: { transaction: record["id"], state: record["status"] } } }
    }
    if (asked.path === "/v2/orders") return { status, body: { order: { ...record, no: record["id"] } } }
    if (asked.path === "/v2/refunds") return { status, body: { refunded: data } }
    return { status, body: { data } }
  }
}
