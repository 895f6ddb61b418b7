/**
 * The tokens created in a vault. The supply of a token is the minted amount minus the burned amount.
 *
 * Specification: "Endpoint categories", Tokens. Assumed: a token is an asset of the vault with the same id. Without a
 * wallet in the request, amounts belong to the vault's own wallet.
 */
import type * as CoreUpload from "@effect-custody/core/Upload"
import * as TokensSdk from "@effect-custody/tokens/Tokens"
import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { findTokenNetwork, found, inRange, oneOf, walletOn } from "./checks.ts"
import * as Answer from "../http/answer.ts"
import { deriveAddress, Asset, vaultAssets, tokenNetworks } from "../state/catalogue.ts"
import * as Category from "./category.ts"
import * as Ledger from "../state/ledger.ts"
import * as Listing from "./listing.ts"
import { Sum, zero } from "../state/money.ts"
import { fileAddress, Upload, uploadRecord } from "../http/uploads.ts"
import { networkView } from "./vaults.ts"
import * as StateField from "../state/stateField.ts"
import type { Vault } from "../state/world.ts"

type Metadata = Readonly<Record<string, unknown>>

const Token = Schema.Struct({
  asset: Asset,
  type: Schema.Literals(["FUNGIBLE", "SECURITY"]),
  description: Schema.UndefinedOr(Schema.String),
  logo: Schema.UndefinedOr(Upload),
  createdAt: Schema.Finite,
  updatedAt: Schema.mutableKey(Schema.Finite),
  supply: Schema.mutableKey(Sum),
  metadata: Schema.mutableKey(Schema.Json as unknown as Schema.Codec<Metadata>)
})
type Token = typeof Token.Type

export const tokenTable = StateField.table("tokens", Token)

const findToken = (vault: Vault, tokenId: string) => found(vault.state(tokenTable).get(tokenId), "E55001")

const view = ({ asset, createdAt, description, logo, supply, type, updatedAt }: Token) => ({
  id: asset.id,
  name: asset.name,
  symbol: asset.symbol,
  type,
  decimals: asset.decimals,
  description,
  supply,
  contractAddress: asset.contractAddress,
  networkId: asset.network.id,
  network: asset.network,
  logo: logo && fileAddress(logo),
  status: "COMPLETED",
  createdAt: DateTime.makeUnsafe(createdAt),
  updatedAt: DateTime.makeUnsafe(updatedAt),
  extra: { logoFile: logo }
})

const types = TokensSdk.TokenType.known

/** The metadata fields that must be text. Other fields may hold any JSON. */
const textFields = ["name", "description", "image", "website"]

const metadataView = (metadata: Metadata) => {
  const entries = Object.entries(metadata)
  return {
    ...Object.fromEntries(entries.filter(([name]) => textFields.includes(name))),
    extra: Object.fromEntries(entries.filter(([name]) => !textFields.includes(name)))
  }
}

/** The client that owns a wallet. `undefined` for the vault's own wallet. */
const findOwner = (
  ledger: Ledger.Ledger,
  { asset }: Token,
  named: { readonly walletId: string | undefined; readonly field: string }
): Result.Result<string | undefined, Answer.Refused> => {
  const { field, walletId } = named
  if (walletId === undefined) return Result.succeed(undefined)
  const wallet = walletOn(ledger, asset.network, { walletId, field }, { unknown: "E55002", elsewhere: "E55004" })
  return Result.map(wallet, ({ clientId }) => clientId)
}

/** Sets the supply of a token after a transaction. Returns the answer, which shows the supply and the transaction. */
const changed = (
  token: Token,
  message: string,
  supply: BigDecimal.BigDecimal,
  {
    document,
    transaction
  }: { readonly document: CoreUpload.File | undefined; readonly transaction: Ledger.Transaction }
) => {
  const { amount, id, lifecycle } = transaction
  token.supply = supply
  token.updatedAt = lifecycle.createdAt
  return Answer.granted(message, {
    tokenId: token.asset.id,
    transactionId: id,
    status: lifecycle.end,
    amount,
    supply,
    createdAt: DateTime.makeUnsafe(lifecycle.createdAt),
    extra: { document: document && uploadRecord(document) }
  })
}

