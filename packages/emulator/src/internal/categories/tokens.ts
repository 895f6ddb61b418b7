/**
 * The tokens created in a vault. The supply of a token is what was minted and not burned, whoever has it: the wallets of
 * the vault together never have more. A transfer to an address outside leaves the supply as it is.
 *
 * Specification: "Endpoint categories", Tokens. Assumed: a token is an asset of the vault with the same id. Without a
 * wallet in the request, amounts belong to the vault's own wallet.
 */
import type * as Lenient from "@effect-custody/core/Lenient"
import type { TokenMetadata } from "@effect-custody/tokens/TokenMetadata"
import { TokensApi } from "@effect-custody/tokens/TokensApi"
import * as BigDecimal from "effect/BigDecimal"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { findTokenNetwork, inRange } from "./checks.ts"
import * as Answer from "../http/answer.ts"
import type { InventedCode } from "../http/inventedCodes.ts"
import { addressOf, Asset, assetsOf, tokenNetworks } from "../state/catalogue.ts"
import * as Category from "./category.ts"
import * as Lifecycle from "../state/lifecycle.ts"
import * as WireFormat from "../http/wireFormat.ts"
import * as Ids from "../state/ids.ts"
import * as Ledger from "../state/ledger.ts"
import * as Listing from "./listing.ts"
import { amountOf, Sum, zero } from "../state/money.ts"
import { omitUndefined } from "./omitUndefined.ts"
import { locationOf, Upload, uploadOf } from "../http/uploads.ts"
import { networkColumns } from "./vaults.ts"
import { findWallet } from "./wallets.ts"
import * as StateField from "../state/stateField.ts"
import type { Vault } from "../state/world.ts"

type Metadata = Readonly<Record<string, unknown>>

const Token = Schema.Struct({
  asset: Asset,
  description: Schema.UndefinedOr(Schema.String),
  logo: Schema.UndefinedOr(Upload),
  createdAt: Schema.Finite,
  updatedAt: Schema.mutableKey(Schema.Finite),
  supply: Schema.mutableKey(Sum),
  metadata: Schema.mutableKey(Schema.Json as unknown as Schema.Codec<Metadata>)
})
type Token = typeof Token.Type

export const tokenTable = StateField.make({ name: "tokens", schema: StateField.table(Token), initial: () => new Map() })

const codes = {
  token: "E55001",
  wallet: "E55002",
  network: "E55003",
  elsewhere: "E55004",
  funds: "E55005"
} as const satisfies Readonly<Record<string, InventedCode>>

const findToken = (vault: Vault, tokenId: string): Result.Result<Token, Answer.Refused> =>
  Result.fromNullishOr(vault.state(tokenTable).get(tokenId), () => Answer.notFound(codes.token, "Token not found"))

const shown = ({ world }: Vault, { asset, createdAt, description, logo, supply, updatedAt }: Token) =>
  omitUndefined({
    id: Ids.token(asset.id),
    name: asset.name,
    symbol: asset.symbol,
    type: "FUNGIBLE" as const,
    decimals: asset.decimals,
    description,
    supply: amountOf(supply),
    contractAddress: asset.contractAddress,
    networkId: asset.network.id,
    network: asset.network,
    logo: logo === undefined ? undefined : locationOf(logo),
    status: "COMPLETED",
    createdAt: WireFormat.formatDate(world, createdAt),
    updatedAt: WireFormat.formatDate(world, updatedAt),
    extra: omitUndefined({ logoFile: logo })
  })

/** The metadata fields that must be text. Other fields may hold any JSON. */
const textFields = ["name", "description", "image", "website"]

const shownMetadata = (metadata: Metadata): Lenient.Written<TokenMetadata> => {
  const entries = Object.entries(metadata)
  const isTextual = ([name]: [string, unknown]) => textFields.includes(name)
  return {
    ...Object.fromEntries(entries.filter(isTextual)),
    extra: Object.fromEntries(entries.filter((entry) => !isTextual(entry)))
  }
}

const checkedMetadata = (metadata: Metadata): Result.Result<void, Answer.Refused> => {
  const wrong = textFields.filter((name) => metadata[name] !== undefined && typeof metadata[name] !== "string")
  return wrong.length === 0
    ? Result.succeed(undefined)
    : Result.fail(
        Answer.invalid(
          Answer.validationCode,
          Object.fromEntries(wrong.map((name) => [`metadata.${name}`, ["must be a string"]]))
        )
      )
}

/** The client that owns a wallet. Undefined for the vault's own. */
const ownerOf = (
  ledger: Ledger.Ledger,
  { asset }: Token,
  walletId: string | undefined,
  field: string
): Result.Result<string | undefined, Answer.Refused> =>
  Result.gen(function* () {
    if (walletId === undefined) return undefined
    const { asset: other, clientId } = yield* findWallet(ledger, walletId, codes.wallet)
    if (other.network.id === asset.network.id) return clientId
    const fields = { [field]: [`must be a wallet on ${asset.network.id}`] }
    return yield* Result.fail(Answer.notNow(codes.elsewhere, "The wallet is on another network", fields))
  })

const supplyChange = (
  vault: Vault,
  token: Token,
  change: { readonly transaction: Ledger.Transaction; readonly document: Upload | undefined; readonly now: number }
) => {
  const { document, now, transaction } = change
  return omitUndefined({
    tokenId: Ids.token(token.asset.id),
    transactionId: Ids.transaction(transaction.id),
    status: Lifecycle.statusAt(transaction.lifecycle, now),
    amount: amountOf(transaction.amount ?? zero),
    supply: amountOf(token.supply),
    createdAt: WireFormat.formatDate(vault.world, now),
    extra: omitUndefined({ document })
  })
}

