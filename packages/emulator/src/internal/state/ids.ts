/** Identifiers of the service, with the brands of the contracts. */
import type * as Id from "@effect-custody/core/Id"
import * as Brand from "effect/Brand"

export const client = Brand.nominal<Id.ClientId>()
export const wallet = Brand.nominal<Id.WalletId>()
export const vault = Brand.nominal<Id.VaultId>()
export const approval = Brand.nominal<Id.ApprovalId>()
export const transaction = Brand.nominal<Id.TransactionId>()
export const asset = Brand.nominal<Id.AssetId>()
export const network = Brand.nominal<Id.NetworkId>()
export const token = Brand.nominal<Id.TokenId>()
export const nft = Brand.nominal<Id.NftId>()
export const order = Brand.nominal<Id.OrderId>()
export const link = Brand.nominal<Id.LinkId>()
