/**
 * A vault's books: wallets, what they hold, and the transactions that moved it. Nothing else changes a balance.
 *
 * Specification: "Other resources": "Wallet: a blockchain address per client per network, with balance and transaction
 * count"; "States and transitions". Assumed: a client's wallets on one network share their address; one wallet holds one
 * asset, the network's own coin at first, and another is opened when another asset arrives.
 */
import * as BigDecimal from "effect/BigDecimal"
import { addressOf, type Asset } from "./catalogue.ts"
import * as Course from "./course.ts"
import { zero } from "./money.ts"
import type { Slice, Vault } from "./world.ts"

export interface Wallet {
  readonly id: string
  /** Whose it is: without a client, the vault's own. */
  readonly clientId: string | undefined
  readonly asset: Asset
  readonly address: string
  readonly openedAt: number
  /** What can be spent. */
  balance: BigDecimal.BigDecimal
  /** What is on its way out: not to be spent, and back if it does not arrive. */
  held: BigDecimal.BigDecimal
  transactions: number
}

export interface Transaction {
  readonly id: string
  readonly type: "INCOMING" | "OUTGOING" | "INTERNAL_TRANSFER"
  readonly course: Course.Course
  /** Whose history it belongs to; the first is the one that it is told as. */
  readonly clientIds: ReadonlyArray<string>
  readonly walletId?: string | undefined
  readonly assetId?: string | undefined
  readonly networkId?: string | undefined
  readonly amount?: BigDecimal.BigDecimal | undefined
  /** Of fiat money. */
  readonly currency?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly note?: string | undefined
  /** On a blockchain. */
  readonly hash?: string | undefined
}

/** Something that happens at a time. */
interface Due {
  readonly at: number
  readonly happen: () => void
}

interface Books {
  readonly wallets: Map<string, Wallet>
  /** By owner and asset. */
  readonly byHolding: Map<string, Wallet>
  /** Whose an address is, by network and address. */
  readonly byAddress: Map<string, Pick<Wallet, "clientId">>
  readonly transactions: Map<string, Transaction>
  due: Array<Due>
  /** The time of the first of them. */
  nextDueAt: number
}

const books: Slice<Books> = {
  name: "books",
  initial: () => ({
    wallets: new Map(),
    byHolding: new Map(),
    byAddress: new Map(),
    transactions: new Map(),
    due: [],
    nextDueAt: Infinity
  })
}

const place = ({ network }: Asset, address: string): string => JSON.stringify([network.id, address])

const holding = (clientId: string | undefined, asset: Asset): string => JSON.stringify([clientId ?? null, asset.id])

/** What had to happen by now happens, in the order of its time. */
const settle = (books: Books, now: number): void => {
  while (books.nextDueAt <= now) {
    const happening = books.due.filter(({ at }) => at <= now).toSorted((a, b) => a.at - b.at)
    books.due = books.due.filter(({ at }) => at > now)
    books.nextDueAt = books.due.reduce((first, { at }) => Math.min(first, at), Infinity)
    for (const { happen } of happening) happen()
  }
}

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
  /** Lets something happen when a course ends. */
  readonly atEnd: (course: Course.Course, happen: (end: Course.End) => void) => void
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

/** The books of a vault. */
export const at = (vault: Vault, now: number): Ledger => {
  const state = vault.state(books)
  settle(state, now)
  const { nextId } = vault.world

  const open: Ledger["open"] = (clientId, asset) => {
    const key = holding(clientId, asset)
    const known = state.byHolding.get(key)
    if (known !== undefined) return known
    const owner = clientId === undefined ? ["vault"] : ["client", clientId]
    const wallet: Wallet = {
      id: nextId(),
      clientId,
      asset,
      address: addressOf(vault, asset.network, ...owner),
      openedAt: now,
      balance: zero,
      held: zero,
      transactions: 0
    }
    state.byHolding.set(key, wallet)
    state.byAddress.set(place(asset, wallet.address), wallet)
    state.wallets.set(wallet.id, wallet)
    return wallet
  }

  const record: Ledger["record"] = (fields) => {
    const id = nextId()
    const transaction: Transaction = { ...fields, id }
    state.transactions.set(id, transaction)
    return transaction
  }

  const atEnd: Ledger["atEnd"] = ({ end, endsAt }, happen) => {
    state.due.push({ at: endsAt, happen: () => happen(end) })
    state.nextDueAt = Math.min(state.nextDueAt, endsAt)
    settle(state, now)
  }

  const hash = (): string => `0x${vault.derived("hash", String(state.transactions.size))}`

  const credited = (wallet: Wallet, amount: BigDecimal.BigDecimal, told: Told, course: Course.Course): Transaction => {
    wallet.balance = BigDecimal.sum(wallet.balance, amount)
    wallet.transactions++
    return record({
      to: wallet.address,
      ...told,
      ...of(wallet),
      type: "INCOMING",
      course,
      clientIds: isHeldBy(wallet),
      amount,
      hash: hash()
    })
  }

  /** Keeps an amount back until a course ends. */
  const hold = (from: Wallet, amount: BigDecimal.BigDecimal, course: Course.Course, arrive: () => void): void => {
    from.balance = BigDecimal.subtract(from.balance, amount)
    from.held = BigDecimal.sum(from.held, amount)
    from.transactions++
    atEnd(course, (end) => {
      from.held = BigDecimal.subtract(from.held, amount)
      if (end === "COMPLETED") arrive()
      else from.balance = BigDecimal.sum(from.balance, amount)
    })
  }

  return {
    wallets: state.wallets,
    transactions: state.transactions,
    find: (clientId, asset) => state.byHolding.get(holding(clientId, asset)),
    open,
    record,
    atEnd,
    credit: (wallet, amount, told) => credited(wallet, amount, told, Course.done(now)),
    debit: (wallet, amount, told) => {
      wallet.balance = BigDecimal.subtract(wallet.balance, amount)
      wallet.transactions++
      const course = Course.done(now)
      const fields = { from: wallet.address, ...told, ...of(wallet), clientIds: isHeldBy(wallet), amount, hash: hash() }
      return record({ ...fields, type: "OUTGOING", course })
    },
    send: (wallet, amount, { course, ...told }) => {
      const fields = { from: wallet.address, ...told, ...of(wallet), clientIds: isHeldBy(wallet), amount, hash: hash() }
      const transaction = record({ ...fields, type: "OUTGOING", course })
      hold(wallet, amount, course, () => {
        const inside = state.byAddress.get(place(wallet.asset, told.to))
        if (inside === undefined) return
        const arrived = Course.done(course.endsAt)
        credited(open(inside.clientId, wallet.asset), amount, { from: wallet.address, note: told.note }, arrived)
      })
      return transaction
    },
    transfer: (from, to, amount, { course, ...told }) => {
      const clientIds = [...isHeldBy(from), ...isHeldBy(to)]
      const ends = { from: from.address, to: to.address }
      const transaction = record({
        ...told,
        ...ends,
        ...of(from),
        type: "INTERNAL_TRANSFER",
        course,
        clientIds,
        amount
      })
      hold(from, amount, course, () => {
        to.balance = BigDecimal.sum(to.balance, amount)
        to.transactions++
      })
      return transaction
    }
  }
}
