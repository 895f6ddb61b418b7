/** Specification: "Endpoint categories", Vaults: "Each vault has its own […] network settings"; fields not shown. */
import * as Id from "@effect-custody/core/Id"
import * as Lenient from "@effect-custody/core/Lenient"
import * as Schema from "effect/Schema"

/**
 * A vault's settings for one network. The specification shows none of its fields: those here are assumed.
 *
 * @since 0.1.0
 * @category models
 */
export interface NetworkSetting extends Lenient.Fields {
  readonly networkId?: Id.NetworkId
  readonly enabled?: boolean
}

/**
 * The codec of a {@link NetworkSetting}.
 *
 * @since 0.1.0
 * @category codecs
 */
export const NetworkSetting = Lenient.struct<NetworkSetting>({}, { networkId: Id.NetworkId, enabled: Schema.Boolean })
