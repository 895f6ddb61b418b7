/** The tests that a ledger keeps its promises on a database. */
import { Amount } from "@effect-custody/core"
import * as Sender from "@effect-custody/core/siblings/Sender"
import { CustodyEmulator, Fault, type FaultProfile } from "@effect-custody/emulator"
import { type LedgerError, type PayoutEvent, Payouts } from "@effect-custody/ledger"
import { Transactions } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as UrlParams from "effect/http/UrlParams"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as SqlClient from "effect/sql/SqlClient"
import {
  clientOver,
  hasty,
  open,
  order,
  orders,
  payments,
  person,
  service,
  startWorker,
  stateOf,
  stepsOf,
  type Ledger,
  type LedgerPlace,
  type World,
  until,
  withLedger
} from "../../../../../test/support/worlds/ledgerWorld.ts"
/** Lets every wait of some work pass 20 times as fast. */
const hurried = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.clockWith((clock) =>
    Effect.provideService(
      work,
      Clock.Clock,
      new Proxy(clock, {
        get: (target, name) => {
          if (name === "sleep") return (duration: Duration.Duration) => target.sleep(Duration.times(duration, 1 / 20))
          const value: unknown = Reflect.get(target, name)
          return typeof value === "function" ? value.bind(target) : value
        }
      })
    )
  )

