/** The error unions of the kinds of operations, exact fields, and what a record does not name: it does not compile. */
import type { Amount, Endpoint } from "@effect-custody/core"
import * as Sdk from "@effect-custody/sdk"
import type { Reconciliation, Transaction } from "@effect-custody/transactions"
import type {
  Keyed,
  Read,
  ReadOfResource,
  ReadWithoutInput,
  SpecifiedReadWithoutInput,
  TagsOf,
  WriteOfResource
} from "../../../test/support/errorTags.ts"
import type { Equal, Expect } from "../../../test/support/types.ts"

/** The error union of each kind of operation, spelled out. */
export type Kinds = [
  Expect<Equal<TagsOf<typeof Sdk.Vaults.details>, SpecifiedReadWithoutInput>>,
  Expect<Equal<TagsOf<typeof Sdk.Vaults.configuration>, ReadWithoutInput>>,
  Expect<Equal<TagsOf<typeof Sdk.Transactions.list>, Read>>,
  Expect<Equal<TagsOf<typeof Sdk.Transactions.get>, ReadOfResource>>,
  Expect<Equal<TagsOf<typeof Sdk.Transactions.send>, WriteOfResource>>,
  Expect<Equal<TagsOf<typeof Sdk.Clients.create>, Keyed>>
]

/** The optional fields of an input that must not be `undefined`. */
type ExactName<I> = {
  [K in keyof I]-?: {} extends Pick<I, K> ? (Record<K, undefined> extends Pick<I, K> ? never : K) : never
}[keyof I]

type ExactNames<Functions> = {
  [
    N in keyof Functions as Functions[N] extends Endpoint.Endpoint<infer I, any, any>
      ? [ExactName<I>] extends [never]
        ? never
        : N
      : never
  ]: Functions[N] extends Endpoint.Endpoint<infer I, any, any> ? ExactName<I> : never
}

/** An optional field of an input may be `undefined`, except ten: their absence changes what is moved. */
export type Exact = [
  Expect<Equal<ExactNames<typeof Sdk.Assets>, {}>>,
  Expect<Equal<ExactNames<typeof Sdk.Clients>, {}>>,
  Expect<Equal<ExactNames<typeof Sdk.FiatGateway>, { readonly refund: "amount" }>>,
  Expect<Equal<ExactNames<typeof Sdk.Nfts>, { readonly create: "walletId" }>>,
  Expect<
    Equal<
      ExactNames<typeof Sdk.PaymentOrders>,
      { readonly create: "currency" | "assetId"; readonly selectAsset: "networkId" }
    >
  >,
  Expect<
    Equal<
      ExactNames<typeof Sdk.Tokens>,
      {
        readonly create: "decimals" | "initialSupply"
        readonly mint: "toWalletId"
        readonly burn: "fromWalletId"
      }
    >
  >,
  Expect<Equal<ExactNames<typeof Sdk.Transactions>, { readonly send: "networkId" }>>,
  Expect<Equal<ExactNames<typeof Sdk.Vaults>, {}>>,
  Expect<Equal<ExactNames<typeof Sdk.Wallets>, {}>>
]

declare const maybe: string | undefined

/** Inputs and options take the value of an optional field as it is. */
export const optional = [
  Sdk.Transactions.list({ clientId: maybe, status: maybe, page: undefined }),
  Sdk.Transactions.stream({ search: maybe }),
  Sdk.Transactions.awaitFinal("t-1", { deadline: undefined, schedule: undefined })
]

// @ts-expect-error Without an amount, everything is refunded.
export const everything = Sdk.FiatGateway.refund({ transactionId: "t-1", amount: undefined })

declare const transaction: Transaction

// @ts-expect-error A misspelt field.
export const misspelt = transaction.ammount

// @ts-expect-error A field that the record does not name is not beside the others.
export const elsewhere = transaction["memo"]

/** What the service says besides is under one accessor, and is not known. */
export type Extra = [
  Expect<Equal<typeof transaction.extra.memo, unknown>>,
  Expect<Equal<typeof transaction.amount, Amount.Amount | undefined>>
]

declare const reconciliation: Reconciliation

// @ts-expect-error A closed field takes its members only.
export const typo = reconciliation._tag === "NotFound"

// @ts-expect-error The order of a list is closed.
export const closed = Sdk.Transactions.list({ order: "ascending" })

// @ts-expect-error A literal that is no known status.
export const open = transaction.status === "COMPLETE"

// @ts-expect-error A literal that is no known type.
export const internal = transaction.type === "INTERNAL"

/** A status is open: it is any string, and compares with any that is no literal. */
export const text = (other: string): boolean => transaction.status === other || transaction.status === "COMPLETED"
export const status: string = transaction.status

/** A guard leaves the known identifiers. */
export const known = (): "PENDING" | "BROADCASTING" | "COMPLETED" | "REJECTED" | "ERROR" | undefined =>
  Sdk.Transactions.Status.isKnown(transaction.status) ? transaction.status : undefined

/** An input takes any identifier, because the specification shows none. */
export const filtered = Sdk.Transactions.list({ type: "INTERNAL", status: "DONE" })