export const tokens = Category.define(TokensSdk.endpoints, {
  *get({ input: { tokenId }, vault }) {
    return Answer.granted("Token", view(yield* findToken(vault, tokenId)))
  },

  networks: (call) => Listing.page(call, "Token networks", { rows: tokenNetworks, show: networkView }),

  *create({ now, input, vault, world }) {
    const { decimals = 18, description, initialSupply = zero, name, networkId, symbol } = input
    yield* inRange("initialSupply", initialSupply)
    yield* oneOf("type", input.type, types)
    const network = yield* findTokenNetwork(networkId, "E55003")
    const id = world.nextId()
    const contractAddress = deriveAddress(vault, network, "contract", id)
    const asset: Asset = { id, name, symbol, decimals, contractAddress, network, price: undefined }
    const logo = input.logo && uploadRecord(input.logo)
    const image = logo && fileAddress(logo)
    const token: Token = {
      asset,
      type: input.type as Token["type"],
      description,
      logo,
      createdAt: now,
      updatedAt: now,
      supply: initialSupply,
      metadata: { name, ...(description && { description }), ...(image && { image }) }
    }
    vault.state(tokenTable).set(id, token)
    vaultAssets(vault).set(id, asset)
    const ledger = Ledger.at(vault, now)
    const wallet = ledger.open(undefined, asset)
    if (!BigDecimal.isZero(initialSupply)) ledger.credit(wallet, initialSupply, { from: contractAddress })
    return Answer.granted("Token created", view(token))
  },

  *mint({ now, input, vault }) {
    const { amount, document, note, toWalletId, tokenId } = input
    yield* inRange("amount", amount)
    const token = yield* findToken(vault, tokenId)
    const ledger = Ledger.at(vault, now)
    const owner = yield* findOwner(ledger, token, { walletId: toWalletId, field: "toWalletId" })
    const credit = { from: token.asset.contractAddress, note }
    const transaction = ledger.credit(ledger.open(owner, token.asset), amount, credit)
    return changed(token, "Token minted", BigDecimal.sum(token.supply, amount), { document, transaction })
  },

  *burn({ now, input, vault }) {
    const { amount, document, fromWalletId, note, tokenId } = input
    yield* inRange("amount", amount)
    const token = yield* findToken(vault, tokenId)
    const ledger = Ledger.at(vault, now)
    const owner = yield* findOwner(ledger, token, { walletId: fromWalletId, field: "fromWalletId" })
    const wallet = ledger.find(owner, token.asset)
    // The supply also limits a burn, because `fund` can credit a wallet with more than was ever minted.
    if (wallet === undefined || BigDecimal.isLessThan(BigDecimal.min(wallet.balance, token.supply), amount)) {
      return Answer.notNow("E55005", { amount: ["exceeds the balance"] })
    }
    const transaction = ledger.debit(wallet, amount, { to: token.asset.contractAddress, note })
    return changed(token, "Token burned", BigDecimal.subtract(token.supply, amount), { document, transaction })
  },

  *metadata({ input: { tokenId }, vault }) {
    return Answer.granted("Token metadata", metadataView((yield* findToken(vault, tokenId)).metadata))
  },

  *updateMetadata({ now, input: { tokenId, metadata }, vault }) {
    const wrong = textFields.filter((name) => metadata[name] !== undefined && typeof metadata[name] !== "string")
    if (wrong.length > 0) {
      return Answer.invalid(Object.fromEntries(wrong.map((name) => [`metadata.${name}`, ["must be a string"]])))
    }
    const token = yield* findToken(vault, tokenId)
    token.metadata = metadata
    token.updatedAt = now
    return Answer.granted("Token metadata updated", metadataView(metadata))
  }
})
