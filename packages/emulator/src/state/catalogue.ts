/** The networks, assets and currencies of a vault. Derives addresses from the seed. */
import { Network } from "@effect-custody/core/Lenient"
import * as BigDecimal from "effect/BigDecimal"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Sum } from "./money.ts"
import * as StateField from "./stateField.ts"
import type { Vault } from "./world.ts"

const decodeNetwork = Schema.decodeResult(Network)

const network = (id: string, name: string, symbol: string): Network =>
  Result.getOrThrow(decodeNetwork({ id, name, symbol, type: "PUBLIC", status: "ACTIVE" }))

const bitcoin = network("bitcoin", "Bitcoin", "BTC")
const ethereum = network("ethereum", "Ethereum", "ETH")
const polygon = network("polygon", "Polygon", "POL")

export const networks: ReadonlyArray<Network> = [bitcoin, ethereum, polygon]

/** The networks on which tokens and NFTs can be created. */
export const tokenNetworks: ReadonlyArray<Network> = [ethereum, polygon]

/** A cryptocurrency or token on one network. */
export const Asset = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  symbol: Schema.String,
  decimals: Schema.Int,
  /** Absent for a network's own coin. */
  contractAddress: Schema.UndefinedOr(Schema.String),
  network: Schema.toType(Network),
  /** The price of one unit, in US dollars. Tokens created in the vault have no price. */
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

/** Derives the address for a name on a network. */
export const deriveAddress = (vault: Vault, { id }: Network, ...name: ReadonlyArray<string>): string => {
  const digits = vault.derive("address", id, ...name)
  return id === bitcoin.id ? `bc1q${digits.slice(0, 38)}` : `0x${digits.slice(0, 40)}`
}

export const assetTable = StateField.make({
  name: "assets",
  schema: StateField.map(Asset),
  initial: (vault: Vault) =>
    new Map(
      [...coins, ...tokens].map(([id, name, symbol, decimals, network, price]) => {
        const isCoin = coins.some(([coin]) => coin === id)
        const contractAddress = isCoin ? undefined : deriveAddress(vault, network, "contract", id)
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

/** Every asset of a vault. Assets that were created in the vault come last. */
export const vaultAssets = (vault: Vault): Map<string, Asset> => vault.state(assetTable)

/** A network's own coin. */
export const findCoin = (vault: Vault, { id }: Network): Asset =>
  [...vaultAssets(vault).values()].find((asset) => asset.network.id === id && asset.contractAddress === undefined)!

/** The number of units of each currency per US dollar. */
const rates: Readonly<Record<string, string>> = { USD: "1", EUR: "0.92", GBP: "0.79" }

export const currencies: ReadonlyArray<string> = Object.keys(rates)

/** The price of one unit of an asset in a supported currency. */
export const priceIn = ({ price }: Asset, currency: string): BigDecimal.BigDecimal | undefined =>
  price && BigDecimal.normalize(BigDecimal.multiply(price, BigDecimal.fromStringUnsafe(rates[currency]!)))
