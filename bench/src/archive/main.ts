/**
 * What an archive changes: the sizes of the tables, and the time of a claim, of a status and of known orders again, in a
 * ledger with many paid payouts: before it, after it, and once the space is given back to the disk. The payouts are
 * written by SQL, not sent. `pnpm bench archive [--payouts N] [--only sqlite,postgres]`
 */
import { Amount } from "@effect-custody/core"
import { LedgerSqlite, Payouts } from "@effect-custody/ledger"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Console from "effect/Console"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import * as Path from "node:path"
import { parseArgs } from "node:util"
import { claim } from "../../../packages/extensions/ledger/src/claim.ts"
import * as Database from "../../../packages/extensions/ledger/src/database.ts"
import { emptyDatabase, postgresServer } from "../../../test/support/servers/postgres.ts"
import { temporaryDirectory } from "../../../test/support/servers/sqlitePlace.ts"
import { table } from "../../../tools/docs/tables.ts"
import { quantile } from "../support/statistics.ts"

const { values } = parseArgs({
  options: { payouts: { type: "string", default: "1000000" }, only: { type: "string", default: "sqlite,postgres" } }
})
const payouts = Number(values.payouts)
const claims = 40
const prefix = "0x52908400098527886e0F7030"
const first = 1_000_000_000_000_000

/** Paid payouts of 1,000 a batch, of a month ago, each with four steps. */
const fill = Effect.fnUntraced(function* ({ isPostgres, sql }: Database.Database) {
  const at = DateTime.toEpochMillis(DateTime.subtract(yield* DateTime.now, { months: 1 }))
  const numbers = isPostgres
    ? `generate_series(0, ${payouts - 1}) AS s(n)`
    : `(WITH RECURSIVE s(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM s WHERE n < ${payouts - 1}) SELECT n FROM s)`
  yield* sql.unsafe(`INSERT INTO payouts (reference, batch, client_id, asset_id, destination, amount, note, twin, state,
      attempt, claim, intent_at, valid_until, transaction_id, detail, submitted_by, submitted_at)
    SELECT 'payout-' || n, 'batch-' || (n / 1000), 'client-0', 'usdc', '${prefix}' || (${first} + n), '1', 'payout-' || n,
      '["client-0","usdc",null,"${prefix.toLowerCase()}' || (${first} + n) || '","1"]', 'paid', 1,
      '0f8fad5b-d9cb-469f-a165-' || (100000000000 + n / 8), ${at}, ${at + 30_000},
      '7c9e6679-7425-40de-944b-' || (100000000000 + n), 'COMPLETED', 'bench', ${at} FROM ${numbers}`)
  const steps = [
    "'submitted', 0, 'ready'",
    "'claimed', 1, 'sending'",
    "'accepted', 1, 'accepted'",
    "'completed', 1, 'paid'"
  ]
  for (const step of steps)
    yield* sql.unsafe(`INSERT INTO payout_events (reference, attempt, at, who, step, state, detail)
      SELECT reference, s.attempt, ${at}, 'worker-1', s.step, s.state, CASE s.step WHEN 'accepted' THEN transaction_id END
      FROM payouts, (SELECT ${step.replace(",", " AS step,").replace(/, ('\w+')$/, " AS attempt, $1 AS state")}) AS s`)
  yield* sql.unsafe(isPostgres ? "VACUUM ANALYZE" : "PRAGMA wal_checkpoint(TRUNCATE)")
})

const seconds = Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>) {
  const began = performance.now()
  yield* work
  return (performance.now() - began) / 1_000
})

const sizeOf = ({ isPostgres, sql }: Database.Database, tables: string) =>
  Effect.map(
    sql.unsafe<{ readonly size: unknown }>(
      isPostgres
        ? `SELECT sum(pg_total_relation_size(oid)) AS size FROM pg_class WHERE relname IN (${tables})`
        : `SELECT sum(pgsize) AS size FROM dbstat WHERE name IN (SELECT name FROM sqlite_schema WHERE tbl_name IN (${tables}))`
    ),
    ([row]) => `${(Number(row?.size) / 1e6).toFixed(0)} MB`
  )

const submit = (batch: string, count: number, reference: (at: number) => string) =>
  Payouts.submit({
    batch,
    by: "bench",
    orders: Array.from({ length: count }, (_, at) => {
      const to = `${prefix}${first + at}`
      return { reference: reference(at), clientId: "client-0", assetId: "usdc", to, amount: Amount.of("1") }
    })
  })

const measure = Effect.fnUntraced(function* (database: Database.Database, name: string) {
  yield* submit(name, 8 * claims, (at) => `${name}-${at}`)
  const committed = new Database.Committed()
  const given = { who: "bench", claim: "bench", limit: 8, sendWithin: 30_000, committed, contract: undefined }
  const times = yield* Effect.forEach(Array.from({ length: claims }), () => seconds(claim(database, given)))
  return [
    yield* sizeOf(database, "'payouts', 'payout_events'"),
    yield* sizeOf(database, "'archived_payouts', 'archived_events'"),
    `${(1_000 * quantile(times, 0.5)).toFixed(2)} ms`,
    `${(yield* seconds(Payouts.progress())).toFixed(3)} s`,
    `${(yield* seconds(submit("again", 1_000, (at) => `payout-${at}`))).toFixed(3)} s`
  ]
})

const bench = Effect.fnUntraced(function* (name: string) {
  const database = yield* Database.openDatabase(Database.makeDatabase(yield* SqlClient.SqlClient))
  yield* Database.noteCompared(database, yield* Database.findChange(database))
  yield* fill(database)
  const before = yield* measure(database, "before")
  const took = yield* seconds(Effect.flatMap(DateTime.now, (now) => Payouts.archive({ before: now })))
  const after = yield* measure(database, "after")
  yield* database.sql.unsafe(database.isPostgres ? "VACUUM FULL ANALYZE payouts, payout_events" : "VACUUM")
  const vacuumed = yield* measure(database, "vacuumed")
  const names = ["working tables", "archive", "a claim of 8", "status", "1,000 known orders again"]
  const rows = names.map((one, at) => [one, before[at]!, after[at]!, vacuumed[at]!])
  yield* Console.log(`\n${name}, ${payouts} payouts: ${took.toFixed(0)} s to archive\n`)
  yield* Console.log(table(["", "before", "after", "after VACUUM"], rows, 1))
})

const places = {
  sqlite: Effect.map(temporaryDirectory, (folder) => LedgerSqlite.layer({ filename: Path.join(folder, "ledger.db") })),
  postgres: Effect.map(Effect.flatMap(postgresServer, emptyDatabase), (url) =>
    PgClient.layer({ url: Redacted.make(url) })
  )
}

for (const [name, place] of Object.entries(places)) {
  if (!values.only.split(",").includes(name)) continue
  const ledger = Layer.unwrap(Effect.map(place, (layer) => Payouts.layer().pipe(Layer.provideMerge(layer))))
  await Effect.runPromise(Effect.scoped(Effect.provide(bench(name), ledger, { local: true })))
}
