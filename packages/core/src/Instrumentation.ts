/**
 * Spans and metrics around what is no call: what the package that keeps the session does.
 *
 * @since 0.1.0
 */
export { authRequest } from "./internal/instrumentation.ts"
export { type Attributes, type End, inSpan, isTraced } from "./internal/span.ts"
