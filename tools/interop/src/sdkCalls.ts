/** A call of each operation by the SDK, with every kind of input. */
import { Authentication } from "@effect-custody/authentication"
import { Amount, Upload } from "@effect-custody/core"
import {
  Assets,
  Clients,
  FiatGateway,
  Nfts,
  PaymentOrders,
  Tokens,
  Transactions,
  Vaults,
  Wallets
} from "@effect-custody/sdk"
import * as DateTime from "effect/DateTime"
import * as Redacted from "effect/Redacted"

const amount = Amount.of("12.50")

const file = Upload.fromBytes({
  name: "logo.svg",
  contentType: "image/svg+xml",
  bytes: new TextEncoder().encode("<svg/>")
})

/** The id of every record of Prism's mock: the SDK takes no other record than the one that it asked for. */
const mocked = "string"

/** All 47, by name. */
export const sdkCalls = {
  "authentication.generateTokens": Authentication.generateTokens({ apiKey: Redacted.make("key") }),
  "authentication.refreshToken": Authentication.refreshToken({ refreshToken: Redacted.make("token") }),
  "clients.create": Clients.create({ id: mocked }),
  "clients.createMany": Clients.createMany({ ids: [mocked] }),
  "clients.list": Clients.list({ page: 2, limit: 50, sortKey: "id", order: "asc", search: "al" }),
  "clients.get": Clients.get({ externalId: mocked }),
  "wallets.list": Wallets.list({ clientId: "alice", assetId: "usdc", networkId: "ethereum" }),
  "wallets.get": Wallets.get({ walletId: mocked }),
  "wallets.balance": Wallets.balance({ walletId: mocked }),
  "wallets.transactionCount": Wallets.transactionCount({ walletId: mocked }),
  "vaults.details": Vaults.details(),
  "vaults.configuration": Vaults.configuration(),
  "vaults.assets": Vaults.assets(),
  "vaults.networks": Vaults.networks({ limit: 1 }),
  "vaults.networkSettings": Vaults.networkSettings(),
  "vaults.approvals": Vaults.approvals({ order: "desc" }),
  "vaults.approval": Vaults.approval({ approvalId: mocked }),
  "vaults.paymentPolicies": Vaults.paymentPolicies(),
  "vaults.gasStationCategories": Vaults.gasStationCategories(),
  "transactions.send": Transactions.send({ clientId: "alice", assetId: "usdc", to: "0x2", amount, note: "17" }),
  "transactions.transfer": Transactions.transfer({ fromClientId: "a", toClientId: "b", assetId: "usdc", amount }),
  "transactions.list": Transactions.list({ type: "OUTGOING", from: DateTime.makeUnsafe("2026-11-01T00:00:00Z") }),
  "transactions.get": Transactions.get({ transactionId: mocked }),
  "transactions.status": Transactions.status({ transactionId: mocked }),
  "assets.list": Assets.list({ search: "usdc" }),
  "assets.prices": Assets.prices({ assetIds: ["btc", "eth"], currency: "EUR" }),
  "tokens.get": Tokens.get({ tokenId: mocked }),
  "tokens.networks": Tokens.networks(),
  "tokens.create": Tokens.create({ name: "Acme", symbol: "ACM", networkId: "ethereum", decimals: 6, logo: file }),
  "tokens.mint": Tokens.mint({ tokenId: "tok-1", amount, document: file }),
  "tokens.burn": Tokens.burn({ tokenId: "tok-1", amount }),
  "tokens.metadata": Tokens.metadata({ tokenId: "tok-1" }),
  "tokens.updateMetadata": Tokens.updateMetadata({ tokenId: "tok-1", metadata: { b: [1, null, { c: true }] } }),
  "nfts.get": Nfts.get({ nftId: mocked }),
  "nfts.networks": Nfts.networks(),
  "nfts.create": Nfts.create({ name: "Deed", networkId: "ethereum", file }),
  "nfts.transfer": Nfts.transfer({ nftId: "nft-1", fromWalletId: "w-1", toWalletId: "w-2" }),
  "nfts.transfers": Nfts.transfers({ nftId: "nft-1", limit: 5 }),
  "paymentOrders.create": PaymentOrders.create({ amount, currency: "EUR", clientId: "alice" }),
  "paymentOrders.selectAsset": PaymentOrders.selectAsset({ orderId: "o-1", assetId: "usdc" }),
  "paymentOrders.get": PaymentOrders.get({ orderId: mocked }),
  "paymentOrders.list": PaymentOrders.list({ status: "PENDING" }),
  "paymentOrders.cancel": PaymentOrders.cancel({ orderId: "o-1" }),
  "fiatGateway.createPaymentLink": FiatGateway.createPaymentLink({ clientId: "alice", amount, currency: "EUR" }),
  "fiatGateway.getPaymentLink": FiatGateway.getPaymentLink({ linkId: mocked }),
  "fiatGateway.listPaymentLinks": FiatGateway.listPaymentLinks({ clientId: "alice" }),
  "fiatGateway.refund": FiatGateway.refund({ transactionId: "t-1", amount, reason: "return" })
}
