/**
 * Specification: "Endpoint categories", Vaults: "Each vault has its own […] gas station categories"; fields not shown.
 */
import * as Id from "@effect-custody/core/Id"
import * as Lenient from "@effect-custody/core/Lenient"
import * as Schema from "effect/Schema"

/**
 * A category of the vault's gas station. The specification shows none of its fields: those here are assumed.
 *
 * @since 0.1.0
 * @category models
 */
export interface GasStationCategory extends Lenient.Fields {
  readonly id?: string | number
  readonly name?: string
  readonly networkId?: Id.NetworkId
}

/**
 * The codec of a {@link GasStationCategory}.
 *
 * @since 0.1.0
 * @category codecs
 */
export const GasStationCategory = Lenient.struct<GasStationCategory>(
  {},
  { id: Schema.Union([Schema.String, Schema.Finite]), name: Schema.String, networkId: Id.NetworkId }
)
