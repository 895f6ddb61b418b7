/**
 * The records of a vault. The specification says what they are, and shows no fields: those here are assumed.
 *
 * Specification: "Endpoint categories", Vaults; Assets: "view asset configuration for a vault"; "Other resources".
 */
import { Amount } from "@effect-custody/core/Amount"
import * as Id from "@effect-custody/core/Id"
import * as Lenient from "@effect-custody/core/Lenient"
import * as Page from "@effect-custody/core/Page"
import { Timestamp } from "@effect-custody/core/Timestamp"
import * as Schema from "effect/Schema"

/**
 * A decision that a person has to take, or has taken.
 *
 * @since 0.1.0
 * @category models
 */
export class Approval extends Lenient.Opaque<Approval>()(
  { id: Id.ApprovalId },
  {
    status: Lenient.OpenEnum("PENDING", "APPROVED", "REJECTED"),
    /** The transaction that waits for it. */
    transactionId: Id.TransactionId,
    createdAt: Timestamp
  }
) {}

/**
 * A category of the vault's gas station.
 *
 * @since 0.1.0
 * @category models
 */
export class GasStationCategory extends Lenient.Opaque<GasStationCategory>()(
  {},
  { id: Id.Unnamed, name: Schema.String, networkId: Id.NetworkId }
) {}

/**
 * A vault's settings for one network.
 *
 * @since 0.1.0
 * @category models
 */
export class NetworkSetting extends Lenient.Opaque<NetworkSetting>()(
  {},
  { networkId: Id.NetworkId, enabled: Schema.Boolean }
) {}

/**
 * A rule for payments of the vault.
 *
 * @since 0.1.0
 * @category models
 */
export class PaymentPolicy extends Lenient.Opaque<PaymentPolicy>()(
  {},
  { id: Id.Unnamed, name: Schema.String, assetId: Id.AssetId }
) {}

/**
 * A vault: the primary organizational unit.
 *
 * @since 0.1.0
 * @category models
 */
export class Vault extends Lenient.Opaque<Vault>()(
  {},
  {
    id: Id.VaultId,
    name: Schema.String,
    /** Separate or consolidated funds of the vault's clients. */
    type: Lenient.OpenEnum("SEGREGATED", "CONSOLIDATED")
  }
) {}

/**
 * An asset of the vault.
 *
 * @since 0.1.0
 * @category models
 */
export class VaultAsset extends Lenient.Opaque<VaultAsset>()(
  { id: Id.AssetId },
  {
    name: Schema.String,
    symbol: Schema.String,
    decimals: Page.Count,
    contractAddress: Schema.String,
    networkId: Id.NetworkId,
    network: Lenient.Network,
    /** The balance of the whole vault, in units of the asset. */
    balance: Amount
  }
) {}

/**
 * The configuration of a vault. Its fields are under `extra`, unchanged.
 *
 * @since 0.1.0
 * @category models
 */
export class VaultConfiguration extends Lenient.Opaque<VaultConfiguration>()({}, { vaultId: Id.VaultId }) {}
