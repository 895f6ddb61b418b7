/**
 * The record of a vault's configuration.
 *
 * Specification: "Endpoint categories", Vaults: "Each vault has its own configuration"; fields not shown.
 */
import * as Id from "@effect-custody/core/Id"
import * as Open from "@effect-custody/core/Open"

/** How a vault is set up. Nothing of it is shown: every field is kept as it comes. */
export const VaultConfiguration = Open.record({}, { vaultId: Id.VaultId })
export type VaultConfiguration = typeof VaultConfiguration.Type
