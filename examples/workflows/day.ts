/** A day at a payment company, from its first client to the books in the evening. */
import {
  Amount,
  Assets,
  Clients,
  FiatGateway,
  PaymentOrders,
  Tokens,
  Transactions,
  Upload,
  Wallets
} from "@effect-custody/sdk"
import { BigDecimal, Effect, Stream } from "effect"
import { payOut } from "./payOut.ts"
import * as Story from "./story.ts"
import { World } from "./World.ts"

const clients = ["alice", "bob", "carol"]

/** What a client has, of everything. */
const holdings = Effect.fn("holdings")(function* (clientId: string) {
  const wallets = yield* Stream.runCollect(Wallets.stream({ clientId }))
  const symbols = new Map((yield* Stream.runCollect(Assets.stream())).map(({ id, symbol }) => [id, symbol]))
  return wallets
    .flatMap(({ balances = [] }) => balances)
    .flatMap(({ assetId, balance }) =>
      BigDecimal.isZero(balance) ? [] : [Story.sum(balance, assetId && symbols.get(assetId))]
    )
})

const onboarding = Effect.gen(function* () {
  yield* Story.chapter("Morning: three clients")
  yield* Clients.createMany({ externalIds: clients })
  yield* Effect.forEach(clients, (clientId) =>
    Effect.gen(function* () {
      const wallets = yield* Stream.runCollect(Wallets.stream({ clientId }))
      const networks = wallets.map(({ asset, networkId }) => asset?.network?.name ?? networkId ?? "an unknown network")
      yield* Story.line(`${clientId} is taken on, with a wallet on each of ${networks.join(", ")}.`)
    })
  )
})

const sale = Effect.gen(function* () {
  const world = yield* World
  yield* Story.chapter("A sale: the buyer chooses how to pay")
  const { id, paymentLink } = yield* PaymentOrders.create({
    amount: Amount.of("99.90"),
    currency: "EUR",
    clientId: "alice",
    note: "order 4711"
  })
  yield* Story.line(`alice sells a bicycle for 99.90 EUR. The buyer gets a link: ${paymentLink}`)
  const chosen = yield* PaymentOrders.selectAsset({ orderId: id, assetId: "usdc" })
  yield* Story.line(
    `The buyer chooses USDC on Ethereum, which makes it ${Story.sum(chosen.assetAmount, "usdc")}, and pays.`
  )
  yield* world.buyerPays(id)
  const { status } = yield* PaymentOrders.awaitFinal(id)
  yield* Story.line(`The order is ${status}; alice has ${(yield* holdings("alice")).join(", ")}.`)
})

const payout = Effect.gen(function* () {
  yield* Story.chapter("Noon: a payout")
  yield* Story.line("alice pays 40 USDC to her supplier, outside of the vault.")
  const transactionId = yield* payOut({
    name: "invoice 2026-118",
    clientId: "alice",
    assetId: "usdc",
    to: "0x52908400098527886E0F7030069857D2E4169EE7",
    amount: Amount.of("40")
  })
  yield* Transactions.watch(transactionId).pipe(
    Stream.runForEach(({ status }) => Story.line(`transaction ${transactionId} is ${status}`))
  )
})

const rent = Effect.gen(function* () {
  yield* Story.chapter("A transfer, from client to client")
  const amount = Amount.of("25.50")
  const { id } = yield* Transactions.transfer({
    fromClientId: "alice",
    toClientId: "bob",
    assetId: "usdc",
    amount,
    note: "rent"
  })
  const { status } = yield* Transactions.awaitFinal(id)
  yield* Story.line(`alice pays ${Story.sum(amount, "usdc")} of rent to bob: ${status}.`)
})

const bond = Effect.gen(function* () {
  yield* Story.chapter("Afternoon: a bond is issued")
  const { id: tokenId } = yield* Tokens.create({
    type: "SECURITY",
    name: "Acme Bond 2030",
    symbol: "ACME30",
    networkId: "ethereum",
    decimals: 2,
    logo: Upload.fromBytes({
      name: "logo.svg",
      contentType: "image/svg+xml",
      bytes: new TextEncoder().encode("<svg/>")
    })
  })
  yield* Story.line(`Acme Bond 2030 is created on Ethereum, as token ${tokenId}.`)
  const [wallet] = (yield* Wallets.list({ clientId: "carol", networkId: "ethereum" })).items
  if (wallet === undefined) return yield* Story.line("carol has no wallet on Ethereum, and gets none of it.")
  const prospectus = Upload.fromBytes({
    name: "prospectus.txt",
    contentType: "text/plain",
    bytes: new TextEncoder().encode("Acme promises to pay.")
  })
  const minted = yield* Tokens.mint({
    tokenId,
    amount: Amount.of("250"),
    toWalletId: wallet.id,
    document: prospectus
  })
  yield* Story.line(`carol buys ${Story.sum(minted.amount, "acme30")}, minted with ${prospectus.name}.`)
  const { supply } = yield* Tokens.get({ tokenId })
  yield* Story.line(`There are ${Story.sum(supply, "acme30")} in the world.`)
})

const refund = Effect.gen(function* () {
  const world = yield* World
  yield* Story.chapter("A refund")
  const link = yield* FiatGateway.createPaymentLink({
    clientId: "bob",
    amount: Amount.of("250"),
    currency: "EUR",
    method: "CARD"
  })
  yield* world.clientPaysIn(link.id)
  const { transactionId } = yield* FiatGateway.getPaymentLink({ linkId: link.id })
  if (transactionId === undefined) return yield* Story.line("bob has not paid in.")
  yield* Story.line("bob pays in 250 EUR by card, and wants 100 of it back.")
  const reason = "changed his mind"
  const back = yield* FiatGateway.refund({ transactionId, amount: Amount.of("100"), reason })
  yield* Story.line(`${Story.sum(back.amount, back.currency)} goes back to him: ${back.status ?? "without a status"}.`)
  // More than is left: the service says no in its own words, and nothing has happened.
  yield* FiatGateway.refund({ transactionId, amount: Amount.of("200"), reason }).pipe(
    Effect.catchTag(["OtherApiError", "ValidationFailed"], ({ message }) =>
      Story.line(`Then he wants 200 more. The service says no: "${message}".`)
    )
  )
})

const evening = Effect.gen(function* () {
  yield* Story.chapter("Evening: the books")
  const history = yield* Stream.runCollect(Transactions.stream({ sortKey: "createdAt", order: "asc", limit: 50 }))
  const rows = history.map(({ amount, assetId, clientId, id, note, status, type, extra }) => [
    id,
    type ?? "",
    clientId ?? "",
    Story.sum(amount),
    // A field that the record does not name is under `extra`, unchanged: checking its type is up to us.
    assetId ?? (typeof extra["currency"] === "string" ? extra["currency"] : ""),
    status,
    note ?? ""
  ])
  for (const row of Story.table(rows, [3])) yield* Story.line(row)
  yield* Story.pause
  for (const clientId of clients) {
    yield* Story.line(`${clientId} has ${(yield* holdings(clientId)).join(", ") || "nothing"}.`)
  }
})

export const day = Effect.gen(function* () {
  const { hoursPass } = yield* World
  yield* onboarding
  yield* sale
  yield* payout
  yield* hoursPass
  yield* rent
  yield* bond
  yield* hoursPass
  yield* refund
  yield* evening
})
