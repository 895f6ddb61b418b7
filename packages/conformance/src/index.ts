/**
 * Checks whether a server is the custody service that the specification describes.
 *
 * @since 0.1.0
 */
export * as Conformance from "./Conformance.ts"
