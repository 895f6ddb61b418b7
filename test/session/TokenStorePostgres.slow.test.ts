import { type Row, TokenStore } from "@effect-custody/authentication/TokenStore"
import { Fault } from "@effect-custody/emulator"
import * as TokenStorePostgres from "@effect-custody/postgres/TokenStorePostgres"
import * as PgClient from "@effect/sql-pg/PgClient"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { TestClock } from "effect/testing"
import * as Path from "node:path"
import { inspect } from "node:util"
import { at, emptyDatabase, hasPgBouncer, pgBouncer, postgresServer, query } from "../support/servers/postgres.ts"
import { makeWorld } from "../support/worlds/sessionWorld.ts"
import {
  connect,
  type Place,
  recordOf,
  testKey,
  tokenStoreConformance,
  versionOf,
  write
} from "../support/worlds/tokenStoreConformance.ts"

// One server for all tests of this file, and PgBouncer before it where there is one.
const scope = Scope.makeUnsafe()
let server = ""
let database = ""
let throughBouncer = (url: string) => url

beforeAll(
  () =>
    Effect.gen(function* () {
      server = yield* postgresServer
      database = yield* emptyDatabase(server)
      if (hasPgBouncer) throughBouncer = yield* pgBouncer(server)
    }).pipe(Scope.provide(scope), Effect.runPromise),
  60_000
)
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

type Config = Parameters<typeof PgClient.layer>[0]

/** A place in a database; its stores reach it by another address, if there is one. */
const placeIn = (url: string, config: Config = {}, through = url) => ({
  store: (options = {}) =>
    TokenStorePostgres.layer(options).pipe(
      Layer.provide(Layer.orDie(PgClient.layer({ ...config, url: Redacted.make(through) })))
    ),
  outside: {
    bytes: query(url, (sql) =>
      Effect.map(sql`SELECT identity, text FROM custody_sessions`, (rows) => JSON.stringify(rows))
    ),
    row: (identity: string) =>
      query(url, (sql) =>
        Effect.map(
          sql<Row>`SELECT version::float8, text FROM custody_sessions WHERE identity = ${identity}`,
          ([row]) => ({ ...row! })
        )
      ),
    put: (identity: string, { text, version }: Row) =>
      query(url, (sql) =>
        Effect.asVoid(sql`
          INSERT INTO custody_sessions VALUES (${identity}, ${version}, ${text})
          ON CONFLICT (identity) DO UPDATE SET version = excluded.version, text = excluded.text
        `)
      )
  }
})

const emptied = Effect.suspend(() => query(database, (sql) => sql`DROP TABLE IF EXISTS custody_sessions`))

tokenStoreConformance(
  "PostgreSQL",
  Effect.map(emptied, (): Place => placeIn(database)),
  { outlives: true }
)

describe.skipIf(!hasPgBouncer)(
  hasPgBouncer ? "through PgBouncer" : "through PgBouncer (skipped: `pgbouncer` is not on the PATH)",
  () => {
    tokenStoreConformance(
      "PostgreSQL behind two shared connections",
      Effect.map(emptied, (): Place => placeIn(database, {}, throughBouncer(database))),
      { outlives: true }
    )

    it.live(
      "24 sessions of two processes rotate at once over two connections, and none holds a connection during a request",
      () =>
        Effect.gen(function* () {
          yield* emptied
          const through = placeIn(database, { maxConnections: 4 }, throughBouncer(database))
          const world = yield* makeWorld()
          const stores = [yield* connect(through), yield* connect(through)]
          const names = Arr.range(1, 24).map((index) => `tenant ${index}`)
          const pairs = yield* Effect.forEach(names, (identity) =>
            Effect.gen(function* () {
              const apiKey = yield* world.emulator.issueApiKey()
              const both = yield* Effect.forEach(stores, (store) => world.boot({ identity, apiKey, store }))
              yield* Effect.forEach(both, ({ read }) => read)
              return both
            })
          )
          yield* world.emulator.expireTokens
          yield* world.fault(Fault.delayed({ answer: "3 seconds" }), names.length)
          const reading = yield* Effect.forkChild(
            Effect.forEach(pairs.flat(), ({ read }) => read, { concurrency: "unbounded" })
          )
          // All are under way together, which they could not be if each held a connection.
          while ((yield* world.emulator.counts).refreshes < names.length) yield* Effect.sleep("5 millis")
          const generations = yield* Effect.forEach(pairs.flat(), ({ tokens }) =>
            Effect.map(tokens.current, ({ generation }) => generation)
          )
          assert.deepStrictEqual(Arr.dedupe(generations), [0])
          yield* Fiber.join(reading)
          assert.deepInclude(yield* world.emulator.counts, { refreshes: names.length, rotations: names.length })
        })
    )
  }
)

