/**
 * The record of a token's metadata.
 *
 * Specification: "Endpoint categories", Tokens: "manage metadata"; fields not shown.
 */
import * as Lenient from "@effect-custody/core/Lenient"
import * as Schema from "effect/Schema"

/** What a token's issuer says of it. Nothing of it is shown: every field is kept as it comes. */
export const TokenMetadata = Lenient.struct(
  {},
  { name: Schema.String, description: Schema.String, image: Schema.String, website: Schema.String }
)
export type TokenMetadata = typeof TokenMetadata.Type
