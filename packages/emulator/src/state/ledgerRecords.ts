/** The records of a vault's ledger, and their form in a snapshot. */
import * as Schema from "effect/Schema"
import { Asset } from "./catalogue.ts"
import { End, Lifecycle } from "./lifecycle.ts"
import { Sum } from "./money.ts"
import * as StateField from "./stateField.ts"

export const Wallet = Schema.Struct({
  id: Schema.String,
  /** Its owner. Absent for the vault's own wallets. */
  clientId: Schema.UndefinedOr(Schema.String),
  asset: Asset,
  address: Schema.String,
  /** The amount that can be spent. */
  balance: Schema.mutableKey(Sum),
  /** The amount reserved for outgoing transactions. It returns if they do not complete. */
  held: Schema.mutableKey(Sum),
  transactions: Schema.mutableKey(Schema.Int)
})
export interface Wallet extends Schema.Schema.Type<typeof Wallet> {}

export const Transaction = Schema.Struct({
  id: Schema.String,
  type: Schema.Literals(["INCOMING", "OUTGOING", "INTERNAL_TRANSFER"]),
  lifecycle: Lifecycle,
  /** The clients whose history it belongs to. Answers show the first one. */
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
  hash: Schema.optional(Schema.String),
  /** The refunded part of a fiat deposit. Only a deposit has it. */
  refunded: Schema.mutableKey(Schema.optional(Sum))
})
export interface Transaction extends Schema.Schema.Type<typeof Transaction> {}

/** An amount in flight. At its time it arrives, or returns to its wallet. */
const Settlement = Schema.Struct({
  at: Schema.Finite,
  end: End,
  amount: Sum,
  fromWalletId: Schema.String,
  to: Schema.Union([
    Schema.TaggedStruct("Wallet", { walletId: Schema.String }),
    /** In this vault, or outside. */
    Schema.TaggedStruct("Address", { address: Schema.String, note: Schema.UndefinedOr(Schema.String) })
  ])
})
export interface Settlement extends Schema.Schema.Type<typeof Settlement> {}

const LedgerState = Schema.Struct({
  wallets: StateField.map(Wallet),
  /** Wallet ids by owner and asset. */
  byHolding: StateField.map(Schema.String),
  transactions: StateField.map(Transaction),
  settlements: StateField.list(Settlement)
}).pipe(
  Schema.check(
    Schema.makeFilter(({ byHolding, settlements, wallets }) =>
      [
        ...byHolding.values(),
        ...settlements.flatMap(({ fromWalletId, to }) => [fromWalletId, ...(to._tag === "Wallet" ? [to.walletId] : [])])
      ].every((id) => wallets.has(id))
        ? undefined
        : "an amount in flight belongs to no wallet"
    )
  )
)
export interface LedgerState extends Schema.Schema.Type<typeof LedgerState> {}

export const ledgerState = StateField.make<LedgerState>({
  name: "ledger",
  schema: LedgerState,
  initial: () => ({ wallets: new Map(), byHolding: new Map(), transactions: new Map(), settlements: [] })
})
