/** The tests that an archived payout is known as before, and that nothing is archived too early, on a database. */
import { Amount, type CustodyClient } from "@effect-custody/core"
import { CustodyEmulator } from "@effect-custody/emulator"
import { Payouts, TieOut } from "@effect-custody/ledger"
import { Transactions } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as SqlClient from "effect/sql/SqlClient"
import {
  clientOver,
  type Ledger,
  type LedgerPlace,
  open,
  order,
  payments,
  person,
  service,
  stateOf,
  stepsOf,
  transactionOf,
  until,
  withContract,
  withLedger,
  type World
} from "../../../../../test/support/worlds/ledgerWorld.ts"
import { withoutNotes } from "./ledgerGuards.ts"
import { keptColumns } from "../../src/database.ts"

const submit = (references: ReadonlyArray<string>, batch: string, more: Partial<Payouts.Order> = {}) =>
  Payouts.submit({ batch, by: "ada", orders: references.map((reference) => ({ ...order, reference, ...more })) })

/** Pays payouts, and ends the worker. */
const pay = (ledger: Ledger, references: ReadonlyArray<string>, client?: Context.Context<CustodyClient>) =>
  Effect.gen(function* () {
    const run = client === undefined ? Payouts.run : Effect.provideContext(Payouts.run, client)
    const worker = yield* Effect.forkScoped(withLedger(ledger)(run))
    for (const one of references) yield* until(Effect.map(stateOf(one), (state) => state === "paid"))
    yield* Fiber.interrupt(worker)
  })

/** Archives everything that may be archived. */
const archiveAll = Effect.flatMap(DateTime.now, (now) => Payouts.archive({ before: DateTime.add(now, { days: 1 }) }))

const count = (table: string) =>
  SqlClient.SqlClient.use((sql) =>
    Effect.map(sql<{ readonly n: unknown }>`SELECT count(*) AS n FROM ${sql(table)}`, ([row]) => Number(row?.n))
  )

type Reader = Effect.Effect<unknown, { readonly message: string }, World>

/** What a call answers, or the message of its failure. */
const answer = (call: Reader) =>
  Effect.match(call, { onSuccess: (value): unknown => value, onFailure: ({ message }): unknown => message })