describe("the table of a PostgreSQL store", () => {
  it.live("16 hosts that start at once on an empty database create one table", () =>
    Effect.gen(function* () {
      for (let round = 0; round < 5; round++) {
        yield* emptied
        const place = placeIn(database)
        const stores = yield* Effect.forEach(Arr.range(1, 16), () => connect(place), { concurrency: "unbounded" })
        const ends = yield* Effect.forEach(
          stores,
          (store, index) => Effect.exit(store.compareAndSwap("alice", 0, recordOf(index))),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(ends.filter(Exit.isSuccess).length, 1)
      }
    }).pipe(Effect.scoped)
  )

  it.live("a store error does not repeat PostgreSQL's message, which may contain a record", () =>
    Effect.gen(function* () {
      const url = yield* emptyDatabase(server)
      const store = yield* connect(placeIn(url))
      yield* write(store, "alice", recordOf(0))
      yield* query(url, (sql) =>
        Effect.andThen(
          sql.unsafe(
            "CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused: %', NEW.text; END $$"
          ),
          sql.unsafe("CREATE TRIGGER tell BEFORE UPDATE ON custody_sessions FOR EACH ROW EXECUTE FUNCTION tell()")
        )
      )
      const error = yield* Effect.flip(write(store, "alice", recordOf(1)))
      assert.match(error.message, /compareAndSwap: the database refuses the statement \(SQLSTATE P0001\)/)
      const said = `${error.message} ${inspect(error, { depth: 12 })} ${JSON.stringify(error)}`
      assert.notInclude(said, "refused:")
      assert.notInclude(said, Redacted.value(recordOf(1).session!.refreshToken))
    }).pipe(Effect.scoped)
  )

  it.live("a user without the right to create a table can use an existing one, and gets an error without one", () =>
    Effect.gen(function* () {
      const url = yield* emptyDatabase(server)
      const user = Path.basename(url)
      yield* Effect.acquireRelease(
        query(url, (sql) => sql.unsafe(`CREATE ROLE ${user} LOGIN PASSWORD 'custody'`)),
        () => query(url, (sql) => Effect.andThen(sql.unsafe(`DROP OWNED BY ${user}`), sql.unsafe(`DROP ROLE ${user}`)))
      )
      const asUser = new URL(at(url, { user }))
      asUser.password = "custody"
      const place = placeIn(asUser.href)
      const error = yield* Effect.flip(Effect.scoped(connect(place)))
      assert.deepInclude(error, { _tag: "TokenStoreError", operation: "open" })
      assert.match(error.message, /the user may not do this \(SQLSTATE 42501\)/)

      yield* Effect.scoped(connect(placeIn(url)))
      const without = yield* connect(place)
      const denied = yield* Effect.flip(without.compareAndSwap("alice", 0, recordOf(0)))
      assert.match(denied.message, /compareAndSwap: the user may not do this \(SQLSTATE 42501\)/)

      yield* query(url, (sql) => sql.unsafe(`GRANT SELECT, INSERT, UPDATE ON custody_sessions TO ${user}`))
      const version = yield* without.compareAndSwap("alice", 0, recordOf(0))
      assert.isAbove(yield* without.compareAndSwap("alice", version, recordOf(1)), version)
    })
  )

  it.live("a store reports a wrong key before it connects to the database", () =>
    Effect.gen(function* () {
      const place = placeIn("postgres://nobody@127.0.0.1:1/none")
      const error = yield* Effect.flip(connect(place, { key: Redacted.make("short") }))
      assert.deepInclude(error, { _tag: "ConfigurationInvalid", option: "key" })
    })
  )

  it.live("a store reports an unreachable database", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(connect(placeIn("postgres://nobody@127.0.0.1:1/none")))
      assert.deepInclude(error, { _tag: "TokenStoreError", operation: "open" })
      assert.match(error.message, /ECONNREFUSED/)
    })
  )
})

