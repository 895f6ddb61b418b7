/** The records of a vault's ledger, and their form in a snapshot. */
import * as Schema from "effect/Schema"
import { Asset } from "./catalogue.ts"
import { End, Lifecycle } from "./lifecycle.ts"
import { Sum } from "./money.ts"
import * as StateField from "./stateField.ts"

/** What a wallet holds of one asset. */
export const Wallet = Schema.Struct({
  /** The id of the wallet: the same for all assets of an owner on a network, as is the address. */
  id: Schema.String,
  /** The client that owns the wallet. Absent for the vault's own wallets. */
  clientId: Schema.UndefinedOr(Schema.String),
  asset: Asset,
  address: Schema.String,
  /** The amount that can be spent. */
  balance: Schema.mutableKey(Sum),
  /** The amount reserved for outgoing transactions. It returns to the balance if they do not complete. */
  held: Schema.mutableKey(Sum),
  transactions: Schema.mutableKey(Schema.Int)
})
export interface Wallet extends Schema.Schema.Type<typeof Wallet> {}

/** The key of what a wallet holds of one asset. */
export const holdingKey = (walletId: string, assetId: string): string => `${walletId} ${assetId}`

export const Transaction = Schema.Struct({
  id: Schema.String,
  type: Schema.Literals(["INCOMING", "OUTGOING", "INTERNAL_TRANSFER", "SWAP", "ALLOWANCE"]),
  lifecycle: Lifecycle,
  /** The clients whose histories include the transaction. Answers show only the first client. */
  clientIds: Schema.Array(Schema.String),
  walletId: Schema.optional(Schema.String),
  assetId: Schema.optional(Schema.String),
  networkId: Schema.optional(Schema.String),
  amount: Schema.optional(Sum),
  /** The currency of fiat money. */
  currency: Schema.optional(Schema.String),
  from: Schema.optional(Schema.String),
  to: Schema.optional(Schema.String),
  note: Schema.optional(Schema.String),
  /** The hash on the blockchain. */
  hash: Schema.optional(Schema.String),
  /** The amount refunded so far. Only fiat deposits have this field. */
  refunded: Schema.mutableKey(Schema.optional(Sum))
})
export interface Transaction extends Schema.Schema.Type<typeof Transaction> {}

/** An amount in flight. At the time `at`, the amount arrives, or returns to its wallet. */
const Settlement = Schema.Struct({
  at: Schema.Finite,
  end: End,
  amount: Sum,
  /** The key of the holding that the amount left. */
  from: Schema.String,
  to: Schema.Union([
    Schema.TaggedStruct("Wallet", { holding: Schema.String }),
    /** An address in this vault or outside it. */
    Schema.TaggedStruct("Address", { address: Schema.String, note: Schema.UndefinedOr(Schema.String) })
  ])
})
export interface Settlement extends Schema.Schema.Type<typeof Settlement> {}

const LedgerState = Schema.Struct({
  /** By {@link holdingKey}. */
  wallets: StateField.map(Wallet),
  /** The ids of wallets, by owner and network. */
  ids: StateField.map(Schema.String),
  transactions: StateField.map(Transaction),
  settlements: StateField.list(Settlement)
}).pipe(
  Schema.check(
    Schema.makeFilter(({ ids, settlements, wallets }) => {
      const opened = new Set(Array.from(wallets.values(), ({ id }) => id))
      if (!Array.from(ids.values()).every((id) => opened.has(id))) return "an owner's wallet is missing"
      return settlements
        .flatMap(({ from, to }) => [from, ...(to._tag === "Wallet" ? [to.holding] : [])])
        .every((key) => wallets.has(key))
        ? undefined
        : "an amount in flight belongs to no wallet"
    })
  )
)
export interface LedgerState extends Schema.Schema.Type<typeof LedgerState> {}

export const ledgerState = StateField.make<LedgerState>({
  name: "ledger",
  schema: LedgerState,
  initial: () => ({ wallets: new Map(), ids: new Map(), transactions: new Map(), settlements: [] })
})
