/** Spans and metrics for the session and for functions that make several calls. */
export { authRequest } from "../internal/instrumentation.ts"
export { around, type End, followed, isTraced } from "../internal/span.ts"
