/**
 * The NFTs of a vault, their owners and their transfers.
 *
 * Specification: "Endpoint categories", NFTs. Assumed: without a wallet in the request, an NFT belongs to the vault's own
 * wallet.
 */
import { NftsApi } from "@effect-custody/nfts/NftsApi"
import { Network } from "@effect-custody/core/Network"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { findTokenNetwork } from "./checks.ts"
import * as Answer from "../http/answer.ts"
import type { InventedCode } from "../http/inventedCodes.ts"
import { addressOf, coinOf, tokenNetworks } from "../state/catalogue.ts"
import * as Category from "./category.ts"
import * as Lifecycle from "../state/lifecycle.ts"
import * as WireFormat from "../http/wireFormat.ts"
import * as LedgerRecords from "../state/ledgerRecords.ts"
import * as Ids from "../state/ids.ts"
import * as Ledger from "../state/ledger.ts"
import * as Listing from "./listing.ts"
import { omitUndefined } from "./omitUndefined.ts"
import { locationOf, Upload, uploadOf } from "../http/uploads.ts"
import { networkColumns } from "./vaults.ts"
import { findWallet } from "./wallets.ts"
import * as StateField from "../state/stateField.ts"
import type { Vault } from "../state/world.ts"

const Transfer = Schema.Struct({
  transaction: LedgerRecords.Transaction,
  fromWalletId: Schema.String,
  toWalletId: Schema.String
})
type Transfer = typeof Transfer.Type

const Nft = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  description: Schema.UndefinedOr(Schema.String),
  collection: Schema.UndefinedOr(Schema.String),
  file: Schema.UndefinedOr(Upload),
  network: Schema.toType(Network),
  contractAddress: Schema.String,
  createdAt: Schema.Finite,
  /** The wallet that it was created for. */
  walletId: Schema.String,
  transfers: StateField.list(Transfer)
})
type Nft = typeof Nft.Type

export const nftTable = StateField.make({ name: "nfts", schema: StateField.table(Nft), initial: () => new Map() })

/** The wallet of an NFT at a time: that of its last completed transfer. */
const holderAt = ({ createdAt, transfers, walletId }: Nft, now: number) => {
  const last = transfers.findLast(({ transaction }) => Lifecycle.statusAt(transaction.lifecycle, now) === "COMPLETED")
  return last === undefined
    ? { walletId, since: createdAt }
    : { walletId: last.toWalletId, since: last.transaction.lifecycle.endsAt }
}

const codes = {
  nft: "E56001",
  wallet: "E56002",
  network: "E56003",
  elsewhere: "E56004",
  notOwner: "E56005",
  inTransfer: "E56006"
} as const satisfies Readonly<Record<string, InventedCode>>

const findNft = (vault: Vault, nftId: string): Result.Result<Nft, Answer.Refused> =>
  Result.fromNullishOr(vault.state(nftTable).get(nftId), () => Answer.notFound(codes.nft, "NFT not found"))

const shown = ({ world }: Vault, nft: Nft, now: number) => {
  const { collection, contractAddress, createdAt, description, file, id, name, network } = nft
  const { since, walletId } = holderAt(nft, now)
  return omitUndefined({
    id: Ids.nft(id),
    name,
    description,
    collection,
    walletId: Ids.wallet(walletId),
    contractAddress,
    networkId: network.id,
    network,
    file: file === undefined ? undefined : locationOf(file),
    status: "COMPLETED",
    createdAt: WireFormat.formatDate(world, createdAt),
    updatedAt: WireFormat.formatDate(world, since),
    extra: omitUndefined({ fileDetails: file })
  })
}

const shownTransfer = (
  { world }: Vault,
  nft: Nft,
  { fromWalletId, toWalletId, transaction: { lifecycle, hash, id } }: Transfer,
  now: number
) => {
  const status = Lifecycle.statusAt(lifecycle, now)
  return omitUndefined({
    id: Ids.transaction(id),
    status,
    nftId: Ids.nft(nft.id),
    fromWalletId: Ids.wallet(fromWalletId),
    toWalletId: Ids.wallet(toWalletId),
    hash: status === "PENDING" ? undefined : hash,
    createdAt: WireFormat.formatDate(world, lifecycle.createdAt),
    updatedAt: WireFormat.formatDate(world, Lifecycle.changedAt(lifecycle, now))
  })
}

const transferColumnsAt = (now: number): Listing.Columns<Transfer> => ({
  id: ({ transaction }) => Number(transaction.id),
  createdAt: ({ transaction }) => transaction.lifecycle.createdAt,
  status: ({ transaction }) => Lifecycle.statusAt(transaction.lifecycle, now),
  fromWalletId: ({ fromWalletId }) => Number(fromWalletId),
  toWalletId: ({ toWalletId }) => Number(toWalletId)
})

