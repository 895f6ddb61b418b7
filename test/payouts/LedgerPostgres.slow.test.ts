import { Amount } from "@effect-custody/core"
import { Payouts } from "@effect-custody/ledger"
import * as PgClient from "@effect/sql-pg/PgClient"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as Database from "../../packages/extensions/ledger/src/database.ts"
import { settle } from "../../packages/extensions/ledger/src/settle.ts"
import { emptyDatabase, hasPgBouncer, pgBouncer, postgresServer } from "../support/servers/postgres.ts"
import { ledgerConformance } from "../../packages/extensions/ledger/test/suites/ledgerConformance.ts"
import { ledgerGuards } from "../../packages/extensions/ledger/test/suites/ledgerGuards.ts"
import { ledgerMishaps } from "../../packages/extensions/ledger/test/suites/ledgerMishaps.ts"

// One server for all tests of this file, and PgBouncer before it where there is one.
const scope = Scope.makeUnsafe()
let server = ""
let throughBouncer = (url: string) => url

beforeAll(
  () =>
    Effect.gen(function* () {
      server = yield* postgresServer
      if (hasPgBouncer) throughBouncer = yield* pgBouncer(server)
    }).pipe(Scope.provide(scope), Effect.runPromise),
  60_000
)
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

type Config = Parameters<typeof PgClient.layer>[0]

/** A new database, through a pool with the given options. */
const placeWith = (config: Config, through: (url: string) => string = (url) => url) =>
  Effect.suspend(() =>
    Effect.map(emptyDatabase(server), (url) => PgClient.layer({ ...config, url: Redacted.make(through(url)) }))
  )

ledgerConformance(
  "PostgreSQL with asynchronous commits",
  placeWith({ maxConnections: 4, startupParameters: { synchronous_commit: "off" } })
)

ledgerGuards("PostgreSQL", placeWith({ maxConnections: 4 }))
ledgerMishaps("PostgreSQL", placeWith({ maxConnections: 4 }))

