/** The operations of the service whose minor units depend on the asset: each row says its decimal places. */
import { Wire } from "@effect-custody/contract"
import { type Amount, Transactions, Wallets } from "@effect-custody/sdk"
import { Schema } from "effect"

const digits = { btc: 8, eth: 18, pol: 18, usdc: 6, usdt: 6, "usdc-polygon": 6 }

/** What a request sends: an asset that is not listed is refused. */
const sent = Wire.minorUnits(digits, "string")

interface Row {
  readonly assetId?: string | undefined
  readonly decimals?: number | undefined
}

/** The minor units of a row, which says its decimal places. */
const ofRow = ({ assetId = "", decimals }: Row) =>
  Wire.minorUnits(decimals === undefined ? {} : { [assetId]: decimals }, "string")

const read = (row: Row, units: unknown) => (units === undefined ? undefined : ofRow(row).read(row.assetId ?? "", units))

const write = (row: Row, amount: Amount.Amount | undefined) => amount && ofRow(row).write(row.assetId ?? "", amount)

/** What the service itself knows: a token of a vault and a fiat currency have two decimal places. */
const withDecimals = <R extends Row>(row: R): R & { readonly decimals: number } => ({
  ...row,
  decimals: (digits as Readonly<Record<string, number>>)[row.assetId ?? ""] ?? 2
})

const units = Schema.optionalKey(sent.schema)
const decimals = Schema.optionalKey(Schema.Int)

const noDetails = {
  assetId: undefined,
  clientId: undefined,
  createdAt: undefined,
  fee: undefined,
  feeAssetId: undefined,
  from: undefined,
  hash: undefined,
  networkId: undefined,
  note: undefined,
  to: undefined,
  toClientId: undefined,
  type: undefined,
  updatedAt: undefined,
  walletId: undefined
}

type Fields<R> = R extends { readonly Type: infer A } ? A : never

const TransactionRow = Schema.Struct({ ...Transactions.Transaction.fields, amount: units, decimals })

const transaction = {
  record: TransactionRow,
  read: ({ decimals, ...row }: Fields<typeof TransactionRow>) => ({
    ...noDetails,
    ...row,
    amount: read({ ...row, decimals }, row.amount)
  }),
  write: (row: Omit<Transactions.Transaction, "extra">) => ({
    ...withDecimals(row),
    amount: write(withDecimals(row), row.amount)
  })
}

const SubmittedRow = Schema.Struct({ ...Transactions.SubmittedTransaction.fields, amount: units, decimals })

const submitted = {
  record: SubmittedRow,
  read: ({ decimals, ...row }: Fields<typeof SubmittedRow>) => ({
    ...noDetails,
    status: undefined,
    ...row,
    amount: read({ ...row, decimals }, row.amount)
  }),
  write: (row: Omit<Transactions.SubmittedTransaction, "extra">) => ({
    ...withDecimals(row),
    amount: write(withDecimals(row), row.amount)
  })
}

const WalletRow = Schema.Struct({ ...Wallets.Wallet.fields, balance: units, pendingBalance: units, decimals })

const wallet = {
  record: WalletRow,
  read: ({ decimals, ...row }: Fields<typeof WalletRow>) => ({
    asset: undefined,
    assetId: undefined,
    clientId: undefined,
    networkId: undefined,
    transactionCount: undefined,
    balances: undefined,
    ...row,
    balance: read({ ...row, decimals }, row.balance),
    pendingBalance: read({ ...row, decimals }, row.pendingBalance)
  }),
  write: (row: Omit<Wallets.Wallet, "extra">) => ({
    ...withDecimals(row),
    balance: write(withDecimals(row), row.balance),
    pendingBalance: write(withDecimals(row), row.pendingBalance)
  })
}

const payout = { assetId: Schema.String, amount: sent.schema, note: Schema.optionalKey(Schema.String) }

export const perAssetCode = {
  "transactions.get": Wire.make(Transactions.get, { answer: transaction }),
  "transactions.list": Wire.make(Transactions.list, { answer: transaction }),
  "transactions.send": Wire.make(Transactions.send, {
    request: {
      body: { ...payout, clientId: Schema.String, to: Schema.String, networkId: Schema.optionalKey(Schema.String) },
      write: (ours) => ({ body: { ...ours, amount: sent.write(ours.assetId, ours.amount) } }),
      read: ({ body }) => ({
        networkId: undefined,
        note: undefined,
        ...body,
        amount: sent.read(body.assetId, body.amount)
      })
    },
    answer: submitted
  }),
  "transactions.transfer": Wire.make(Transactions.transfer, {
    request: {
      body: { ...payout, fromClientId: Schema.String, toClientId: Schema.String },
      write: (ours) => ({ body: { ...ours, amount: sent.write(ours.assetId, ours.amount) } }),
      read: ({ body }) => ({ note: undefined, ...body, amount: sent.read(body.assetId, body.amount) })
    },
    answer: submitted
  }),
  "wallets.get": Wire.make(Wallets.get, { answer: wallet }),
  "wallets.list": Wire.make(Wallets.list, { answer: wallet })
}
