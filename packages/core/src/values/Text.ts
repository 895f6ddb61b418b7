/**
 * Texts of inputs, records and headers.
 *
 * @since 0.1.0
 */
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

/**
 * The codec of a text with a character other than white space, such as the name of a currency.
 *
 * @since 0.1.0
 * @category codecs
 */
export const NonBlank = Schema.String.pipe(Schema.check(Schema.isPattern(/\S/, { message: "should not be empty" })))

/**
 * Trims a text, and converts it to Unicode's NFC, because the service may return a note in another form.
 *
 * @since 0.1.0
 * @category converting
 */
export const trim = (text: string): string => text.normalize("NFC").trim()

/**
 * Prepares a text for comparison: trims it as {@link trim} does, and converts it to lower case, because the service may
 * return a name in another letter case.
 *
 * @since 0.1.0
 * @category converting
 */
export const normalize = (text: string): string => trim(text).toLowerCase()

/**
 * Shows what a reader does not see as escapes, such as `\u202e`: controls, format characters such as joiners, halves of a
 * character, private and unassigned characters, separators of lines and paragraphs. So no text can hide, move or add to
 * what stands around it. The escapes are those of JSON, in which they change nothing.
 *
 * A page also runs the source of this function: it uses nothing from outside.
 *
 * @since 0.1.0
 * @category converting
 */
export const escapeInvisible = (text: string): string =>
  text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (found) =>
    found.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
  )

/**
 * Removes the white space around a secret, such as the last newline of a file.
 *
 * @since 0.1.0
 * @category converting
 */
export const trimSecret = (secret: Redacted.Redacted): Redacted.Redacted => Redacted.make(Redacted.value(secret).trim())

/**
 * `true` if a header can carry the text: one or more characters, each a tab or a printable character of Latin-1.
 *
 * @since 0.1.0
 * @category guards
 */
export const isHeaderText = (text: string): boolean => /^[\t\x20-\x7e\x80-\xff]+$/.test(text)

/**
 * `true` if a header carries the value unchanged. HTTP drops spaces and tabs around a value.
 *
 * @since 0.1.0
 * @category guards
 */
export const isHeaderValue = (value: string): boolean => isHeaderText(value) && value === value.trim()
