/** The events of a transaction: its creation, and each change of its status at the time of the change. */
import type { Change } from "./eventLog.ts"
import type { Transaction } from "./ledgerRecords.ts"
import * as Lifecycle from "./lifecycle.ts"
import { formatSum } from "./money.ts"
import type { Vault } from "./world.ts"

const change = ({ id: vaultId }: Vault, transaction: Transaction, status: string): Change => {
  const { amount, assetId, clientIds, currency, id, note, to, type } = transaction
  return {
    _tag: "Transaction",
    transaction: {
      vaultId,
      id,
      type,
      status,
      clientIds,
      ...(amount === undefined ? {} : { amount: formatSum(amount) }),
      ...(assetId === undefined ? {} : { assetId }),
      ...(currency === undefined ? {} : { currency }),
      ...(to === undefined ? {} : { to }),
      ...(note === undefined ? {} : { note })
    }
  }
}

/** Schedules the statuses that a transaction has yet to reach. */
export const schedule = (vault: Vault, transaction: Transaction, now: number): void => {
  if (Lifecycle.isAwaitingApproval(transaction.lifecycle)) return
  const { broadcastAt, end, endsAt } = transaction.lifecycle
  const { events } = vault.world
  if (now < broadcastAt && broadcastAt < endsAt) {
    events.schedule(broadcastAt, change(vault, transaction, "BROADCASTING"))
  }
  if (now < endsAt) events.schedule(endsAt, change(vault, transaction, end))
}

/** Adds the event of the status that a transaction has now, and schedules the later events. */
export const report = (vault: Vault, transaction: Transaction, now: number): void => {
  vault.world.events.add(now, change(vault, transaction, Lifecycle.statusAt(transaction.lifecycle, now)))
  schedule(vault, transaction, now)
}
