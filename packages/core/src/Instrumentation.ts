/**
 * Spans and metrics for the packages of the SDK: that of the session, and those that make several calls for one result.
 *
 * @since 0.1.0
 */
export { authRequest } from "./internal/instrumentation.ts"
export { around, type End, followed, isTraced } from "./internal/span.ts"
