/**
 * Every operation that changes something, with an input that identifies the logical write: by a mark of its caller if
 * there is a field for one, otherwise by an entity that only this write uses.
 */
import { Amount, Upload } from "@effect-custody/core"
import type { CustodyClient } from "@effect-custody/core"
import type { Write as Entry } from "@effect-custody/emulator"
import { Clients, FiatGateway, Nfts, PaymentOrders, Tokens, Transactions } from "@effect-custody/sdk"
import type * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import type { Estate, Plot } from "./ledgerFixture.ts"

/** What a logical write may use: all of the estate, one plot for itself, and a mark that no other has. */
export interface Means extends Estate, Plot {
  readonly mark: string
}

/** A logical write: what its caller wants to happen once. */
export interface Write {
  /** What was asked for, where the history can be asked for it afterwards. */
  readonly asked?: (means: Means) => Transactions.SendInput | Transactions.TransferInput
  readonly operation: string
  readonly safety: "write" | "keyed"
  /** Which of its means names it in the ledger. */
  readonly named: "mark" | keyof Plot
  /** Makes the call. Each call of this function is a logical write of its own. */
  readonly call: (means: Means) => Effect.Effect<unknown, { readonly _tag: string }, CustodyClient>
}

const amount = Amount.of("12.50")
const bytes = new TextEncoder().encode("%PDF-1.7")
const networkId = "polygon"

const terms = Upload.fromBytes({ name: "terms.pdf", contentType: "application/pdf", bytes })

/** A file that can be read once, made anew for each call. */
const passedOn = () =>
  Upload.fromStreamOnce({
    name: "art.png",
    contentType: "image/png",
    size: bytes.byteLength,
    bytes: Stream.make(bytes)
  })

/** The amount of a payment with a mark: some are small, or have more decimals than a service may show. */
const amountOf = (mark: string) =>
  Amount.of((["12.50", "5", "0.015", "1250.75"] as const)[Number(/\d$/.exec(mark)) % 4]!)

const sendOf = ({ mark }: Means): Transactions.SendInput => ({
  clientId: "alice",
  assetId: "usdc",
  to: "0xabc",
  amount: amountOf(mark),
  note: mark
})

const transferOf = ({ mark }: Means): Transactions.TransferInput => ({
  fromClientId: "alice",
  toClientId: "bob",
  assetId: "usdc",
  amount: amountOf(mark),
  note: mark
})

export const writes: ReadonlyArray<Write> = [
  { operation: "clients.create", safety: "keyed", named: "mark", call: ({ mark }) => Clients.create({ id: mark }) },
  {
    operation: "clients.createMany",
    safety: "keyed",
    named: "mark",
    call: ({ mark }) => Clients.createMany({ ids: [mark, `${mark}-b`] })
  },
  {
    operation: "transactions.send",
    safety: "write",
    named: "mark",
    asked: sendOf,
    call: (means) => Transactions.send(sendOf(means))
  },
  {
    operation: "transactions.transfer",
    safety: "write",
    named: "mark",
    asked: transferOf,
    call: (means) => Transactions.transfer(transferOf(means))
  },
  {
    operation: "tokens.create",
    safety: "write",
    named: "mark",
    call: ({ mark }) => Tokens.create({ name: mark, symbol: "SLV", networkId, initialSupply: amount, logo: terms })
  },
  {
    operation: "tokens.mint",
    safety: "write",
    named: "mark",
    call: ({ mark, tokenId }) => Tokens.mint({ tokenId, amount, note: mark, document: passedOn() })
  },
  {
    operation: "tokens.burn",
    safety: "write",
    named: "mark",
    call: ({ mark, tokenId }) => Tokens.burn({ tokenId, amount, note: mark, document: terms })
  },
  {
    operation: "tokens.updateMetadata",
    safety: "write",
    named: "mark",
    call: ({ mark, tokenId }) => Tokens.updateMetadata({ tokenId, metadata: { description: mark } })
  },
  {
    operation: "nfts.create",
    safety: "write",
    named: "mark",
    call: ({ mark }) => Nfts.create({ name: mark, networkId, file: passedOn() })
  },
  {
    operation: "nfts.transfer",
    safety: "write",
    named: "nftId",
    call: ({ nftId, nftWallets: [fromWalletId, toWalletId] }) => Nfts.transfer({ nftId, fromWalletId, toWalletId })
  },
  {
    operation: "paymentOrders.create",
    safety: "write",
    named: "mark",
    call: ({ mark }) => PaymentOrders.create({ amount, currency: "EUR", note: mark })
  },
  {
    operation: "paymentOrders.selectAsset",
    safety: "write",
    named: "orderId",
    call: ({ orderId }) => PaymentOrders.selectAsset({ orderId, assetId: "usdc" })
  },
  {
    operation: "paymentOrders.cancel",
    safety: "write",
    named: "orderId",
    call: ({ orderId }) => PaymentOrders.cancel({ orderId })
  },
  {
    operation: "fiatGateway.createPaymentLink",
    safety: "write",
    named: "clientId",
    call: ({ clientId }) => FiatGateway.createPaymentLink({ clientId, amount, currency: "EUR" })
  },
  {
    operation: "fiatGateway.refund",
    safety: "write",
    named: "depositId",
    call: ({ depositId }) => FiatGateway.refund({ transactionId: depositId, amount })
  }
]

/** Whether a name is anywhere in an input, as the whole of a value. */
const isIn = (value: unknown, name: string): boolean =>
  value === name || (Predicate.isObjectOrArray(value) && Object.values(value).some((inner) => isIn(inner, name)))

/** Whether an entry of the ledger is the write of these means. */
export const isEntryOf = ({ named, operation }: Write, means: Means, entry: Entry): boolean =>
  entry.operation === operation && isIn(entry.input, means[named])

/** The marks of logical writes. */
export const markOf = (n: number): string => `mark-${n}`

/** The mark in what was sent. */
export const markIn = (text: string): string | undefined => /mark-\d+/.exec(text)?.[0]
