/**
 * The record of a vault's settings for a network.
 *
 * Specification: "Endpoint categories", Vaults: "Each vault has its own […] network settings"; fields not shown.
 */
import * as Id from "@effect-custody/core/Id"
import * as Lenient from "@effect-custody/core/Lenient"
import * as Schema from "effect/Schema"

/** How a vault uses one network. Nothing of it is shown; the fields here are assumed. */
export const NetworkSetting = Lenient.struct({}, { networkId: Id.NetworkId, enabled: Schema.Boolean })
export type NetworkSetting = typeof NetworkSetting.Type
