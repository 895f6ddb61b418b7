/**
 * Every operation that changes something, with an input that identifies the logical write: by a mark of its caller if the
 * input has a field for it, otherwise by the id of a record that only this write uses.
 */
import type * as Operations from "@effect-custody/sdk/Operations"
import { Amount, Upload } from "@effect-custody/core"
import type { CustodyClient } from "@effect-custody/core"
import type { Write as Entry } from "@effect-custody/emulator"
import { Clients, FiatGateway, Nfts, PaymentOrders, Tokens, Transactions } from "@effect-custody/sdk"
import type * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import type { LedgerFixture, OwnRecords } from "./ledgerFixture.ts"

/** The records that a logical write may use, and its unique mark. */
export interface Means extends LedgerFixture, OwnRecords {
  readonly mark: string
}

/** A logical write: a change that its caller wants once. */
export interface Write {
  /** The input to reconcile with, if the history can show the write. */
  readonly reconcileInput?: (means: Means) => Transactions.SendInput | Transactions.TransferInput
  readonly operation: Operations.Name
  readonly safety: "write" | "keyed"
  /** The field of its means that identifies it in the ledger. */
  readonly identifiedBy: "mark" | keyof OwnRecords
  /** Makes the call. Each call of this function is a separate logical write. */
  readonly call: (means: Means) => Effect.Effect<unknown, { readonly _tag: string }, CustodyClient>
}

const amount = Amount.of("12.50")
const bytes = new TextEncoder().encode("%PDF-1.7")
const networkId = "polygon"

const terms = Upload.fromBytes({ name: "terms.pdf", contentType: "application/pdf", bytes })

/** Makes a file that can be read once. */
const makeOnceReadable = () =>
  Upload.fromStreamOnce({
    name: "art.png",
    contentType: "image/png",
    size: bytes.byteLength,
    bytes: Stream.make(bytes)
  })

/** The amount of a payment with a mark. Some amounts are small, or have more decimals than a service may show. */
const amountFor = (mark: string) =>
  Amount.of((["12.50", "5", "0.015", "1250.75"] as const)[Number(/\d$/.exec(mark)) % 4]!)

const sendInput = ({ mark }: Means): Transactions.SendInput => ({
  clientId: "alice",
  assetId: "usdc",
  to: "0xabc",
  amount: amountFor(mark),
  note: mark
})

const transferInput = ({ mark }: Means): Transactions.TransferInput => ({
  fromClientId: "alice",
  toClientId: "bob",
  assetId: "usdc",
  amount: amountFor(mark),
  note: mark
})

export const writes: ReadonlyArray<Write> = [
  {
    operation: "clients.create",
    safety: "keyed",
    identifiedBy: "mark",
    call: ({ mark }) => Clients.create({ externalId: mark })
  },
  {
    operation: "clients.createMany",
    safety: "keyed",
    identifiedBy: "mark",
    call: ({ mark }) => Clients.createMany({ externalIds: [mark, `${mark}-b`] })
  },
  {
    operation: "transactions.send",
    safety: "write",
    identifiedBy: "mark",
    reconcileInput: sendInput,
    call: (means) => Transactions.send(sendInput(means))
  },
  {
    operation: "transactions.transfer",
    safety: "write",
    identifiedBy: "mark",
    reconcileInput: transferInput,
    call: (means) => Transactions.transfer(transferInput(means))
  },
  {
    operation: "tokens.create",
    safety: "write",
    identifiedBy: "mark",
    call: ({ mark }) =>
      Tokens.create({ type: "FUNGIBLE", name: mark, symbol: "SLV", networkId, initialSupply: amount, logo: terms })
  },
  {
    operation: "tokens.mint",
    safety: "write",
    identifiedBy: "mark",
    call: ({ mark, tokenId }) => Tokens.mint({ tokenId, amount, note: mark, document: makeOnceReadable() })
  },
  {
    operation: "tokens.burn",
    safety: "write",
    identifiedBy: "mark",
    call: ({ mark, tokenId }) => Tokens.burn({ tokenId, amount, note: mark, document: terms })
  },
  {
    operation: "tokens.updateMetadata",
    safety: "write",
    identifiedBy: "mark",
    call: ({ mark, tokenId }) => Tokens.updateMetadata({ tokenId, metadata: { description: mark } })
  },
  {
    operation: "nfts.create",
    safety: "write",
    identifiedBy: "mark",
    call: ({ mark }) => Nfts.create({ name: mark, networkId, file: makeOnceReadable() })
  },
  {
    operation: "nfts.transfer",
    safety: "write",
    identifiedBy: "nftId",
    call: ({ nftId, nftWallets: [fromWalletId, toWalletId] }) => Nfts.transfer({ nftId, fromWalletId, toWalletId })
  },
  {
    operation: "paymentOrders.create",
    safety: "write",
    identifiedBy: "mark",
    call: ({ mark }) => PaymentOrders.create({ amount, currency: "EUR", note: mark })
  },
  {
    operation: "paymentOrders.selectAsset",
    safety: "write",
    identifiedBy: "orderId",
    call: ({ orderId }) => PaymentOrders.selectAsset({ orderId, assetId: "usdc" })
  },
  {
    operation: "paymentOrders.cancel",
    safety: "write",
    identifiedBy: "orderId",
    call: ({ orderId }) => PaymentOrders.cancel({ orderId })
  },
  {
    operation: "fiatGateway.createPaymentLink",
    safety: "write",
    identifiedBy: "clientId",
    call: ({ clientId }) => FiatGateway.createPaymentLink({ clientId, amount, currency: "EUR" })
  },
  {
    operation: "fiatGateway.refund",
    safety: "write",
    identifiedBy: "depositId",
    call: ({ depositId }) => FiatGateway.refund({ transactionId: depositId, amount })
  }
]

/** `true` if a value anywhere in an input equals the name. */
const isIn = (value: unknown, name: string): boolean =>
  value === name || (Predicate.isObjectOrArray(value) && Object.values(value).some((inner) => isIn(inner, name)))

/** `true` if an entry of the ledger is the write with these means. */
export const isEntryOf = ({ identifiedBy, operation }: Write, means: Means, entry: Entry): boolean =>
  entry.operation === operation && isIn(entry.input, means[identifiedBy])

/** The mark of a logical write. */
export const formatMark = (n: number): string => `mark-${n}`
