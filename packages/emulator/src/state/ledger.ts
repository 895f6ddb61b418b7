/**
 * A vault's ledger: its wallets, their balances, and the transactions that changed them. Nothing else changes a balance.
 *
 * Specification: "Other resources": "Wallet: a blockchain address per client per network, with balance and transaction
 * count"; "States and transitions". A wallet has a balance for each asset that it holds. It starts with the network's
 * coin, and holds another asset from the moment at which the asset first arrives.
 */
import * as BigDecimal from "effect/BigDecimal"
import { deriveAddress, vaultAssets, type Asset } from "./catalogue.ts"
import { holdingKey, ledgerState, type Settlement, type Transaction, type Wallet } from "./ledgerRecords.ts"
import * as Lifecycle from "./lifecycle.ts"
import { zero } from "./money.ts"
import type { Vault } from "./world.ts"

export type { Transaction, Wallet }

interface Details {
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly note?: string | undefined
}

interface TimedDetails extends Details {
  readonly lifecycle: Lifecycle.Lifecycle
}

/** The ledger of a vault at a point in time. */
export interface Ledger {
  /** What the wallets hold, each of one asset. */
  readonly holdings: () => Iterable<Wallet>
  /** What one wallet holds, by its id: first the network's coin. Empty if no such wallet exists. */
  readonly ofWallet: (walletId: string) => ReadonlyArray<Wallet>
  /** By id, oldest first. */
  readonly transactions: ReadonlyMap<string, Transaction>
  /** What a client, or the vault itself, holds of an asset. `undefined` if its wallet has never held the asset. */
  readonly find: (clientId: string | undefined, asset: Asset) => Wallet | undefined
  /** Like `find`, but opens the wallet if it does not exist, and the holding. */
  readonly open: (clientId: string | undefined, asset: Asset) => Wallet
  /** Records a transaction without changing any balance. */
  readonly record: (transaction: Omit<Transaction, "id">) => Transaction
  /** Records a completed transaction of a wallet, and changes no balance. */
  readonly note: (
    wallet: Wallet,
    amount: BigDecimal.BigDecimal,
    details: Details & { readonly type: "SWAP" | "ALLOWANCE" }
  ) => Transaction
  /** Adds an amount that arrives from outside. */
  readonly credit: (wallet: Wallet, amount: BigDecimal.BigDecimal, details: Details) => Transaction
  /** Removes an amount that leaves for good. */
  readonly debit: (wallet: Wallet, amount: BigDecimal.BigDecimal, details: Details) => Transaction
  /** Holds an amount until the lifecycle ends. The amount then arrives at an address, or returns to the wallet. */
  readonly send: (
    wallet: Wallet,
    amount: BigDecimal.BigDecimal,
    details: TimedDetails & { readonly to: string }
  ) => Transaction
  /** Like `send`, but to another wallet of the vault. */
  readonly transfer: (from: Wallet, to: Wallet, amount: BigDecimal.BigDecimal, details: TimedDetails) => Transaction
}

const owners = ({ clientId }: Wallet): ReadonlyArray<string> => (clientId === undefined ? [] : [clientId])

const change = (wallet: Wallet, by: BigDecimal.BigDecimal): void => {
  wallet.balance = BigDecimal.sum(wallet.balance, by)
  wallet.transactions++
}

