/** Texts of an input, and how they are compared with those of a record. */
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

/** The codec of a text that has more than white space, such as the name of a currency. */
export const NonBlank = Schema.String.pipe(Schema.check(Schema.isPattern(/\S/, { message: "should not be empty" })))

/**
 * A text as it is compared with another: trimmed, in Unicode's NFC and in lower case. A service may show a name or a note
 * in another of these spellings.
 */
export const plain = (text: string): string => text.normalize("NFC").trim().toLowerCase()

/** A secret without the white space around it, such as the last newline of a file. */
export const trimmed = (secret: Redacted.Redacted): Redacted.Redacted => Redacted.make(Redacted.value(secret).trim())
