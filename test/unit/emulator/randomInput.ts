/** Inputs that a seed makes up: some right, most of them wrong in some way. */
import type { Source } from "../../support/random.ts"

/** Texts that programs stumble over. */
export const texts = [
  "",
  "0",
  "-1",
  "1e400",
  "1e-999999999",
  "NaN",
  "__proto__",
  "\u0000",
  "\ud800",
  "😀",
  "%zz",
  "a\r\nb",
  "x".repeat(300)
]
const known = [
  "alice",
  "bob",
  "usdc",
  "eth",
  "ethereum",
  "polygon",
  "0xabc",
  "rejected",
  "EUR",
  "CARD",
  "PENDING",
  "asc"
]
const numbers = [0, 1, -1, 0.1, 1e21, 1e-7, 2 ** 53, 10, 3]

/** Any JSON, most of it small, some of it right. */
export const anything = (source: Source, ids: ReadonlyArray<string>, depth = 0): unknown => {
  switch (source.weighted({ known: 30, id: 25, amount: 15, text: 10, number: 8, odd: 6, list: 3, record: 3 })) {
    case "known":
      return source.pick(known)
    case "id":
      return source.pick(ids)
    case "amount":
      return `${source.below(20)}.${source.below(1_000)}`
    case "text":
      return source.pick(texts)
    case "number":
      return source.pick(numbers)
    case "odd":
      return source.pick([null, true, {}, []])
    case "list":
      return depth > 3 ? [] : Array.from({ length: source.below(4) }, () => anything(source, ids, depth + 1))
    case "record":
      return depth > 3 ? {} : { [source.pick([...texts, ...known])]: anything(source, ids, depth + 1) }
  }
}

/** The names that the contracts use, and some that they do not. */
export const names = [
  "id",
  "ids",
  "clientId",
  "assetId",
  "networkId",
  "to",
  "amount",
  "note",
  "fromClientId",
  "toClientId",
  "name",
  "symbol",
  "decimals",
  "initialSupply",
  "description",
  "logo",
  "toWalletId",
  "fromWalletId",
  "walletId",
  "document",
  "metadata",
  "collection",
  "file",
  "currency",
  "method",
  "reason",
  "apiKey",
  "refreshToken",
  "page",
  "limit",
  "sort_key",
  "order",
  "search",
  "type",
  "status",
  "from",
  "assetIds",
  "unknown",
  "__proto__"
]

/** The fields that operations need: half of the requests have all of them, or hardly any would get past the first check. */
export const needed: Readonly<Record<string, ReadonlyArray<string>>> = {
  "clients.create": ["id"],
  "clients.createMany": ["ids"],
  "transactions.send": ["clientId", "assetId", "to", "amount"],
  "transactions.transfer": ["fromClientId", "toClientId", "assetId", "amount"],
  "tokens.create": ["name", "symbol", "networkId"],
  "tokens.mint": ["amount"],
  "tokens.burn": ["amount"],
  "tokens.updateMetadata": ["metadata"],
  "nfts.create": ["name", "networkId", "file"],
  "nfts.transfer": ["fromWalletId", "toWalletId"],
  "paymentOrders.create": ["amount"],
  "paymentOrders.selectAsset": ["assetId"],
  "fiatGateway.createPaymentLink": ["clientId", "amount", "currency"]
}

/** A value for a field: most often one of its kind. */
export const fitting = (source: Source, ids: ReadonlyArray<string>, name: string): unknown => {
  if (source.chance(0.2)) return anything(source, ids)
  if (/^(?:clientId|fromClientId|toClientId)$/.test(name)) return source.pick(["alice", "bob"])
  if (/walletId$/i.test(name)) return source.pick(ids)
  if (name === "assetId") return source.pick(["usdc", "eth", ...ids])
  if (name === "networkId") return source.pick(["ethereum", "polygon", "bitcoin"])
  if (name === "amount" || name === "initialSupply") return `${source.below(5)}.${source.below(1_000)}`
  if (name === "currency") return source.pick(["EUR", "usd", "XXX"])
  if (name === "ids") return [`client-${source.next()}`]
  if (name === "metadata") return { [source.pick([...names, ...texts])]: anything(source, ids) }
  return source.pick([...ids, ...known, ...texts])
}
