/**
 * Drops texts that hold a secret. A text is dropped as a whole if 12 characters of a secret, one after the other, occur in
 * it: as they are, in any letter case, escaped for JSON, percent-encoded, in hexadecimal or in base64. A secret of 8 to 11
 * characters is looked for whole; a shorter one is not looked for.
 *
 * Not found: every other spelling, such as entities of HTML, `\u0065`, a URL in which letters are percent-encoded too,
 * lists of bytes, or zero-width characters between those of the secret.
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