/** Finds a wallet, and refuses one on another network. */
const walletOn = (ledger: Ledger.Ledger, network: Network, walletId: string, field: string) =>
  Result.gen(function* () {
    const wallet = yield* findWallet(ledger, walletId, codes.wallet)
    if (wallet.asset.network.id === network.id) return wallet
    const fields = { [field]: [`must be a wallet on ${network.id}`] }
    return yield* Result.fail(Answer.notNow(codes.elsewhere, "The wallet is on another network", fields))
  })

/** Refuses a transfer from another wallet, to the same wallet, or during another transfer. */
const transferable = (nft: Nft, fromWalletId: string, toWalletId: string, now: number) => {
  const refused = (code: string, message: string, fields: NonNullable<Answer.Refused["fields"]>) =>
    Result.fail(Answer.notNow(code, message, fields))
  if (holderAt(nft, now).walletId !== fromWalletId) {
    return refused(codes.notOwner, "The NFT is in another wallet", { fromWalletId: ["must be the wallet of the NFT"] })
  }
  if (fromWalletId === toWalletId) {
    const fields = { toWalletId: ["must not be the same as fromWalletId"] }
    return Result.fail(Answer.invalid(Answer.validationCode, fields))
  }
  return nft.transfers.some(({ transaction }) => Lifecycle.statusAt(transaction.lifecycle, now) === "PENDING")
    ? refused(codes.inTransfer, "The NFT is being transferred", { fromWalletId: ["is already transferring it"] })
    : Result.succeed(undefined)
}

export const nfts = Category.define(NftsApi, {
  get: ({ now, params: { nftId }, vault }) =>
    Result.merge(Result.map(findNft(vault, nftId), (nft) => Answer.granted("NFT", shown(vault, nft, now)))),

  networks: ({ query, world }) =>
    Listing.page(world, query, {
      message: "NFT networks",
      rows: tokenNetworks,
      columns: networkColumns,
      show: (network) => network
    }),

  create: ({ now, payload, vault, world }) =>
    Result.merge(
      Result.gen(function* () {
        const { collection, description, file, name, networkId, walletId } = payload
        const network = yield* findTokenNetwork(networkId, codes.network)
        const ledger = Ledger.at(vault, now)
        const wallet =
          walletId === undefined
            ? ledger.open(undefined, coinOf(vault, network))
            : yield* walletOn(ledger, network, walletId, "walletId")
        const nft: Nft = {
          id: world.nextId(),
          name,
          description,
          collection,
          file: uploadOf(file),
          network,
          contractAddress: addressOf(vault, network, "collection", collection ?? ""),
          createdAt: now,
          walletId: wallet.id,
          transfers: []
        }
        vault.state(nftTable).set(nft.id, nft)
        return Answer.granted("NFT created", shown(vault, nft, now))
      })
    ),

  transfer: ({ now, params: { nftId }, payload, vault, world }) =>
    Result.merge(
      Result.gen(function* () {
        const ledger = Ledger.at(vault, now)
        const nft = yield* findNft(vault, nftId)
        const from = yield* walletOn(ledger, nft.network, payload.fromWalletId, "fromWalletId")
        const to = yield* walletOn(ledger, nft.network, payload.toWalletId, "toWalletId")
        yield* transferable(nft, from.id, to.id, now)
        const lifecycle = Lifecycle.offChain(now, world.settings.durations, "COMPLETED")
        const transaction = ledger.record({
          type: "INTERNAL_TRANSFER",
          lifecycle,
          clientIds: [...new Set([from, to].flatMap(({ clientId }) => clientId ?? []))],
          walletId: from.id,
          networkId: nft.network.id,
          from: from.address,
          to: to.address,
          note: `NFT ${nft.id}`,
          hash: `0x${vault.derived("nft", nft.id, String(nft.transfers.length))}`
        })
        const transfer: Transfer = { transaction, fromWalletId: from.id, toWalletId: to.id }
        nft.transfers.push(transfer)
        return Answer.granted("NFT transfer created", shownTransfer(vault, nft, transfer, now))
      })
    ),

  transfers: ({ now, params: { nftId }, query, vault, world }) =>
    Result.merge(
      Result.map(findNft(vault, nftId), (nft) =>
        Listing.page(world, query, {
          message: "NFT transfers",
          rows: nft.transfers,
          columns: transferColumnsAt(now),
          show: (transfer) => shownTransfer(vault, nft, transfer, now)
        })
      )
    )
})
