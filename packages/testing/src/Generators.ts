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
import * as Declaration from "@effect-custody/core/siblings/Declaration"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as Arbitraries from "./internal/arbitraries.ts"
import * as Operations from "@effect-custody/sdk/Operations"

const find = (operation: Operations.Name): Declaration.Declaration => Operations.functions.get(operation)!

const success = (operation: Operations.Name): SchemaAST.AST => SchemaAST.toType(find(operation).success.ast)

type Item<A> = A extends Page.Page<infer I> ? I : A extends ReadonlyArray<infer I> ? I : A

/**
 * Records of an operation: its payload, or an item of its list.
 *
 * @example
 * ```ts
 * import { Generators } from "@effect-custody/testing"
 * import { Arbitrary } from "effect"
 *
 * const wallets = Arbitrary.array(Generators.record("wallets.list"), { maxLength: 5 })
 * ```
 *
 * @since 0.1.0
 * @category generators
 */
export const record = <N extends Operations.Name>(operation: N): Arbitrary.Arbitrary<Item<Operations.Payload<N>>> => {
  const type = success(operation)
  return Arbitraries.generator(SchemaAST.isArrays(type) ? type.rest[0]! : type) as never
}

/**
 * Payloads of an operation, or pages of a list.
 *
 * @since 0.1.0
 * @category generators
 */
export const payload = <N extends Operations.Name>(operation: N): Arbitrary.Arbitrary<Operations.Payload<N>> =>
  (find(operation).isList
    ? Arbitrary.map(Arbitrary.array(record(operation), { maxLength: 10 }), (items) => ({ items, meta: undefined }))
    : Arbitraries.generator(success(operation))) as never

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
export const input = <N extends Operations.Name>(operation: N): Arbitrary.Arbitrary<Operations.Input<N>> => {
  const type = SchemaAST.toType(Schema.Struct(Declaration.fields(find(operation))).ast)
  return Arbitraries.fields(SchemaAST.isObjects(type) ? type.propertySignatures : []) as never
}

/**
 * Amounts: zero, whole, in cents, and in the smallest unit of a coin. Never negative.
 *
 * @since 0.1.0
 * @category generators
 */
export const Amount: Arbitrary.Arbitrary<AmountType> = Arbitraries.amount
