/**
 * Plays a rolling deploy of the ledger and the way back, with payouts in flight. The older version is this one. The newer
 * one is a copy of it with one more migration, as the next release may have.
 */
import { Amount } from "@effect-custody/core"
import { CustodyEmulator } from "@effect-custody/emulator"
import { type LedgerError, type LedgerStopped, Payouts } from "@effect-custody/ledger"
import * as LedgerSqlite from "@effect-custody/ledger/LedgerSqlite"
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, describe, it } from "@effect/vitest"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { pathToFileURL } from "node:url"
import { emptyDatabase, hasPostgres, postgresServer } from "../support/servers/postgres.ts"
import { temporaryDirectory } from "../support/servers/sqlitePlace.ts"
import { type LedgerPlace, options, service, until, withLedger } from "../support/worlds/ledgerWorld.ts"

const ledger = Path.resolve(import.meta.dirname, "../../packages/extensions/ledger")

type Version = Pick<typeof import("@effect-custody/ledger"), "Payouts">

const older: Version = { Payouts }

/** What a newer version may do to the tables: add, with a default where the older one would write nothing. */
const added = [
  "ALTER TABLE payouts ADD COLUMN added TEXT NOT NULL DEFAULT 'by the newer version'",
  "ALTER TABLE payout_events ADD COLUMN added TEXT",
  "CREATE TABLE payout_added (reference TEXT PRIMARY KEY)",
  "CREATE INDEX payouts_added ON payouts (added, reference)"
]

const change = (text: string, from: RegExp, to: string): string => {
  assert.match(text, from, "the copy of the ledger is not changed")
  return text.replace(from, to)
}

/** A copy of the ledger with one more migration, which may also raise the version that a claim needs. */
const makeNewer = Effect.fnUntraced(function* (raises: boolean) {
  const folder = yield* temporaryDirectory
  cpSync(Path.join(ledger, "src"), Path.join(folder, "src"), { recursive: true })
  symlinkSync(Path.join(ledger, "node_modules"), Path.join(folder, "node_modules"))
  writeFileSync(Path.join(folder, "package.json"), `{ "type": "module" }`)
  const file = Path.join(folder, "src/ledger.ts")
  const migration = `Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    for (const statement of ${JSON.stringify(raises ? [...added, "UPDATE payout_meta SET value = '1000' WHERE name = 'writer'"] : added)})
      yield* sql.unsafe(statement)
  })`
  let text = readFileSync(file, "utf8")
  text = change(text, /latestMigration = \d+/, "latestMigration = 999")
  text = change(text, /(fromRecord\(\{[^}]*?)\s*\}/, `$1, "0999_newer": ${migration} }`)
  if (raises) text = change(text, /export const writer = \d+/, "export const writer = 1000")
  writeFileSync(file, text)
  return (yield* Effect.promise(() => import(pathToFileURL(Path.join(folder, "src/index.ts")).href))) as Version
})

/** A process of a version: its ledger, and its worker once it runs. */
const startPod = Effect.fnUntraced(function* (version: Version, place: LedgerPlace) {
  const layer = version.Payouts.layer({ ...options, inFlight: 32 })
  const context = yield* Effect.orDie(Layer.build(Layer.fresh(layer.pipe(Layer.provideMerge(place)))))
  const within = withLedger(context as never)
  return {
    within,
    run: within(Payouts.run),
    start: Effect.forkScoped(within(Payouts.run)),
    submit: (from: number, to: number) =>
      Effect.forEach(Arr.chunksOf(Arr.range(from, to), 25), (numbers) =>
        within(
          Payouts.submit({
            batch: `${from}`,
            by: "ada",
            orders: numbers.map((number) => ({
              reference: `payout-${number}`,
              clientId: "alice",
              assetId: "usdc",
              to: `0x${number}`,
              amount: Amount.of("1")
            }))
          })
        )
      )
  }
})

type Pod = Effect.Success<ReturnType<typeof startPod>>

const paidOf = ({ within }: Pod) => Effect.map(within(Payouts.progress()), ({ states }) => states.paid ?? 0)

/** Waits until so many payouts are paid, unless a worker ends before. */
const untilPaid = (
  pod: Pod,
  count: number,
  worker: Fiber.Fiber<never, LedgerError | LedgerStopped | { readonly message: string }>
) => Effect.raceFirst(until(Effect.map(paidOf(pod), (paid) => paid >= count)), Effect.asVoid(Fiber.join(worker)))

/** Nothing was refused or lost, and the service has each payout once. */
const checkPaid = Effect.fnUntraced(function* (pod: Pod, count: number) {
  assert.deepStrictEqual((yield* pod.within(Payouts.progress())).states, { paid: count })
  const writes = yield* (yield* CustodyEmulator).ledger
  const notes = writes.filter(({ operation }) => operation === "transactions.send").map(({ marker }) => marker)
  assert.strictEqual(notes.length, count)
  assert.strictEqual(new Set(notes).size, count)
})

