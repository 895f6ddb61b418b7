/**
 * The record of a vault.
 *
 * Specification: "Other resources": "Vault […] fields of these records […]: not shown".
 */
import * as Id from "@effect-custody/core/Id"
import * as Lenient from "@effect-custody/core/Lenient"
import * as Schema from "effect/Schema"

/** A vault: the primary organizational unit. The specification shows none of its fields; those here are assumed. */
export const Vault = Lenient.struct({}, { id: Id.VaultId, name: Schema.String })
export type Vault = typeof Vault.Type
