/**
 * A vault's ledger: its wallets, their balances, and the transactions that changed them. Nothing else changes a balance.
 *
 * Specification: "Other resources": "Wallet: a blockchain address per client per network, with balance and transaction
 * count"; "States and transitions". Assumed: a client's wallets on one network share their address; a wallet holds one
 * asset. Each client starts with a wallet for each network's coin; a wallet for another asset is opened when the asset
 * first arrives.
 */
import * as BigDecimal from "effect/BigDecimal"
import { addressOf, type Asset } from "./catalogue.ts"
import { ledgerState, type Settlement, type Transaction, type Wallet } from "./ledgerRecords.ts"
import * as Lifecycle from "./lifecycle.ts"
import { zero } from "./money.ts"
import { type TransactionIndex, transactionIndex } from "./transactionIndex.ts"
import type { Vault } from "./world.ts"

export type { Transaction, Wallet }

const addressKey = ({ network }: Asset, address: string): string => JSON.stringify([network.id, address])

const holdingKey = (clientId: string | undefined, asset: Asset): string => JSON.stringify([clientId ?? null, asset.id])

/** The ledger of a vault as of a time. */
export interface Ledger {
  readonly wallets: ReadonlyMap<string, Wallet>
  readonly transactions: ReadonlyMap<string, Transaction>
  readonly index: TransactionIndex
  /** The wallet of a client, or of the vault itself, for an asset, if there is one. */
  readonly find: (clientId: string | undefined, asset: Asset) => Wallet | undefined
  /** The same; opens the wallet if there is none. */
  readonly open: (clientId: string | undefined, asset: Asset) => Wallet
  /** Records a transaction, and changes no balance. */
  readonly record: (transaction: Omit<Transaction, "id">) => Transaction
  /** An amount arrives from outside. */
  readonly credit: (wallet: Wallet, amount: BigDecimal.BigDecimal, details: Details) => Transaction
  /** An amount leaves for good. */
  readonly debit: (wallet: Wallet, amount: BigDecimal.BigDecimal, details: Details) => Transaction
  /** Holds an amount until the lifecycle ends; then it arrives at an address, or returns. */
  readonly send: (
    wallet: Wallet,
    amount: BigDecimal.BigDecimal,
    details: Details & { readonly to: string; readonly lifecycle: Lifecycle.Lifecycle }
  ) => Transaction
  /** The same, to another wallet of the vault. */
  readonly transfer: (
    from: Wallet,
    to: Wallet,
    amount: BigDecimal.BigDecimal,
    details: Details & { readonly lifecycle: Lifecycle.Lifecycle }
  ) => Transaction
}

/** Optional details of a transaction. */
export interface Details {
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly note?: string | undefined
}

const ownersOf = (wallet: Wallet): ReadonlyArray<string> => (wallet.clientId === undefined ? [] : [wallet.clientId])

const idsOf = ({ asset, id }: Wallet) => ({ walletId: id, assetId: asset.id, networkId: asset.network.id })

const open = (vault: Vault, clientId: string | undefined, asset: Asset): Wallet => {
  const { byAddress, byHolding, wallets } = vault.state(ledgerState)
  const key = holdingKey(clientId, asset)
  const existing = wallets.get(byHolding.get(key) ?? "")
  if (existing !== undefined) return existing
  const owner = clientId === undefined ? ["vault"] : ["client", clientId]
  const wallet: Wallet = {
    id: vault.world.nextId(),
    clientId,
    asset,
    address: addressOf(vault, asset.network, ...owner),
    balance: zero,
    held: zero,
    transactions: 0
  }
  byHolding.set(key, wallet.id)
  byAddress.set(addressKey(asset, wallet.address), { clientId })
  wallets.set(wallet.id, wallet)
  return wallet
}

const record = (vault: Vault, fields: Omit<Transaction, "id">): Transaction => {
  const transaction: Transaction = { ...fields, id: vault.world.nextId() }
  vault.state(transactionIndex).add(transaction)
  vault.state(ledgerState).transactions.set(transaction.id, transaction)
  return transaction
}

const hash = (vault: Vault): string => `0x${vault.derived("hash", String(vault.state(ledgerState).transactions.size))}`

const credit = (
  vault: Vault,
  wallet: Wallet,
  amount: BigDecimal.BigDecimal,
  { lifecycle, ...details }: Details & { readonly lifecycle: Lifecycle.Lifecycle }
): Transaction => {
  wallet.balance = BigDecimal.sum(wallet.balance, amount)
  wallet.transactions++
  return record(vault, {
    to: wallet.address,
    ...details,
    ...idsOf(wallet),
    type: "INCOMING",
    lifecycle,
    clientIds: ownersOf(wallet),
    amount,
    hash: hash(vault)
  })
}

