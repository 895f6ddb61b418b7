/**
 * A stateful emulator of the custody service.
 *
 * @since 0.1.0
 */
export { CustodyEmulator } from "./CustodyEmulator.ts"
export * as Fault from "./Fault.ts"
export type { Durations, DurationsInput, Options, Quirks, QuirksInput } from "./Options.ts"
export { Counts, Received, SessionSummary, TokenUse } from "./Received.ts"
export * as Snapshot from "./Snapshot.ts"
export { Write } from "./Write.ts"
