/** The starter's ledger for one process: a file for each payout, or whatever else a `KeyValueStore` is. */
import { Effect, Layer, Option, type Schema } from "effect"
import { KeyValueStore } from "effect/persistence"
import { Entry, Ledger, LedgerError } from "../starter/src/Ledger.ts"

const failed = (cause: KeyValueStore.KeyValueStoreError | Schema.SchemaError) =>
  new LedgerError({ cause, message: `The ledger cannot be used: ${cause.message}` })

export const layer = Layer.effect(
  Ledger,
  Effect.map(KeyValueStore.KeyValueStore, (files) => {
    const entries = KeyValueStore.toSchemaStore(files, Entry)
    return Ledger.of({
      // Two steps: `Payouts` handles the orders of one name in turn, and there is no other process.
      take: (payoutId, order) =>
        entries.get(payoutId).pipe(
          Effect.tap((taken) => (Option.isSome(taken) ? Effect.void : entries.set(payoutId, { order }))),
          Effect.mapError(failed)
        ),
      put: (payoutId, entry) => Effect.mapError(entries.set(payoutId, entry), failed),
      release: (payoutId) => Effect.mapError(entries.remove(payoutId), failed),
      find: (payoutId) => Effect.mapError(entries.get(payoutId), failed)
    })
  })
)
