/**
 * The tokens that were made in a vault. What there is of a token is in its wallets, to the last unit.
 *
 * Specification: "Endpoint categories", Tokens. Assumed: a token is an asset of the vault under its own id, and belongs
 * to the vault's own wallet where no other is named.
 */
import { TokensApi } from "@effect-custody/tokens/TokensApi"
import * as BigDecimal from "effect/BigDecimal"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Answer from "./answer.ts"
import { addressOf, Asset, assetsOf, findTokenNetwork, tokenNetworks } from "./catalogue.ts"
import * as Category from "./category.ts"
import * as Course from "./course.ts"
import * as Dialect from "./dialect.ts"
import * as Ids from "./ids.ts"
import * as Ledger from "./ledger.ts"
import * as Listing from "./listing.ts"
import { amountOf, movable, Sum, zero } from "./money.ts"
import { present } from "./present.ts"
import { locationOf, Upload, uploadOf } from "./uploads.ts"
import { networkColumns } from "./vaults.ts"
import { findWallet } from "./wallets.ts"
import * as Slice from "./slice.ts"
import type { Vault } from "./world.ts"

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

export const slice = Slice.make({ name: "tokens", schema: Slice.table(Token), initial: () => new Map() })

const codes = { token: "E55001", wallet: "E55002", network: "E55003", elsewhere: "E55004", funds: "E55005" }

const findToken = (vault: Vault, tokenId: string): Result.Result<Token, Answer.Refused> =>
  Result.fromNullishOr(vault.state(slice).get(tokenId), () => Answer.notFound(codes.token, "Token not found"))

const shown = ({ world }: Vault, { asset, createdAt, description, logo, supply, updatedAt }: Token) =>
  present({
    id: Ids.token(asset.id),
    name: asset.name,
    symbol: asset.symbol,
    decimals: asset.decimals,
    description,
    supply: amountOf(supply),
    contractAddress: asset.contractAddress,
    networkId: asset.network.id,
    network: asset.network,
    logo: logo === undefined ? undefined : locationOf(logo),
    logoFile: logo,
    status: "COMPLETED",
    createdAt: Dialect.date(world, createdAt),
    updatedAt: Dialect.date(world, updatedAt)
  })

/** What is known of a token's metadata is text; anything else may be anything. */
const textual = ["name", "description", "image", "website"]

const checkedMetadata = (metadata: Metadata): Result.Result<void, Answer.Refused> => {
  const wrong = textual.filter((name) => metadata[name] !== undefined && typeof metadata[name] !== "string")
  return wrong.length === 0
    ? Result.succeed(undefined)
    : Result.fail(
        Answer.invalid(
          Answer.validationCode,
          Object.fromEntries(wrong.map((name) => [`metadata.${name}`, ["must be a string"]]))
        )
      )
}

/** Who has the wallet that is named: without a client, the vault itself. */
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

const changed = (
  vault: Vault,
  token: Token,
  change: { readonly transaction: Ledger.Transaction; readonly document: Upload | undefined; readonly now: number }
) => {
  const { document, now, transaction } = change
  return present({
    tokenId: Ids.token(token.asset.id),
    transactionId: Ids.transaction(transaction.id),
    status: Course.statusAt(transaction.course, now),
    amount: amountOf(transaction.amount ?? zero),
    supply: amountOf(token.supply),
    createdAt: Dialect.date(vault.world, now),
    document
  })
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
        yield* movable("initialSupply", initialSupply)
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
          metadata: present({ name, description, image: image === undefined ? undefined : locationOf(image) })
        }
        vault.state(slice).set(id, token)
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
        yield* movable("amount", amount)
        const token = yield* findToken(vault, tokenId)
        const ledger = Ledger.at(vault, now)
        const wallet = ledger.open(yield* ownerOf(ledger, token, toWalletId, "toWalletId"), token.asset)
        const transaction = ledger.credit(wallet, amount, { from: token.asset.contractAddress, note })
        token.supply = BigDecimal.sum(token.supply, amount)
        token.updatedAt = now
        const change = { transaction, document: document === undefined ? undefined : uploadOf(document), now }
        return Answer.granted("Token minted", changed(vault, token, change))
      })
    ),

  burn: ({ now, params: { tokenId }, payload, vault }) =>
    Result.merge(
      Result.gen(function* () {
        const { amount, document, fromWalletId, note } = payload
        yield* movable("amount", amount)
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
        return Answer.granted("Token burned", changed(vault, token, change))
      })
    ),

  metadata: ({ params: { tokenId }, vault }) =>
    Result.merge(
      Result.map(findToken(vault, tokenId), ({ metadata }) => Answer.granted("Token metadata", { ...metadata }))
    ),

  updateMetadata: ({ now, params: { tokenId }, payload: { metadata }, vault }) =>
    Result.merge(
      Result.gen(function* () {
        yield* checkedMetadata(metadata)
        const token = yield* findToken(vault, tokenId)
        token.metadata = metadata
        token.updatedAt = now
        return Answer.granted("Token metadata updated", { ...metadata })
      })
    )
})
