/**
 * Texts of an input.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * The codec of a text that has more than white space, such as the name of a currency.
 *
 * @since 0.1.0
 * @category codecs
 */
export const NonBlank = Schema.String.pipe(Schema.check(Schema.isPattern(/\S/, { message: "should not be empty" })))
