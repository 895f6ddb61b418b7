import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Redacted, Schema } from "effect"
import { Order, PayoutId } from "../../examples/starter/src/Api.ts"
import { Ledger } from "../../examples/starter/src/Ledger.ts"
import { emptyDatabase, hasPostgres, postgresServer } from "../support/servers/postgres.ts"

const order = Schema.decodeSync(Order)({ clientId: "alice", assetId: "usdc", to: "0x00", amount: "12.50" })
const other = Schema.decodeSync(Order)({ clientId: "alice", assetId: "usdc", to: "0x00", amount: "13" })
const name = PayoutId.make("p-1")

describe("the starter's ledger", () => {
  it.live.skipIf(!hasPostgres)(
    "the ledger lets one of many take a name, stores its transaction, and releases it",
    () =>
      Effect.gen(function* () {
        const url = yield* Effect.flatMap(postgresServer, emptyDatabase)
        const database = PgClient.layer({ url: Redacted.make(url) })
        yield* Effect.gen(function* () {
          const ledger = yield* Ledger
          const taken = yield* Effect.all(
            Array.from({ length: 10 }, (_, index) => ledger.take(name, index % 2 === 0 ? order : other)),
            { concurrency: "unbounded" }
          )
          const winners = taken.filter(Option.isNone)
          assert.lengthOf(winners, 1)
          const kept = Option.getOrThrow(yield* ledger.find(name))
          for (const entry of taken) if (Option.isSome(entry)) assert.deepStrictEqual(entry.value, kept)

          yield* ledger.put(name, { order, transactionId: "t-1" as never })
          assert.strictEqual(Option.getOrThrow(yield* ledger.find(name)).transactionId, "t-1")
          yield* ledger.release(name)
          assert.isTrue(Option.isNone(yield* ledger.find(name)))
          assert.isTrue(Option.isNone(yield* ledger.take(name, other)))
        }).pipe(Effect.provide(Layer.provide(Ledger.layerPostgres, database)))
      }),
    60_000
  )
})
