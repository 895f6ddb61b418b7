/** Texts of inputs, records and headers. */
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

/** The codec of a text that does not consist of white space only, such as the name of a currency. */
export const NonBlank = Schema.String.pipe(Schema.check(Schema.isPattern(/\S/, { message: "should not be empty" })))

/** Trims a text, and converts it to Unicode's NFC: a history may show a note in another form than it was sent. */
export const trim = (text: string): string => text.normalize("NFC").trim()

/**
 * Normalizes a text for comparison, as {@link trim} does, and also to lower case. In an answer, a name may have another
 * letter case than in the request.
 */
export const normalize = (text: string): string => trim(text).toLowerCase()

/** Removes the white space around a secret, such as the last newline of a file. */
export const trimSecret = (secret: Redacted.Redacted): Redacted.Redacted => Redacted.make(Redacted.value(secret).trim())

/** `true` if a header can carry the text: one or more characters, each a tab or a printable character of Latin-1. */
export const isHeaderText = (text: string): boolean => /^[\t\x20-\x7e\x80-\xff]+$/.test(text)

/** `true` if a header carries the value unchanged. HTTP drops spaces and tabs around a value. */
export const isHeaderValue = (value: string): boolean => isHeaderText(value) && value === value.trim()
