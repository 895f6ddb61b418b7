/**
 * The record of a gas station category.
 *
 * Specification: "Endpoint categories", Vaults: "Each vault has its own […] gas station categories"; fields not shown.
 */
import * as Id from "@effect-custody/core/Id"
import * as Lenient from "@effect-custody/core/Lenient"
import * as Schema from "effect/Schema"

/** A category of the vault's gas station. Nothing of it is shown; the fields here are assumed. */
export const GasStationCategory = Lenient.struct(
  {},
  { id: Schema.Union([Schema.String, Schema.Finite]), name: Schema.String, networkId: Id.NetworkId }
)
export type GasStationCategory = typeof GasStationCategory.Type
