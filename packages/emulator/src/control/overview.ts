/** The state that the emulator's page shows. It contains no secrets. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import * as Schema from "effect/Schema"
import { plannedEnds } from "../categories/transactions.ts"
import type { Controls, PendingFault } from "../service/controls.ts"
import { Received } from "../model/Received.ts"
import * as Lifecycle from "../state/lifecycle.ts"
import * as Ledger from "../state/ledger.ts"
import { formatSum } from "../state/money.ts"
import type { Vault, World } from "../state/world.ts"

const maxRows = 200

const walletRows = (vault: Vault, now: number) =>
  Array.from(Ledger.at(vault, now).holdings(), ({ asset, balance, clientId, held, id, transactions }) => ({
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
    ({ amount, clientIds, id, lifecycle, note, to, type, ...unit }) => ({
      id,
      note: note ?? "",
      type,
      status: Lifecycle.statusAt(lifecycle, now),
      clients: clientIds.join(" → "),
      amount: amount === undefined ? "" : formatSum(amount),
      unit: unit.assetId ?? unit.currency ?? "",
      to: to ?? "",
      at: lifecycle.createdAt
    })
  )

const paymentTypes: ReadonlyArray<string> = ["OUTGOING", "INTERNAL_TRANSFER"]

/**
 * Numbers equal payments, which have the same note, asset, amount, wallet and recipient: the first gets 1, its repeat
 * 2.
 */
const countRepeats = (vault: Vault, now: number): ReadonlyMap<string, number> => {
  const seen = new Map<string, number>()
  const numbers = new Map<string, number>()
  for (const { amount, assetId, id, lifecycle, note, to, type, walletId } of Ledger.at(
    vault,
    now
  ).transactions.values()) {
    if (note === undefined || amount === undefined || assetId === undefined || !paymentTypes.includes(type)) continue
    // A payment that was rejected or has failed may be made again.
    if (["REJECTED", "ERROR"].includes(Lifecycle.statusAt(lifecycle, now))) continue
    const key = JSON.stringify([note, assetId, formatSum(BigDecimal.normalize(amount)), walletId, to])
    const number = (seen.get(key) ?? 0) + 1
    seen.set(key, number)
    numbers.set(id, number)
  }
  return numbers
}

const ledgerRows = (
  { vault, writes }: Pick<World, "vault" | "writes">,
  now: number,
  repeats: ReadonlyMap<string, number>
) =>
  writes.map(({ at, id = "", marker = "", operation, sequence, vaultId }) => {
    const transaction = Ledger.at(vault(vaultId), now).transactions.get(id)
    const { amount, assetId = "", clientIds = [], to = "" } = transaction ?? {}
    return {
      sequence,
      at: DateTime.toEpochMillis(at),
      operation,
      note: transaction?.note ?? marker,
      clients: clientIds.join(" → "),
      amount: amount === undefined ? "" : formatSum(amount),
      unit: assetId,
      to,
      id,
      /** Above 1: the same payment was made before. */
      time: repeats.get(id) ?? 1
    }
  })

/** How often a fault has yet to occur. */
const occurrence = ({ fault: { occasion }, times }: PendingFault): string => {
  if (occasion?.probability !== undefined) return `with probability ${occasion.probability}`
  return times === Infinity ? "always" : `× ${times}`
}

/** The planned ends of the next transactions, by vault. */
const plannedRows = (vaults: ReadonlyArray<Vault>) =>
  vaults.flatMap((vault) => {
    const ends = vault.state(plannedEnds)
    return ends.length === 0 ? [] : [{ vaultId: vault.id, text: `next sends and transfers: ${ends.join(", ")}` }]
  })

const encodeRequests = Schema.encodeEffect(Schema.Array(Received))

/** The newest records of each kind, newest first. Times are milliseconds since the Unix epoch. */
export const take = (world: World, controls: Controls) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const vaults = [...world.vaults()]
    const repeats = new Map(vaults.flatMap((vault) => [...countRepeats(vault, now)]))
    const newest = <A>(rows: ReadonlyArray<A>) => rows.slice(-maxRows).toReversed()
    return {
      counts: yield* controls.counts,
      faults: (yield* controls.faults.pending).map((one) => `${one.operation}: ${one.fault.name}, ${occurrence(one)}`),
      planned: plannedRows(vaults),
      paidAgain: [...repeats.values()].filter((number) => number > 1).length,
      ledger: newest(ledgerRows({ vault: world.vault, writes: world.writes.slice(-maxRows) }, now, repeats)),
      requests: newest(yield* Effect.orDie(encodeRequests((yield* controls.received).slice(-maxRows)))),
      sessions: newest(yield* controls.sessions),
      wallets: newest(vaults.flatMap((vault) => walletRows(vault, now))),
      transactions: newest(vaults.flatMap((vault) => transactionRows(vault, now)))
    }
  })

/** What the page receives as JSON. */
export type Overview = Effect.Success<ReturnType<typeof take>>