/** What the wallets of the vault have of a token, on its way out or not. */
const inWallets = ({ wallets }: Ledger.Ledger, { asset }: Token): BigDecimal.BigDecimal =>
  [...wallets.values()]
    .filter((wallet) => wallet.asset.id === asset.id)
    .reduce((sum, { balance, held }) => BigDecimal.sumAll([sum, balance, held]), zero)

/** An amount arrives from outside. Of a token of the vault, what nobody outside has is minted for it. */
export const creditFromOutside = (
  vault: Vault,
  now: number,
  credit: Ledger.Details & { readonly wallet: Ledger.Wallet; readonly amount: BigDecimal.BigDecimal }
): Ledger.Transaction => {
  const { amount, wallet, ...details } = credit
  const ledger = Ledger.at(vault, now)
  const transaction = ledger.credit(wallet, amount, details)
  const token = vault.state(tokenTable).get(wallet.asset.id)
  if (token !== undefined) token.supply = BigDecimal.max(token.supply, inWallets(ledger, token))
  return transaction
}

const defaultDecimals = 18

export const tokens = Category.define(TokensApi, {
  get: ({ params: { tokenId }, vault }) =>
    Result.merge(Result.map(findToken(vault, tokenId), (token) => Answer.granted("Token", shown(vault, token)))),

  networks: ({ query, world }) =>
    Listing.page(world, query, {
      message: "Token networks",
      rows: tokenNetworks,
      columns: networkColumns,
      show: (network) => network
    }),

  create: ({ now, payload, vault, world }) =>
    Result.merge(
      Result.gen(function* () {
        const { decimals = defaultDecimals, description, initialSupply = zero, logo, name, networkId, symbol } = payload
        yield* inRange("initialSupply", initialSupply)
        const network = yield* findTokenNetwork(networkId, codes.network)
        const id = world.nextId()
        const contractAddress = addressOf(vault, network, "contract", id)
        const asset: Asset = { id, name, symbol, decimals, contractAddress, network, price: undefined }
        const image = logo === undefined ? undefined : uploadOf(logo)
        const token: Token = {
          asset,
          description,
          logo: image,
          createdAt: now,
          updatedAt: now,
          supply: initialSupply,
          metadata: omitUndefined({ name, description, image: image === undefined ? undefined : locationOf(image) })
        }
        vault.state(tokenTable).set(id, token)
        assetsOf(vault).set(id, asset)
        const ledger = Ledger.at(vault, now)
        const wallet = ledger.open(undefined, asset)
        if (!BigDecimal.isZero(initialSupply)) ledger.credit(wallet, initialSupply, { from: contractAddress })
        return Answer.granted("Token created", shown(vault, token))
      })
    ),

  mint: ({ now, params: { tokenId }, payload, vault }) =>
    Result.merge(
      Result.gen(function* () {
        const { amount, document, note, toWalletId } = payload
        yield* inRange("amount", amount)
        const token = yield* findToken(vault, tokenId)
        const ledger = Ledger.at(vault, now)
        const wallet = ledger.open(yield* ownerOf(ledger, token, toWalletId, "toWalletId"), token.asset)
        const transaction = ledger.credit(wallet, amount, { from: token.asset.contractAddress, note })
        token.supply = BigDecimal.sum(token.supply, amount)
        token.updatedAt = now
        const change = { transaction, document: document === undefined ? undefined : uploadOf(document), now }
        return Answer.granted("Token minted", supplyChange(vault, token, change))
      })
    ),

  burn: ({ now, params: { tokenId }, payload, vault }) =>
    Result.merge(
      Result.gen(function* () {
        const { amount, document, fromWalletId, note } = payload
        yield* inRange("amount", amount)
        const token = yield* findToken(vault, tokenId)
        const ledger = Ledger.at(vault, now)
        const wallet = ledger.find(yield* ownerOf(ledger, token, fromWalletId, "fromWalletId"), token.asset)
        if (wallet === undefined || BigDecimal.isLessThan(wallet.balance, amount)) {
          const fields = { amount: ["exceeds the balance"] }
          return yield* Result.fail(Answer.notNow(codes.funds, "Insufficient balance to burn", fields))
        }
        const transaction = ledger.debit(wallet, amount, { to: token.asset.contractAddress, note })
        token.supply = BigDecimal.subtract(token.supply, amount)
        token.updatedAt = now
        const change = { transaction, document: document === undefined ? undefined : uploadOf(document), now }
        return Answer.granted("Token burned", supplyChange(vault, token, change))
      })
    ),

  metadata: ({ params: { tokenId }, vault }) =>
    Result.merge(
      Result.map(findToken(vault, tokenId), ({ metadata }) => Answer.granted("Token metadata", shownMetadata(metadata)))
    ),

  updateMetadata: ({ now, params: { tokenId }, payload: { metadata }, vault }) =>
    Result.merge(
      Result.gen(function* () {
        yield* checkedMetadata(metadata)
        const token = yield* findToken(vault, tokenId)
        token.metadata = metadata
        token.updatedAt = now
        return Answer.granted("Token metadata updated", shownMetadata(metadata))
      })
    )
})
