/**
 * Removes secrets from texts, in any encoding: plain, in other letter case, escaped for JSON, a URL or HTML, in
 * hexadecimal, in base64; and any piece of 16 characters of each. Backslashes do not count, and an escape inside a secret
 * counts as the character that it stands for. The errors of the SDK use it.
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
