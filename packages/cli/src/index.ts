export * as Command from "./Command.ts"
export * as ContractTable from "./ContractTable.ts"
