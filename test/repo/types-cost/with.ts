/** The same program, that calls all 47. */
import { NodeCustody } from "@effect-custody/node"
import {
  Assets,
  Authentication,
  Clients,
  Custody,
  FiatGateway,
  Nfts,
  PaymentOrders,
  Tokens,
  Transactions,
  Vaults,
  Wallets
} from "@effect-custody/sdk"
import { Amount, Environment, Upload, RetryPolicy, TokenService } from "@effect-custody/core"
import { TokenStore } from "@effect-custody/authentication"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, Layer, Redacted } from "effect"

const live = Custody.layer({
  environment: Environment.sandbox({ subdomain: "acme", host: "sandbox.custody.example" }),
  apiKey: Redacted.make("one-time key"),
  retry: RetryPolicy.none
}).pipe(Layer.provide([NodeCustody.layerHttpClient(), TokenStore.layerMemory]))

const amount = Amount.of("12.50")
const file = Upload.fromBytes({ name: "a.txt", contentType: "text/plain", bytes: new Uint8Array() })

const operations = Effect.gen(function* () {
  const first = yield* Authentication.generateTokens({ apiKey: Redacted.make("one-time key") })
  const next = yield* Authentication.refreshToken({ refreshToken: first.refreshToken })

  const alice = yield* Clients.create({ id: "alice" })
  const others = yield* Clients.createMany({ ids: ["bob", "carol"] })
  const clients = yield* Clients.list({ limit: 50 })
  const client = yield* Clients.get({ externalId: alice.externalId })

  const wallets = yield* Wallets.list({ clientId: client.externalId })
  const wallet = yield* Wallets.get({ walletId: "w-1" })
  const balance = yield* Wallets.balance({ walletId: wallet.id })
  const count = yield* Wallets.transactionCount({ walletId: wallet.id })

  const vault = yield* Vaults.details()
  const configuration = yield* Vaults.configuration()
  const held = yield* Vaults.assets()
  const networks = yield* Vaults.networks()
  const settings = yield* Vaults.networkSettings()
  const approvals = yield* Vaults.approvals()
  const approval = yield* Vaults.approval({ approvalId: "a-1" })
  const policies = yield* Vaults.paymentPolicies()
  const stations = yield* Vaults.gasStationCategories()

  const sent = yield* Transactions.send({ clientId: "alice", assetId: "usdc", to: "0x2", amount })
  const moved = yield* Transactions.transfer({ fromClientId: "alice", toClientId: "bob", assetId: "usdc", amount })
  const history = yield* Transactions.list({ clientId: "alice", type: "OUTGOING" })
  const transaction = yield* Transactions.get({ transactionId: sent.id })
  const status = yield* Transactions.status({ transactionId: moved.id })

  const assets = yield* Assets.list({ search: "usdc" })
  const prices = yield* Assets.prices({ assetIds: ["btc"], currency: "EUR" })

  const token = yield* Tokens.create({ name: "Acme", symbol: "ACM", networkId: "ethereum", logo: file })
  const got = yield* Tokens.get({ tokenId: token.id })
  const where = yield* Tokens.networks()
  const minted = yield* Tokens.mint({ tokenId: token.id, amount, document: file })
  const burned = yield* Tokens.burn({ tokenId: token.id, amount })
  const metadata = yield* Tokens.metadata({ tokenId: token.id })
  const replaced = yield* Tokens.updateMetadata({ tokenId: token.id, metadata: { description: "A bond" } })

  const nft = yield* Nfts.create({ name: "Deed", networkId: "ethereum", file })
  const same = yield* Nfts.get({ nftId: nft.id })
  const places = yield* Nfts.networks()
  const handed = yield* Nfts.transfer({ nftId: nft.id, fromWalletId: "w-1", toWalletId: "w-2" })
  const transfers = yield* Nfts.transfers({ nftId: nft.id })

  const order = yield* PaymentOrders.create({ amount, currency: "EUR", clientId: "alice" })
  const chosen = yield* PaymentOrders.selectAsset({ orderId: order.id, assetId: "usdc" })
  const seen = yield* PaymentOrders.get({ orderId: order.id })
  const orders = yield* PaymentOrders.list({ status: "PENDING" })
  const cancelled = yield* PaymentOrders.cancel({ orderId: order.id })

  const link = yield* FiatGateway.createPaymentLink({ clientId: "alice", amount, currency: "EUR" })
  const paid = yield* FiatGateway.getPaymentLink({ linkId: link.id })
  const links = yield* FiatGateway.listPaymentLinks({ clientId: "alice" })
  const refund = yield* FiatGateway.refund({ transactionId: "t-1", amount })

  return [
    next.expiresAt,
    others.length,
    clients.items.length,
    wallets.items.length,
    balance.balance,
    count.transactionCount,
    vault.name,
    Object.keys(configuration),
    held.items.map(({ symbol }) => symbol),
    networks.items.map(({ id }) => id),
    settings.items.length,
    approvals.items.length,
    approval.status,
    policies.items.length,
    stations.items.length,
    history.items.map(({ amount: moving }) => moving),
    transaction.status,
    status.status,
    assets.items.map(({ decimals }) => decimals),
    prices.map(({ price }) => price),
    got.supply,
    where.items.length,
    minted.supply,
    burned.supply,
    metadata.name,
    replaced.description,
    same.walletId,
    places.items.length,
    handed.status,
    transfers.items.length,
    chosen.status,
    seen.paymentLink,
    orders.items.length,
    cancelled.status,
    paid.status,
    links.items.length,
    refund.amount
  ]
}).pipe(
  Effect.catchTags({
    OutcomeUnknown: (error) => Effect.logError(error.fingerprint),
    ValidationFailed: (error) => Effect.logError(error.fields),
    SessionLost: (error) => Effect.logError(error.message)
  })
)

const program = Effect.gen(function* () {
  const tokens = yield* TokenService
  const status = yield* tokens.status
  yield* Effect.log(`the session is ${status.state}`)
  yield* operations
})

program.pipe(
  Effect.provide(live),
  Effect.catchTag("ConfigurationInvalid", (error) => Effect.logError(error.message)),
  NodeRuntime.runMain
)
