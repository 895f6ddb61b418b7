/**
 * A vault's books: wallets, what they hold, and the transactions that moved it. Nothing else changes a balance.
 *
 * Specification: "Other resources": "Wallet: a blockchain address per client per network, with balance and transaction
 * count"; "States and transitions". Assumed: a client's wallets on one network share their address; one wallet holds one
 * asset, the network's own coin at first, and another is opened when another asset arrives.
 */
import * as BigDecimal from "effect/BigDecimal"
import { type Due, slice, type Transaction, type Wallet } from "./books.ts"
import { addressOf, type Asset } from "./catalogue.ts"
import * as Course from "./course.ts"
import { zero } from "./money.ts"
import type { Vault } from "./world.ts"

export type { Transaction, Wallet }

const place = ({ network }: Asset, address: string): string => JSON.stringify([network.id, address])

const holding = (clientId: string | undefined, asset: Asset): string => JSON.stringify([clientId ?? null, asset.id])

/** The books of a vault as they are at a time. */
export interface Ledger {
  readonly wallets: ReadonlyMap<string, Wallet>
  readonly transactions: ReadonlyMap<string, Transaction>
  /** The wallet of a client, or of the vault itself, for an asset, if there is one. */
  readonly find: (clientId: string | undefined, asset: Asset) => Wallet | undefined
  /** The same; it is opened if there is none. */
  readonly open: (clientId: string | undefined, asset: Asset) => Wallet
  /** Writes a transaction down. It moves nothing. */
  readonly record: (transaction: Omit<Transaction, "id">) => Transaction
  /** An amount arrives from outside. */
  readonly credit: (wallet: Wallet, amount: BigDecimal.BigDecimal, told: Told) => Transaction
  /** An amount leaves for good. */
  readonly debit: (wallet: Wallet, amount: BigDecimal.BigDecimal, told: Told) => Transaction
  /** An amount is on its way out of a wallet until the course ends: then it arrives, or is back. */
  readonly send: (
    wallet: Wallet,
    amount: BigDecimal.BigDecimal,
    told: Told & { readonly to: string; readonly course: Course.Course }
  ) => Transaction
  /** The same, to another wallet of the vault. */
  readonly transfer: (
    from: Wallet,
    to: Wallet,
    amount: BigDecimal.BigDecimal,
    told: Told & { readonly course: Course.Course }
  ) => Transaction
}

/** What can be said of a transaction beside what moved. */
export interface Told {
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly note?: string | undefined
}

const isHeldBy = (wallet: Wallet): ReadonlyArray<string> => (wallet.clientId === undefined ? [] : [wallet.clientId])

const of = ({ asset, id }: Wallet) => ({ walletId: id, assetId: asset.id, networkId: asset.network.id })

/** The wallet of a client, or of the vault itself, for an asset; it is opened if there is none. */
const open = (vault: Vault, clientId: string | undefined, asset: Asset): Wallet => {
  const { byAddress, byHolding, wallets } = vault.state(slice)
  const key = holding(clientId, asset)
  const known = wallets.get(byHolding.get(key) ?? "")
  if (known !== undefined) return known
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
  byAddress.set(place(asset, wallet.address), { clientId })
  wallets.set(wallet.id, wallet)
  return wallet
}

const record = (vault: Vault, fields: Omit<Transaction, "id">): Transaction => {
  const transaction: Transaction = { ...fields, id: vault.world.nextId() }
  vault.state(slice).transactions.set(transaction.id, transaction)
  return transaction
}

const hash = (vault: Vault): string => `0x${vault.derived("hash", String(vault.state(slice).transactions.size))}`

const credit = (
  vault: Vault,
  wallet: Wallet,
  amount: BigDecimal.BigDecimal,
  { course, ...told }: Told & { readonly course: Course.Course }
): Transaction => {
  wallet.balance = BigDecimal.sum(wallet.balance, amount)
  wallet.transactions++
  return record(vault, {
    to: wallet.address,
    ...told,
    ...of(wallet),
    type: "INCOMING",
    course,
    clientIds: isHeldBy(wallet),
    amount,
    hash: hash(vault)
  })
}

