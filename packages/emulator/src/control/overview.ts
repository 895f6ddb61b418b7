/** The state that the emulator's page shows. It contains no secrets. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Controls } from "../service/controls.ts"
import * as Lifecycle from "../state/lifecycle.ts"
import * as Ledger from "../state/ledger.ts"
import { formatSum } from "../state/money.ts"
import type { Vault, World } from "../state/world.ts"

const maxRows = 200

const walletRows = (vault: Vault, now: number) =>
  Array.from(Ledger.at(vault, now).wallets.values(), ({ asset, balance, clientId, held, id, transactions }) => ({
    id,
    owner: clientId ?? "the vault",
    asset: asset.id,
    network: asset.network.id,
    balance: formatSum(balance),
    held: formatSum(held),
    transactions
  }))

const transactionRows = (vault: Vault, now: number) =>
  Array.from(
    Ledger.at(vault, now).transactions.values(),
    ({ amount, clientIds, id, lifecycle, to, type, ...unit }) => ({
      id,
      type,
      status: Lifecycle.statusAt(lifecycle, now),
      clients: clientIds.join(" → "),
      amount: amount === undefined ? "" : formatSum(amount),
      unit: unit.assetId ?? unit.currency ?? "",
      to: to ?? "",
      at: lifecycle.createdAt
    })
  )

/** The newest records of each kind, newest first. Times are milliseconds since the Unix epoch. */
export const take = (world: World, controls: Controls) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const vaults = [...world.vaults()]
    const newest = <A>(rows: ReadonlyArray<A>) => rows.slice(-maxRows).toReversed()
    return {
      now,
      newestEvent: world.events.newest(),
      counts: yield* controls.counts,
      pendingFaults: yield* controls.faults.pending,
      sessions: newest(yield* controls.sessions),
      wallets: newest(vaults.flatMap((vault) => walletRows(vault, now))),
      transactions: newest(vaults.flatMap((vault) => transactionRows(vault, now)))
    }
  })
