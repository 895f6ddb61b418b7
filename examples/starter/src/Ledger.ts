/** What this backend has ordered: a row for each payout, whose name can be taken once. */
import { Id } from "@effect-custody/core"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Context, Effect, Layer, Option, Ref, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { Order, type PayoutId } from "./Api.ts"

/** Without a `transactionId`, nobody knows yet how the payout ended. */
export const Entry = Schema.Struct({
  order: Order,
  orderedAt: Schema.DateTimeUtc,
  transactionId: Schema.optionalKey(Id.TransactionId)
})
export type Entry = typeof Entry.Type

export class LedgerError extends Schema.TaggedError<LedgerError>()("LedgerError", {
  cause: Schema.Defect(),
  message: Schema.String
}) {}

const failed = (cause: SqlError.SqlError | Schema.SchemaError) =>
  new LedgerError({ cause, message: `The ledger cannot be used: ${cause.message}` })

const Json = Schema.fromJsonString(Schema.toCodecJson(Entry))

interface Row {
  readonly entry: string
}

export class Ledger extends Context.Service<
  Ledger,
  {
    /** Takes a name for an entry. Gives the entry that has the name, if it is taken. */
    readonly take: (payoutId: PayoutId, entry: Entry) => Effect.Effect<Option.Option<Entry>, LedgerError>
    /** Replaces the entry of a name. */
    readonly put: (payoutId: PayoutId, entry: Entry) => Effect.Effect<void, LedgerError>
    /** Gives a name back: its payout was certainly not sent. */
    readonly release: (payoutId: PayoutId) => Effect.Effect<void, LedgerError>
    readonly find: (payoutId: PayoutId) => Effect.Effect<Option.Option<Entry>, LedgerError>
  }
>()("payouts/Ledger") {
  /** For tests: it ends with the process. */
  static readonly layerMemory = Layer.effect(
    this,
    Effect.map(Ref.make<ReadonlyMap<PayoutId, Entry>>(new Map()), (entries) => ({
      take: (payoutId: PayoutId, entry: Entry) =>
        Ref.modify(entries, (now) => {
          const taken = Option.fromUndefinedOr(now.get(payoutId))
          return [taken, Option.isSome(taken) ? now : new Map(now).set(payoutId, entry)]
        }),
      put: (payoutId: PayoutId, entry: Entry) => Ref.update(entries, (now) => new Map(now).set(payoutId, entry)),
      release: (payoutId: PayoutId) =>
        Ref.update(entries, (now) => new Map([...now].filter(([name]) => name !== payoutId))),
      find: (payoutId: PayoutId) => Effect.map(Ref.get(entries), (now) => Option.fromUndefinedOr(now.get(payoutId)))
    }))
  )

  /** A table of PostgreSQL: its primary key lets one process of many take a name. */
  static readonly layerPostgres = Layer.effect(
    this,
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* sql`CREATE TABLE IF NOT EXISTS payouts (id text PRIMARY KEY, entry text NOT NULL)`
      const encode = Schema.encodeEffect(Json)
      const decode = Schema.decodeEffect(Json)

      const find = Effect.fn("Ledger.find")(function* (payoutId: PayoutId) {
        const [row] = yield* sql<Row>`SELECT entry FROM payouts WHERE id = ${payoutId}`
        return row === undefined ? Option.none<Entry>() : Option.some(yield* decode(row.entry))
      }, Effect.mapError(failed))

      return {
        find,
        take: Effect.fn("Ledger.take")(function* (payoutId: PayoutId, entry: Entry) {
          const json = yield* Effect.mapError(encode(entry), failed)
          const inserted = yield* Effect.mapError(
            sql`INSERT INTO payouts (id, entry) VALUES (${payoutId}, ${json}) ON CONFLICT DO NOTHING RETURNING id`,
            failed
          )
          if (inserted.length > 0) return Option.none<Entry>()
          // The name may have been given back in between: then it is free for the caller's next attempt.
          return Option.some(Option.getOrElse(yield* find(payoutId), () => entry))
        }),
        put: Effect.fn("Ledger.put")(function* (payoutId: PayoutId, entry: Entry) {
          yield* sql`UPDATE payouts SET entry = ${yield* encode(entry)} WHERE id = ${payoutId}`
        }, Effect.mapError(failed)),
        release: Effect.fn("Ledger.release")(function* (payoutId: PayoutId) {
          yield* sql`DELETE FROM payouts WHERE id = ${payoutId}`
        }, Effect.mapError(failed))
      }
    })
  )
}
