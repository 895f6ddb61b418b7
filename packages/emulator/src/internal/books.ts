/** What a vault's books hold, as it is written down. */
import * as Schema from "effect/Schema"
import { Asset } from "./catalogue.ts"
import { Course, End } from "./course.ts"
import { Sum } from "./money.ts"
import * as Slice from "./slice.ts"

export const Wallet = Schema.Struct({
  id: Schema.String,
  /** Whose it is: without a client, the vault's own. */
  clientId: Schema.UndefinedOr(Schema.String),
  asset: Asset,
  address: Schema.String,
  /** What can be spent. */
  balance: Schema.mutableKey(Sum),
  /** What is on its way out: not to be spent, and back if it does not arrive. */
  held: Schema.mutableKey(Sum),
  transactions: Schema.mutableKey(Schema.Int)
})
export interface Wallet extends Schema.Schema.Type<typeof Wallet> {}

export const Transaction = Schema.Struct({
  id: Schema.String,
  type: Schema.Literals(["INCOMING", "OUTGOING", "INTERNAL_TRANSFER"]),
  course: Course,
  /** Whose history it belongs to; the first is the one that it is told as. */
  clientIds: Schema.Array(Schema.String),
  walletId: Schema.optional(Schema.String),
  assetId: Schema.optional(Schema.String),
  networkId: Schema.optional(Schema.String),
  amount: Schema.optional(Sum),
  /** Of fiat money. */
  currency: Schema.optional(Schema.String),
  from: Schema.optional(Schema.String),
  to: Schema.optional(Schema.String),
  note: Schema.optional(Schema.String),
  /** On a blockchain. */
  hash: Schema.optional(Schema.String)
})
export interface Transaction extends Schema.Schema.Type<typeof Transaction> {}

/** An amount on its way out of a wallet, until a time: then it arrives, or is back. */
const Due = Schema.Struct({
  at: Schema.Finite,
  end: End,
  amount: Sum,
  fromWalletId: Schema.String,
  to: Schema.Union([
    Schema.TaggedStruct("Wallet", { walletId: Schema.String }),
    /** In this vault, or anywhere. */
    Schema.TaggedStruct("Address", { address: Schema.String, note: Schema.UndefinedOr(Schema.String) })
  ])
})
export interface Due extends Schema.Schema.Type<typeof Due> {}

const Books = Schema.Struct({
  wallets: Slice.table(Wallet),
  /** Ids of wallets, by owner and asset. */
  byHolding: Slice.table(Schema.String),
  /** Whose an address is, by network and address. */
  byAddress: Slice.table(Schema.Struct({ clientId: Schema.UndefinedOr(Schema.String) })),
  transactions: Slice.table(Transaction),
  due: Schema.mutableKey(Slice.list(Due)),
  /** The time of the first of them, or infinity. */
  // @effect-diagnostics-next-line schemaNumber:off
  nextDueAt: Schema.mutableKey(Schema.Number)
}).pipe(
  Schema.check(
    Schema.makeFilter(({ byHolding, due, wallets }) =>
      [
        ...byHolding.values(),
        ...due.flatMap(({ fromWalletId, to }) => [fromWalletId, ...(to._tag === "Wallet" ? [to.walletId] : [])])
      ].every((id) => wallets.has(id))
        ? undefined
        : "what is on its way belongs to no wallet"
    )
  )
)
export interface Books extends Schema.Schema.Type<typeof Books> {}

export const slice = Slice.make<Books>({
  name: "books",
  schema: Books,
  initial: () => ({
    wallets: new Map(),
    byHolding: new Map(),
    byAddress: new Map(),
    transactions: new Map(),
    due: [],
    nextDueAt: Infinity
  })
})
