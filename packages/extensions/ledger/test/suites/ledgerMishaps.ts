/** The tests that a ledger goes on, or says why not, after mishaps around it: odd texts, a wrong clock, another database. */
import { Amount, type CustodyClient } from "@effect-custody/core"
import { CustodyEmulator, Fault } from "@effect-custody/emulator"
import { Payouts } from "@effect-custody/ledger"
import { Transactions } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as References from "effect/References"
import type * as Scope from "effect/Scope"
import * as SqlClient from "effect/sql/SqlClient"
import * as Tracer from "effect/Tracer"
import {
  clientOver,
  hasty,
  type Ledger,
  type LedgerPlace,
  open,
  order,
  payments,
  person,
  service,
  startWorker,
  stateOf,
  until,
  withLedger,
  type World
} from "../../../../../test/support/worlds/ledgerWorld.ts"

const month = 30 * 86_400_000

const submit = (...references: ReadonlyArray<string>) =>
  Payouts.submit({ batch: "b", by: "ada", orders: references.map((reference) => ({ ...order, reference })) })

const becomes = (reference: string, wanted: string) =>
  until(Effect.map(stateOf(reference), (state) => state === wanted))

/** Changes what the service answers. */
const answering = (change: (body: any, isRead: boolean) => unknown) => (http: HttpClient.HttpClient) =>
  HttpClient.transform(http, (send, request) =>
    Effect.flatMap(send, (response) =>
      Effect.map(response.text, (text) =>
        HttpClientResponse.fromWeb(
          request,
          new Response(JSON.stringify(change(JSON.parse(text), request.method === "GET")), response)
        )
      )
    )
  )

/** Leaves rows out of the history, and what would show that they are missing. */
const hiding = (isHidden: (row: any) => boolean) =>
  answering((body) => {
    if (!Array.isArray(body.data?.items)) return body
    const items = body.data.items.filter((row: any) => !isHidden(row))
    return JSON.parse(JSON.stringify({ ...body, data: { ...body.data, items } }), (name, value) =>
      name === "totalItems" ? undefined : value
    )
  })

const run = (ledger: Ledger, client: Context.Context<CustodyClient>) =>
  Effect.provideContext(Payouts.run, Context.merge(ledger, client))

