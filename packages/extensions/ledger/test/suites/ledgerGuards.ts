/** The tests that a ledger asks a person instead of paying twice or wrong, on a database. */
import { Amount, type CustodyClient } from "@effect-custody/core"
import { CustodyEmulator, Fault } from "@effect-custody/emulator"
import { Payouts } from "@effect-custody/ledger"
import { Transactions } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as UrlParams from "effect/http/UrlParams"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Metric from "effect/Metric"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as SqlClient from "effect/sql/SqlClient"
import {
  clientOver,
  hasty,
  type Ledger,
  type LedgerPlace,
  open,
  order,
  orders,
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

/** Does something as it was done some days ago. */
const ago =
  (days: number) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.clockWith((clock) =>
      Effect.provideService(
        effect,
        Clock.Clock,
        new Proxy(clock, {
          get: (target, name) => {
            const before = (now: number) => now - days * 86_400_000
            if (name === "currentTimeMillisUnsafe") return () => before(target.currentTimeMillisUnsafe())
            if (name === "currentTimeMillis") return Effect.map(target.currentTimeMillis, before)
            const value: unknown = Reflect.get(target, name)
            return typeof value === "function" ? value.bind(target) : value
          }
        })
      )
    )

/** The client of a real service, with a contract of this fingerprint. */
const realClient = (
  fingerprint: string,
  change: (http: HttpClient.HttpClient) => HttpClient.HttpClient = (http) => http
) => Effect.map(clientOver(change), (context) => withContract(context, { fingerprint, isEmulated: false }))

/** Changes the rows of the history, as a service or a wrong contract might. */
const changeRows =
  (change: (rows: ReadonlyArray<any>) => unknown) =>
  (http: HttpClient.HttpClient): HttpClient.HttpClient =>
    HttpClient.transform(http, (send, request) =>
      request.method !== "GET"
        ? send
        : Effect.flatMap(send, (response) =>
            Effect.map(response.text, (text) => {
              const body = JSON.parse(text)
              const data = Array.isArray(body.data.items)
                ? { ...body.data, items: change(body.data.items) }
                : (change([body.data]) as Array<unknown>)[0]
              return HttpClientResponse.fromWeb(request, new Response(JSON.stringify({ ...body, data }), response))
            })
          )
    )

export const withoutNotes = changeRows((rows) => rows.map((row) => ({ ...row, note: undefined })))

/** Waits until a payout is in a state. */
const becomes = (reference: string, wanted: string) =>
  until(Effect.map(stateOf(reference), (state) => state === wanted))

const decide = (client: Context.Context<CustodyClient>) =>
  Payouts.decide("invoice-1", { notPaid: true }, person).pipe(Effect.provideContext(client), Effect.flip)

const risky = { risksWrongPayouts: true } as const

const run = (ledger: Ledger, client: Context.Context<CustodyClient>) =>
  Effect.provideContext(Payouts.run, Context.merge(ledger, client))

const states = Effect.map(Payouts.progress(), (progress) => progress.states)

/** Adds the tests of a ledger on a database. */
export const ledgerGuards = (name: string, makePlace: Effect.Effect<LedgerPlace, never, Scope.Scope>): void => {
  const test = <E>(
    sentence: string,
    body: (ledger: Ledger, place: LedgerPlace) => Effect.Effect<void, E, World | Scope.Scope>,
    given: Payouts.Options = {}
  ) =>
    it.live(sentence, () =>
      Effect.gen(function* () {
        const place = yield* makePlace
        const ledger = yield* open(place, given)
        const { fund } = yield* CustodyEmulator
        yield* fund({ clientId: "alice", assetId: "usdc", amount: "1000" })
        yield* withLedger(ledger)(body(ledger, place))
      }).pipe(Effect.scoped, Effect.provide(service(), { local: true }))
    )

  const submit = (references: ReadonlyArray<string>, batch = "b") =>
    Payouts.submit({ batch, by: "ada", orders: references.map((reference) => ({ ...order, reference })) })

  /** Leaves a payout undecided whose answer was lost. */
  const loseOne = (ledger: Ledger, client: Context.Context<CustodyClient>) =>
    Effect.gen(function* () {
      yield* Effect.flatMap(CustodyEmulator, ({ faults }) => faults.next("transactions.send", Fault.answerLost()))
      yield* submit(["invoice-1"])
      const worker = yield* Effect.forkScoped(run(ledger, client))
      yield* becomes("invoice-1", "undecided")
      yield* Fiber.interrupt(worker)
    })

  describe(`a ledger on ${name} that may be wrong`, () => {
    test("a new ledger reads the history of 90 days, and says how far it saw", (ledger) =>
      Effect.gen(function* () {
        yield* ago(60)(Transactions.send({ ...order, note: "invoice-1" }))
        yield* submit(["invoice-1", "invoice-2"])
        const stopped = yield* Effect.flip(run(ledger, yield* Effect.context<CustodyClient>()))
        assert.strictEqual(stopped._tag, "LedgerStopped")
        assert.strictEqual(yield* payments, 1)
        const { alarms, reading } = yield* Payouts.progress()
        assert.deepInclude(alarms[0], { reference: "invoice-1", alarm: "behind" })
        assert.isTrue(reading?.isDone)
        assert.isAtLeast(reading?.rows ?? 0, 1)
        assert.isBelow(reading!.back!.epochMilliseconds, (yield* Clock.currentTimeMillis) - 59 * 86_400_000)
      }))

    test(
      "a new ledger that was cut off while it read goes on from where it was",
      (ledger) =>
        Effect.gen(function* () {
          const froms: Array<string> = []
          let isCut = true
          const funded = DateTime.formatIso(DateTime.subtract(yield* DateTime.now, { days: 81 }))
          const inOrder = changeRows((rows) =>
            rows.map((row) => (row.type === "INCOMING" ? { ...row, createdAt: funded } : row))
          )
          const client = yield* realClient("c1", (http) =>
            HttpClient.transform(inOrder(http), (send, { url, urlParams }) => {
              if (!/\/transactions(\?|$)/.test(url)) return send
              froms.push(/from=([^&]*)/.exec(`${url}&${UrlParams.toString(urlParams)}`)?.[1] ?? "")
              // The third page never comes.
              return froms.length > 2 && isCut ? Effect.never : send
            })
          )
          const payment = (index: number) =>
            ago(80 - index / 6)(Transactions.send({ ...order, amount: Amount.of("0.01"), note: `other ${index}` }))
          yield* Effect.forEach(
            Array.from({ length: 420 }, (_, index) => index),
            payment
          )
          const first = yield* Effect.forkScoped(run(ledger, client))
          yield* until(Effect.map(Payouts.progress(), ({ reading }) => (reading?.rows ?? 0) >= 200))
          yield* Fiber.interrupt(first)
          isCut = false
          const [before] = froms.splice(0)
          yield* Effect.forkScoped(run(ledger, client))
          yield* until(Effect.map(Payouts.progress(), ({ reading }) => reading?.isDone === true))
          const days = Date.parse(decodeURIComponent(froms[0]!)) - Date.parse(decodeURIComponent(before!))
          assert.isAbove(days / 86_400_000, 30)
          yield* Payouts.pay("invoice-1", order)
        }),
      { ...risky, clockSkew: "26 hours" }
    )

    test(
      "a new ledger reads as far as it is told, and a ledger that has paid reads from its last event",
      (ledger) =>
        Effect.gen(function* () {
          const client = yield* realClient("c1")
          yield* ago(60)(Transactions.send({ ...order, note: "invoice-1" }))
          yield* submit(["invoice-1"])
          yield* Effect.forkScoped(run(ledger, client))
          yield* becomes("invoice-1", "paid")
          assert.strictEqual(yield* payments, 2)
        }),
      { ...risky, history: "30 days" }
    )

    test(
      "a payment that no payout owns, and that is equal to an unsent payout, is left to one decision of a person",
      (ledger) =>
        Effect.gen(function* () {
          const client = yield* realClient("c1", withoutNotes)
          const { id } = yield* Transactions.send({ ...order, note: "by hand" })
          yield* submit(["salary-1", "salary-2"])
          yield* Payouts.submit({ batch: "b", by: "ada", orders: [{ ...order, reference: "other", to: "0xdef" }] })
          const worker = yield* Effect.forkScoped(run(ledger, client))
          yield* becomes("other", "paid")
          assert.deepStrictEqual(yield* states, { undecided: 2, paid: 1 })
          const suspected = yield* Payouts.list({ state: "undecided" })
          for (const { detail } of suspected)
            assert.include(detail, `these transactions may be it: ${id}. No payout owns them`)
          yield* Fiber.interrupt(worker)

          yield* Payouts.decide({ batch: "b" }, { notPaid: true }, person).pipe(Effect.provideContext(client))
          yield* submit(["salary-3"], "c")
          assert.strictEqual(yield* stateOf("salary-3"), "ready")
          yield* Effect.forkScoped(run(ledger, client))
          yield* until(Effect.map(states, ({ paid }) => paid === 4))
          assert.strictEqual(yield* payments, 5)
        }),
      risky
    )

    test(
      "a held payout that was perhaps paid by hand is undecided once it is approved",
      (ledger) =>
        Effect.gen(function* () {
          const client = yield* realClient("c1")
          yield* Transactions.send({ ...order, note: "by hand" })
          yield* Payouts.hold({ batch: "h", by: "ada", orders: [{ ...order, reference: "salary-1" }] })
          yield* Effect.forkScoped(run(ledger, client))
          yield* until(Effect.map(Payouts.progress(), ({ reading }) => reading?.isDone === true))
          yield* Effect.sleep("50 millis")
          assert.strictEqual(yield* stateOf("salary-1"), "held")
          const { digest } = yield* Payouts.review("h")
          yield* Payouts.approve("h", { by: "bob", digest })
          assert.strictEqual(yield* stateOf("salary-1"), "undecided")
        }),
      risky
    )

    test("12.5 is 12.50, and a hexadecimal address has no case", () =>
      Effect.gen(function* () {
        const orders = (amount: "12.50" | "12.5" | "12.51", to: string) => [
          { ...order, reference: "invoice-1", amount: Amount.of(amount), to }
        ]
        const batch = { batch: "b", by: "ada" }
        assert.strictEqual(yield* Payouts.submit({ ...batch, orders: orders("12.50", "0xABcd") }), 1)
        assert.strictEqual(yield* Payouts.submit({ ...batch, orders: orders("12.5", "0xabCD") }), 0)
        const other = yield* Effect.flip(Payouts.submit({ ...batch, orders: orders("12.51", "0xabcd") }))
        assert.strictEqual(other._tag, "ReferenceConflict")
      }))

    test("with a contract that nobody has confirmed, one payout of an asset goes alone, and a person sees it raw", (ledger, place) =>
      Effect.gen(function* () {
        const { fund } = yield* CustodyEmulator
        yield* fund({ clientId: "alice", assetId: "eth", amount: "1000" })
        const client = yield* realClient("c1")
        yield* Payouts.submit({ batch: "b", by: "ada", orders: orders(5) })
        const others = orders(2).map((one) => ({ ...one, reference: `eth-${one.reference}`, assetId: "eth" }))
        yield* Payouts.submit({ batch: "b", by: "ada", orders: others })
        yield* Effect.forkScoped(run(ledger, client))
        yield* Effect.forkScoped(run(yield* open(place), client))
        yield* until(
          Effect.map(Payouts.confirmations, (all) => all.filter(({ shownAt }) => shownAt !== null).length === 2)
        )
        yield* Effect.sleep("200 millis")
        assert.strictEqual(yield* payments, 2)
        const first = (yield* Payouts.confirmations).find(({ assetId }) => assetId === "usdc")!
        assert.deepInclude(first, { contract: "c1" })
        assert.include(first.request, `"note":"${first.reference}"`)
        assert.match(first.request ?? "", /^POST http.*\/transactions\/send\n/)
        assert.notInclude(first.request, "token-")
        assert.include(first.answer, `"note":"${first.reference}"`)
        yield* Payouts.confirm(first, { by: "ada" })
        const again = yield* Effect.flip(Payouts.confirm(first, { by: "ada" }))
        assert.strictEqual(again._tag, "StepRefused")
        yield* until(Effect.map(states, ({ paid }) => paid === 6))
        assert.deepStrictEqual(yield* states, { paid: 6, ready: 1 })
        assert.include(yield* stepsOf(first.reference), "confirmed")
        // Another version of the program goes alone again, while this one goes on.
        yield* Payouts.submit({ batch: "c", by: "ada", orders: orders(8).slice(5) })
        yield* until(Effect.map(states, ({ paid }) => paid === 9))
        assert.strictEqual(yield* payments, 9)
      }))

    test("a first payout that was certainly not sent lets the next one go alone", (ledger) =>
      Effect.gen(function* () {
        const { faults } = yield* CustodyEmulator
        const client = yield* realClient("c1")
        yield* faults.next("transactions.send", Fault.neverArrived(), { times: 2 })
        yield* Payouts.submit({ batch: "b", by: "ada", orders: orders(3) })
        yield* Effect.forkScoped(run(ledger, client))
        yield* until(Effect.map(Payouts.confirmations, ([first]) => first !== undefined && first.shownAt !== null))
        assert.strictEqual(yield* payments, 1)
      }))

    test(
      "a transaction that is not as ordered stops the ledger, and a person may take it as it is",
      (ledger) =>
        Effect.gen(function* () {
          const tenfold = changeRows((rows) => rows.map((row) => ({ ...row, amount: `${Number(row.amount) * 10}` })))
          const client = yield* realClient("c1", tenfold)
          yield* submit(["invoice-1"])
          const [stopped, metrics] = yield* Effect.flip(run(ledger, client)).pipe(
            Effect.zip(Metric.snapshot),
            Effect.provideService(Metric.MetricRegistry, new Map()),
            Effect.provideService(Metric.CurrentMetricAttributes, { tenant: "acme" })
          )
          assert.strictEqual(stopped._tag, "LedgerStopped")
          assert.include(stopped.message, "invoice-1 not as ordered: amount: 12.50 here, 125 there")
          const mismatches = metrics.find(
            ({ attributes, id }) => id === "custody_payout_alarms" && attributes?.["alarm"] === "mismatch"
          )
          assert.deepInclude(mismatches?.state, { value: 1 })
          assert.isTrue(metrics.every(({ attributes }) => attributes?.["tenant"] === "acme"))
          assert.strictEqual(yield* stateOf("invoice-1"), "mismatched")
          yield* submit(["invoice-2"])
          assert.strictEqual((yield* Effect.flip(run(ledger, client)))._tag, "LedgerStopped")
          assert.strictEqual(yield* payments, 1)
          const paid = yield* transactionOf("invoice-1")
          const refused = yield* Effect.flip(
            Payouts.decide("invoice-1", { paid }, person).pipe(Effect.provideContext(client))
          )
          assert.strictEqual(refused._tag, "StepRefused")
          const notPaid = yield* decide(client)
          assert.include(notPaid.message, `the service shows invoice-1 as transaction ${paid}`)
          yield* Payouts.decide("invoice-1", { paid, unchecked: true }, person)
          yield* Effect.forkScoped(Effect.exit(run(ledger, client)))
          yield* becomes("invoice-1", "paid")
        }),
      risky
    )

    test(
      "a second payment of a payout stops the ledger until a person has looked at it",
      (ledger) =>
        Effect.gen(function* () {
          const client = yield* realClient("c1")
          yield* submit(["invoice-1"])
          const worker = yield* Effect.forkScoped(run(ledger, client))
          yield* becomes("invoice-1", "paid")
          const { id } = yield* Transactions.send({ ...order, note: "invoice-1" })
          yield* Payouts.submit({ batch: "c", by: "ada", orders: [{ ...order, reference: "invoice-2", to: "0xdef" }] })
          const stopped = yield* Effect.flip(Fiber.join(worker))
          assert.strictEqual(stopped._tag, "LedgerStopped")
          const { alarms } = yield* Payouts.progress()
          assert.deepStrictEqual(alarms, [{ reference: "invoice-1", alarm: "clash", detail: id }])
          yield* Payouts.acknowledge("invoice-1", person)
          yield* Effect.forkScoped(run(ledger, client))
          yield* Payouts.pay("invoice-3", { ...order, to: "0x3" })
          assert.strictEqual(yield* payments, 4)
        }),
      risky
    )

    test("two ledgers that begin at the same time pay one payout twice at most, and stop", (ledger) =>
      Effect.gen(function* () {
        const other = yield* open(yield* makePlace)
        const client = yield* realClient("c1")
        const given = { batch: "b", by: "ada", orders: orders(20) }
        for (const one of [ledger, other]) yield* Payouts.submit(given).pipe(withLedger(one))
        const ends = yield* Effect.forEach([ledger, other], (one) => Effect.forkScoped(Effect.exit(run(one, client))))
        yield* Effect.raceFirst(Fiber.join(ends[0]!), Fiber.join(ends[1]!))
        yield* Effect.sleep("300 millis")
        assert.isAtMost(yield* payments, 2)
      }))

    test(
      "a payout that the history shows after a person was asked is not called unpaid",
      (ledger) =>
        Effect.gen(function* () {
          const { faults } = yield* CustodyEmulator
          let isHidden = true
          const client = yield* realClient(
            "c1",
            changeRows((rows) => (isHidden ? rows.filter(({ type }) => type === "INCOMING") : rows))
          )
          yield* faults.next("transactions.send", Fault.answerLost())
          yield* submit(["invoice-1"])
          yield* Effect.forkScoped(run(ledger, client))
          yield* becomes("invoice-1", "undecided")
          isHidden = false
          const refused = yield* decide(client)
          assert.include(refused.message, "the history shows it: transaction")
          yield* becomes("invoice-1", "paid")
          assert.strictEqual(yield* payments, 1)
        }),
      { ...risky, ...hasty }
    )

    test(
      "a database that has lost what was sent is compared before anything more is sent",
      (ledger) =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const client = yield* realClient("c1")
          const worker = yield* Effect.forkScoped(Effect.exit(run(ledger, client)))
          yield* submit(["invoice-1"])
          yield* becomes("invoice-1", "paid")
          yield* sql`UPDATE payout_meta SET value = '0' WHERE name = 'lag'`
          // The database goes back to before the payment.
          yield* sql.withTransaction(
            Effect.andThen(
              sql`DELETE FROM payout_events WHERE attempt > 0`,
              sql`UPDATE payouts SET state = 'ready', attempt = 0, transaction_id = NULL, intent_at = NULL, due_at = 0`
            )
          )
          yield* Fiber.join(worker)
          assert.deepInclude((yield* Payouts.progress()).alarms[0], { reference: "invoice-1", alarm: "behind" })
          assert.strictEqual(yield* payments, 1)
        }),
      { ...risky, sendWithin: "200 millis" }
    )

    test(
      "another database waits until the history shows what was sent before",
      (ledger) =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const client = yield* realClient("c1")
          const worker = yield* Effect.forkScoped(run(ledger, client))
          yield* submit(["invoice-1"])
          yield* becomes("invoice-1", "paid")
          yield* Fiber.interrupt(worker)
          yield* sql`UPDATE payout_meta SET value = '0' WHERE name = 'lag'`
          yield* sql`UPDATE payout_meta SET value = 'another' WHERE name = 'identity'`
          yield* Payouts.submit({ batch: "b", by: "ada", orders: [{ ...order, reference: "invoice-2", to: "0xdef" }] })
          yield* Effect.forkScoped(run(ledger, client))
          yield* until(Effect.map(Payouts.progress(), ({ changedAt }) => changedAt !== null))
          assert.strictEqual(yield* stateOf("invoice-2"), "ready")
          yield* becomes("invoice-2", "paid")
          const { changedAt } = yield* Payouts.progress()
          assert.isNull(changedAt)
        }),
      { ...risky, sendWithin: "200 millis" }
    )

    test(
      "what a sender knows of an attempt that the database has lost is written",
      (ledger) =>
        Effect.gen(function* () {
          const { faults } = yield* CustodyEmulator
          const sql = yield* SqlClient.SqlClient
          const client = yield* realClient("c1")
          yield* faults.next("transactions.send", Fault.delayed({ answer: "500 millis" }))
          yield* submit(["invoice-1"])
          yield* Effect.forkScoped(Effect.exit(run(ledger, client)))
          yield* until(Effect.map(payments, (count) => count === 1))
          yield* sql`UPDATE payout_meta SET value = '0' WHERE name = 'lag'`
          yield* sql`DELETE FROM payout_events WHERE attempt > 0`
          yield* sql`UPDATE payouts SET state = 'ready', attempt = 0, intent_at = NULL, due_at = 0`
          yield* becomes("invoice-1", "paid")
          assert.strictEqual(yield* payments, 1)
          assert.deepStrictEqual(yield* stepsOf("invoice-1"), ["submitted", "accepted", "completed"])
        }),
      { ...risky, sendWithin: "1 second" }
    )

    test(
      "what the history shows of an attempt that the database loses meanwhile is written",
      (ledger) =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const hide = yield* realClient(
            "c1",
            changeRows((rows) => rows.filter(({ type }) => type === "INCOMING"))
          )
          yield* loseOne(ledger, hide)
          // The database goes back while the history is read.
          const goBack = sql`UPDATE payouts SET state = 'ready', attempt = 0, intent_at = NULL, due_at = 0`
          const client = yield* realClient("c1", (http) =>
            HttpClient.transform(http, (send, request) =>
              request.method === "GET" ? Effect.tap(send, Effect.ignore(goBack)) : send
            )
          )
          yield* decide(client)
          assert.strictEqual(yield* stateOf("invoice-1"), "accepted")
          assert.deepStrictEqual((yield* Payouts.progress()).alarms, [])
        }),
      { ...risky, ...hasty }
    )

    test(
      "a sender that knows that nothing was sent does not say so of another claim of the same attempt",
      (ledger) =>
        Effect.gen(function* () {
          const { faults } = yield* CustodyEmulator
          const sql = yield* SqlClient.SqlClient
          // The database goes back, and another worker claims the payout, while this worker tries to send it.
          const claimAgain = sql`UPDATE payouts SET claim = 'another' WHERE attempt = 1`
          const client = yield* realClient("c1", (http) =>
            HttpClient.transform(http, (send, request) =>
              request.method === "POST" ? Effect.andThen(Effect.ignore(claimAgain), send) : send
            )
          )
          yield* faults.next("transactions.send", Fault.neverArrived(), { times: 2 })
          yield* submit(["invoice-1"])
          yield* Effect.forkScoped(run(ledger, client))
          yield* until(Effect.map(stateOf("invoice-1"), (state) => state === "undecided" || state === "paid"))
          assert.strictEqual(yield* payments, 0)
          assert.deepStrictEqual(yield* stepsOf("invoice-1"), ["submitted", "claimed", "expired", "missing"])
        }),
      { ...risky, ...hasty }
    )

    test(
      "a payout that was tried before, and that the history may show, is left to a person, who sees all that it may be",
      (ledger) =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const client = yield* realClient("c1", withoutNotes)
          yield* submit(["invoice-1", "invoice-2"])
          const worker = yield* Effect.forkScoped(Effect.exit(run(ledger, client)))
          yield* until(Effect.map(states, ({ paid }) => paid === 2))
          const ids = [yield* transactionOf("invoice-1"), yield* transactionOf("invoice-2")]
          // The database goes back to when both wait for their second attempt.
          yield* sql.withTransaction(
            Effect.andThen(
              sql`DELETE FROM payout_events WHERE step IN ('accepted', 'completed')`,
              sql`UPDATE payouts SET state = 'ready', transaction_id = NULL, due_at = 0`
            )
          )
          yield* until(Effect.map(states, ({ undecided }) => undecided === 2))
          for (const { detail } of yield* Payouts.list()) for (const id of ids) assert.include(detail, id)
          yield* Fiber.interrupt(worker)
          yield* Payouts.decide({ batch: "b" }, { notPaid: true, unchecked: true }, person)
          yield* Effect.forkScoped(run(ledger, client))
          yield* until(Effect.map(states, ({ paid }) => paid === 2))
          assert.strictEqual(yield* payments, 4)
        }),
      { ...risky, sendWithin: "200 millis" }
    )

    test(
      "what the history shows without its note after a person was asked is not called unpaid before the person knows it",
      (ledger) =>
        Effect.gen(function* () {
          let isHidden = true
          const client = yield* realClient(
            "c1",
            changeRows((rows) =>
              rows.filter(({ type }) => !isHidden || type === "INCOMING").map((row) => ({ ...row, note: undefined }))
            )
          )
          yield* loseOne(ledger, client)
          isHidden = false
          const refused = yield* decide(client)
          assert.include(refused.message, yield* transactionOf("invoice-1"))
          assert.strictEqual(yield* stateOf("invoice-1"), "undecided")
        }),
      { ...risky, ...hasty }
    )

    test(
      "a decision is refused while the history proves nothing",
      (ledger) =>
        Effect.gen(function* () {
          let isWrong = false
          const client = yield* realClient(
            "c1",
            changeRows((rows) =>
              rows
                .filter(({ type }) => type === "INCOMING")
                .map((row) => (isWrong ? { ...row, createdAt: "1971-01-01T00:00:00.000Z" } : row))
            )
          )
          yield* loseOne(ledger, client)
          isWrong = true
          const refused = yield* decide(client)
          assert.include(refused.message, "the history does not say whether it has invoice-1")
          assert.strictEqual(yield* stateOf("invoice-1"), "undecided")
        }),
      { ...risky, ...hasty }
    )

    test(
      "a fee of the network's coin hides no wrong amount",
      (ledger) =>
        Effect.gen(function* () {
          const wrong = changeRows((rows) => rows.map((row) => ({ ...row, amount: "0.01", fee: "27.3" })))
          yield* submit(["invoice-1"])
          const stopped = yield* Effect.flip(run(ledger, yield* realClient("c1", wrong)))
          assert.include(stopped.message, "invoice-1 not as ordered: amount: 12.50 here, 0.01 there")
        }),
      risky
    )

    test(
      "a new ledger pays nothing again that the history shows with its fee, under other notes",
      (ledger) =>
        Effect.gen(function* () {
          const given = orders(20)
          for (const { reference, ...one } of given) yield* Transactions.send({ ...one, note: `sent ${reference}` })
          const withFee = changeRows((rows) =>
            rows.map((row) =>
              row.type === "OUTGOING" ? { ...row, amount: `${Number(row.amount) + 0.03}`, fee: "0.03" } : row
            )
          )
          yield* Payouts.submit({ batch: "b", by: "ada", orders: given })
          yield* Effect.forkScoped(Effect.exit(run(ledger, yield* realClient("c1", withFee))))
          yield* until(Effect.map(states, ({ paid = 0, undecided = 0 }) => paid + undecided === 20))
          assert.deepStrictEqual(yield* states, { undecided: 20 })
          assert.strictEqual(yield* payments, 20)
        }),
      risky
    )

    test(
      "a refusal that came after the payment is not sent again",
      (ledger) =>
        Effect.gen(function* () {
          const refusal = { message: "No", data: null, errors: [], code: "E40000", status: 400 }
          let lies = true
          const client = yield* realClient("c1", (http) =>
            HttpClient.transform(http, (send, request) =>
              request.method !== "POST" || !lies || !request.url.endsWith("/send")
                ? send
                : Effect.map(send, () =>
                    HttpClientResponse.fromWeb(request, new Response(JSON.stringify(refusal), { status: 400 }))
                  )
            )
          )
          yield* submit(["invoice-1"])
          const worker = yield* Effect.forkScoped(run(ledger, client))
          yield* until(Effect.map(stateOf("invoice-1"), (state) => state !== "ready" && state !== "sending"))
          lies = false
          const retried = yield* Effect.result(
            Payouts.sendAgain("invoice-1", person).pipe(Effect.provideContext(client))
          )
          yield* becomes("invoice-1", "paid")
          yield* Fiber.interrupt(worker)
          assert.strictEqual(yield* payments, 1)
          assert.isTrue(Result.isFailure(retried))
        }),
      risky
    )

    test(
      "a payment by hand is seen while a worker runs",
      (ledger) =>
        Effect.gen(function* () {
          const client = yield* realClient("c1")
          yield* Payouts.hold({ batch: "h", by: "ada", orders: [{ ...order, reference: "salary-1" }] })
          yield* Effect.forkScoped(run(ledger, client))
          yield* Payouts.pay("other-1", { ...order, to: "0x1" })
          yield* Transactions.send({ ...order, note: "by hand" })
          yield* Payouts.pay("other-2", { ...order, to: "0x2" })
          const { digest } = yield* Payouts.review("h")
          yield* Payouts.approve("h", { by: "bob", digest })
          yield* until(Effect.map(stateOf("salary-1"), (state) => state === "undecided" || state === "paid"))
          assert.strictEqual(yield* payments, 3)
        }),
      risky
    )

    test(
      "an end that changes stops the ledger, and the payout follows it",
      (ledger) =>
        Effect.gen(function* () {
          let end = "COMPLETED"
          const shown = changeRows((rows) =>
            rows.map((row) => (row.status === "COMPLETED" ? { ...row, status: end } : row))
          )
          const client = yield* realClient("c1", shown)
          yield* submit(["invoice-1"])
          const worker = yield* Effect.forkScoped(run(ledger, client))
          yield* becomes("invoice-1", "paid")
          yield* Fiber.interrupt(worker)
          end = "ERROR"
          const sql = yield* SqlClient.SqlClient
          yield* sql`UPDATE payout_meta SET until = 0 WHERE name = 'look again'`
          yield* Effect.forkScoped(Effect.exit(run(ledger, client)))
          yield* Effect.timeout(becomes("invoice-1", "failed"), "3 seconds")
          assert.deepStrictEqual((yield* Payouts.progress()).alarms, [
            { reference: "invoice-1", alarm: "reversed", detail: "ERROR" }
          ])
          const { message } = yield* decide(client)
          assert.include(message, "it is failed, and has to be undecided or mismatched")
          yield* Payouts.acknowledge("invoice-1", person)
          assert.lengthOf((yield* Payouts.progress()).alarms, 0)
        }),
      risky
    )

    test(
      "an outsider's deposit with the reference as its memo marks no payout paid",
      (ledger) =>
        Effect.gen(function* () {
          const { faults } = yield* CustodyEmulator
          const deposit = changeRows((rows) =>
            rows.map((row) => ({ ...row, type: "DEPOSIT", note: "invoice-1", amount: "12.5", to: "0xabc" }))
          )
          yield* faults.next("transactions.send", Fault.reset())
          yield* submit(["invoice-1"])
          yield* Effect.forkScoped(Effect.exit(run(ledger, yield* realClient("c1", deposit))))
          yield* until(Effect.map(stateOf("invoice-1"), (state) => state === "undecided" || state === "paid"))
          assert.strictEqual(yield* stateOf("invoice-1"), "undecided")
        }),
      { ...risky, ...hasty }
    )

    test(
      "a payout that was accepted, and is never shown, becomes a person's",
      (ledger) =>
        Effect.gen(function* () {
          const another = changeRows((rows) =>
            rows.map((row) => (row.type === "INCOMING" ? row : { ...row, id: "another", note: "another", to: "0xdef" }))
          )
          const absent = { message: "No", data: null, errors: [], code: "E53004", status: 404 }
          const client = yield* realClient("c1", (http) =>
            HttpClient.transform(another(http), (send, request) =>
              /\/transactions\/\d+$/.test(request.url)
                ? Effect.succeed(
                    HttpClientResponse.fromWeb(request, new Response(JSON.stringify(absent), { status: 404 }))
                  )
                : send
            )
          )
          yield* submit(["invoice-1"])
          yield* Effect.forkScoped(run(ledger, client))
          yield* Effect.timeout(becomes("invoice-1", "undecided"), "6 seconds")
          assert.lengthOf((yield* Payouts.progress()).alarms, 0)
          yield* Payouts.decide("invoice-1", { notPaid: true }, person).pipe(Effect.provideContext(client))
          yield* until(Effect.map(payments, (count) => count === 2))
        }),
      { ...risky, ...hasty }
    )
  })
}