/** Adds the tests of an archive on a database. */
export const archiveConformance = (name: string, makePlace: Effect.Effect<LedgerPlace, never, Scope.Scope>): void => {
  const test = <E>(
    sentence: string,
    body: (ledger: Ledger, place: LedgerPlace) => Effect.Effect<void, E, World | Scope.Scope>,
    given: Payouts.Options = {}
  ) =>
    it.live(sentence, () =>
      Effect.gen(function* () {
        const place = yield* makePlace
        const ledger = yield* open(place, { finalAfter: 0, ...given })
        const { fund } = yield* CustodyEmulator
        yield* fund({ clientId: "alice", assetId: "usdc", amount: "100000" })
        yield* withLedger(ledger)(body(ledger, place))
      }).pipe(Effect.scoped, Effect.provide(service(), { local: true }))
    )

  describe(`an archive on ${name}`, () => {
    test("whoever names an archived payout, its batch, its note or its transaction gets the same answer as before", (ledger) =>
      Effect.gen(function* () {
        const june = ["june-1", "june-2"]
        yield* submit(["june-1"], "june", { note: "salary of ann" })
        yield* submit(["june-2"], "june", { to: "0xdef" })
        yield* submit(["cancelled"], "july", { to: "0xc" })
        yield* Payouts.cancel("cancelled", person)
        yield* pay(ledger, june)
        yield* submit(["newest"], "august", { to: "0xa" })
        yield* pay(ledger, ["newest"])
        yield* Payouts.hold({ batch: "held", by: "ada", orders: [{ ...order, reference: "held", to: "0xa" }] })
        const transaction = yield* transactionOf("salary of ann")
        const now = yield* DateTime.now
        const today = { from: DateTime.subtract(now, { hours: 1 }), to: DateTime.add(now, { hours: 1 }) }
        const one = { ...order, reference: "june-1", note: "salary of ann" }
        const hold = { batch: "june", by: "ada", orders: [{ ...order, reference: "june-3" }] }
        const readers: Readonly<Record<string, Reader>> = {
          get: Effect.forEach([...june, "cancelled"], Payouts.get),
          events: Effect.forEach([...june, "cancelled"], Payouts.events),
          changes: Payouts.changes(),
          "the batch": Effect.all([
            Payouts.list({ batch: "june" }),
            Effect.map(Payouts.progress("june"), (p) => p.states)
          ]),
          "the same order": Payouts.submit({ batch: "again", by: "ada", orders: [one] }),
          "the same payment": Payouts.pay("june-1", one),
          "another order": Payouts.submit({ batch: "june", by: "ada", orders: [{ ...one, to: "0xother" }] }),
          "another order with its note": Payouts.submit({
            batch: "b",
            by: "ada",
            orders: [{ ...one, reference: "other" }]
          }),
          "an equal order": Payouts.preview([one, { ...order, reference: "again" }, { ...order, reference: "june-2" }]),
          allowance: Payouts.hold({ ...hold, atMost: { payouts: 2, sums: { usdc: Amount.of("100") } } }),
          decide: Payouts.decide("june-1", { notPaid: true }, person),
          "its transaction": Payouts.decide("held", { paid: transaction, unchecked: true }, person),
          cancel: Payouts.cancel("cancelled", person),
          acknowledge: Payouts.acknowledge("june-1", person),
          "the tie-out": TieOut.run(today)
        }
        const ask = Effect.forEach(Object.values(readers), answer)
        const before = yield* ask
        assert.strictEqual(yield* archiveAll, 3)
        assert.strictEqual(yield* archiveAll, 0)
        const after = yield* ask
        Object.keys(readers).forEach((reader, at) => assert.deepStrictEqual(after[at], before[at], reader))
        assert.include(String(before[6]), "the ledger has other orders under june-1")
        assert.include(String(before[11]), `${transaction} is the transaction of june-1`)
        assert.strictEqual(yield* payments, 3)

        // What is about the whole ledger is about the working tables.
        assert.deepStrictEqual((yield* Payouts.progress()).states, { paid: 1, held: 1 })
        assert.deepStrictEqual(
          (yield* Payouts.list()).map(({ reference }) => reference),
          ["held", "newest"]
        )
        assert.deepStrictEqual((yield* Payouts.batches).map(({ batch }) => batch).toSorted(), ["august", "held"])
        assert.deepStrictEqual([yield* count("payouts"), yield* count("archived_payouts")], [2, 3])

        // The owner of the tables may drop the archived steps, and nothing else is forgotten.
        yield* SqlClient.SqlClient.use((sql) => sql`DELETE FROM archived_events`)
        assert.deepStrictEqual(yield* Payouts.events("june-1"), [])
        const last = yield* ask
        for (const at of [0, 3, 4, 5, 6, 7, 8, 9, 14]) assert.deepStrictEqual(last[at], before[at])
      }))

    test(
      "the transaction of an archived payout is not foreign: an equal order is sent",
      (ledger) =>
        Effect.gen(function* () {
          const real = { fingerprint: "c1", isEmulated: false }
          const client = withContract(yield* clientOver(withoutNotes), real)
          yield* submit(["salary-1"], "june")
          yield* submit(["other"], "july", { to: "0xdef" })
          yield* pay(ledger, ["salary-1"], client)
          yield* pay(ledger, ["other"], client)
          assert.isAtLeast(yield* archiveAll, 1)
          yield* submit(["salary-2"], "august")
          yield* pay(ledger, ["salary-2"], client)
          assert.strictEqual(yield* count("payout_foreign"), 0)
          assert.strictEqual(yield* payments, 3)
        }),
      { risksWrongPayouts: true }
    )

    test("a second payment of an archived payout stops the ledger until a person has looked", (ledger) =>
      Effect.gen(function* () {
        yield* submit(["invoice-1"], "june")
        yield* pay(ledger, ["invoice-1"])
        yield* submit(["invoice-2"], "july", { to: "0xdef" })
        yield* pay(ledger, ["invoice-2"])
        assert.strictEqual(yield* archiveAll, 1)
        yield* Transactions.send({ ...order, note: "invoice-1" })
        yield* submit(["invoice-3"], "august", { to: "0xabc3" })
        const stopped = yield* Effect.flip(Effect.timeout(Payouts.run, "20 seconds"))
        assert.strictEqual(stopped._tag, "LedgerStopped")
        assert.deepInclude((yield* Payouts.progress()).alarms[0], { reference: "invoice-1", alarm: "clash" })
        assert.strictEqual(yield* stateOf("invoice-3"), "ready")
        yield* Payouts.acknowledge("invoice-1", person)
        yield* pay(ledger, ["invoice-3"])
        assert.deepStrictEqual((yield* stepsOf("invoice-1")).slice(-3), ["completed", "clash", "acknowledged"])
        assert.deepStrictEqual((yield* Payouts.progress()).alarms, [])
      }))

    test("what a person or a worker still looks at is not archived, and nothing that is younger than either time", (_, place) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const now = DateTime.toEpochMillis(yield* DateTime.now)
        const hour = 3_600_000
        const ago = (hours: number, more = 0) => now - hours * hour + more
        // The time of the last step of each, and what makes it stay.
        const cases: ReadonlyArray<readonly [reference: string, at: number, is: string, isArchived: boolean]> = [
          ["old", ago(100), "state = 'paid'", true],
          ["failed", ago(100), "state = 'failed'", true],
          ["cancelled", ago(100), "state = 'cancelled', attempt = 0", true],
          ["tried", ago(100), "state = 'cancelled'", false],
          ["refused", ago(100), "state = 'refused'", false],
          ["undecided", ago(100), "state = 'undecided'", false],
          ["mismatched", ago(100), "state = 'mismatched', alarm = 'mismatch'", false],
          ["accepted", ago(100), "state = 'accepted'", false],
          ["clashing", ago(100), "state = 'paid', alarm = 'clash'", false],
          ["unconfirmed", ago(100), "state = 'paid'", false],
          ["beside-open", ago(100), "state = 'paid', batch = 'accepted'", false],
          ["beside-refused", ago(100), "state = 'paid', batch = 'refused'", true],
          ["just-old", ago(50, -60_000), "state = 'paid'", true],
          ["just-young", ago(50, 60_000), "state = 'paid'", false],
          ["newest", ago(100), "state = 'paid'", false]
        ]
        for (const [reference, at, is] of cases) {
          yield* submit([reference], reference, { to: `0x${reference}` })
          yield* sql.unsafe(
            `UPDATE payouts SET attempt = 1, transaction_id = 't-${reference}' WHERE reference = '${reference}'`
          )
          yield* sql.unsafe(`UPDATE payouts SET ${is} WHERE reference = '${reference}'`)
          yield* sql`UPDATE payout_events SET at = ${at}, attempt = 1 WHERE reference = ${reference}`
        }
        yield* sql`INSERT INTO payout_gates (contract, asset_id, reference) VALUES ('c1', 'usdc', 'unconfirmed')`
        // The workers look for 50 hours at what has ended, and this process for one.
        yield* sql`UPDATE payout_meta SET value = ${`${50 * hour}`} WHERE name = 'final'`
        const other = withLedger(yield* open(place, { finalAfter: "1 hour" }))
        assert.strictEqual(yield* other(Payouts.archive({ before: DateTime.makeUnsafe(ago(100)) })), 0)
        assert.strictEqual(yield* other(Payouts.archive({ before: DateTime.makeUnsafe(ago(100, 1)) })), 4)
        assert.strictEqual(yield* other(archiveAll), 1)
        const archived = yield* sql<{ readonly reference: string }>`SELECT reference FROM archived_payouts`
        assert.deepStrictEqual(
          archived.map(({ reference }) => reference).toSorted(),
          cases.flatMap(([reference, , , isArchived]) => (isArchived ? [reference] : [])).toSorted()
        )
      }))

    test("nothing is archived inside a transaction, or by a version that may not know a column", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const inside = yield* Effect.flip(sql.withTransaction(archiveAll))
        assert.include(inside.message, "it was called inside a transaction of the database")
        yield* sql`INSERT INTO payout_migrations (migration_id, name) VALUES (999, 'newer')`
        const newer = yield* Effect.flip(archiveAll)
        assert.include(newer.message, "archive with that version")
      }))

    test("an archive that ends between two batches has lost nothing, and goes on", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const references = Array.from({ length: 1_201 }, (_, at) => `payout-${at + 1_000}`)
        yield* submit(references, "june")
        yield* sql`UPDATE payouts SET state = 'paid', attempt = 1, transaction_id = 't-' || reference`
        const steps = yield* Payouts.changes()
        // The second batch fails in the middle.
        yield* sql`INSERT INTO archived_payouts (reference, batch, client_id, asset_id, destination, amount, note, twin,
            state, attempt, unchecked, submitted_by, submitted_at)
          VALUES ('x', 'x', 'x', 'x', 'x', '1', 'payout-1700', 'x', 'paid', 1, 0, 'x', 0)`
        assert.strictEqual((yield* Effect.flip(archiveAll))._tag, "LedgerError")
        const counts = Effect.forEach(["payouts", "payout_events", "archived_payouts", "archived_events"], count)
        assert.deepStrictEqual(yield* counts, [701, 701, 501, 500])
        assert.deepStrictEqual(yield* Payouts.changes(), steps)
        yield* sql`DELETE FROM archived_payouts WHERE reference = 'x'`
        assert.strictEqual(yield* submit(references, "june"), 0)
        assert.strictEqual(yield* archiveAll, 700)
        assert.deepStrictEqual(yield* counts, [1, 1, 1_200, 1_200])
        assert.deepStrictEqual(yield* Payouts.changes(), steps)
      }))

    test("while workers pay, archives that are cut off again and again lose nothing, and nothing is paid twice", (ledger, place) =>
      Effect.gen(function* () {
        const all = Array.from({ length: 60 }, (_, at) => `payout-${at + 10}`)
        const submitAll = Effect.forEach(all, (reference) => submit([reference], reference, { to: `0x${reference}` }), {
          discard: true
        })
        const archiver = withLedger(yield* open(place, { finalAfter: 0 }))
        yield* Effect.forkScoped(Payouts.run)
        yield* Effect.forkScoped(withLedger(yield* open(place, { finalAfter: 0 }))(Payouts.run))
        yield* Effect.forkScoped(
          Effect.repeat(archiver(Effect.timeoutOption(archiveAll, "15 millis")), Schedule.spaced("5 millis"))
        )
        yield* submitAll
        yield* until(Effect.map(Effect.forEach(all, stateOf), (states) => states.every((state) => state === "paid")))
        yield* submitAll
        assert.isAtLeast(yield* archiver(archiveAll), 0)
        assert.strictEqual(yield* count("archived_payouts"), 59)
        assert.strictEqual(yield* count("payouts"), 1)
        for (const one of all) {
          const steps = yield* stepsOf(one)
          assert.deepStrictEqual([steps.length, steps[0], steps.at(-1)], [4, "submitted", "completed"])
        }
        assert.strictEqual(yield* payments, 60)
        assert.deepStrictEqual((yield* Payouts.progress()).alarms, [])
        assert.isNull((yield* Payouts.progress()).changedAt)
      }).pipe(withLedger(ledger)))

    if (!name.startsWith("PostgreSQL")) return

    test("a submission that began before the archive of its payout ended adds nothing, at REPEATABLE READ either", (ledger, place) =>
      Effect.gen(function* () {
        const other = withLedger(yield* open(place, { finalAfter: 0 }))
        const sql = yield* SqlClient.SqlClient
        const names = ["a", "b", "c"]
        for (const one of [...names, "newest"]) yield* submit([one], one, { to: `0x${one}` })
        yield* pay(ledger, [...names, "newest"])
        // The archive is not committed yet when the order comes.
        const writing = yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`INSERT INTO archived_payouts (${sql.literal(keptColumns)})
              SELECT ${sql.literal(keptColumns)} FROM payouts WHERE reference = 'a'`
            yield* sql`DELETE FROM payouts WHERE reference = 'a'`
            const writing = yield* Effect.forkScoped(other(submit(["a"], "again", { to: "0xa" })))
            yield* Effect.sleep("300 millis")
            return writing
          })
        )
        assert.strictEqual(yield* Fiber.join(writing), 0)
        const added = yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ`
            yield* sql`SELECT count(*) FROM payouts`
            assert.strictEqual(yield* other(archiveAll), 2)
            return yield* submit(["b"], "again", { to: "0xb" })
          })
        )
        assert.strictEqual(added, 0)
        assert.strictEqual(yield* count("payouts"), 1)
      }).pipe(withLedger(ledger)))
  })
}
