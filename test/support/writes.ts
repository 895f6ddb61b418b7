/** Every operation that changes something, with an input that bears a mark: what the ledger knows a logical write by. */
import { Amount, Multipart } from "@effect-custody/core"
import type { CustodyClient } from "@effect-custody/core"
import { Clients, FiatGateway, Nfts, PaymentOrders, Tokens, Transactions } from "@effect-custody/sdk"
import type * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

/** A logical write: what its caller wants to happen once. */
export interface Write {
  readonly operation: string
  readonly safety: "write" | "keyed"
  /** Makes the call. Each call of this function is a logical write of its own: its mark must be new. */
  readonly call: (mark: string) => Effect.Effect<unknown, { readonly _tag: string }, CustodyClient>
}

const amount = Amount.fromString("12.50")
const bytes = new TextEncoder().encode("%PDF-1.7")

const terms = Multipart.fromBytes({ name: "terms.pdf", contentType: "application/pdf", bytes })

/** A file that can be read once, made anew for each call. */
const passedOn = () =>
  Multipart.fromStreamOnce({
    name: "art.png",
    contentType: "image/png",
    size: bytes.byteLength,
    bytes: Stream.make(bytes)
  })

export const writes: ReadonlyArray<Write> = [
  { operation: "clients.create", safety: "keyed", call: (mark) => Clients.create({ id: mark }) },
  {
    operation: "clients.createMany",
    safety: "keyed",
    call: (mark) => Clients.createMany({ ids: [mark, `${mark}-b`] })
  },
  {
    operation: "transactions.send",
    safety: "write",
    call: (mark) => Transactions.send({ clientId: "alice", assetId: "usdc", to: "0xabc", amount, note: mark })
  },
  {
    operation: "transactions.transfer",
    safety: "write",
    call: (mark) =>
      Transactions.transfer({ fromClientId: "alice", toClientId: "bob", assetId: "usdc", amount, note: mark })
  },
  {
    operation: "tokens.create",
    safety: "write",
    call: (mark) => Tokens.create({ name: mark, symbol: "GLD", networkId: "n1", initialSupply: amount, logo: terms })
  },
  {
    operation: "tokens.mint",
    safety: "write",
    call: (mark) => Tokens.mint({ tokenId: "gold", amount, note: mark, document: passedOn() })
  },
  {
    operation: "tokens.burn",
    safety: "write",
    call: (mark) => Tokens.burn({ tokenId: "gold", amount, note: mark, document: terms })
  },
  {
    operation: "tokens.updateMetadata",
    safety: "write",
    call: (mark) => Tokens.updateMetadata({ tokenId: "gold", metadata: { description: mark } })
  },
  {
    operation: "nfts.create",
    safety: "write",
    call: (mark) => Nfts.create({ name: mark, networkId: "n1", file: passedOn() })
  },
  {
    operation: "nfts.transfer",
    safety: "write",
    call: (mark) => Nfts.transfer({ nftId: mark, fromWalletId: "w1", toWalletId: "w2" })
  },
  {
    operation: "paymentOrders.create",
    safety: "write",
    call: (mark) => PaymentOrders.create({ amount, currency: "EUR", note: mark })
  },
  {
    operation: "paymentOrders.selectAsset",
    safety: "write",
    call: (mark) => PaymentOrders.selectAsset({ orderId: mark, assetId: "usdc" })
  },
  { operation: "paymentOrders.cancel", safety: "write", call: (mark) => PaymentOrders.cancel({ orderId: mark }) },
  {
    operation: "fiatGateway.createPaymentLink",
    safety: "write",
    call: (mark) => FiatGateway.createPaymentLink({ clientId: mark, amount, currency: "EUR" })
  },
  {
    operation: "fiatGateway.refund",
    safety: "write",
    call: (mark) => FiatGateway.refund({ transactionId: mark, amount })
  }
]

/** The marks of logical writes. */
export const markOf = (n: number): string => `mark-${n}`

/** The mark in what was sent. */
export const markIn = (text: string): string | undefined => /mark-\d+/.exec(text)?.[0]
