export * as Command from "./Command.ts"
export * as ContractImport from "./ContractImport.ts"
export * as ContractTable from "./ContractTable.ts"
