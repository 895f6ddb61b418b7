/** Checks that several categories share. Each returns a value, or the answer that refuses the request. */
import type { Network } from "@effect-custody/core/Lenient"
import type * as BigDecimal from "effect/BigDecimal"
import * as Result from "effect/Result"
import * as Answer from "../http/answer.ts"
import type { InventedCode } from "../http/inventedCodes.ts"
import { type Asset, vaultAssets, currencies, tokenNetworks } from "../state/catalogue.ts"
import type { Ledger, Wallet } from "../state/ledger.ts"
import { excess } from "../state/money.ts"
import type { Vault } from "../state/world.ts"

type Checked<A> = Result.Result<A, Answer.Refused>

/** The record that was found for an id, or a 404 with the given code. */
export const found = <A>(record: A | undefined, unknown: InventedCode): Checked<A> =>
  Result.fromNullishOr(record, () => Answer.notFound(unknown)) as Checked<A>

/** Refuses a value outside a fixed set. `undefined` passes. */
export const oneOf = (field: string, value: string | undefined, allowed: ReadonlyArray<string>): Checked<void> =>
  value === undefined || allowed.includes(value)
    ? Result.succeed(undefined)
    : Result.fail(Answer.invalid({ [field]: [`must be one of the following values: ${allowed.join(", ")}`] }))

/** Finds a network on which tokens and NFTs can be created. */
export const findTokenNetwork = (networkId: string, unsupported: InventedCode): Checked<Network> =>
  Result.fromNullishOr(
    tokenNetworks.find(({ id }) => id === networkId),
    () => Answer.notNow(unsupported, { networkId: [`must be one of ${tokenNetworks.map(({ id }) => id).join(", ")}`] })
  )

/** Finds an asset by id. Refuses an unknown asset. Refuses a `networkId` that is not the asset's network. */
export const findAsset = (
  vault: Vault,
  { assetId, networkId }: { readonly assetId: string; readonly networkId?: string | undefined },
  unknown: InventedCode
): Checked<Asset> =>
  Result.flatMap(found(vaultAssets(vault).get(assetId), unknown), (asset) =>
    networkId === undefined || networkId === asset.network.id
      ? Result.succeed(asset)
      : Result.fail(Answer.invalid({ networkId: [`must be ${asset.network.id}, the network of ${asset.id}`] }))
  )

/** Finds a wallet by id. Refuses a wallet on another network. */
export const walletOn = (
  { ofWallet }: Ledger,
  network: Network,
  named: { readonly walletId: string; readonly field: string },
  codes: { readonly unknown: InventedCode; readonly elsewhere: InventedCode }
): Checked<Wallet> =>
  Result.flatMap(found(ofWallet(named.walletId)[0], codes.unknown), (wallet) =>
    wallet.asset.network.id === network.id
      ? Result.succeed(wallet)
      : Result.fail(Answer.notNow(codes.elsewhere, { [named.field]: [`must be a wallet on ${network.id}`] }))
  )

/** Converts a currency to upper case. Refuses an unsupported currency. `undefined` passes. */
export const parseCurrency = <C extends string | undefined>(currency: C): Checked<C> =>
  Result.map(oneOf("currency", currency?.toUpperCase(), currencies), () => currency?.toUpperCase() as C)

/** Refuses an amount that is out of the ledger's range. */
export const inRange = (field: string, amount: BigDecimal.BigDecimal | undefined): Checked<void> => {
  const reason = amount === undefined ? undefined : excess(amount)
  return reason === undefined ? Result.succeed(undefined) : Result.fail(Answer.invalid({ [field]: [reason] }))
}
