/**
 * The NFTs of a vault, their owners and their transfers.
 *
 * Specification: "Endpoint categories", NFTs. Assumed: without a wallet in the request, an NFT belongs to the vault's own
 * wallet.
 */
import * as NftsSdk from "@effect-custody/nfts/Nfts"
import { Network } from "@effect-custody/core/Lenient"
import * as DateTime from "effect/DateTime"
import * as Schema from "effect/Schema"
import { findTokenNetwork, found, walletOn } from "./checks.ts"
import * as Answer from "../http/answer.ts"
import { deriveAddress, findCoin, tokenNetworks } from "../state/catalogue.ts"
import * as Category from "./category.ts"
import * as Lifecycle from "../state/lifecycle.ts"
import * as LedgerRecords from "../state/ledgerRecords.ts"
import * as Ledger from "../state/ledger.ts"
import * as Listing from "./listing.ts"
import { fileAddress, Upload, uploadRecord } from "../http/uploads.ts"
import { networkView } from "./vaults.ts"
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
  /** The wallet that the NFT was created in. */
  walletId: Schema.String,
  transfers: StateField.list(Transfer)
})
type Nft = typeof Nft.Type

export const nftTable = StateField.table("nfts", Nft)

/**
 * The wallet that holds an NFT at the time `now`: the recipient of the last completed transfer. Without such a
 * transfer, the wallet that the NFT was created in.
 */
const holderAt = ({ createdAt, transfers, walletId }: Nft, now: number) => {
  const last = transfers.findLast(({ transaction }) => Lifecycle.statusAt(transaction.lifecycle, now) === "COMPLETED")
  return last === undefined
    ? { walletId, since: createdAt }
    : { walletId: last.toWalletId, since: last.transaction.lifecycle.endsAt }
}

const codes = { unknown: "E56002", elsewhere: "E56004" } as const

const findNft = (vault: Vault, nftId: string) => found(vault.state(nftTable).get(nftId), "E56001")

const view = (nft: Nft, now: number) => {
  const { collection, contractAddress, createdAt, description, file, id, name, network } = nft
  const { since, walletId } = holderAt(nft, now)
  return {
    id,
    name,
    description,
    collection,
    walletId,
    contractAddress,
    networkId: network.id,
    network,
    file: file && fileAddress(file),
    status: "COMPLETED",
    createdAt: DateTime.makeUnsafe(createdAt),
    updatedAt: DateTime.makeUnsafe(since),
    extra: { fileDetails: file }
  }
}

const transferView = (nftId: string, { fromWalletId, toWalletId, transaction }: Transfer, now: number) => {
  const { hash, id, lifecycle } = transaction
  const status = Lifecycle.statusAt(lifecycle, now)
  return {
    id,
    status,
    nftId,
    fromWalletId,
    toWalletId,
    hash: status === "PENDING" ? undefined : hash,
    createdAt: DateTime.makeUnsafe(lifecycle.createdAt),
    updatedAt: DateTime.makeUnsafe(Lifecycle.changedAt(lifecycle, now))
  }
}

export const nfts = Category.define(NftsSdk.endpoints, {
  *get({ now, input: { nftId }, vault }) {
    return Answer.granted("NFT", view(yield* findNft(vault, nftId), now))
  },

  networks: (call) => Listing.page(call, "NFT networks", { rows: tokenNetworks, show: networkView }),

  *create({ now, input, vault, world }) {
    const { collection, description, file, name, networkId, walletId } = input
    const network = yield* findTokenNetwork(networkId, "E56003")
    const ledger = Ledger.at(vault, now)
    const wallet =
      walletId === undefined
        ? ledger.open(undefined, findCoin(vault, network))
        : yield* walletOn(ledger, network, { walletId, field: "walletId" }, codes)
    const nft: Nft = {
      id: world.nextId(),
      name,
      description,
      collection,
      file: uploadRecord(file),
      network,
      contractAddress: deriveAddress(vault, network, "collection", collection ?? ""),
      createdAt: now,
      walletId: wallet.id,
      transfers: []
    }
    vault.state(nftTable).set(nft.id, nft)
    return Answer.granted("NFT created", view(nft, now))
  },

  *transfer({ now, input: { nftId, fromWalletId, toWalletId }, vault, world }) {
    const ledger = Ledger.at(vault, now)
    const nft = yield* findNft(vault, nftId)
    const from = yield* walletOn(ledger, nft.network, { walletId: fromWalletId, field: "fromWalletId" }, codes)
    const to = yield* walletOn(ledger, nft.network, { walletId: toWalletId, field: "toWalletId" }, codes)
    if (holderAt(nft, now).walletId !== from.id) {
      return Answer.notNow("E56005", { fromWalletId: ["must be the wallet of the NFT"] })
    }
    if (from === to) return Answer.invalid({ toWalletId: ["must not be the same as fromWalletId"] })
    if (nft.transfers.some(({ transaction }) => Lifecycle.statusAt(transaction.lifecycle, now) === "PENDING")) {
      return Answer.notNow("E56006", { fromWalletId: ["is already transferring it"] })
    }
    const transaction = ledger.record({
      type: "INTERNAL_TRANSFER",
      lifecycle: Lifecycle.offChain(now, world.settings.durations, "COMPLETED"),
      clientIds: [...new Set([from, to].flatMap(({ clientId }) => clientId ?? []))],
      walletId: from.id,
      networkId: nft.network.id,
      from: from.address,
      to: to.address,
      note: `NFT ${nft.id}`,
      hash: `0x${vault.derive("nft", nft.id, String(nft.transfers.length))}`
    })
    const transfer: Transfer = { transaction, fromWalletId, toWalletId }
    nft.transfers.push(transfer)
    return Answer.granted("NFT transfer created", transferView(nftId, transfer, now))
  },

  *transfers(call) {
    const { transfers } = yield* findNft(call.vault, call.input.nftId)
    return Listing.page(call, "NFT transfers", {
      rows: transfers,
      show: (transfer) => transferView(call.input.nftId, transfer, call.now)
    })
  }
})
