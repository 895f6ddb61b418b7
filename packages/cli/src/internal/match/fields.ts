/** Finds the place of each of our fields among theirs. Pure. */
import type { Field } from "../document/model.ts"
import { keyOf, looseKeyOf } from "./words.ts"

/** Other names that services have for our fields. */
const aliases: Readonly<Record<string, ReadonlyArray<string>>> = {
  to: [
    "destination",
    "destination address",
    "to address",
    "recipient",
    "recipient address",
    "beneficiary",
    "until",
    "end date",
    "created before"
  ],
  from: ["since", "start date", "created after"],
  note: ["memo", "description", "comment", "reference", "remark"],
  amount: ["value", "quantity", "units"],
  page: ["page number", "page index"],
  limit: ["page size", "per page", "size", "count", "take"],
  sort_key: ["sort", "sort by", "order by"],
  order: ["direction", "sort order", "sort direction"],
  search: ["q", "query", "filter", "term"],
  id: ["external id", "reference", "uid"],
  externalId: ["id", "reference", "client id"],
  ids: ["external ids", "references"],
  clientId: ["client", "client number", "client reference"],
  assetId: ["asset", "asset code", "asset symbol"],
  networkId: ["network", "network code", "destination network"],
  walletId: ["wallet"],
  fromClientId: ["client id", "source client", "sender"],
  toClientId: ["destination client", "recipient client"],
  name: ["title", "label"],
  symbol: ["ticker", "code"],
  address: ["public address", "deposit address"],
  createdAt: ["created", "created at", "creation date", "date", "timestamp"],
  updatedAt: ["updated", "modified at", "last modified"],
  status: ["state"],
  url: ["link", "href", "payment url"],
  method: ["payment method", "channel"],
  reason: ["comment", "note", "description"],
  hash: ["tx hash", "transaction hash", "txid"],
  balance: ["available", "available balance", "amount"],
  transactionCount: ["count", "total"],
  decimals: ["precision", "digits"],
  currency: ["fiat currency", "currency code"]
}

/** A place that was found, and how sure it is. */
export interface Found {
  readonly field: Field
  readonly isSure: boolean
}

const lastOf = (path: string): string => path.slice(path.lastIndexOf(".") + 1)

/** The last two names of a path: `destination.address` is a destination address. */
const lastTwoOf = (path: string): string => path.split(".").slice(-2).join(" ")

const isLeaf = ({ path, type }: Field): boolean => type !== "object" && !path.includes("[]")

/** The only candidate; `undefined` if several fit. */
const only = (found: ReadonlyArray<Field>, isSure: boolean): Found | undefined =>
  found.length === 1 ? { field: found[0]!, isSure } : undefined

/**
 * The only one of their fields that ours can be. The same name is certain; another name for the same thing is not.
 * `more`: further names that our field may have there.
 */
export const find = (
  ours: string,
  theirs: ReadonlyArray<Field>,
  more: ReadonlyArray<string> = []
): Found | undefined => {
  const leaves = theirs.filter(isLeaf)
  const where = (accepts: (field: Field) => boolean) => leaves.filter(accepts)
  const key = keyOf(ours)
  const top = theirs.filter(({ path }) => keyOf(path) === key && !path.includes("[]"))
  if (top.length > 0) return only(top, true)
  const nested = where(({ path }) => keyOf(lastOf(path)) === key)
  if (nested.length > 0) return only(nested, true)
  const names = new Set([ours, ...(aliases[ours] ?? []), ...more].map(looseKeyOf))
  const meant = where(({ path }) => names.has(looseKeyOf(path)) || names.has(looseKeyOf(lastTwoOf(path))))
  if (meant.length > 0) return only(meant, false)
  return only(
    where(({ path }) => names.has(looseKeyOf(lastOf(path)))),
    false
  )
}