/** Adds the tests of mishaps of a ledger on a database. */
export const ledgerMishaps = (name: string, makePlace: Effect.Effect<LedgerPlace, never, Scope.Scope>): void => {
  const isPostgres = name.startsWith("PostgreSQL")
  const test = <E>(
    sentence: string,
    body: (ledger: Ledger, place: LedgerPlace) => Effect.Effect<void, E, World | Scope.Scope>,
    given: Payouts.Options = {}
  ) =>
    it.live(
      sentence,
      () =>
        Effect.gen(function* () {
          const place = yield* makePlace
          const ledger = yield* open(place, given)
          const { fund } = yield* CustodyEmulator
          yield* fund({ clientId: "alice", assetId: "usdc", amount: "1000" })
          yield* withLedger(ledger)(body(ledger, place))
        }).pipe(Effect.scoped, Effect.provide(service(), { local: true })),
      60_000
    )

  describe(`mishaps of a ledger on ${name}`, () => {
    test("no text of the service stops it: NUL, half an emoji, and one that is cut in two", (ledger) =>
      Effect.gen(function* () {
        const client = yield* clientOver(
          answering((body, isRead) => {
            if (isRead && Array.isArray(body.data?.items)) {
              const odd = (row: any) => (row.note ? row : { ...row, note: "a\0b \ud83d" })
              return { ...body, data: { ...body.data, items: body.data.items.map(odd) } }
            }
            return body.success === false ? { ...body, message: `${"x".repeat(270)}\0${"😀".repeat(40)}` } : body
          })
        )
        yield* submit("invoice-1")
        const unfunded = { ...order, reference: "large", to: "0x1", assetId: "eth" }
        yield* Payouts.submit({ batch: "b", by: "ada", orders: [unfunded] })
        yield* Effect.forkScoped(run(ledger, client))
        yield* becomes("invoice-1", "paid")
        yield* becomes("large", "refused")
        assert.strictEqual(yield* payments, 1)
      }))

    test("a follower's place and waits that were written while the clock was ahead count as past", (ledger) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const ahead = (yield* Clock.currentTimeMillis) + month
        yield* submit("invoice-1")
        yield* sql`UPDATE payout_meta SET value = 'another', until = ${ahead} WHERE name = 'follower'`
        yield* sql`UPDATE payouts SET due_at = ${ahead}`
        yield* startWorker(ledger)
        yield* becomes("invoice-1", "paid")
        assert.strictEqual(yield* payments, 1)
      }))

    test("an idle worker ends when a newer version has taken over, and submit goes on", (ledger) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const worker = yield* startWorker(ledger)
        assert.strictEqual((yield* Payouts.pay("invoice-1", order)).state, "paid")
        yield* sql`UPDATE payout_meta SET value = '9' WHERE name = 'writer'`
        const ended = yield* Effect.flip(Fiber.join(worker))
        assert.include(ended.message, "it needs version 9 of the ledger's code")
        assert.strictEqual(yield* submit("invoice-2"), 1)
      }))

    test(
      "a worker that waits goes on when another one has compared the database",
      (ledger) =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const first = yield* startWorker(ledger)
          assert.strictEqual((yield* Payouts.pay("invoice-1", order)).state, "paid")
          yield* Fiber.interrupt(first)
          const find = sql<{ readonly value: string }>`SELECT value FROM payout_meta WHERE name = 'identity'`
          const [before] = yield* find
          yield* sql`UPDATE payout_meta SET value = 'another' WHERE name = 'identity'`
          yield* startWorker(ledger)
          yield* until(Effect.map(Payouts.progress(), ({ changedAt }) => changedAt !== null))
          yield* sql`UPDATE payout_meta SET value = ${before!.value}, until = 0 WHERE name = 'identity'`
          assert.strictEqual((yield* Payouts.pay("invoice-2", { ...order, to: "0x2" })).state, "paid")
        }),
      { shownWithin: "1 hour" }
    )

    test(
      "after a change of the database, it waits although the history was never late before",
      (ledger) =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const first = yield* startWorker(ledger)
          assert.strictEqual((yield* Payouts.pay("invoice-1", order)).state, "paid")
          yield* Fiber.interrupt(first)
          yield* sql`UPDATE payout_meta SET value = 'another' WHERE name = 'identity'`
          yield* startWorker(ledger)
          yield* submit("invoice-2")
          yield* Effect.sleep("1 second")
          assert.strictEqual(yield* stateOf("invoice-2"), "ready")
          assert.strictEqual(yield* payments, 1)
        }),
      { shownWithin: "1 hour", sendWithin: "100 millis" }
    )

    test(
      "changes goes on after the database has become another one, with the cursor of the one before",
      (ledger) =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const first = yield* startWorker(ledger)
          yield* Payouts.pay("invoice-1", order)
          yield* Fiber.interrupt(first)
          if (isPostgres) yield* sql`UPDATE payout_events SET xact = '1000000000'`
          const { cursor } = (yield* Payouts.events("invoice-1")).at(-1)!
          yield* sql`UPDATE payout_meta SET value = 'another' WHERE name = 'identity'`
          yield* startWorker(ledger)
          yield* Payouts.pay("invoice-2", { ...order, to: "0x2" })
          const steps: Array<string> = []
          for (let from = cursor; ;) {
            const next = yield* Payouts.changes(from)
            steps.push(...next.map(({ reference, step }) => `${reference} ${step}`))
            if (next.length === 0) {
              if (steps.includes("invoice-2 completed")) break
              yield* Effect.sleep("10 millis")
            } else from = next.at(-1)!.cursor
          }
          assert.deepStrictEqual(
            steps,
            (yield* Payouts.events("invoice-2")).map(({ step }) => `invoice-2 ${step}`)
          )
          const all = yield* Payouts.changes()
          assert.strictEqual(new Set(all.map(({ cursor }) => cursor)).size, all.length)
          assert.strictEqual(all[0]?.reference, "invoice-1")
        }),
      { sendWithin: "100 millis" }
    )

    test(
      "an intent that is dated ahead is not left to a person early, and is searched for from before it",
      (ledger) =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const { faults } = yield* CustodyEmulator
          const client = yield* clientOver(hiding(({ note }) => note === "invoice-1"))
          yield* faults.next("transactions.send", Fault.answerLost())
          yield* submit("invoice-1")
          const first = yield* Effect.forkScoped(run(ledger, client))
          yield* until(Effect.map(payments, (count) => count === 1))
          yield* becomes("invoice-1", "unknown")
          yield* Fiber.interrupt(first)
          const now = yield* Clock.currentTimeMillis
          yield* sql`UPDATE payouts SET intent_at = ${now + month}, valid_until = ${now + month}`
          yield* sql`UPDATE payout_events SET at = ${now + month} WHERE attempt > 0`
          yield* Effect.forkScoped(run(ledger, client))
          const find = sql<{ readonly from: unknown }>`SELECT searched_from AS "from" FROM payouts`
          yield* until(Effect.map(find, ([row]) => row!.from !== null))
          const [row] = yield* find
          assert.isAtLeast(Number(row!.from), now - 60_000)
          assert.isAtMost(Number(row!.from), now)
          yield* Effect.sleep("1 second")
          assert.strictEqual(yield* stateOf("invoice-1"), "unknown")
        }),
      { sendWithin: "500 millis", undecidedAfter: "800 millis" }
    )

    test("a payout that needs a person is named at error, whoever submitted it", (ledger) =>
      Effect.gen(function* () {
        const named: Array<unknown> = []
        const logger = Logger.make(({ fiber, logLevel }) => {
          const about = fiber.getRef(References.CurrentLogAnnotations)
          if (logLevel === "Error" && about["custody.event"] === "payouts.needs_person") {
            named.push(about["custody.reference"])
          }
        })
        yield* Effect.gen(function* () {
          const { id } = yield* Transactions.send({ ...order, note: "invoice-1" })
          yield* submit("invoice-1")
          yield* Effect.flip(withLedger(ledger)(Payouts.run))
          assert.deepStrictEqual(named.splice(0), ["invoice-1"])
          yield* Payouts.decide("invoice-1", { paid: id }, person)
          yield* Transactions.send({ ...order, to: "0x2", note: "invoice-2" })
          yield* Effect.exit(Effect.timeout(withLedger(ledger)(Payouts.run), "1 second"))
          // The history was read before it was submitted.
          yield* Payouts.submit({ batch: "b", by: "ada", orders: [{ ...order, to: "0x2", reference: "invoice-2" }] })
          assert.deepStrictEqual(named, ["invoice-2"])
        }).pipe(Effect.provide(Logger.layer([logger])))
      }))

    test(
      "a decision about a batch counts what its own search has found as owned",
      (ledger) =>
        Effect.gen(function* () {
          const { faults } = yield* CustodyEmulator
          let isHidden = false
          const client = yield* clientOver(hiding(({ note }) => isHidden && String(note).startsWith("twin")))
          const worker = yield* Effect.forkScoped(run(ledger, client))
          // From here on the history is known to show notes. Without digits, no note of a twin is certainly the other's.
          yield* Payouts.pay("invoice-1", order)
          isHidden = true
          yield* faults.next("transactions.send", Fault.answerLost())
          yield* submit("twin-first")
          yield* becomes("twin-first", "undecided")
          yield* faults.next("transactions.send", Fault.reset())
          yield* submit("twin-second")
          yield* becomes("twin-second", "undecided")
          yield* Fiber.interrupt(worker)
          isHidden = false
          assert.strictEqual(
            yield* Payouts.decide({ batch: "b" }, { notPaid: true }, person).pipe(Effect.provideContext(client)),
            1
          )
          assert.deepStrictEqual([yield* stateOf("twin-first"), yield* stateOf("twin-second")], ["accepted", "ready"])
        }),
      hasty
    )

    test("a poll that finds nothing makes no span, and the span of a send bears the reference if it is wanted", (ledger, place) =>
      Effect.gen(function* () {
        const spans: Array<Tracer.NativeSpan> = []
        const tracer = Tracer.make({
          span: (options) => {
            const span = new Tracer.NativeSpan(options)
            spans.push(span)
            return span
          }
        })
        const traced = (of: Ledger) =>
          Effect.forkScoped(Effect.provideService(withLedger(of)(Payouts.run), Tracer.Tracer, tracer))
        const worker = yield* traced(ledger)
        yield* Payouts.pay("invoice-1", order)
        const bearing = () => spans.filter(({ attributes }) => attributes.has("custody.reference"))
        assert.include(
          spans.map(({ name }) => name),
          "payouts.follow"
        )
        assert.lengthOf(bearing(), 0)
        yield* Effect.sleep("200 millis")
        spans.length = 0
        yield* Effect.sleep("500 millis")
        assert.lengthOf(spans, 0)
        yield* Fiber.interrupt(worker)
        const tracing = yield* open(place, { tracesReferences: true })
        yield* traced(tracing)
        const paid = withLedger(tracing)(Payouts.pay("invoice-2", { ...order, amount: Amount.of("2") }))
        yield* Effect.provideService(paid, Tracer.Tracer, tracer)
        const sent = bearing().map(({ attributes, links, name, spanId }) => [
          name,
          attributes.get("custody.reference"),
          spans.find(({ parent }) => Option.exists(parent, (one) => one.spanId === spanId))?.name,
          links.map(({ span }) => spans.find((one) => one.spanId === span.spanId)?.name)
        ])
        assert.deepStrictEqual(sent, [["payouts.send", "invoice-2", "custody.transactions.send", ["payouts.submit"]]])
      }))

    if (!isPostgres) return

    test("a copy of the tables in the same server is compared before anything is sent", (ledger, place) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        let isHidden = false
        const client = yield* clientOver(hiding(({ note }) => isHidden && note === "invoice-1"))
        yield* submit("invoice-1")
        const first = yield* Effect.forkScoped(run(ledger, client))
        yield* Payouts.pay("invoice-0", { ...order, to: "0x0" })
        yield* becomes("invoice-1", "paid")
        yield* Fiber.interrupt(first)
        // What pg_restore --clean does with a backup from before the payment.
        yield* sql`CREATE TABLE copy (LIKE payouts INCLUDING ALL)`
        yield* sql`INSERT INTO copy SELECT * FROM payouts`
        yield* sql`UPDATE copy SET state = 'ready', attempt = 0, transaction_id = NULL, intent_at = NULL, due_at = 0
          WHERE reference = 'invoice-1'`
        yield* sql`DELETE FROM payout_events WHERE reference = 'invoice-1' AND attempt > 0`
        yield* sql`DROP TABLE payouts`
        yield* sql`ALTER TABLE copy RENAME TO payouts`
        // The history shows the payment later.
        isHidden = true
        yield* Effect.forkScoped(
          Effect.andThen(
            Effect.sleep("1 second"),
            Effect.sync(() => (isHidden = false))
          )
        )
        const again = yield* open(place, { shownWithin: "2 seconds", sendWithin: "100 millis" })
        yield* Effect.exit(Effect.timeout(run(again, client), "20 seconds"))
        assert.strictEqual(yield* payments, 2)
        assert.deepInclude((yield* Payouts.progress()).alarms[0], { reference: "invoice-1", alarm: "behind" })
      }))

    test("a worker whose numbers of events are used up says what to run", (ledger) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const first = yield* startWorker(ledger)
        yield* Payouts.pay("invoice-1", order)
        yield* Fiber.interrupt(first)
        yield* submit("invoice-2")
        // As on a logical replica, which gets the rows without the numbers.
        yield* sql`ALTER TABLE payout_events ALTER COLUMN sequence RESTART WITH 1`
        const ended = yield* Effect.flip(Effect.timeout(withLedger(ledger)(Payouts.run), "20 seconds"))
        assert.include(ended.message, "setval(pg_get_serial_sequence('payout_events', 'sequence')")
        yield* sql`SELECT setval(pg_get_serial_sequence('payout_events', 'sequence'), (SELECT max(sequence) FROM payout_events))`
        yield* startWorker(ledger)
        yield* becomes("invoice-2", "paid")
      }))
  })
}
