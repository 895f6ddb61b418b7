import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Layer, Option, Redacted, Schema } from "effect"
import { Id } from "@effect-custody/core"
import { Order, PayoutId } from "../src/Api.ts"
import { Ledger } from "../src/Ledger.ts"
import { databaseUrl } from "./postgres.ts"

const entry = (amount: string) => ({
  order: Schema.decodeSync(Order)({ clientId: "alice", assetId: "usdc", to: "0x00", amount }),
  orderedAt: DateTime.makeUnsafe("2026-11-26T10:00:00Z")
})
const name = PayoutId.make("p-1")

describe("the ledger on PostgreSQL", () => {
  it.live(
    "the ledger lets one of many take a name, stores its transaction, and releases it",
    () =>
      Effect.gen(function* () {
        const database = PgClient.layer({ url: Redacted.make(yield* databaseUrl) })
        yield* Effect.gen(function* () {
          const ledger = yield* Ledger
          const taken = yield* Effect.all(
            Array.from({ length: 10 }, (_, index) => ledger.take(name, entry(index % 2 === 0 ? "12.50" : "13"))),
            { concurrency: "unbounded" }
          )
          assert.lengthOf(taken.filter(Option.isNone), 1)
          const kept = Option.getOrThrow(yield* ledger.find(name))
          for (const other of taken) if (Option.isSome(other)) assert.deepStrictEqual(other.value, kept)

          const transactionId = Id.TransactionId.make("t-1")
          yield* ledger.put(name, { ...kept, transactionId })
          assert.strictEqual(Option.getOrThrow(yield* ledger.find(name)).transactionId, transactionId)
          yield* ledger.release(name)
          assert.isTrue(Option.isNone(yield* ledger.find(name)))
          assert.isTrue(Option.isNone(yield* ledger.take(name, entry("13"))))
        }).pipe(Effect.provide(Layer.provide(Ledger.layerPostgres, database)))
      }),
    60_000
  )
})
