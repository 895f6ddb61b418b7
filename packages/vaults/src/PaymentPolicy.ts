/**
 * The record of a payment policy.
 *
 * Specification: "Endpoint categories", Vaults: "payment policies can be read"; fields not shown.
 */
import * as Id from "@effect-custody/core/Id"
import * as Lenient from "@effect-custody/core/Lenient"
import * as Schema from "effect/Schema"

/** A rule that payments of the vault obey. Nothing of it is shown; the fields here are assumed. */
export const PaymentPolicy = Lenient.struct(
  {},
  { id: Schema.Union([Schema.String, Schema.Finite]), name: Schema.String, assetId: Id.AssetId }
)
export type PaymentPolicy = typeof PaymentPolicy.Type
