/** Specification: "Endpoint categories", Tokens: "manage metadata"; fields not shown. */
import * as Lenient from "@effect-custody/core/Lenient"
import * as Schema from "effect/Schema"

/**
 * The metadata of a token. The specification shows none of its fields: those here are assumed, and others are under
 * `extra`.
 *
 * @since 0.1.0
 * @category models
 */
export class TokenMetadata extends Lenient.Record<TokenMetadata>()(
  {},
  { name: Schema.String, description: Schema.String, image: Schema.String, website: Schema.String }
) {}
