/** Checks that several categories share: a value, or the answer that refuses it. */
import type { Network } from "@effect-custody/core/Network"
import type * as BigDecimal from "effect/BigDecimal"
import * as Result from "effect/Result"
import * as Answer from "../http/answer.ts"
import { oneOf } from "../http/validation.ts"
import { type Asset, assetsOf, currencies, isOfService, rateOf, tokenNetworks } from "../state/catalogue.ts"
import { excess } from "../state/money.ts"
import type { Vault } from "../state/world.ts"

/** A network on which tokens and NFTs can be created. */
export const findTokenNetwork = (networkId: string, unsupportedCode: string): Result.Result<Network, Answer.Refused> =>
  Result.fromNullishOr(
    tokenNetworks.find(({ id }) => id === networkId),
    () =>
      Answer.notNow(unsupportedCode, "The network has no tokens", {
        networkId: [oneOf(tokenNetworks.map(({ id }) => id))]
      })
  )

/**
 * An asset by id. With another network, the service's asset of the same symbol there. A token that the vault created is on
 * its own network only, whatever its symbol.
 */
export const findAsset = (
  vault: Vault,
  named: { readonly assetId: string; readonly networkId?: string | undefined },
  unknownCode: string
): Result.Result<Asset, Answer.Refused> => {
  const asset = assetsOf(vault).get(named.assetId)
  if (asset === undefined) return Result.fail(Answer.notFound(unknownCode, "Asset not found"))
  if (named.networkId === undefined || named.networkId === asset.network.id) return Result.succeed(asset)
  const candidates = isOfService(asset) ? [...assetsOf(vault).values()].filter(isOfService) : []
  const onNetwork = candidates.find(({ network, symbol }) => network.id === named.networkId && symbol === asset.symbol)
  return Result.fromNullishOr(onNetwork, () =>
    Answer.invalid(Answer.validationCode, { networkId: [`must be a network of ${asset.symbol}`] })
  )
}

/** A supported currency in upper case; undefined stays undefined. */
export const knownCurrency = <C extends string | undefined>(currency: C): Result.Result<C, Answer.Refused> =>
  currency === undefined || rateOf(currency) !== undefined
    ? Result.succeed(currency?.toUpperCase() as C)
    : Result.fail(Answer.invalid(Answer.validationCode, { currency: [oneOf(currencies)] }))

/** Refuses an amount that is out of the ledger's range. */
export const inRange = (field: string, amount: BigDecimal.BigDecimal): Result.Result<void, Answer.Refused> => {
  const reason = excess(amount)
  return reason === undefined
    ? Result.succeed(undefined)
    : Result.fail(Answer.invalid(Answer.validationCode, { [field]: [reason] }))
}
