/** Every operation of the API, each called once and in an order that makes sense: a day at a small payment company. */
import { Amount, Upload } from "@effect-custody/core"
import { CustodyEmulator } from "@effect-custody/emulator"
import {
  Assets,
  Authentication,
  Clients,
  FiatGateway,
  Nfts,
  PaymentOrders,
  Tokens,
  Transactions,
  Vaults,
  Wallets
} from "@effect-custody/sdk"
import { BigDecimal, DateTime, Effect, Redacted } from "effect"

/** A result in comparable form: secrets and exact decimals as text. */
const plain = (value: unknown): unknown => {
  if (Redacted.isRedacted(value)) return Redacted.value(value)
  if (BigDecimal.isBigDecimal(value)) return BigDecimal.format(BigDecimal.normalize(value))
  if (DateTime.isDateTime(value)) return DateTime.formatIso(value)
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]))
}

const amount = Amount.fromStringUnsafe

const file = (name: string, contentType: string, text: string) =>
  Upload.fromBytes({ name, contentType, bytes: new TextEncoder().encode(text) })

/** Calls every operation, and returns the results by name. A service that pages by cursor has no page 2. */
export const callEachFrom = Effect.fnUntraced(function* (page: 1 | 2) {
  const emulator = yield* CustodyEmulator
  const results = new Map<string, unknown>()
  const call = <A, E, R>(operation: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.tap(effect, (result) =>
      Effect.sync(() => {
        if (results.has(operation)) throw new Error(`${operation} is called twice`)
        results.set(operation, plain(result))
      })
    )

  const { refreshToken } = yield* call(
    "authentication.generateTokens",
    Authentication.generateTokens({ apiKey: yield* emulator.issueApiKey() })
  )
  yield* call("authentication.refreshToken", Authentication.refreshToken({ refreshToken }))

  yield* call("clients.create", Clients.create({ externalId: "alice" }))
  yield* call("clients.createMany", Clients.createMany({ externalIds: ["bob", "carol & co/ü"] }))
  yield* call("clients.list", Clients.list({ sortKey: "externalId", order: "desc", limit: 2 }))
  yield* call("clients.get", Clients.get({ externalId: "carol & co/ü" }))

  yield* emulator.fund({ clientId: "alice", assetId: "usdc", amount: "1000.000001" })
  const { items: wallets } = yield* call("wallets.list", Wallets.list({ clientId: "alice", networkId: "ethereum" }))
  const walletId = wallets[0]!.id
  yield* call("wallets.get", Wallets.get({ walletId }))
  yield* call("wallets.balance", Wallets.balance({ walletId, assetId: "usdc" }))
  yield* call("wallets.transactionCount", Wallets.transactionCount({ walletId }))

  yield* call("vaults.details", Vaults.details())
  yield* call("vaults.configuration", Vaults.configuration())
  yield* call("vaults.assets", Vaults.assets({ search: "usd", sortKey: "balance", order: "desc" }))
  yield* call("vaults.networks", Vaults.networks())
  yield* call("vaults.networkSettings", Vaults.networkSettings())
  const { items: approvals } = yield* call("vaults.approvals", Vaults.approvals({ limit: 1 }))
  yield* call("vaults.approval", Vaults.approval({ approvalId: approvals[0]!.id }))
  yield* call("vaults.paymentPolicies", Vaults.paymentPolicies())
  yield* call("vaults.gasStationCategories", Vaults.gasStationCategories({ page, limit: 2 }))

  const sent = yield* call(
    "transactions.send",
    Transactions.send({
      clientId: "alice",
      assetId: "usdc",
      networkId: "ethereum",
      to: "0x52908400098527886E0F7030069857D2E4169EE7",
      amount: amount("12.50"),
      note: "invoice 7"
    })
  )
  yield* call(
    "transactions.transfer",
    Transactions.transfer({ fromClientId: "alice", toClientId: "bob", assetId: "usdc", amount: amount("7.25") })
  )
  yield* call("transactions.list", Transactions.list({ clientId: "alice", sortKey: "amount", order: "desc" }))
  yield* call("transactions.get", Transactions.get({ transactionId: sent.id }))
  yield* call("transactions.status", Transactions.status({ transactionId: sent.id }))

  yield* call("assets.list", Assets.list({ limit: 3 }))
  yield* call("assets.configuration", Assets.configuration({ limit: 2, page }))

  const token = yield* call(
    "tokens.create",
    Tokens.create({
      type: "SECURITY",
      name: "Acme Bond 2030",
      symbol: "ACME30",
      networkId: "ethereum",
      decimals: 6,
      initialSupply: amount("1000000"),
      description: "A bond of Acme",
      logo: file("logo.svg", "image/svg+xml", "<svg/>")
    })
  )
  const tokenId = token.id
  yield* call(
    "tokens.mint",
    Tokens.mint({
      tokenId,
      amount: amount("250"),
      toWalletId: walletId,
      note: "first issue",
      document: file("resolution.pdf", "application/pdf", "%PDF-")
    })
  )
  yield* call("tokens.burn", Tokens.burn({ tokenId, amount: amount("50.5"), fromWalletId: walletId }))
  yield* call("tokens.get", Tokens.get({ tokenId }))
  yield* call("tokens.networks", Tokens.networks())
  yield* call("tokens.metadata", Tokens.metadata({ tokenId }))
  yield* call(
    "tokens.updateMetadata",
    Tokens.updateMetadata({ tokenId, metadata: { website: "https://acme.example", terms: [1, { due: null }] } })
  )

  const nft = yield* call(
    "nfts.create",
    Nfts.create({
      name: "Deed 1",
      networkId: "ethereum",
      walletId,
      collection: "Deeds",
      file: file("deed.txt", "text/plain", "all of it")
    })
  )
  const nftId = nft.id
  const { items: others } = yield* Wallets.list({ clientId: "bob", networkId: "ethereum" })
  yield* call("nfts.transfer", Nfts.transfer({ nftId, fromWalletId: walletId, toWalletId: others[0]!.id }))
  yield* call("nfts.get", Nfts.get({ nftId }))
  yield* call("nfts.networks", Nfts.networks({ search: "ether" }))
  yield* call("nfts.transfers", Nfts.transfers({ nftId }))

  const order = yield* call(
    "paymentOrders.create",
    PaymentOrders.create({ amount: amount("99.90"), currency: "EUR", clientId: "alice", note: "shoes" })
  )
  const orderId = order.id
  yield* call("paymentOrders.selectAsset", PaymentOrders.selectAsset({ orderId, assetId: "usdc" }))
  yield* call("paymentOrders.get", PaymentOrders.get({ orderId }))
  yield* call("paymentOrders.list", PaymentOrders.list({ status: "PENDING", clientId: "alice" }))
  yield* call("paymentOrders.cancel", PaymentOrders.cancel({ orderId }))

  const link = yield* call(
    "fiatGateway.createPaymentLink",
    FiatGateway.createPaymentLink({ clientId: "alice", amount: amount("250"), currency: "EUR", method: "CARD" })
  )
  const { transactionId } = yield* emulator.payLink(link.id)
  yield* call("fiatGateway.getPaymentLink", FiatGateway.getPaymentLink({ linkId: link.id }))
  yield* call("fiatGateway.listPaymentLinks", FiatGateway.listPaymentLinks({ status: "COMPLETED" }))
  yield* call("fiatGateway.refund", FiatGateway.refund({ transactionId, amount: amount("25"), reason: "returned" }))

  return Object.fromEntries(results)
})

export const callEach = callEachFrom(2)
