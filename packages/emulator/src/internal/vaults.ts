/**
 * The vault of a session.
 *
 * Specification: "Other endpoints" (`GET /vaults/details`; its response fields are not shown).
 */
import { VaultsApi } from "@effect-custody/vaults/VaultsApi"
import * as Answer from "./answer.ts"
import * as Category from "./category.ts"

export const vaults = Category.define(VaultsApi, {
  details: ({ vault }) => Answer.granted("Vault details", { id: vault.id, name: `Vault ${vault.id}` })
})
