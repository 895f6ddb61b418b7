/**
 * Tools for tests: stubs, the wire log, generators, and checks of a store.
 *
 * @since 0.1.0
 */
export * as CustodyTest from "./CustodyTest.ts"
export * as Generators from "./Generators.ts"
export * as StoreChecks from "./StoreChecks.ts"
export type { Answer, Entry } from "./internal/wireEntry.ts"
export { WireLog } from "./WireLog.ts"
