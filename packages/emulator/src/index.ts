/**
 * A stateful emulator of the custody service.
 *
 * @since 0.1.0
 */
export { CustodyEmulator } from "./CustodyEmulator.ts"
export * as Fault from "./Fault.ts"
export type { DurationsInput, Options, QuirksInput } from "./Options.ts"
export { Counts, Received, SessionSummary, TokenUse } from "./Received.ts"
export type { Durations, Quirks } from "./Settings.ts"
export * as Snapshot from "./Snapshot.ts"
export { Write } from "./Write.ts"
