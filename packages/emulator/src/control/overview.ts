/** The state that the page shows. Holds no secrets. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Controls } from "../service/controls.ts"
import * as Lifecycle from "../state/lifecycle.ts"
import * as Ledger from "../state/ledger.ts"
import { textOf } from "../state/money.ts"
import type { Vault, World } from "../state/world.ts"

const shownRows = 200

const walletsOf = (vault: Vault, now: number) =>
  Array.from(Ledger.at(vault, now).wallets.values(), ({ asset, balance, clientId, held, id, transactions }) => ({
    id,
    owner: clientId ?? "the vault",
    asset: asset.id,
    network: asset.network.id,
    balance: textOf(balance),
    held: textOf(held),
    transactions
  }))

const transactionsOf = (vault: Vault, now: number) =>
  Array.from(
    Ledger.at(vault, now).transactions.values(),
    ({ amount, clientIds, id, lifecycle, to, type, ...unit }) => ({
      id,
      type,
      status: Lifecycle.statusAt(lifecycle, now),
      clients: clientIds.join(" → "),
      amount: amount === undefined ? "" : textOf(amount),
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
    const newest = <A>(rows: ReadonlyArray<A>) => rows.slice(-shownRows).toReversed()
    return {
      now,
      counts: yield* controls.counts,
      pendingFaults: yield* controls.faults.pending,
      sessions: newest(yield* controls.sessions),
      wallets: newest(vaults.flatMap((vault) => walletsOf(vault, now))),
      transactions: newest(vaults.flatMap((vault) => transactionsOf(vault, now)))
    }
  })
