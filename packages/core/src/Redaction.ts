/**
 * Takes secrets out of texts, however they are spelt in them: plain, in other letter case, escaped for JSON, a URL or
 * HTML, in hexadecimal, in base64; and any piece of 16 characters of each. Errors of the SDK are made with it.
 *
 * @since 0.1.0
 */
export { by, compile, type Compiled, make, type Redact, redacted } from "./internal/redaction.ts"
