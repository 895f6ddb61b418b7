/** Specification: "Endpoint categories", Vaults: "Each vault has its own configuration"; fields not shown. */
import * as Id from "@effect-custody/core/Id"
import * as Lenient from "@effect-custody/core/Lenient"

/**
 * The configuration of a vault. The specification shows none of its fields: they are under `extra`, unchanged.
 *
 * @since 0.1.0
 * @category models
 */
export interface VaultConfiguration extends Lenient.Fields {
  readonly vaultId?: Id.VaultId
}

/**
 * The codec of a {@link VaultConfiguration}.
 *
 * @since 0.1.0
 * @category codecs
 */
export const VaultConfiguration = Lenient.struct<VaultConfiguration>({}, { vaultId: Id.VaultId })
