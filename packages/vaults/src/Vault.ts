/**
 * The records of the vault category.
 *
 * Specification: "Other resources": "Vault […] fields of these records […]: not shown".
 */
import * as Schema from "effect/Schema"

/**
 * A vault. The specification shows none of its fields: `id` and `name` are what such services usually send, and
 * everything else is kept as it comes.
 */
export const Vault = Schema.StructWithRest(
  Schema.Struct({
    id: Schema.optionalKey(Schema.Union([Schema.Int, Schema.String])),
    name: Schema.optionalKey(Schema.String)
  }),
  [Schema.Record(Schema.String, Schema.Unknown)]
)
export type Vault = typeof Vault.Type
