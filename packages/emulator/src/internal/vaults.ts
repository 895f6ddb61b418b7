/**
 * The vault of a session.
 *
 * Specification: "Other endpoints" (`GET /vaults/details`; its response fields are not shown).
 */
import type { VaultId } from "@effect-custody/core/Id"
import { VaultsApi } from "@effect-custody/vaults/VaultsApi"
import * as Brand from "effect/Brand"
import * as Answer from "./answer.ts"
import * as Category from "./category.ts"

const vaultId = Brand.nominal<VaultId>()

export const vaults = Category.define(VaultsApi, {
  details: ({ vault }) => Answer.granted("Vault details", { id: vaultId(String(vault.id)), name: `Vault ${vault.id}` })
})
