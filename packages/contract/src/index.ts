/** Contracts: declare the wire of a custody service, as data or as code. */
export * as ContractFile from "./language/ContractFile.ts"
export * as ServiceContract from "./ServiceContract.ts"
export * as Wire from "./language/Wire.ts"
export * as Adapter from "./Adapter.ts"
export * as Format from "./Format.ts"
