/** Amounts as texts in minor units, whose decimal places depend on the asset: each row says them. */
import { type Asked, decimalOf, type Dialect, isObject, jsonOf, unitsOf, withJson } from "./dialect.ts"

const digits: Readonly<Record<string, number>> = { btc: 8, eth: 18, pol: 18, usdc: 6, usdt: 6, "usdc-polygon": 6 }

const amounts = ["amount", "balance", "pendingBalance"]

const row = (value: unknown): unknown => {
  if (!isObject(value)) return value
  // A token of a vault and a fiat currency have two decimal places.
  const decimals = digits[String(value["assetId"])] ?? 2
  const entries = Object.entries(value).map(([name, each]) =>
    amounts.includes(name) && typeof each === "string" ? [name, unitsOf(each, decimals)] : [name, each]
  )
  return { ...Object.fromEntries(entries), decimals }
}

const isCounted = ({ path }: Asked): boolean =>
  /^\/(?:transactions|wallets)(?:\/[^/]+)?$/.test(path) && !path.endsWith("/balance")

const isPayout = ({ method, path }: Asked): boolean =>
  method === "POST" && /^\/transactions\/(?:send|transfer)$/.test(path)

export const perAsset: Dialect = {
  name: "minor units by asset",
  toAssumed: (asked) => {
    if (!isPayout(asked)) return asked
    const { amount, assetId, ...fields } = jsonOf(asked.body)
    const known = digits[String(assetId)]
    if (known === undefined || typeof amount !== "string") return undefined
    return withJson(asked, { ...fields, assetId, amount: decimalOf(amount, known) })
  },
  toTheirs: (asked, { body, status }) => {
    if (status >= 400 || !isCounted(asked)) return { status, body }
    const { data } = body
    return { status, body: { ...body, data: Array.isArray(data) ? data.map(row) : row(data) } }
  }
}
