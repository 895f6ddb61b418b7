/** Specification: "Endpoint categories", Vaults: "payment policies can be read"; fields not shown. */
import * as Id from "@effect-custody/core/Id"
import * as Lenient from "@effect-custody/core/Lenient"
import * as Schema from "effect/Schema"

/**
 * A rule for payments of the vault. The specification shows none of its fields: those here are assumed.
 *
 * @since 0.1.0
 * @category models
 */
export interface PaymentPolicy extends Lenient.Fields {
  readonly id?: string | number
  readonly name?: string
  readonly assetId?: Id.AssetId
}

/**
 * The codec of a {@link PaymentPolicy}.
 *
 * @since 0.1.0
 * @category codecs
 */
export const PaymentPolicy = Lenient.struct<PaymentPolicy>(
  {},
  { id: Schema.Union([Schema.String, Schema.Finite]), name: Schema.String, assetId: Id.AssetId }
)
