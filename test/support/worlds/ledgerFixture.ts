/**
 * What every schedule of the ledger begins with: an emulator in which each write can succeed. It is made once, and each
 * schedule goes on from its snapshot.
 */
import { Amount, Upload } from "@effect-custody/core"
import { CustodyEmulator, type Snapshot } from "@effect-custody/emulator"
import { Clients, FiatGateway, Nfts, PaymentOrders, Tokens, Wallets } from "@effect-custody/sdk"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import { TestClock } from "effect/testing"

/**
 * What only one logical write uses, if the write cannot carry a mark of its caller: the ledger identifies the write by
 * its id.
 */
export interface Plot {
  readonly clientId: string
  readonly nftId: string
  readonly orderId: string
  readonly depositId: string
}

/** What there is at the start. */
export interface Estate {
  readonly snapshot: Snapshot.Snapshot
  /** Not used yet. */
  readonly apiKey: Redacted.Redacted
  readonly tokenId: string
  /** The wallet that every NFT is in, and another. */
  readonly nftWallets: readonly [from: string, to: string]
  /** One for each logical write that a schedule may have. */
  readonly plots: ReadonlyArray<Plot>
}

/** How many logical writes a schedule may have. */
export const plotCount = 4

const plenty = Amount.of("1000000")
const networkId = "polygon"
const file = Upload.fromBytes({ name: "art.png", contentType: "image/png", bytes: new Uint8Array(8) })

const plot = Effect.fnUntraced(function* (at: number) {
  const { payLink } = yield* CustodyEmulator
  const clientId = `payer-${at}`
  yield* Clients.create({ id: clientId })
  const nft = yield* Nfts.create({ name: `art ${at}`, networkId, file })
  const order = yield* PaymentOrders.create({ amount: plenty, currency: "EUR" })
  const link = yield* FiatGateway.createPaymentLink({ clientId, amount: plenty, currency: "EUR" })
  const { transactionId } = yield* payLink(link.id)
  return { clientId, nftId: nft.id, orderId: order.id, depositId: transactionId, walletId: nft.walletId! }
})

const build = Effect.gen(function* () {
  const emulator = yield* CustodyEmulator
  yield* Clients.createMany({ ids: ["alice", "bob"] })
  yield* emulator.fund({ clientId: "alice", assetId: "usdc", amount: plenty })
  const token = yield* Tokens.create({ name: "Gold", symbol: "GLD", networkId, initialSupply: plenty })
  const plots = yield* Effect.forEach(Array.from({ length: plotCount }).keys(), plot)
  const { items } = yield* Wallets.list({ clientId: "bob", networkId })
  const apiKey = yield* emulator.issueApiKey()
  const estate: Estate = {
    snapshot: yield* emulator.snapshot,
    apiKey,
    tokenId: token.id,
    nftWallets: [plots[0]!.walletId, items[0]!.id],
    plots
  }
  return estate
})

/** The estate, always the same. Making it takes nothing from the chances of the schedule that is the first to ask. */
export const estate: Effect.Effect<Estate> = Effect.runSync(
  Effect.cached(
    build.pipe(
      Effect.provide(CustodyEmulator.layer),
      Effect.provide(TestClock.layer(), { local: true }),
      Random.withSeed("estate"),
      Effect.orDie
    )
  )
)
