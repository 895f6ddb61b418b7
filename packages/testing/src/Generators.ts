/**
 * Generators of records and inputs, derived from the contracts, for property tests of workflows.
 *
 * Optional fields are sometimes absent. Amounts are zero, whole, in cents or in the smallest unit. Texts are sometimes not
 * ASCII. Equal seeds generate equal values.
 *
 * @since 0.1.0
 */
import type { Amount as AmountType } from "@effect-custody/core/Amount"
import type * as Page from "@effect-custody/core/Page"
import * as Arbitrary from "effect/Arbitrary"
import * as Contracts from "./internal/contracts.ts"
import * as Arbitraries from "./internal/arbitraries.ts"
import type * as Operations from "./Operations.ts"

/**
 * The type of a generator's values.
 *
 * @since 0.1.0
 * @category models
 */
export type Type<G> = G extends Arbitrary.Arbitrary<infer A> ? A : never

type Item<A> = A extends Page.Page<infer I> ? I : A extends ReadonlyArray<infer I> ? I : A

const record = <N extends Operations.Name>(operation: N): Arbitrary.Arbitrary<Item<Operations.Payload<N>>> =>
  Arbitraries.generator(Contracts.recordOf(operation), "") as never

/**
 * Payloads of an operation, or pages of a list.
 *
 * @example
 * ```ts
 * import { CustodyTest, Generators } from "@effect-custody/testing"
 * import { Clients } from "@effect-custody/sdk"
 * import { assert, it } from "@effect/vitest"
 * import { Effect } from "effect"
 *
 * const pages = Generators.payload("clients.list")
 *
 * it.effect.prop("any page of clients has names", [pages], ([page]) =>
 *   Effect.gen(function* () {
 *     const { items } = yield* Clients.list()
 *     assert.isTrue(items.every(({ externalId }) => externalId !== ""))
 *   }).pipe(Effect.provide(CustodyTest.stub({ "clients.list": () => Effect.succeed(page) })))
 * )
 * ```
 *
 * @since 0.1.0
 * @category generators
 */
export const payload = <N extends Operations.Name>(operation: N): Arbitrary.Arbitrary<Operations.Payload<N>> =>
  (Contracts.isList(operation)
    ? Arbitrary.map(Arbitrary.array(record(operation), { maxLength: 10 }), (items) => ({ items, meta: undefined }))
    : Arbitraries.generator(Contracts.dataOf(operation), "")) as never

/**
 * Inputs of an operation.
 *
 * @example
 * ```ts
 * import { Generators } from "@effect-custody/testing"
 * import { Transactions } from "@effect-custody/sdk"
 * import { Arbitrary, Effect } from "effect"
 *
 * const three = Arbitrary.sampleEffect(Generators.input("transactions.send"), { count: 3, seed: 7 }).pipe(
 *   Effect.flatMap(Effect.forEach((input) => Transactions.send(input)))
 * )
 * ```
 *
 * @since 0.1.0
 * @category generators
 */
export const input = <N extends Operations.Name>(operation: N): Arbitrary.Arbitrary<Operations.Input<N>> =>
  Arbitraries.fields(Contracts.inputOf(operation)) as never

/**
 * Amounts: zero, whole, in cents, and in the smallest unit of a coin. Never negative.
 *
 * @since 0.1.0
 * @category generators
 */
export const Amount: Arbitrary.Arbitrary<AmountType> = Arbitraries.amount

// ---- the records of the API, each from the contract of an operation that returns it

/**
 * @since 0.1.0
 * @category records
 */
export const Client = record("clients.get")
/**
 * @since 0.1.0
 * @category records
 */
export const Wallet = record("wallets.get")
/**
 * @since 0.1.0
 * @category records
 */
export const WalletBalance = record("wallets.balance")
/**
 * @since 0.1.0
 * @category records
 */
export const TransactionCount = record("wallets.transactionCount")
/**
 * @since 0.1.0
 * @category records
 */
export const Vault = record("vaults.details")
/**
 * @since 0.1.0
 * @category records
 */
export const VaultConfiguration = record("vaults.configuration")
/**
 * @since 0.1.0
 * @category records
 */
export const VaultAsset = record("vaults.assets")
/**
 * @since 0.1.0
 * @category records
 */
export const Network = record("vaults.networks")
/**
 * @since 0.1.0
 * @category records
 */
export const NetworkSetting = record("vaults.networkSettings")
/**
 * @since 0.1.0
 * @category records
 */
export const Approval = record("vaults.approvals")
/**
 * @since 0.1.0
 * @category records
 */
export const PaymentPolicy = record("vaults.paymentPolicies")
/**
 * @since 0.1.0
 * @category records
 */
export const GasStationCategory = record("vaults.gasStationCategories")
/**
 * @since 0.1.0
 * @category records
 */
export const Transaction = record("transactions.get")
/**
 * @since 0.1.0
 * @category records
 */
export const SubmittedTransaction = record("transactions.send")
/**
 * @since 0.1.0
 * @category records
 */
export const TransactionStatus = record("transactions.status")
/**
 * @since 0.1.0
 * @category records
 */
export const Asset = record("assets.list")
/**
 * @since 0.1.0
 * @category records
 */
export const AssetPrice = record("assets.prices")
/**
 * @since 0.1.0
 * @category records
 */
export const Token = record("tokens.get")
/**
 * @since 0.1.0
 * @category records
 */
export const TokenMetadata = record("tokens.metadata")
/**
 * @since 0.1.0
 * @category records
 */
export const SupplyChange = record("tokens.mint")
/**
 * @since 0.1.0
 * @category records
 */
export const Nft = record("nfts.get")
/**
 * @since 0.1.0
 * @category records
 */
export const NftTransfer = record("nfts.transfers")
/**
 * @since 0.1.0
 * @category records
 */
export const PaymentOrder = record("paymentOrders.get")
/**
 * @since 0.1.0
 * @category records
 */
export const SubmittedPaymentOrder = record("paymentOrders.create")
/**
 * @since 0.1.0
 * @category records
 */
export const ChangedPaymentOrder = record("paymentOrders.cancel")
/**
 * @since 0.1.0
 * @category records
 */
export const PaymentLink = record("fiatGateway.getPaymentLink")
/**
 * @since 0.1.0
 * @category records
 */
export const Refund = record("fiatGateway.refund")