const half = 750
const whole = 2 * half

/** The older version runs twice, the newer one comes, the older one goes, with payouts in flight. */
const deploy = Effect.fnUntraced(function* (newer: Version, place: LedgerPlace) {
  const [first, second] = [yield* startPod(older, place), yield* startPod(older, place)]
  const [a, b] = [yield* first.start, yield* second.start]
  const submitting = yield* Effect.forkScoped(first.submit(1, half))
  yield* untilPaid(first, 100, a)
  const pod = yield* startPod(newer, place)
  const worker = yield* pod.start
  yield* Fiber.join(submitting)
  assert.isBelow(yield* paidOf(pod), half, "the newer version came too late to meet payouts in flight")
  return { first, second, a, b, pod, worker }
})

/** The payouts of the second half: those of the older version are submitted while only the newer one sends. */
const submitBoth = (older: Pod, newer: Pod, from: number) =>
  Effect.all([older.submit(from, from + half / 2 - 1), newer.submit(from + half / 2, from + half - 1)], {
    concurrency: 2
  })

const places: ReadonlyArray<readonly [string, boolean, Effect.Effect<LedgerPlace, never, Scope.Scope>]> = [
  [
    "SQLite",
    true,
    Effect.map(temporaryDirectory, (folder) => LedgerSqlite.layer({ filename: Path.join(folder, "ledger.db") }))
  ],
  [
    "PostgreSQL",
    hasPostgres,
    Effect.gen(function* () {
      const url = Redacted.make(yield* emptyDatabase(yield* postgresServer))
      return PgClient.layer({ url, maxConnections: 4 })
    })
  ]
]

const test = (
  sentence: string,
  makePlace: (typeof places)[number][2],
  raises: boolean,
  body: (
    newer: Version,
    place: LedgerPlace
  ) => Effect.Effect<void, unknown, CustodyEmulator | Layer.Success<ReturnType<typeof service>> | Scope.Scope>
) =>
  it.live(sentence, () =>
    Effect.gen(function* () {
      const { fund } = yield* CustodyEmulator
      yield* fund({ clientId: "alice", assetId: "usdc", amount: "10000" })
      yield* body(yield* makeNewer(raises), yield* makePlace)
    }).pipe(Effect.scoped, Effect.provide(service(), { local: true }))
  )

describe.each(places)("a rolling deploy of the ledger on %s", (_, isThere, makePlace) => {
  if (!isThere) return it.skip("skipped: there is no PostgreSQL")

  test(
    "a version that adds to the tables runs beside this one, and this one runs again after it",
    makePlace,
    false,
    (newer, place) =>
      Effect.gen(function* () {
        const { a, b, first, pod, second, worker } = yield* deploy(newer, place)
        yield* Fiber.interrupt(a)
        const submitting = yield* Effect.forkScoped(submitBoth(second, pod, half + 1))
        yield* untilPaid(pod, half + 100, worker)
        yield* Fiber.interrupt(b)
        yield* Fiber.join(submitting)
        yield* untilPaid(pod, whole, worker)
        yield* checkPaid(first, whole)

        // And back.
        const again = yield* Effect.forkScoped(submitBoth(first, pod, whole + 1))
        yield* untilPaid(pod, whole + 100, worker)
        const back = yield* startPod(older, place)
        const c = yield* back.start
        yield* Fiber.join(again)
        yield* Fiber.interrupt(worker)
        assert.isBelow(yield* paidOf(back), whole + half, "the older version came back too late")
        yield* back.submit(whole + half + 1, 2 * whole)
        yield* untilPaid(back, 2 * whole, c)
        yield* checkPaid(back, 2 * whole)
      })
  )

  test(
    "a version that changes what a row means ends the workers of this one, whose orders it pays",
    makePlace,
    true,
    (newer, place) =>
      Effect.gen(function* () {
        const { a, b, first, pod, second, worker } = yield* deploy(newer, place)
        for (const ended of [yield* Fiber.await(a), yield* Fiber.await(b)]) {
          assert.isTrue(Exit.isFailure(ended))
          assert.include(String(ended), "it needs version 1000 of the ledger's code")
        }
        yield* submitBoth(second, pod, half + 1)
        yield* untilPaid(pod, whole, worker)
        yield* checkPaid(first, whole)

        // And back: this version takes orders and sends nothing, until the newer one is there again.
        yield* Fiber.interrupt(worker)
        const back = yield* startPod(older, place)
        assert.include(String(yield* Effect.exit(back.run)), "it needs version 1000 of the ledger's code")
        yield* back.submit(whole + 1, whole + half)
        assert.deepStrictEqual((yield* back.within(Payouts.progress())).states, { paid: whole, ready: half })
        const forth = yield* startPod(newer, place)
        yield* untilPaid(forth, whole + half, yield* forth.start)
        yield* checkPaid(back, whole + half)
      })
  )
})
