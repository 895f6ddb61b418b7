/** What an operator says a custody service is like, as data or as code. */
export * as ContractDocument from "./document/ContractDocument.ts"
export * as ContractFile from "./language/ContractFile.ts"
export * as ServiceContract from "./ServiceContract.ts"
export * as Wire from "./language/Wire.ts"
