/**
 * A stateful emulator of the custody service.
 *
 * @since 0.1.0
 */
export { CustodyEmulator } from "./CustodyEmulator.ts"
export * as Fault from "./model/Fault.ts"
export * as Refusal from "./model/Refusal.ts"
export type { DurationsInput, FaultProfile, Options, QuirksInput } from "./model/Options.ts"
export { Counts, Received, SessionSummary, TokenUse } from "./model/Received.ts"
export type { Durations, Quirks } from "./model/Settings.ts"
export * as Snapshot from "./model/Snapshot.ts"
export { Write } from "./model/Write.ts"
