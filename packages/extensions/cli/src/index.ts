export * as Command from "./Command.ts"
