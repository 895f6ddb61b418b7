/**
 * What a vault comes with: networks, assets on them, and what they cost. What looks like an address follows from the
 * seed.
 */
import { Network } from "@effect-custody/core/Network"
import * as BigDecimal from "effect/BigDecimal"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Answer from "./answer.ts"
import * as Ids from "./ids.ts"
import { Sum } from "./money.ts"
import { oneOf } from "./validation.ts"
import * as Slice from "./slice.ts"
import type { Vault } from "./world.ts"

const network = (id: string, name: string, symbol: string): Network => ({
  id: Ids.network(id),
  name,
  symbol,
  type: "PUBLIC",
  status: "ACTIVE"
})

const bitcoin = network("bitcoin", "Bitcoin", "BTC")
const ethereum = network("ethereum", "Ethereum", "ETH")
const polygon = network("polygon", "Polygon", "POL")

/** Every network that the service is integrated with. */
export const networks: ReadonlyArray<Network> = [bitcoin, ethereum, polygon]

/** Those on which tokens and NFTs can be made. */
export const tokenNetworks: ReadonlyArray<Network> = [ethereum, polygon]

/** A network on which tokens and NFTs can be made. */
export const findTokenNetwork = (networkId: string, unsupportedCode: string): Result.Result<Network, Answer.Refused> =>
  Result.fromNullishOr(
    tokenNetworks.find(({ id }) => id === networkId),
    () =>
      Answer.notNow(unsupportedCode, "The network has no tokens", {
        networkId: [oneOf(tokenNetworks.map(({ id }) => id))]
      })
  )

/** A cryptocurrency or token on one network. */
export const Asset = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  symbol: Schema.String,
  decimals: Schema.Int,
  /** A network's own coin has none. */
  contractAddress: Schema.UndefinedOr(Schema.String),
  network: Schema.toType(Network),
  /** Of one unit, in US dollars. What is made here has none. */
  price: Schema.UndefinedOr(Sum)
})
export interface Asset extends Schema.Schema.Type<typeof Asset> {}

const coins: ReadonlyArray<
  readonly [id: string, name: string, symbol: string, decimals: number, Network, price: string]
> = [
  ["btc", "Bitcoin", "BTC", 8, bitcoin, "64000"],
  ["eth", "Ether", "ETH", 18, ethereum, "3200"],
  ["pol", "Polygon Ecosystem Token", "POL", 18, polygon, "0.45"]
]

const tokens: typeof coins = [
  ["usdc", "USD Coin", "USDC", 6, ethereum, "1"],
  ["usdt", "Tether USD", "USDT", 6, ethereum, "1"],
  ["usdc-polygon", "USD Coin", "USDC", 6, polygon, "1"]
]

/** An address on a network that belongs to a name. */
export const addressOf = (vault: Vault, { id }: Network, ...name: ReadonlyArray<string>): string => {
  const digits = vault.derived("address", id, ...name)
  return id === bitcoin.id ? `bc1q${digits.slice(0, 38)}` : `0x${digits.slice(0, 40)}`
}

export const slice = Slice.make({
  name: "assets",
  schema: Slice.table(Asset),
  initial: (vault: Vault) =>
    new Map(
      [...coins, ...tokens].map(([id, name, symbol, decimals, network, price]) => {
        const isCoin = coins.some(([coin]) => coin === id)
        const contractAddress = isCoin ? undefined : addressOf(vault, network, "contract", id)
        const asset = {
          id,
          name,
          symbol,
          decimals,
          contractAddress,
          network,
          price: BigDecimal.fromStringUnsafe(price)
        }
        return [id, asset] as const
      })
    )
})

/** Every asset of a vault, those that were made in it last. */
export const assetsOf = (vault: Vault): Map<string, Asset> => vault.state(slice)

/** A network's own coin. */
export const coinOf = (vault: Vault, { id }: Network): Asset =>
  [...assetsOf(vault).values()].find((asset) => asset.network.id === id && asset.contractAddress === undefined)!

/** The asset of an id, on the network that is named, if one is: where the same symbol is another asset. */
export const findAsset = (
  vault: Vault,
  named: { readonly assetId: string; readonly networkId?: string | undefined },
  unknownCode: string
): Result.Result<Asset, Answer.Refused> => {
  const asset = assetsOf(vault).get(named.assetId)
  if (asset === undefined) return Result.fail(Answer.notFound(unknownCode, "Asset not found"))
  if (named.networkId === undefined || named.networkId === asset.network.id) return Result.succeed(asset)
  const there = [...assetsOf(vault).values()].find(
    ({ network, symbol }) => network.id === named.networkId && symbol === asset.symbol
  )
  return Result.fromNullishOr(there, () =>
    Answer.invalid(Answer.validationCode, { networkId: [`must be a network of ${asset.symbol}`] })
  )
}

/** What a US dollar comes to. */
const rates: Readonly<Record<string, string>> = { USD: "1", EUR: "0.92", GBP: "0.79" }

/** The currencies that the service knows. */
export const currencies: ReadonlyArray<string> = Object.keys(rates)

/** What a US dollar comes to in a currency; or nothing, if the service does not know it. */
export const rateOf = (currency: string): BigDecimal.BigDecimal | undefined => {
  const rate = Object.hasOwn(rates, currency.toUpperCase()) ? rates[currency.toUpperCase()] : undefined
  return rate === undefined ? undefined : BigDecimal.fromStringUnsafe(rate)
}

/** A currency that is named, if one is, as the service writes it. */
export const knownCurrency = <C extends string | undefined>(named: C): Result.Result<C, Answer.Refused> =>
  named === undefined || rateOf(named) !== undefined
    ? Result.succeed(named?.toUpperCase() as C)
    : Result.fail(Answer.invalid(Answer.validationCode, { currency: [oneOf(currencies)] }))

/** What one unit of an asset costs in a currency. */
export const priceIn = ({ price }: Asset, rate: BigDecimal.BigDecimal): BigDecimal.BigDecimal | undefined =>
  price === undefined ? undefined : BigDecimal.normalize(BigDecimal.multiply(price, rate))
