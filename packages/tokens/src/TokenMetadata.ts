/**
 * The record of a token's metadata.
 *
 * Specification: "Endpoint categories", Tokens: "manage metadata"; fields not shown.
 */
import * as Open from "@effect-custody/core/Open"
import * as Schema from "effect/Schema"

/** What a token's issuer says of it. Nothing of it is shown: every field is kept as it comes. */
export const TokenMetadata = Open.record(
  {},
  { name: Schema.String, description: Schema.String, image: Schema.String, website: Schema.String }
)
export type TokenMetadata = typeof TokenMetadata.Type