describe("a PostgreSQL store and its surroundings", () => {
  it.live("a rollback of the surrounding transaction does not undo a swap", () =>
    Effect.gen(function* () {
      const client = yield* PgClient.PgClient
      const store = yield* TokenStore
      const rolledBack = yield* Effect.flip(
        client.withTransaction(
          Effect.gen(function* () {
            yield* client`SELECT 1`
            yield* write(store, "alice", recordOf(0))
            return yield* Effect.flatMap(write(store, "alice", recordOf(1)), (version) => Effect.fail({ version }))
          })
        )
      )
      assert("version" in rolledBack)
      assert.strictEqual(yield* versionOf(store, "alice"), rolledBack.version)
    }).pipe(
      Effect.provide(
        Layer.provideMerge(
          TokenStorePostgres.layer({ key: testKey(1) }),
          Layer.unwrap(Effect.map(emptied, () => PgClient.layer({ url: Redacted.make(database) })))
        ),
        { local: true }
      )
    )
  )

  it.effect("a store without a connection fails after five seconds", () =>
    Effect.gen(function* () {
      const client = yield* PgClient.PgClient
      const store = yield* TokenStore
      yield* client.withTransaction(
        Effect.gen(function* () {
          yield* client`SELECT 1`
          const load = yield* Effect.forkChild(Effect.flip(store.load("alice")))
          const swap = yield* Effect.forkChild(
            Effect.uninterruptible(Effect.flip(store.compareAndSwap("alice", 0, recordOf(0))))
          )
          yield* TestClock.adjust("4 seconds")
          assert.isUndefined(load.pollUnsafe())
          yield* TestClock.adjust("2 seconds")
          assert.match((yield* Fiber.join(load)).message, /load: the database did not answer within 5 seconds/)
          assert.match((yield* Fiber.join(swap)).message, /compareAndSwap: the database did not answer/)
        })
      )
      assert.isTrue(Option.isNone(yield* store.load("alice")))
    }).pipe(
      Effect.provide(
        Layer.provideMerge(
          TokenStorePostgres.layer(),
          Layer.unwrap(Effect.map(emptied, () => PgClient.layer({ url: Redacted.make(database), maxConnections: 1 })))
        ),
        { local: true }
      )
    )
  )

  it.live("a store reports connections that the server ends, and replaces them", () =>
    Effect.gen(function* () {
      yield* emptied
      const place = placeIn(database, { applicationName: "custody-24" })
      const store = yield* connect(place)
      const version = yield* store.compareAndSwap("alice", 0, recordOf(0))
      const lock = yield* PgClient.PgClient
      yield* lock.withTransaction(
        Effect.gen(function* () {
          yield* lock`SELECT * FROM custody_sessions FOR UPDATE`
          const swap = yield* Effect.forkChild(Effect.flip(store.compareAndSwap("alice", version, recordOf(1))))
          yield* Effect.sleep("100 millis")
          yield* lock`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'custody-24'`
          const error = yield* Fiber.join(swap)
          assert.deepInclude(error, { _tag: "TokenStoreError", operation: "compareAndSwap" })
        })
      )
      assert.strictEqual((yield* place.outside.row("alice")).version, version)
      assert.isAbove(yield* store.compareAndSwap("alice", version, recordOf(1)), version)
    }).pipe(
      Effect.provide(Layer.unwrap(Effect.sync(() => PgClient.layer({ url: Redacted.make(database) }))), { local: true })
    )
  )

  it.live("a store reports a primary that became a standby before it writes", () =>
    Effect.gen(function* () {
      yield* emptied
      const primary = yield* connect(placeIn(database))
      const version = yield* primary.compareAndSwap("alice", 0, recordOf(0))
      const standby = yield* connect(placeIn(database, { startupParameters: { default_transaction_read_only: "on" } }))
      assert.strictEqual(yield* versionOf(standby, "alice"), version)
      for (const expected of [0, version]) {
        const error = yield* Effect.flip(standby.compareAndSwap("alice", expected, recordOf(1)))
        assert.deepInclude(error, { _tag: "TokenStoreError", operation: "compareAndSwap" })
        assert.match(error.message, /not the primary any more \(SQLSTATE 25006\)/)
      }
    })
  )

  it.live("exactly one of 64 concurrent swaps wins, with serializable transactions too", () =>
    Effect.gen(function* () {
      yield* emptied
      const place = placeIn(database, { startupParameters: { default_transaction_isolation: "serializable" } })
      const store = yield* connect(place)
      const ends = yield* Effect.forEach(
        Arr.range(1, 64),
        (index) =>
          Effect.match(store.compareAndSwap("alice", 0, recordOf(index)), {
            onFailure: ({ _tag }) => _tag,
            onSuccess: (version) => `version ${version}`
          }),
        { concurrency: "unbounded" }
      )
      const version = yield* versionOf(store, "alice")
      assert.deepStrictEqual(Arr.dedupe(ends).toSorted(), ["VersionConflict", `version ${version}`])
      assert.strictEqual(ends.filter((end) => end !== "VersionConflict").length, 1)
    })
  )

  it.live("a swap is on the server's disk before it returns, with asynchronous commits too", () =>
    Effect.gen(function* () {
      yield* emptied
      const place = placeIn(database, { startupParameters: { synchronous_commit: "off" } })
      const store = yield* connect(place)
      const client = yield* PgClient.PgClient
      const flushed = Effect.map(
        client<{
          readonly flushed: boolean
        }>`SELECT pg_current_wal_flush_lsn() >= pg_current_wal_insert_lsn() AS flushed`,
        ([row]) => row!.flushed
      )
      // What the server itself writes in between may lie unflushed now and then.
      const seen: Array<boolean> = []
      for (let generation = 0; generation < 10; generation++) {
        yield* write(store, "alice", recordOf(generation))
        seen.push(yield* flushed)
      }
      assert.isAtLeast(seen.filter((one) => one).length, 5)
      // The same without the store: it would have been seen.
      yield* client`INSERT INTO custody_sessions VALUES ('bob', 1, '')`
      assert.isFalse(yield* flushed)
    }).pipe(
      Effect.provide(
        Layer.unwrap(
          Effect.sync(() =>
            PgClient.layer({ url: Redacted.make(database), startupParameters: { synchronous_commit: "off" } })
          )
        ),
        { local: true }
      )
    )
  )
})
