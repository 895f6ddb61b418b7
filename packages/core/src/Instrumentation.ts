/**
 * Spans and metrics for the package that keeps the session.
 *
 * @since 0.1.0
 */
export { authRequest } from "./internal/instrumentation.ts"
export { type Attributes, type End, inSpan, isTraced } from "./internal/span.ts"