/** Adds the tests of a ledger on a database. */
export const ledgerConformance = (name: string, makePlace: Effect.Effect<LedgerPlace, never, Scope.Scope>): void => {
  const test = <E>(
    sentence: string,
    body: (ledger: Ledger, place: LedgerPlace) => Effect.Effect<void, E, World | Scope.Scope>,
    given: Payouts.Options = {},
    faults?: FaultProfile
  ) =>
    it.live(sentence, () =>
      Effect.gen(function* () {
        const place = yield* makePlace
        const ledger = yield* open(place, given)
        const { fund } = yield* CustodyEmulator
        yield* fund({ clientId: "alice", assetId: "usdc", amount: "1000" })
        yield* withLedger(ledger)(body(ledger, place))
      }).pipe(Effect.scoped, Effect.provide(service(faults), { local: true }))
    )

  // Each test has its own database and emulator, and mostly waits. A server of PostgreSQL is shared.
  describe(`a ledger on ${name}`, { concurrent: name === "SQLite" }, () => {
    test("the same orders again add nothing, and another order under a reference keeps nothing of its call", () =>
      Effect.gen(function* () {
        const batch = { batch: "november", by: "ada", orders: orders(3) }
        assert.strictEqual(yield* Payouts.submit(batch), 3)
        assert.strictEqual(yield* Payouts.submit(batch), 0)
        assert.strictEqual(yield* Payouts.submit({ ...batch, batch: "again", orders: orders(4) }), 1)
        const other = [...orders(6).slice(4), { ...order, reference: "payout-1" }]
        const conflict = yield* Effect.flip(Payouts.submit({ ...batch, orders: other }))
        assert.deepInclude(conflict, { _tag: "ReferenceConflict", references: ["payout-1"] })
        const noted = [{ ...order, reference: "payout-9", note: "payout-2" }]
        assert.deepStrictEqual((yield* Payouts.preview([...other, ...orders(4).slice(2), ...noted])).conflicts, [
          "payout-1",
          "payout-9"
        ])
        assert.deepInclude(yield* Effect.flip(Payouts.submit({ ...batch, orders: noted })), {
          _tag: "ReferenceConflict"
        })
        assert.deepStrictEqual((yield* Payouts.progress()).states, { ready: 4 })
        assert.deepStrictEqual(yield* Payouts.batches, [
          { batch: "again", states: { ready: 1 } },
          { batch: "november", states: { ready: 3 } }
        ])
        assert.deepStrictEqual(
          (yield* Payouts.list({ batch: "november", after: "payout-1", limit: 1 })).map(({ reference }) => reference),
          ["payout-2"]
        )
      }))

    test("what is held is one payout per reference, and never more in a batch than is allowed", () =>
      Effect.gen(function* () {
        const hold = (reference: string, change: Partial<Payouts.Order> = {}, batch = "agents") =>
          Payouts.hold({
            batch,
            by: "agent",
            orders: [{ ...order, reference, ...change }],
            atMost: { payouts: 3, sums: { usdc: Amount.of("3.5") } }
          }).pipe(Effect.andThen(Payouts.get(reference)), Effect.map(Option.getOrThrow))
        const allowed = { amount: Amount.of("1.5") }
        assert.deepInclude(yield* hold("a", allowed), { state: "held", batch: "agents", submittedBy: "agent" })
        yield* hold("b", allowed)
        const { digest } = yield* Payouts.review("agents")
        yield* Payouts.approve("agents", { by: "bob", digest })
        // The same again is the same payout as it is now, and does not count twice. Every payout counts, whatever became of it.
        for (const batch of ["agents", "tomorrow"])
          assert.strictEqual((yield* hold("a", allowed, batch)).state, "ready")
        yield* Payouts.cancel("b", { by: "bob", reason: "a mistake" })
        assert.strictEqual((yield* hold("b", allowed)).state, "cancelled")
        const failures = [
          [hold("a", { amount: Amount.of("1.6") }), "the ledger has other orders under a: nothing was submitted"],
          [
            hold("c", { amount: Amount.of("0.51") }),
            "nothing was submitted: agents may have 3.5 usdc, and has 3 already"
          ],
          [hold("c", { assetId: "eth" }), "nothing was submitted: agents may have 0 eth, and has 0 already"],
          [hold("c", { assetId: "toString" }), "nothing was submitted: agents may have 0 toString, and has 0 already"],
          [hold(" ", allowed), "nothing was submitted: row 1, reference: must not be blank"]
        ] as const
        for (const [held, message] of failures) assert.strictEqual((yield* Effect.flip(held)).message, message)
        assert.strictEqual((yield* hold("c", { amount: Amount.of("0.5") })).state, "held")
        const { message } = yield* Effect.flip(hold("d", { amount: Amount.of("0.1") }))
        assert.strictEqual(message, "nothing was submitted: agents may have 3 payouts, and has 3 already")
        assert.deepStrictEqual((yield* Payouts.progress()).states, { cancelled: 1, held: 1, ready: 1 })
        assert.strictEqual((yield* hold("d", allowed, "tomorrow")).state, "held")
        // Several orders are held together or not at all.
        const several = ["e", "f", "g"].map((reference) => ({ ...order, reference, amount: Amount.of("1.25") }))
        const together = { batch: "three", by: "agent", atMost: { payouts: 3, sums: { usdc: Amount.of("3.5") } } }
        const beyond = yield* Effect.flip(Payouts.hold({ ...together, orders: several }))
        assert.strictEqual(beyond.message, "nothing was submitted: three may have 3.5 usdc, and has 0 already")
        assert.deepStrictEqual((yield* Payouts.progress("three")).states, {})
        assert.strictEqual(yield* Payouts.hold({ ...together, orders: several.slice(1) }), 2)
        assert.strictEqual(
          (yield* Effect.flip(Payouts.hold({ ...together, orders: several })))._tag,
          "AllowanceExceeded"
        )
      }))

    test("an order is submitted in a batch of its own, by the worker, unless others are named", () =>
      Effect.gen(function* () {
        yield* Payouts.submit({ orders: ["a", "b"].map((reference) => ({ ...order, reference })) })
        const [first, second] = yield* Payouts.list({ batch: "a" })
        assert.deepStrictEqual([first?.reference, second?.reference], ["a", "b"])
        assert.match(first!.submittedBy, /^worker-/)
        assert.strictEqual(yield* Payouts.submit({ orders: [] }), 0)
      }))

    test("callers that hold at once over several connections do not exceed together what each may", (ledger, place) =>
      Effect.gen(function* () {
        const all = [ledger, yield* open(place), yield* open(place)]
        const atMost = { payouts: 100, sums: { usdc: Amount.of("10") } }
        const held = yield* Effect.forEach(
          Arr.range(0, 29),
          (index) =>
            Payouts.hold({
              batch: "agents",
              by: "agent",
              orders: [{ ...order, reference: `held-${index}`, amount: Amount.of("1") }],
              atMost
            }).pipe(Effect.result, withLedger(all[index % 3]!)),
          { concurrency: "unbounded" }
        )
        assert.lengthOf(held.filter(Result.isSuccess), 10)
        assert.deepStrictEqual(
          new Set(held.filter(Result.isFailure).map(({ failure }) => failure._tag)),
          new Set(["AllowanceExceeded"])
        )
        assert.deepStrictEqual((yield* Payouts.progress()).states, { held: 10 })
      }))

    test("an order that is not valid is named by its row and column, and keeps nothing of its call", () =>
      Effect.gen(function* () {
        const cells = { reference: "a", clientId: "alice", assetId: "usdc", to: "0xabc", amount: "1" }
        const rows = [cells, { ...cells, reference: "b", amount: "1,5" }, { ...cells, reference: " ", to: "" }]
        const invalid = yield* Effect.flip(Payouts.decodeOrders(rows))
        assert.deepStrictEqual(
          invalid.issues.map(({ column, row }) => `${row} ${column}`),
          ["2 amount", "3 reference", "3 to"]
        )
        const twice = yield* Payouts.decodeOrders([cells]).pipe(
          Effect.flatMap(([one]) => Payouts.submit({ batch: "b", by: "ada", orders: [one!, one!] })),
          Effect.flip
        )
        assert.strictEqual(twice._tag, "OrdersInvalid")
        assert.deepStrictEqual((yield* Payouts.progress()).states, {})
      }))

    test("no new order has what could forge an approval, in any field, and one that the ledger has is looked up first", () =>
      Effect.gen(function* () {
        const submit = (one: object, { batch = "b", by = "ada" } = {}) =>
          Payouts.submit({ batch, by, orders: [{ ...order, reference: "a", ...one }] })
        const forged = ["\n", "\0", "\u001b[8m", "\u0085", "\ud800", "\u2028", "\u2029", "\u202e", "\u2066", "\u200f"]
        for (const character of forged) {
          for (const column of ["reference", "clientId", "assetId", "to", "networkId", "note"]) {
            const { issues } = yield* Effect.flip(
              Effect.catchTag(submit({ [column]: `x${character}y` }), ["LedgerError", "ReferenceConflict"], Effect.die)
            )
            assert.deepStrictEqual(
              issues.map((issue) => `${issue.row} ${issue.column}`),
              [`1 ${column}`]
            )
            assert.match(issues[0]!.message, /^has the invisible character \\u[\da-f]{4}, which no new order may have/)
          }
        }
        assert.strictEqual((yield* Effect.flip(submit({}, { batch: "b\u202e" })))._tag, "OrdersInvalid")
        assert.strictEqual((yield* Effect.flip(submit({}, { by: "ada\n" })))._tag, "OrdersInvalid")
        const limits = { payouts: 9, sums: { usdc: Amount.of("1000") } }
        const held = { batch: "b", by: "agent", atMost: limits, orders: [{ ...order, reference: "a\nb" }] }
        assert.strictEqual((yield* Effect.flip(Payouts.hold(held)))._tag, "OrdersInvalid")
        assert.strictEqual((yield* Effect.flip(Payouts.preview(held.orders)))._tag, "OrdersInvalid")
        assert.strictEqual((yield* Effect.flip(Payouts.pay("a\nb", order)))._tag, "OrdersInvalid")
        assert.deepStrictEqual((yield* Payouts.progress()).states, {})
        // Scripts need joiners, and versions of Node know different characters.
        const legal = [
          { reference: "j1", note: "\u0646\u200c\u0647" },
          { reference: "j2\u200d" },
          { reference: "j3\u{378}" }
        ]
        for (const one of legal) assert.strictEqual(yield* submit(one), 1)
        // An older version has written this one. Under another name it would be paid again.
        yield* SqlClient.SqlClient.use((sql) => sql`UPDATE payouts SET reference = ${"j1\n"} WHERE reference = 'j1'`)
        assert.strictEqual(yield* submit({ reference: "j1\n", note: legal[0]!.note }), 0)
        const other = yield* Effect.flip(submit({ reference: "j1\n", amount: Amount.of("1") }))
        assert.strictEqual(other._tag, "ReferenceConflict")
      }))

    test("new orders that are equal to paid ones are counted before they are submitted", () =>
      Effect.gen(function* () {
        const may = orders(3).map((one) => ({ ...one, reference: `may-${one.reference}` }))
        yield* Payouts.submit({ batch: "may", by: "ada", orders: may })
        const june = [...orders(3), { ...order, reference: "other", amount: Amount.of("999") }]
        assert.deepStrictEqual(yield* Payouts.preview(june), { conflicts: [], known: 0, repeats: [] })
        for (const reference of ["may-payout-1", "may-payout-3"]) {
          yield* SqlClient.SqlClient.use((sql) => sql`UPDATE payouts SET state = 'paid' WHERE reference = ${reference}`)
        }
        assert.deepStrictEqual(yield* Payouts.preview([...june, may[0]!]), {
          conflicts: [],
          known: 1,
          repeats: [
            { reference: "payout-1", of: "may-payout-1" },
            { reference: "payout-3", of: "may-payout-3" }
          ]
        })
      }))

    test("20 callers of one reference and 3 workers make one payment", (ledger, place) =>
      Effect.gen(function* () {
        yield* startWorker(ledger)
        for (const _ of [1, 2]) yield* startWorker(yield* open(place))
        const paid = yield* Effect.forEach(Arr.range(1, 20), () => Payouts.pay("invoice-1", order), {
          concurrency: "unbounded"
        })
        assert.deepStrictEqual(
          Arr.dedupe(paid.map(({ state, transactionId }) => `${state} ${transactionId}`)).length,
          1
        )
        assert.strictEqual((yield* Payouts.pay("invoice-1", order)).state, "paid")
        assert.strictEqual(yield* payments, 1)
        // Another worker may read the payment in the history before its sender has written the answer down.
        const [submitted, claimed, paidBy, ...rest] = yield* stepsOf("invoice-1")
        assert.deepStrictEqual([submitted, claimed, ...rest], ["submitted", "claimed", "completed"])
        assert.include(["accepted", "found"], paidBy)
      }))

    test("an engine that gives up and calls pay again, in another process, makes one payment", (ledger, place) =>
      Effect.gen(function* () {
        const { faults } = yield* CustodyEmulator
        yield* faults.next("transactions.send", Fault.answerLost())
        yield* startWorker(ledger)
        const given = yield* Effect.forkScoped(Payouts.pay("invoice-1", order))
        yield* until(Effect.map(payments, (count) => count === 1))
        yield* Fiber.interrupt(given)
        for (let call = 0; call < 3; call++) {
          const again = Payouts.pay("invoice-1", order)
          assert.strictEqual((yield* withLedger(yield* open(place))(again)).state, "paid")
        }
        assert.strictEqual(yield* payments, 1)
      }))

    test("a payout whose answer was lost is found in the history, and not sent again", (ledger) =>
      Effect.gen(function* () {
        const { faults } = yield* CustodyEmulator
        yield* faults.next("transactions.send", Fault.answerLost())
        yield* startWorker(ledger)
        assert.strictEqual((yield* Payouts.pay("invoice-1", order)).state, "paid")
        assert.strictEqual(yield* payments, 1)
        assert.deepStrictEqual(yield* stepsOf("invoice-1"), ["submitted", "claimed", "lost", "found", "completed"])
        const lost = (yield* Payouts.events("invoice-1")).find(({ step }) => step === "lost")
        assert.strictEqual(lost?.detail, "ECONNRESET")
      }))

    test(
      "a payout that the whole history does not show is sent again only when a person says so",
      (ledger) =>
        Effect.gen(function* () {
          const { faults } = yield* CustodyEmulator
          yield* faults.next("transactions.send", Fault.reset())
          yield* startWorker(ledger)
          const undecided = yield* Effect.flip(Payouts.pay("invoice-1", order))
          assert.strictEqual(undecided._tag, "PayoutUndecided")
          assert.include(undecided.message, "the whole history does not show it")
          assert.strictEqual(yield* payments, 0)

          assert.strictEqual(yield* Payouts.decide("invoice-1", { notPaid: true }, person), 1)
          assert.strictEqual((yield* Payouts.pay("invoice-1", order)).state, "paid")
          assert.strictEqual(yield* payments, 1)
          const again = yield* Effect.flip(Payouts.decide("invoice-1", { notPaid: true }, person))
          assert.strictEqual(again._tag, "StepRefused")
          const [decision] = (yield* Payouts.events("invoice-1")).filter(({ step }) => step === "decidedNotPaid")
          assert.deepInclude(decision, { by: "ada", detail: "looked it up" })
        }),
      hasty
    )

    test(
      "a person decides about all undecided payouts of a batch at once, or names the transaction of one",
      (ledger) =>
        Effect.gen(function* () {
          const { faults } = yield* CustodyEmulator
          yield* faults.next("transactions.send", Fault.reset(), { times: 4 })
          yield* Payouts.submit({ batch: "november", by: "ada", orders: orders(4) })
          yield* startWorker(ledger)
          yield* until(Effect.map(Payouts.progress(), ({ states }) => states.undecided === 4))
          const other = yield* Transactions.send({ ...order, note: "another by hand" })
          const refusals = [
            [`${other.id}x`, `the service has no transaction ${other.id}x`],
            [other.id, `${other.id} is another payment (amount: 1 here, 12.50 there; recipient: 0x1 here, 0xabc there)`]
          ] as const
          for (const [paid, why] of refusals) {
            const refused = yield* Effect.flip(Payouts.decide("payout-1", { paid }, person))
            assert.include(refused.message, `cannot decide payout-1: ${why}; to decide all the same, skip the check`)
          }
          assert.strictEqual(yield* stateOf("payout-1"), "undecided")
          assert.strictEqual(yield* Payouts.decide("payout-4", { paid: other.id, unchecked: true }, person), 1)
          const { id } = yield* Transactions.send({ ...order, to: "0x1", amount: Amount.of("1"), note: "by hand" })
          assert.strictEqual(yield* Payouts.decide("payout-1", { paid: id }, person), 1)
          const taken = yield* Effect.flip(Payouts.decide("payout-2", { paid: id, unchecked: true }, person))
          assert.strictEqual(taken.message, `cannot decide payout-2: ${id} is the transaction of payout-1`)
          assert.deepStrictEqual(
            (yield* Payouts.list({ state: "undecided" })).map(({ reference }) => reference),
            ["payout-2", "payout-3"]
          )
          assert.strictEqual(yield* Payouts.decide({ batch: "november" }, { notPaid: true }, person), 2)
          yield* until(Effect.map(Payouts.progress(), ({ states }) => states.paid === 4))
          assert.strictEqual(yield* payments, 4)
        }),
      hasty
    )

    test("a person cannot decide about a payout that is still looked for, and learns until when", (ledger) =>
      Effect.gen(function* () {
        const { faults } = yield* CustodyEmulator
        yield* faults.next("transactions.send", Fault.reset())
        yield* Payouts.submit({ batch: "november", by: "ada", orders: orders(1) })
        yield* startWorker(ledger)
        yield* until(Effect.map(stateOf("payout-1"), (state) => state === "unknown"))
        const refused = yield* Effect.flip(Payouts.decide("payout-1", { notPaid: true }, person))
        assert.strictEqual(
          refused.message,
          "cannot decide payout-1: it is unknown, and has to be undecided or mismatched: a worker looks for it in the history for " +
            "undecidedAfter (--undecided-after), and then makes it undecided"
        )
      }))

    test(
      "an undecided payout names the transactions that may be it, and none of another payout",
      (ledger) =>
        Effect.gen(function* () {
          const { faults } = yield* CustodyEmulator
          yield* startWorker(ledger)
          const rent = yield* Payouts.pay("rent", order)
          const { id } = yield* Transactions.send({ ...order, note: "by hand" })
          yield* faults.next("transactions.send", Fault.reset())
          const undecided = yield* Effect.flip(Payouts.pay("invoice-1", order))
          assert.include(undecided.message, `these transactions may be it: ${id} (differs in note)`)
          assert.notInclude(undecided.message, rent.transactionId ?? "none")
        }),
      hasty
    )

    test("a payout that was certainly not sent is sent again, and a 429 delays it", (ledger) =>
      Effect.gen(function* () {
        const { faults } = yield* CustodyEmulator
        yield* faults.next("transactions.send", Fault.neverArrived(), { times: 3 })
        yield* startWorker(ledger)
        assert.strictEqual((yield* Payouts.pay("invoice-1", order)).state, "paid")
        assert.include(yield* stepsOf("invoice-1"), "notSent")
        assert.strictEqual(yield* payments, 1)
      }))

    test("a follower that the service refuses with 429 reads the same page again, later", (ledger) =>
      Effect.gen(function* () {
        const { faults } = yield* CustodyEmulator
        const warnings: Array<unknown> = []
        const logger = Logger.make(({ message }) => void warnings.push(message))
        const worker = hurried(withLedger(ledger)(Payouts.run))
        yield* Effect.forkScoped(worker.pipe(Effect.provide(Logger.layer([logger]))))
        yield* until(Effect.map(Payouts.progress(), () => true))
        yield* faults.next("transactions.list", Fault.rateLimited("1 millis"), { times: 6 })
        assert.strictEqual((yield* Payouts.pay("invoice-1", order)).state, "paid")
        assert.deepStrictEqual(
          warnings.filter((message) => /A step of a worker failed/.test(String(message))),
          []
        )
      }))

    test("a follower reads the newest page of a long history, and no more than it needs", (ledger) =>
      Effect.gen(function* () {
        const pages: Array<string | undefined> = []
        const reader = yield* clientOver((http) =>
          HttpClient.transform(http, (send, { method, url, urlParams }) => {
            if (method === "GET" && /\/transactions(\?|$)/.test(url)) {
              pages.push(/page=(\d+)/.exec(`${url}?${UrlParams.toString(urlParams)}`)?.[1])
            }
            return send
          })
        )
        const send = (index: number) => Transactions.send({ ...order, amount: Amount.of("1"), note: `other ${index}` })
        yield* Effect.forEach(Arr.range(1, 210), send, { concurrency: 16 })
        yield* Effect.forkScoped(Effect.provideContext(Payouts.run, Context.merge(ledger, reader)))
        yield* Payouts.pay("invoice-1", order)
        // The comparison before the first claim reads all.
        assert.include(pages, "3")
        const before = pages.length
        yield* Payouts.pay("invoice-2", { ...order, to: "0xdef" })
        const after = pages.slice(before)
        assert.isAbove(after.length, 0)
        assert.deepStrictEqual(
          after.filter((page) => page !== "1"),
          []
        )
      }))

    test("a refusal does not burn the reference, and a rejected transaction is a failure", (ledger) =>
      Effect.gen(function* () {
        const { fund } = yield* CustodyEmulator
        yield* startWorker(ledger)
        const large = { ...order, amount: Amount.of("1500") }
        const refused = yield* Effect.flip(Payouts.pay("large", large))
        assert.strictEqual(refused._tag, "PayoutRefused")
        yield* fund({ clientId: "alice", assetId: "usdc", amount: "1000" })
        assert.strictEqual(yield* Payouts.sendAgain("large", person), 1)
        assert.strictEqual((yield* Payouts.pay("large", large)).state, "paid")
        const failed = yield* Effect.flip(Payouts.pay("rejected", { ...order, to: "0xrejected" }))
        assert.deepInclude(failed, { _tag: "PayoutFailed", status: "REJECTED" })
      }))

    test("a batch that grew, shrank or changed since a person reviewed it is not approved", () =>
      Effect.gen(function* () {
        const submit = (payouts: ReadonlyArray<Payouts.ReferencedOrder>) =>
          Payouts.hold({ batch: "november", by: "ada", orders: payouts })
        const refuse = Effect.fnUntraced(function* (digest: string) {
          const refused = yield* Effect.flip(Payouts.approve("november", { by: "bob", digest }))
          assert.include(refused.message, "it has changed since it was reviewed")
          assert.deepStrictEqual((yield* Payouts.progress()).states["ready"], undefined)
        })
        yield* submit(orders(2))
        const first = yield* Payouts.review("november")
        yield* submit([{ ...order, reference: "late", to: "0x0000000000000000000000000000000000000bad" }])
        yield* refuse(first.digest)
        const grown = yield* Payouts.review("november")
        assert.lengthOf(grown.payouts, 3)
        yield* Payouts.cancel("late", { by: "ada", reason: "a mistake" })
        yield* refuse(grown.digest)
        // Again the payouts of the first review.
        assert.strictEqual((yield* Payouts.review("november")).digest, first.digest)
        const sql = yield* SqlClient.SqlClient
        yield* sql`UPDATE payouts SET destination = '0xbad' WHERE reference = 'payout-1'`
        yield* refuse(first.digest)
        const { digest } = yield* Payouts.review("november")
        assert.strictEqual(yield* Payouts.approve("november", { by: "bob", digest }), 2)
      }))

    test("a held batch is sent when another person approves it, and not when it is cancelled", (ledger) =>
      Effect.gen(function* () {
        yield* startWorker(ledger)
        yield* Payouts.hold({ batch: "november", by: "ada", orders: orders(2) })
        yield* Payouts.cancel("payout-2", { by: "bob", reason: "left in October" })
        const { digest, payouts } = yield* Payouts.review("november")
        assert.deepStrictEqual(
          payouts.map(({ reference }) => reference),
          ["payout-1"]
        )
        for (const by of ["ada", " ADA", "ａｄａ", "a\u200bda"]) {
          const own = yield* Effect.flip(Payouts.approve("november", { by, digest }))
          assert.deepInclude(own, { _tag: "StepRefused", reason: "ada has submitted it" })
        }
        yield* Effect.sleep("100 millis")
        assert.strictEqual(yield* payments, 0)
        assert.strictEqual(yield* Payouts.approve("november", { by: "bob", digest }), 1)
        yield* until(Effect.map(stateOf("payout-1"), (state) => state === "paid"))
        const cancelled = yield* Effect.flip(Payouts.pay("payout-2", orders(2)[1]!))
        assert.deepInclude(cancelled, { _tag: "PayoutRefused", reason: "cancelled: left in October" })
        assert.strictEqual(yield* payments, 1)
      }))

    test(
      "a twin of a payout that may have been sent waits until the history has shown a note",
      (ledger) =>
        Effect.gen(function* () {
          const { faults } = yield* CustodyEmulator
          yield* faults.next("transactions.send", Fault.reset())
          const twins = ["one", "two", "three"].map((reference) => ({ ...order, reference }))
          yield* Payouts.submit({ batch: "twins", by: "ada", orders: twins })
          yield* startWorker(ledger)
          yield* until(Effect.map(stateOf("one"), (state) => state === "undecided"))
          const { states, waiting } = yield* Payouts.progress()
          assert.deepStrictEqual(states, { undecided: 1, ready: 2 })
          assert.deepStrictEqual(waiting, [
            { reference: "three", waitsFor: "one" },
            { reference: "two", waitsFor: "one" }
          ])
          assert.strictEqual(yield* payments, 0)
          const changed = { _tag: "StepRefused", reason: "one has changed since it was shown: look at it again" }
          const notPaid = { notPaid: true, unchecked: true } as const
          for (const [target, attempts] of [
            ["one", { one: 2 }],
            [{ batch: "twins" }, { other: 1 }]
          ] as const) {
            const refused = yield* Effect.flip(Payouts.decide(target, { ...notPaid, attempts }, person))
            assert.deepInclude<object>(refused, changed)
          }
          yield* Payouts.decide("one", { notPaid: true, attempts: { one: 1 } }, person)
          yield* until(Effect.map(Payouts.progress(), ({ states }) => states.paid === 3))
          assert.strictEqual(yield* payments, 3)
        }),
      hasty
    )

    test("a ledger that is behind the history sends nothing until a person has decided", (ledger) =>
      Effect.gen(function* () {
        const sent = yield* Transactions.send({ ...order, note: "invoice-1" })
        yield* Payouts.submit({
          batch: "b",
          by: "ada",
          orders: [
            { ...order, reference: "invoice-1" },
            { ...order, reference: "invoice-2" }
          ]
        })
        const behind = yield* Effect.flip(Payouts.run)
        assert(behind._tag === "LedgerStopped")
        assert.deepInclude(behind.payouts[0], { reference: "invoice-1", alarm: "behind" })
        assert.match(behind.payouts[0]?.detail ?? "", new RegExp(`^${sent.id} \\([A-Z]+\\)$`))
        const cancelled = yield* Effect.flip(Payouts.cancel("invoice-1", person))
        assert.include(cancelled.message, "the history shows invoice-1 already: decide about it")
        yield* Payouts.decide("invoice-1", { paid: sent.id }, person)
        // A payout that is submitted afterwards is found as well.
        const third = yield* Transactions.send({ ...order, note: "invoice-3" })
        yield* Effect.raceFirst(Payouts.run, until(Effect.map(payments, (count) => count === 3)))
        yield* Payouts.submit({ batch: "b", by: "ada", orders: [{ ...order, reference: "invoice-3" }] })
        const later = yield* Effect.flip(Payouts.run)
        assert.strictEqual(later._tag, "LedgerStopped")
        assert.strictEqual(yield* payments, 3)
        yield* Payouts.decide("invoice-3", { paid: third.id }, person)
        yield* startWorker(ledger)
        yield* until(Effect.map(stateOf("invoice-3"), (state) => state === "paid"))
        assert.strictEqual(yield* payments, 3)
      }))

    for (const [end, isTaken] of [
      ["COMPLETED", false],
      ["REJECTED", true],
      ["ERROR", true]
    ] as const) {
      test(`what the history showed first, as ${end}, is ${isTaken ? "" : "never "}called not paid`, (ledger) =>
        Effect.gen(function* () {
          const { failNext } = yield* CustodyEmulator
          if (end !== "COMPLETED") yield* failNext({ end })
          const { id } = yield* Transactions.send({ ...order, note: "invoice-1" })
          yield* until(Effect.map(Transactions.get({ transactionId: id }), ({ status }) => status === end))
          yield* Payouts.submit({ batch: "b", by: "ada", orders: [{ ...order, reference: "invoice-1" }] })
          assert.strictEqual((yield* Effect.flip(Payouts.run))._tag, "LedgerStopped")
          const decision = yield* Effect.result(Payouts.decide("invoice-1", { notPaid: true }, person))
          assert.strictEqual(Result.isSuccess(decision), isTaken)
          if (Result.isFailure(decision)) {
            assert.include(decision.failure.message, `the service has its transaction ${id}, which is COMPLETED`)
            return
          }
          yield* startWorker(ledger)
          yield* until(Effect.map(stateOf("invoice-1"), (state) => state === "paid"))
          assert.strictEqual(yield* payments, 2)
        }))
    }

    test("a worker that is interrupted finishes what is being sent, and claims nothing more", (ledger) =>
      Effect.gen(function* () {
        const { faults } = yield* CustodyEmulator
        yield* faults.next("transactions.send", Fault.delayed({ answer: "300 millis" }), { times: 8 })
        yield* Payouts.submit({ batch: "b", by: "ada", orders: orders(40) })
        const worker = yield* Effect.forkScoped(withLedger(ledger)(Payouts.run))
        yield* until(Effect.map(payments, (count) => count === 8))
        yield* Fiber.interrupt(worker)
        assert.strictEqual(yield* payments, 8)
        const { states } = yield* Payouts.progress()
        assert.deepStrictEqual([states.ready, (states.accepted ?? 0) + (states.paid ?? 0)], [32, 8])
      }))

    test("a worker does not run over a client that cannot give up a request at its first byte", (ledger) =>
      Effect.gen(function* () {
        const silent = yield* clientOver((http) =>
          HttpClient.transform(http, (send) => Effect.provideService(send, Sender.SendProgress, undefined))
        )
        yield* Payouts.submit({ batch: "b", by: "ada", orders: [{ ...order, reference: "invoice-1" }] })
        const error = yield* Effect.flip(Effect.provideContext(Payouts.run, Context.merge(ledger, silent)))
        assert.strictEqual(error._tag, "LedgerError")
        assert.include(error.message, "first byte")
        assert.strictEqual(yield* stateOf("invoice-1"), "ready")
      }))

    test("a lost session stops the worker, and leaves the payouts ready", (ledger) =>
      Effect.gen(function* () {
        const { revokeSessions } = yield* CustodyEmulator
        const worker = yield* Effect.forkScoped(withLedger(ledger)(Payouts.run))
        assert.strictEqual((yield* Payouts.pay("invoice-1", order)).state, "paid")
        yield* revokeSessions
        yield* Payouts.submit({ batch: "b", by: "ada", orders: [{ ...order, reference: "invoice-2" }] })
        const error = yield* Effect.flip(Fiber.join(worker))
        assert.include(["SessionLost", "InvalidAccessToken"], error._tag)
        assert.strictEqual(yield* stateOf("invoice-2"), "ready")
        assert.strictEqual(yield* payments, 1)
      }))

    test("a history of the ledger's own payments leaves nothing to compare the next payouts with", (ledger, place) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const worker = yield* startWorker(ledger)
        assert.strictEqual((yield* Payouts.pay("invoice-1", order)).state, "paid")
        yield* Fiber.interrupt(worker)
        yield* startWorker(yield* open(place))
        assert.strictEqual((yield* Payouts.pay("invoice-2", order)).state, "paid")
        const [shapes] = yield* sql<{ readonly value: string }>`SELECT value FROM payout_meta WHERE name = 'foreign'`
        assert.strictEqual(shapes?.value, "")
      }))

    test("an older version claims nothing after a newer one has taken over", (ledger) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const worker = yield* Effect.forkScoped(withLedger(ledger)(Payouts.run))
        assert.strictEqual((yield* Payouts.pay("invoice-1", order)).state, "paid")
        yield* sql`UPDATE payout_meta SET value = '3' WHERE name = 'writer'`
        yield* Payouts.submit({ batch: "b", by: "ada", orders: [{ ...order, reference: "invoice-2" }] })
        yield* Effect.sleep("200 millis")
        assert.strictEqual(yield* stateOf("invoice-2"), "ready")
        yield* Fiber.interrupt(worker)
        assert.strictEqual((yield* Effect.flip(withLedger(ledger)(Payouts.run)))._tag, "LedgerError")
        assert.strictEqual(yield* payments, 1)
      }))

    test("inside a transaction of the caller, pay and run refuse, and submit commits with it", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const paying = yield* Effect.flip(sql.withTransaction(Payouts.pay("invoice-1", order)))
        const running = yield* Effect.flip(sql.withTransaction(Payouts.run))
        for (const { message } of [paying, running]) assert.include(message, "inside a transaction")
        const submit = Payouts.submit({ batch: "b", by: "ada", orders: [{ ...order, reference: "invoice-1" }] })
        yield* Effect.exit(sql.withTransaction(Effect.andThen(submit, Effect.fail("rolled back"))))
        assert.isTrue(Option.isNone(yield* Payouts.get("invoice-1")))
        yield* sql.withTransaction(submit)
        assert.strictEqual(yield* stateOf("invoice-1"), "ready")
      }))

    test("changes returns every step once, in the order of each payout, from any cursor", (ledger, place) =>
      Effect.gen(function* () {
        yield* startWorker(ledger)
        yield* startWorker(yield* open(place))
        const seen: Array<PayoutEvent> = []
        const read: Effect.Effect<void, LedgerError, Payouts.Payouts> = Effect.gen(function* () {
          const next = yield* Payouts.changes(seen.at(-1)?.cursor)
          seen.push(...next)
        })
        const reader = yield* Effect.forkScoped(Effect.forever(Effect.andThen(read, Effect.sleep("5 millis"))))
        yield* Payouts.submit({ batch: "november", by: "ada", orders: orders(30) })
        yield* until(Effect.map(Payouts.progress("november"), ({ states }) => states.paid === 30))
        yield* Fiber.interrupt(reader)
        // A transaction of somebody else may still hold back the newest steps.
        yield* until(Effect.map(read, () => seen.filter(({ state }) => state === "paid").length === 30))
        const all = yield* Effect.forEach(orders(30), ({ reference }) => Payouts.events(reference))
        const byPayout = all.map((events) => events.map(({ cursor }) => cursor))
        assert.deepStrictEqual(
          orders(30).map(({ reference }) =>
            seen.filter((event) => event.reference === reference).map(({ cursor }) => cursor)
          ),
          byPayout
        )
        assert.strictEqual(seen.length, byPayout.flat().length)
        assert.strictEqual(yield* payments, 30)
      }))
  })
}
