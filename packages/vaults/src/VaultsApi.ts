/**
 * The contract of the vault endpoints.
 *
 * Specification: "Endpoint categories", Vaults; "Other endpoints".
 */
import * as ApiError from "@effect-custody/core/ApiError"
import * as Contract from "@effect-custody/core/Contract"
import * as Envelope from "@effect-custody/core/Envelope"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import { Vault } from "./Vault.ts"

/** Vaults: the primary organizational unit, which holds clients, wallets and assets. */
export class VaultsApi extends HttpApiGroup.make("vaults").add(
  HttpApiEndpoint.get("details", "/vaults/details", {
    success: Envelope.of(Vault),
    error: ApiError.authenticated
  }).pipe(Contract.specified({ safety: "read", section: "Other endpoints, GET /vaults/details" }))
) {}