/** Makes the ledger. Does not settle the amounts that are due, because settling them needs a ledger. */
const makeLedger = (vault: Vault, now: number): Ledger => {
  const { ids, settlements, transactions, wallets } = vault.state(ledgerState)
  const ownerKey = (clientId: string | undefined, { network }: Asset) => JSON.stringify([clientId ?? null, network.id])
  const find: Ledger["find"] = (clientId, asset) =>
    wallets.get(holdingKey(ids.get(ownerKey(clientId, asset)) ?? "", asset.id))
  const open: Ledger["open"] = (clientId, asset) => {
    const existing = find(clientId, asset)
    if (existing !== undefined) return existing
    const owner = clientId === undefined ? ["vault"] : ["client", clientId]
    const key = ownerKey(clientId, asset)
    const id = ids.get(key) ?? vault.world.nextId()
    const wallet: Wallet = {
      id,
      clientId,
      asset,
      address: deriveAddress(vault, asset.network, ...owner),
      balance: zero,
      held: zero,
      transactions: 0
    }
    ids.set(key, id)
    wallets.set(holdingKey(id, asset.id), wallet)
    return wallet
  }
  const record: Ledger["record"] = (fields) => {
    const transaction: Transaction = { ...fields, id: vault.world.nextId() }
    transactions.set(transaction.id, transaction)
    return transaction
  }
  /** Records a transaction of a wallet on its blockchain. */
  const recordOnChain = (
    wallet: Wallet,
    amount: BigDecimal.BigDecimal,
    details: Partial<TimedDetails> & Pick<Transaction, "type"> & Partial<Pick<Transaction, "clientIds" | "hash">>
  ): Transaction =>
    record({
      lifecycle: Lifecycle.completed(now),
      hash: `0x${vault.derive("hash", String(transactions.size))}`,
      clientIds: owners(wallet),
      ...details,
      walletId: wallet.id,
      assetId: wallet.asset.id,
      networkId: wallet.asset.network.id,
      amount
    })
  const hold = (
    { lifecycle: { end, endsAt } }: Transaction,
    from: Wallet,
    amount: BigDecimal.BigDecimal,
    to: Settlement["to"]
  ) => {
    change(from, BigDecimal.negate(amount))
    from.held = BigDecimal.sum(from.held, amount)
    settlements.push({ at: endsAt, end, amount, from: holdingKey(from.id, from.asset.id), to })
    settleDue(vault, now)
  }
  return {
    holdings: () => wallets.values(),
    ofWallet: (walletId) =>
      Array.from(vaultAssets(vault).keys()).flatMap((assetId) => wallets.get(holdingKey(walletId, assetId)) ?? []),
    transactions,
    find,
    open,
    record,
    note: recordOnChain,
    credit: (wallet, amount, details) => {
      change(wallet, amount)
      return recordOnChain(wallet, amount, { to: wallet.address, ...details, type: "INCOMING" })
    },
    debit: (wallet, amount, details) => {
      change(wallet, BigDecimal.negate(amount))
      return recordOnChain(wallet, amount, { from: wallet.address, ...details, type: "OUTGOING" })
    },
    send: (wallet, amount, details) => {
      const transaction = recordOnChain(wallet, amount, { from: wallet.address, ...details, type: "OUTGOING" })
      hold(transaction, wallet, amount, { _tag: "Address", address: details.to, note: details.note })
      return transaction
    },
    transfer: (from, to, amount, details) => {
      const parties = { from: from.address, to: to.address, clientIds: [...owners(from), ...owners(to)] }
      const transaction = recordOnChain(from, amount, {
        ...details,
        ...parties,
        hash: undefined,
        type: "INTERNAL_TRANSFER"
      })
      hold(transaction, from, amount, { _tag: "Wallet", holding: holdingKey(to.id, to.asset.id) })
      return transaction
    }
  }
}

/** Settles an amount in flight. The amount arrives, or returns to its wallet. */
const settle = (vault: Vault, { amount, at, end, from: key, to }: Settlement): void => {
  const ledger = makeLedger(vault, at)
  const { wallets } = vault.state(ledgerState)
  const from = wallets.get(key)!
  from.held = BigDecimal.subtract(from.held, amount)
  if (end !== "COMPLETED") {
    from.balance = BigDecimal.sum(from.balance, amount)
  } else if (to._tag === "Wallet") {
    change(wallets.get(to.holding)!, amount)
  } else {
    const recipient = Array.from(wallets.values()).find(
      ({ address, asset }) => address === to.address && asset.network.id === from.asset.network.id
    )
    if (recipient === undefined) return
    ledger.credit(ledger.open(recipient.clientId, from.asset), amount, { from: from.address, note: to.note })
  }
}

/** Settles every amount that is due, in order of time. */
const settleDue = (vault: Vault, now: number): void => {
  const { settlements } = vault.state(ledgerState)
  const due = settlements.filter(({ at }) => at <= now).toSorted((a, b) => a.at - b.at)
  for (const settlement of due) {
    settlements.splice(settlements.indexOf(settlement), 1)
    settle(vault, settlement)
  }
}

/** The ledger of a vault now, after settling every amount that is due. */
export const at = (vault: Vault, now: number): Ledger => {
  settleDue(vault, now)
  return makeLedger(vault, now)
}

/** The total of an asset in a vault, including amounts in flight. */
export const vaultTotal = ({ holdings }: Ledger, asset: Asset): BigDecimal.BigDecimal =>
  BigDecimal.sumAll(
    [...holdings()].filter((wallet) => wallet.asset.id === asset.id).flatMap(({ balance, held }) => [balance, held])
  )
