/** Specification: "Other resources": "Vault […] fields of these records […]: not shown". */
import * as Id from "@effect-custody/core/Id"
import * as Lenient from "@effect-custody/core/Lenient"
import { OpenEnum } from "@effect-custody/core/OpenEnum"
import * as Schema from "effect/Schema"

/**
 * A vault: the primary organizational unit. The specification shows none of its fields; those here are assumed.
 *
 * @since 0.1.0
 * @category models
 */
export interface Vault extends Lenient.Fields {
  readonly id?: Id.VaultId
  readonly name?: string
  /** Separate or consolidated funds of the vault's clients. */
  readonly type?: OpenEnum<"SEGREGATED" | "CONSOLIDATED">
}

/**
 * The codec of a {@link Vault}.
 *
 * @since 0.1.0
 * @category codecs
 */
export const Vault = Lenient.struct<Vault>(
  {},
  {
    id: Id.VaultId,
    name: Schema.String,
    type: OpenEnum("SEGREGATED", "CONSOLIDATED")
  }
)