/** The names of a program's own tables, which the ledger's tables do not follow. */
const ownNames = {
  transformResultNames: (name: string) => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
  transformQueryNames: (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

describe.skipIf(!hasPgBouncer)(
  hasPgBouncer ? "through PgBouncer" : "through PgBouncer (skipped: `pgbouncer` is not on the PATH)",
  () => {
    ledgerConformance(
      "PostgreSQL behind two shared connections",
      placeWith({ ...ownNames, maxConnections: 4, prepare: false }, (url) => throughBouncer(url))
    )
  }
)

it.live("callers that hold at once do not exceed what is allowed in a database of REPEATABLE READ either", () =>
  Effect.gen(function* () {
    const startupParameters = { default_transaction_isolation: "repeatable read" }
    const place = yield* placeWith({ maxConnections: 4, startupParameters })
    yield* Effect.gen(function* () {
      const order = { clientId: "alice", assetId: "usdc", to: "0x", amount: Amount.of("1") }
      const atMost = { payouts: 10, sums: { usdc: Amount.of("100") } }
      const hold = (index: number) =>
        Payouts.hold({ batch: "agents", by: "agent", orders: [{ ...order, reference: `${index}` }], atMost })
      const all = Array.from({ length: 100 }, (_, index) => Effect.result(hold(index)))
      const held = yield* Effect.all(all, { concurrency: "unbounded" })
      const failures = held.filter(Result.isFailure).map(({ failure }) => failure._tag)
      // The database refuses a call that did not see what was held before it.
      assert.include(failures, "LedgerError")
      assert.isAtMost((yield* Payouts.progress()).states.held ?? 0, 10)
    }).pipe(Effect.provide(Payouts.layer().pipe(Layer.provide(place)), { local: true }))
  }).pipe(Effect.scoped)
)

it.live("two writers of the same payouts do not deadlock, in whatever order each has them", () =>
  Effect.gen(function* () {
    const place = yield* placeWith({ maxConnections: 3 })
    yield* Effect.gen(function* () {
      const client = yield* PgClient.PgClient
      const order = { clientId: "alice", assetId: "usdc", to: "0x", amount: Amount.of("1") }
      const orders = ["a", "b"].map((reference) => ({ ...order, reference }))
      yield* Payouts.submit({ batch: "batch", by: "ada", orders })
      const lock = (reference: string) => client`SELECT 1 FROM payouts WHERE reference = ${reference} FOR UPDATE`
      const waiting = client`SELECT 1 FROM pg_locks l JOIN pg_stat_activity a USING (pid)
        WHERE NOT l.granted AND a.datname = current_database()`
      const first = yield* Deferred.make<void>()
      const moves = ["b", "a"].map((reference) => ({ reference, attempt: 0, step: "cancelled" }) as const)
      const writer = yield* Effect.forkChild(
        Effect.andThen(Deferred.await(first), settle(Database.makeDatabase(client), "ada", moves))
      )
      yield* client.withTransaction(
        Effect.gen(function* () {
          yield* lock("a")
          yield* Deferred.succeed(first, undefined)
          yield* Effect.repeat(waiting, { until: ({ length }) => length > 0, schedule: Schedule.spaced("10 millis") })
          yield* lock("b")
        })
      )
      assert.deepStrictEqual([...(yield* Fiber.join(writer))].toSorted(), ["a", "b"])
    }).pipe(Effect.provide(Payouts.layer().pipe(Layer.provideMerge(place)), { local: true }))
  }).pipe(Effect.scoped)
)

describe("the tables of a ledger", () => {
  it.live("the server plans for the payouts of a large submission at once", () =>
    Effect.gen(function* () {
      const place = yield* placeWith({})
      yield* Effect.gen(function* () {
        const client = yield* PgClient.PgClient
        const order = { clientId: "alice", assetId: "usdc", to: "0x", amount: Amount.of("1") }
        const orders = Array.from({ length: 1_000 }, (_, index) => ({ ...order, reference: `${index}` }))
        yield* Payouts.submit({ batch: "b", by: "ada", orders })
        const counted = yield* client`SELECT relname, reltuples FROM pg_class
          WHERE relname IN ('payouts', 'payout_events') ORDER BY relname`
        assert.deepStrictEqual(counted, [
          { relname: "payout_events", reltuples: 1_000 },
          { relname: "payouts", reltuples: 1_000 }
        ])
      }).pipe(Effect.provide(Payouts.layer().pipe(Layer.provideMerge(place)), { local: true }))
    }).pipe(Effect.scoped)
  )

  it.live("16 hosts that start at once on an empty database create them once", () =>
    Effect.gen(function* () {
      const place = yield* placeWith({ maxConnections: 2 })
      const ledgers = Effect.forEach(
        Array.from({ length: 16 }),
        () => Layer.build(Layer.fresh(Payouts.layer().pipe(Layer.provideMerge(place)))),
        { concurrency: "unbounded" }
      )
      const [ledger] = yield* ledgers
      assert.deepStrictEqual((yield* Effect.provideContext(Payouts.progress(), ledger!)).states, {})
    }).pipe(Effect.scoped)
  )

  it.live("a submission is on the server's disk before it returns, with asynchronous commits too", () =>
    Effect.gen(function* () {
      const place = yield* placeWith({ startupParameters: { synchronous_commit: "off" } })
      yield* Effect.gen(function* () {
        const client = yield* PgClient.PgClient
        const flushed = Effect.map(
          client<{
            readonly flushed: boolean
          }>`SELECT pg_current_wal_flush_lsn() >= pg_current_wal_insert_lsn() AS flushed`,
          ([row]) => row!.flushed
        )
        // What the server itself writes in between may lie unflushed now and then.
        const seen: Array<boolean> = []
        const order = { clientId: "alice", assetId: "usdc", to: "0x", amount: Amount.of("1") }
        for (let index = 0; index < 10; index++) {
          yield* Payouts.submit({ batch: "b", by: "ada", orders: [{ ...order, reference: `payout-${index}` }] })
          yield* Payouts.cancel(`payout-${index}`, { by: "ada", reason: "a test" })
          seen.push(yield* flushed)
        }
        assert.isAtLeast(seen.filter((one) => one).length, 5)
        // The same without the ledger: it would have been seen.
        yield* client`INSERT INTO payout_meta (name, value) VALUES ('test', '')`
        assert.isFalse(yield* flushed)
      }).pipe(Effect.provide(Payouts.layer().pipe(Layer.provideMerge(place)), { local: true }))
    }).pipe(Effect.scoped)
  )
})
