/** A vault's transactions in order and by client, so that a list does not read them all. Not part of a snapshot. */
import { ledgerState, type Transaction } from "./ledgerRecords.ts"
import type { DerivedField } from "./stateField.ts"
import type { Vault } from "./world.ts"

export interface TransactionIndex {
  /** Oldest first, by id. */
  readonly all: ReadonlyArray<Transaction>
  /** The transactions of a client, oldest first. */
  readonly ofClient: (clientId: string) => ReadonlyArray<Transaction>
  /** Whether the order is also that of `createdAt`. It is, unless the clock was set back. */
  readonly isChronological: () => boolean
  readonly add: (transaction: Transaction) => void
}

const make = (transactions: Iterable<Transaction>): TransactionIndex => {
  const all: Array<Transaction> = []
  const byClient = new Map<string, Array<Transaction>>()
  let isChronological = true
  const add = (transaction: Transaction): void => {
    const last = all.at(-1)
    if (last !== undefined && last.lifecycle.createdAt > transaction.lifecycle.createdAt) isChronological = false
    all.push(transaction)
    for (const clientId of new Set(transaction.clientIds)) {
      const existing = byClient.get(clientId)
      if (existing === undefined) byClient.set(clientId, [transaction])
      else existing.push(transaction)
    }
  }
  for (const transaction of transactions) add(transaction)
  return {
    all,
    ofClient: (clientId) => byClient.get(clientId) ?? [],
    isChronological: () => isChronological,
    add
  }
}

/** Built on first use, from the ledger of a snapshot if there is one. */
export const transactionIndex: DerivedField<TransactionIndex, Vault> = {
  name: "transactionIndex",
  initial: (vault) => make(vault.state(ledgerState).transactions.values())
}