/** An amount that was on its way arrives, or is back. */
const happen = (vault: Vault, { amount, at, end, fromWalletId, to }: Due): void => {
  const { byAddress, wallets } = vault.state(slice)
  const from = wallets.get(fromWalletId)!
  from.held = BigDecimal.subtract(from.held, amount)
  if (end !== "COMPLETED") {
    from.balance = BigDecimal.sum(from.balance, amount)
  } else if (to._tag === "Wallet") {
    const wallet = wallets.get(to.walletId)!
    wallet.balance = BigDecimal.sum(wallet.balance, amount)
    wallet.transactions++
  } else {
    const inside = byAddress.get(place(from.asset, to.address))
    if (inside === undefined) return
    const told = { from: from.address, note: to.note, course: Course.done(at) }
    credit(vault, open(vault, inside.clientId, from.asset), amount, told)
  }
}

/** What had to happen by now happens, in the order of its time. */
const settle = (vault: Vault, now: number): void => {
  const books = vault.state(slice)
  while (books.nextDueAt <= now) {
    const happening = books.due.filter(({ at }) => at <= now).toSorted((a, b) => a.at - b.at)
    books.due = books.due.filter(({ at }) => at > now)
    books.nextDueAt = books.due.reduce((first, { at }) => Math.min(first, at), Infinity)
    for (const due of happening) happen(vault, due)
  }
}

/** Keeps an amount back until a course ends. */
const hold = (
  vault: Vault,
  from: Wallet,
  amount: BigDecimal.BigDecimal,
  { course, to }: { readonly course: Course.Course; readonly to: Due["to"] }
): void => {
  from.balance = BigDecimal.subtract(from.balance, amount)
  from.held = BigDecimal.sum(from.held, amount)
  from.transactions++
  const books = vault.state(slice)
  books.due.push({ at: course.endsAt, end: course.end, amount, fromWalletId: from.id, to })
  books.nextDueAt = Math.min(books.nextDueAt, course.endsAt)
}

/** The books of a vault. */
export const at = (vault: Vault, now: number): Ledger => {
  settle(vault, now)
  const { byHolding, transactions, wallets } = vault.state(slice)
  return {
    wallets,
    transactions,
    find: (clientId, asset) => wallets.get(byHolding.get(holding(clientId, asset)) ?? ""),
    open: (clientId, asset) => open(vault, clientId, asset),
    record: (transaction) => record(vault, transaction),
    credit: (wallet, amount, told) => credit(vault, wallet, amount, { ...told, course: Course.done(now) }),
    debit: (wallet, amount, told) => {
      wallet.balance = BigDecimal.subtract(wallet.balance, amount)
      wallet.transactions++
      const fields = { from: wallet.address, ...told, ...of(wallet), clientIds: isHeldBy(wallet), amount }
      return record(vault, { ...fields, type: "OUTGOING", course: Course.done(now), hash: hash(vault) })
    },
    send: (wallet, amount, { course, ...told }) => {
      const fields = { from: wallet.address, ...told, ...of(wallet), clientIds: isHeldBy(wallet), amount }
      const transaction = record(vault, { ...fields, type: "OUTGOING", course, hash: hash(vault) })
      hold(vault, wallet, amount, { course, to: { _tag: "Address", address: told.to, note: told.note } })
      settle(vault, now)
      return transaction
    },
    transfer: (from, to, amount, { course, ...told }) => {
      const transaction = record(vault, {
        ...told,
        ...of(from),
        from: from.address,
        to: to.address,
        type: "INTERNAL_TRANSFER",
        course,
        clientIds: [...isHeldBy(from), ...isHeldBy(to)],
        amount
      })
      hold(vault, from, amount, { course, to: { _tag: "Wallet", walletId: to.id } })
      settle(vault, now)
      return transaction
    }
  }
}
