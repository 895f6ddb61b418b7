/** The 47 operations as plain functions, without anything of what an endpoint is: what any program pays for 47 effects. */
import * as Sdk from "@effect-custody/sdk"
import type { Effect } from "effect"

const plain =
  <Input extends ReadonlyArray<unknown>, A, E, R>(endpoint: (...input: Input) => Effect.Effect<A, E, R>) =>
  (...input: Input): Effect.Effect<A, E, R> =>
    endpoint(...input)

export const Authentication = {
  generateTokens: plain(Sdk.Authentication.generateTokens),
  refreshToken: plain(Sdk.Authentication.refreshToken)
}

export const Clients = {
  create: plain(Sdk.Clients.create),
  createMany: plain(Sdk.Clients.createMany),
  list: plain(Sdk.Clients.list),
  get: plain(Sdk.Clients.get)
}

export const Wallets = {
  list: plain(Sdk.Wallets.list),
  get: plain(Sdk.Wallets.get),
  balance: plain(Sdk.Wallets.balance),
  transactionCount: plain(Sdk.Wallets.transactionCount)
}

export const Vaults = {
  details: plain(Sdk.Vaults.details),
  configuration: plain(Sdk.Vaults.configuration),
  assets: plain(Sdk.Vaults.assets),
  networks: plain(Sdk.Vaults.networks),
  networkSettings: plain(Sdk.Vaults.networkSettings),
  approvals: plain(Sdk.Vaults.approvals),
  approval: plain(Sdk.Vaults.approval),
  paymentPolicies: plain(Sdk.Vaults.paymentPolicies),
  gasStationCategories: plain(Sdk.Vaults.gasStationCategories)
}

export const Transactions = {
  send: plain(Sdk.Transactions.send),
  transfer: plain(Sdk.Transactions.transfer),
  list: plain(Sdk.Transactions.list),
  get: plain(Sdk.Transactions.get),
  status: plain(Sdk.Transactions.status)
}

export const Assets = {
  list: plain(Sdk.Assets.list),
  prices: plain(Sdk.Assets.prices)
}

export const Tokens = {
  create: plain(Sdk.Tokens.create),
  get: plain(Sdk.Tokens.get),
  networks: plain(Sdk.Tokens.networks),
  mint: plain(Sdk.Tokens.mint),
  burn: plain(Sdk.Tokens.burn),
  metadata: plain(Sdk.Tokens.metadata),
  updateMetadata: plain(Sdk.Tokens.updateMetadata)
}

export const Nfts = {
  create: plain(Sdk.Nfts.create),
  get: plain(Sdk.Nfts.get),
  networks: plain(Sdk.Nfts.networks),
  transfer: plain(Sdk.Nfts.transfer),
  transfers: plain(Sdk.Nfts.transfers)
}

export const PaymentOrders = {
  create: plain(Sdk.PaymentOrders.create),
  selectAsset: plain(Sdk.PaymentOrders.selectAsset),
  get: plain(Sdk.PaymentOrders.get),
  list: plain(Sdk.PaymentOrders.list),
  cancel: plain(Sdk.PaymentOrders.cancel)
}

export const FiatGateway = {
  createPaymentLink: plain(Sdk.FiatGateway.createPaymentLink),
  getPaymentLink: plain(Sdk.FiatGateway.getPaymentLink),
  listPaymentLinks: plain(Sdk.FiatGateway.listPaymentLinks),
  refund: plain(Sdk.FiatGateway.refund)
}
