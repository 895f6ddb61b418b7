/** A snapshot of the emulator in which each write can succeed. Made once; each schedule continues from it. */
import { Amount, Upload } from "@effect-custody/core"
import { CustodyEmulator, type Snapshot } from "@effect-custody/emulator"
import { Clients, FiatGateway, Nfts, PaymentOrders, Tokens, Wallets } from "@effect-custody/sdk"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import { TestClock } from "effect/testing"

/** Records that only one logical write uses. Their ids identify a write that cannot carry a mark of its caller. */
export interface OwnRecords {
  readonly clientId: string
  readonly nftId: string
  readonly orderId: string
  readonly depositId: string
}

/** The records at the start of a schedule. */
export interface LedgerFixture {
  readonly snapshot: Snapshot.Snapshot
  /** An unused key. */
  readonly apiKey: Redacted.Redacted
  readonly tokenId: string
  /** The wallet of every NFT, and another wallet. */
  readonly nftWallets: readonly [from: string, to: string]
  /** The own records of each logical write. */
  readonly ownRecords: ReadonlyArray<OwnRecords>
}

/** The maximum number of logical writes in a schedule. */
export const maxWrites = 4

const plenty = Amount.of("1000000")
const networkId = "polygon"
const file = Upload.fromBytes({ name: "art.png", contentType: "image/png", bytes: new Uint8Array(8) })

const makeOwnRecords = Effect.fnUntraced(function* (at: number) {
  const { payLink } = yield* CustodyEmulator
  const clientId = `payer-${at}`
  yield* Clients.create({ externalId: clientId })
  const nft = yield* Nfts.create({ name: `art ${at}`, networkId, file })
  const order = yield* PaymentOrders.create({ amount: plenty, currency: "EUR" })
  const link = yield* FiatGateway.createPaymentLink({ clientId, amount: plenty, currency: "EUR" })
  const { transactionId } = yield* payLink(link.id)
  return { clientId, nftId: nft.id, orderId: order.id, depositId: transactionId, walletId: nft.walletId! }
})

const build = Effect.gen(function* () {
  const emulator = yield* CustodyEmulator
  yield* Clients.createMany({ externalIds: ["alice", "bob"] })
  yield* emulator.fund({ clientId: "alice", assetId: "usdc", amount: plenty })
  const token = yield* Tokens.create({
    type: "FUNGIBLE",
    name: "Gold",
    symbol: "GLD",
    networkId,
    initialSupply: plenty
  })
  const ownRecords = yield* Effect.forEach(Array.from({ length: maxWrites }).keys(), makeOwnRecords)
  const { items } = yield* Wallets.list({ clientId: "bob", networkId })
  const apiKey = yield* emulator.issueApiKey()
  const fixture: LedgerFixture = {
    snapshot: yield* emulator.snapshot,
    apiKey,
    tokenId: token.id,
    nftWallets: [ownRecords[0]!.walletId, items[0]!.id],
    ownRecords
  }
  return fixture
})

/** The fixture, always the same. It has a seed of its own, so it draws no numbers from the first schedule. */
export const ledgerFixture: Effect.Effect<LedgerFixture> = Effect.runSync(
  Effect.cached(
    build.pipe(
      Effect.provide(CustodyEmulator.layer),
      Effect.provide(TestClock.layer(), { local: true }),
      Random.withSeed("estate"),
      Effect.orDie
    )
  )
)
