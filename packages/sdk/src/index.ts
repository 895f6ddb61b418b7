/** The SDK's front door. */
export { Authentication } from "@effect-custody/authentication"
export { Vaults } from "@effect-custody/vaults"
export * as Custody from "./Custody.ts"
