/**
 * Records as the service may give them, and inputs as a program may write them: generators for property tests of
 * workflows, derived from the contracts.
 *
 * What the specification does not promise is now there and now absent, amounts are none, whole, in cents or in the
 * smallest unit, texts are now plain and now not. The same seed gives the same values.
 */
import type { Amount as AmountType } from "@effect-custody/core/Amount"
import type * as Page from "@effect-custody/core/Page"
import * as Arbitrary from "effect/Arbitrary"
import * as Contracts from "./internal/contracts.ts"
import * as Plausible from "./internal/plausible.ts"
import type * as Operations from "./Operations.ts"

/** What a generator makes. */
export type Type<G> = G extends Arbitrary.Arbitrary<infer A> ? A : never

type Item<A> = A extends Page.Page<infer I> ? I : A extends ReadonlyArray<infer I> ? I : A

const record = <N extends Operations.Name>(operation: N): Arbitrary.Arbitrary<Item<Operations.Payload<N>>> =>
  Plausible.generator(Contracts.recordOf(operation), "") as never

/**
 * What an operation may give: its payload, or a page of a list.
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
 */
export const payload = <N extends Operations.Name>(operation: N): Arbitrary.Arbitrary<Operations.Payload<N>> =>
  (Contracts.isList(operation)
    ? Arbitrary.map(Arbitrary.array(record(operation), { maxLength: 10 }), (items) => ({ items, meta: undefined }))
    : Plausible.generator(Contracts.dataOf(operation), "")) as never

/**
 * What an operation may be called with.
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
 */
export const input = <N extends Operations.Name>(operation: N): Arbitrary.Arbitrary<Operations.Input<N>> =>
  Plausible.fields(Contracts.inputOf(operation)) as never

/** Amounts of an asset: none, whole ones, cents, and the smallest unit of a coin. Never negative. */
export const Amount: Arbitrary.Arbitrary<AmountType> = Plausible.amount

// ---- the records of the API, each from the contract of an operation that gives it

export const Client = record("clients.get")
export const Wallet = record("wallets.get")
export const WalletBalance = record("wallets.balance")
export const TransactionCount = record("wallets.transactionCount")
export const Vault = record("vaults.details")
export const VaultConfiguration = record("vaults.configuration")
export const VaultAsset = record("vaults.assets")
export const Network = record("vaults.networks")
export const NetworkSetting = record("vaults.networkSettings")
export const Approval = record("vaults.approvals")
export const PaymentPolicy = record("vaults.paymentPolicies")
export const GasStationCategory = record("vaults.gasStationCategories")
export const Transaction = record("transactions.get")
export const SubmittedTransaction = record("transactions.send")
export const TransactionStatus = record("transactions.status")
export const Asset = record("assets.list")
export const AssetPrice = record("assets.prices")
export const Token = record("tokens.get")
export const TokenMetadata = record("tokens.metadata")
export const SupplyChange = record("tokens.mint")
export const Nft = record("nfts.get")
export const NftTransfer = record("nfts.transfers")
export const PaymentOrder = record("paymentOrders.get")
export const SubmittedPaymentOrder = record("paymentOrders.create")
export const ChangedPaymentOrder = record("paymentOrders.cancel")
export const PaymentLink = record("fiatGateway.getPaymentLink")
export const Refund = record("fiatGateway.refund")
