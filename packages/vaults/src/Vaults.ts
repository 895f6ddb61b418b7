/** The vault that the session belongs to. */
import * as Endpoint from "@effect-custody/core/Endpoint"
import { VaultsApi } from "./VaultsApi.ts"

/**
 * The vault's details.
 *
 * Specification: "Other endpoints": method and path are specified, the response's fields are not shown.
 *
 * @example
 * ```ts
 * import { Vaults } from "@effect-custody/sdk"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const vault = yield* Vaults.details()
 *   yield* Effect.log(vault.name)
 * })
 * ```
 */
export const details = Endpoint.make(VaultsApi, "details")
