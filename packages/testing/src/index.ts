/**
 * Tools for tests: stubs, the emulator under the real client, faults, the wire log, generators and sessions.
 *
 * @since 0.1.0
 */
export * as CustodyTest from "./CustodyTest.ts"
export * as Faults from "./Faults.ts"
export * as Generators from "./Generators.ts"
export * as StoreChecks from "./StoreChecks.ts"
export * as Recording from "./Recording.ts"
export * as VirtualSession from "./VirtualSession.ts"
export type { Answer, Entry } from "./internal/wireEntry.ts"
export { WireLog } from "./WireLog.ts"
