/** Adapters: say a real custody service in plain functions. */
export * as Adapter from "./Adapter.ts"
export * as Format from "./Format.ts"
