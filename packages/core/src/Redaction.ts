/**
 * Removes secrets from texts: plain, in other letter case, escaped for JSON, a URL, HTML (by names or by numbers of any
 * length, with or without a semicolon) or JavaScript (`\x65`, `\u0065`, `\u{65}`), in hexadecimal, in base64, or byte
 * by byte (`65 79 4a`, `65:79:4a`, `0x65, 0x79`, `=65=79`, `<Buffer 65 79 4a>`, `[101, 121, 74]`); with
 * zero-width characters between its own, and in full-width letters. Backslashes do not count, and an escape inside a
 * secret counts as the character that it stands for. Parts of a secret are removed too, wherever they begin: 12 characters
 * or more of it, 14 of its base64 (without the one or two at each end that also encode what is beside the secret), and 24
 * hexadecimal digits. A secret of 8 to 11 characters is removed only where all of it is there; a shorter one is not removed.
 *
 * Not found: octal escapes, base32, base64 or hexadecimal of UTF-16, what was encoded so twice (escapes may be nested,
 * in each other and around these), a secret with blanks between its letters or read backwards, letters that only look
 * like its own, and any encryption, compression or hash of it.
 *
 * The errors of the SDK use it.
 *
 * @since 0.1.0
 */
export { by, compile, type Compiled, make, type Redact, redacted } from "./internal/redaction.ts"
/**
 * Whether a body holds a one-time secret of the session, whatever the contract calls it. It prints nothing of itself.
 *
 * @since 0.1.0
 */
export { isSecretBody } from "./internal/secretRequest.ts"
/**
 * A text of the service as a terminal or a log may show it: without secrets, on one line, with control characters in
 * visible form, and cut at a number of characters (default: 1,024).
 */
export { textIn as excerpt } from "./internal/answerExcerpt.ts"