/** An amount in flight arrives, or returns. */
const settle = (vault: Vault, { amount, at, end, fromWalletId, to }: Settlement): void => {
  const { byAddress, wallets } = vault.state(ledgerState)
  const from = wallets.get(fromWalletId)!
  from.held = BigDecimal.subtract(from.held, amount)
  if (end !== "COMPLETED") {
    from.balance = BigDecimal.sum(from.balance, amount)
  } else if (to._tag === "Wallet") {
    const wallet = wallets.get(to.walletId)!
    wallet.balance = BigDecimal.sum(wallet.balance, amount)
    wallet.transactions++
  } else {
    const recipient = byAddress.get(addressKey(from.asset, to.address))
    if (recipient === undefined) return
    const details = { from: from.address, note: to.note, lifecycle: Lifecycle.completed(at) }
    credit(vault, open(vault, recipient.clientId, from.asset), amount, details)
  }
}

/** Settles everything that is due, in the order of its time. */
const settleDue = (vault: Vault, now: number): void => {
  const ledger = vault.state(ledgerState)
  while (ledger.nextSettlementAt <= now) {
    const due = ledger.settlements.filter(({ at }) => at <= now).toSorted((a, b) => a.at - b.at)
    ledger.settlements = ledger.settlements.filter(({ at }) => at > now)
    ledger.nextSettlementAt = ledger.settlements.reduce((first, { at }) => Math.min(first, at), Infinity)
    for (const settlement of due) settle(vault, settlement)
  }
}

/** Holds an amount until a lifecycle ends. */
const hold = (
  vault: Vault,
  from: Wallet,
  amount: BigDecimal.BigDecimal,
  { lifecycle, to }: { readonly lifecycle: Lifecycle.Lifecycle; readonly to: Settlement["to"] }
): void => {
  from.balance = BigDecimal.subtract(from.balance, amount)
  from.held = BigDecimal.sum(from.held, amount)
  from.transactions++
  const ledger = vault.state(ledgerState)
  ledger.settlements.push({ at: lifecycle.endsAt, end: lifecycle.end, amount, fromWalletId: from.id, to })
  ledger.nextSettlementAt = Math.min(ledger.nextSettlementAt, lifecycle.endsAt)
}

/** The ledger of a vault as of now. */
export const at = (vault: Vault, now: number): Ledger => {
  settleDue(vault, now)
  const { byHolding, transactions, wallets } = vault.state(ledgerState)
  return {
    wallets,
    transactions,
    index: vault.state(transactionIndex),
    find: (clientId, asset) => wallets.get(byHolding.get(holdingKey(clientId, asset)) ?? ""),
    open: (clientId, asset) => open(vault, clientId, asset),
    record: (transaction) => record(vault, transaction),
    credit: (wallet, amount, details) =>
      credit(vault, wallet, amount, { ...details, lifecycle: Lifecycle.completed(now) }),
    debit: (wallet, amount, details) => {
      wallet.balance = BigDecimal.subtract(wallet.balance, amount)
      wallet.transactions++
      const fields = { from: wallet.address, ...details, ...idsOf(wallet), clientIds: ownersOf(wallet), amount }
      return record(vault, { ...fields, type: "OUTGOING", lifecycle: Lifecycle.completed(now), hash: hash(vault) })
    },
    send: (wallet, amount, { lifecycle, ...details }) => {
      const fields = { from: wallet.address, ...details, ...idsOf(wallet), clientIds: ownersOf(wallet), amount }
      const transaction = record(vault, { ...fields, type: "OUTGOING", lifecycle, hash: hash(vault) })
      hold(vault, wallet, amount, { lifecycle, to: { _tag: "Address", address: details.to, note: details.note } })
      settleDue(vault, now)
      return transaction
    },
    transfer: (from, to, amount, { lifecycle, ...details }) => {
      const transaction = record(vault, {
        ...details,
        ...idsOf(from),
        from: from.address,
        to: to.address,
        type: "INTERNAL_TRANSFER",
        lifecycle,
        clientIds: [...ownersOf(from), ...ownersOf(to)],
        amount
      })
      hold(vault, from, amount, { lifecycle, to: { _tag: "Wallet", walletId: to.id } })
      settleDue(vault, now)
      return transaction
    }
  }
}
