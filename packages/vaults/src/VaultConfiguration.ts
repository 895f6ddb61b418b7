/**
 * The record of a vault's configuration.
 *
 * Specification: "Endpoint categories", Vaults: "Each vault has its own configuration"; fields not shown.
 */
import * as Id from "@effect-custody/core/Id"
import * as Lenient from "@effect-custody/core/Lenient"

/** How a vault is set up. Nothing of it is shown: every field is kept as it comes. */
export const VaultConfiguration = Lenient.struct({}, { vaultId: Id.VaultId })
export type VaultConfiguration = typeof VaultConfiguration.Type
