/**
 * Removes secrets from texts, in any encoding: plain, in other letter case, escaped for JSON, a URL or HTML, in
 * hexadecimal, in base64. Backslashes do not count, and an escape inside a secret counts as the character that it stands
 * for. So counted, a piece of 12 characters of a secret is removed too, wherever it begins, one of 14 characters of its
 * base64 (without the one or two at each end that also encode what is beside the secret), and one of 24 hexadecimal
 * digits. A secret of 8 to 11 characters is removed if it is there whole; a shorter one is not. The errors of the SDK use
 * it.
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
