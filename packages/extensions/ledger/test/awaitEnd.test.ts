import { Amount } from "@effect-custody/core"
import { Payouts } from "@effect-custody/ledger"
import * as LedgerSqlite from "@effect-custody/ledger/LedgerSqlite"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as References from "effect/References"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"

const order = { clientId: "alice", assetId: "usdc", to: "0xabc", amount: Amount.of("12.50") }

const inMemory = Payouts.layer().pipe(Layer.provideMerge(LedgerSqlite.layer({ filename: ":memory:" })))

/** Submits a payout, lets something happen to it, and then waits for its end. Returns what `pay` logs from here on. */
const startPaying = Effect.fnUntraced(function* <E, R>(happened: Effect.Effect<unknown, E, R>) {
  const lines: Array<string> = []
  const logger = Logger.make(({ fiber, logLevel, message }) => {
    const { "custody.event": event } = fiber.getRef(References.CurrentLogAnnotations)
    assert.strictEqual(event, logLevel === "Warn" ? "payouts.waits" : undefined)
    lines.push(`${logLevel} ${String(message)}`)
  })
  yield* Payouts.submit({ batch: "b", by: "ann", orders: [{ ...order, reference: "invoice-1" }] })
  yield* happened
  const paying = yield* Effect.forkScoped(
    Effect.flip(Payouts.pay("invoice-1", order)).pipe(Effect.provide(Logger.layer([logger])))
  )
  return { lines, paying }
})

const update = (set: string) =>
  SqlClient.SqlClient.use((sql) => sql.unsafe(`UPDATE payouts SET ${set} WHERE reference = 'invoice-1'`))

const run = (statement: string) => SqlClient.SqlClient.use((sql) => sql.unsafe(statement))

const gate = (shownAt: string) =>
  run(`INSERT INTO payout_gates (contract, asset_id, reference, shown_at) VALUES ('c1', 'usdc', 'first', ${shownAt})`)

describe("Payouts.pay", () => {
  it.effect.each([
    [
      "no worker has sent",
      Effect.void,
      "Warn payout invoice-1 is ready: Payouts.run has to run, here or in another process"
    ],
    [
      "was not sent for a reason",
      update("detail = 'the service answered 503'"),
      "Warn payout invoice-1 is ready: Payouts.run has to run, here or in another process (the service answered 503)"
    ],
    [
      "waits behind an alarm",
      update("alarm = 'clash', alarm_detail = '1007'"),
      "Warn payout invoice-1 is ready: the ledger is stopped: invoice-1 paid again: 1007"
    ],
    [
      "waits for a first payout that is not shown",
      gate("NULL"),
      "Warn payout invoice-1 is ready: first is the first payout of usdc with its contract: the service has to show it"
    ],
    [
      "waits for a confirmation",
      gate("0"),
      "Warn payout invoice-1 is ready: first is the first payout of usdc with its contract: a person has to confirm it"
    ],
    [
      "waits for a comparison",
      run("UPDATE payout_meta SET value = 'changed x', until = 0 WHERE name = 'identity'"),
      "Warn payout invoice-1 is ready: since 1970-01-01T00:00:00.000Z the database is another one, and a worker has to compare it with the history first"
    ],
    ["is held", update("state = 'held'"), "Warn payout invoice-1 is held: another person has to approve it"],
    [
      "may have been sent",
      Effect.andThen(
        run("UPDATE payout_meta SET value = '3600000' WHERE name = 'undecided'"),
        update("state = 'unknown', valid_until = 30000")
      ),
      "Warn payout invoice-1 is unknown: it may have been sent, and a worker looks for it in the history until 1970-01-01T01:00:30.000Z; then a person has to decide"
    ],
    [
      "is accepted",
      update("state = 'accepted', transaction_id = '1007'"),
      "Info payout invoice-1 is accepted: transaction 1007 is not final yet"
    ]
  ] as const)("says once what a payout waits for that %s", ([, happened, line]) =>
    Effect.gen(function* () {
      const { lines } = yield* startPaying(happened)
      yield* TestClock.adjust("4 seconds")
      assert.deepStrictEqual(lines, [])
      yield* TestClock.adjust("30 seconds")
      assert.deepStrictEqual(lines, [line])
    }).pipe(Effect.provide(inMemory))
  )

  it.effect("says what a payout waits for in each state, and fails when a person has to look at it", () =>
    Effect.gen(function* () {
      const { lines, paying } = yield* startPaying(Effect.void)
      yield* TestClock.adjust("8 seconds")
      yield* update("state = 'sending', valid_until = 30000")
      yield* TestClock.adjust("8 seconds")
      assert.deepStrictEqual(
        lines.map((line) => line.split(":")[0]),
        ["Warn payout invoice-1 is ready", "Warn payout invoice-1 is sending"]
      )
      yield* update("state = 'mismatched', detail = 'amount: 12.50 here, 125 there'")
      yield* TestClock.adjust("8 seconds")
      const failed = yield* Fiber.join(paying)
      assert.strictEqual(failed._tag, "PayoutUndecided")
      assert.include(failed.message, "amount: 12.50 here, 125 there")
    }).pipe(Effect.provide(inMemory))
  )

  it.effect("is interrupted by a deadline, and the payout stays: a worker pays it, and the next call returns it", () =>
    Effect.gen(function* () {
      const late = yield* Effect.forkScoped(Payouts.pay("invoice-1", order).pipe(Effect.timeoutOption("10 seconds")))
      yield* TestClock.adjust("10 seconds")
      assert.isTrue(Option.isNone(yield* Fiber.join(late)))
      assert.deepInclude(Option.getOrThrow(yield* Payouts.get("invoice-1")), { state: "ready", reference: "invoice-1" })

      yield* update("state = 'paid', transaction_id = '1007'")
      assert.deepInclude(yield* Payouts.pay("invoice-1", order), { state: "paid", transactionId: "1007" })
      assert.deepStrictEqual((yield* Payouts.progress()).states, { paid: 1 })
    }).pipe(Effect.provide(inMemory))
  )

  it.effect("leaves a whole payout or nothing of it, wherever it is interrupted", () =>
    Effect.gen(function* () {
      const written = new Set<boolean>()
      for (let steps = 0; steps < 60; steps++) {
        const reference = `invoice-${steps}`
        const paying = yield* Effect.forkChild(Payouts.pay(reference, order))
        for (let step = 0; step < steps; step++) yield* Effect.yieldNow
        yield* Fiber.interrupt(paying)
        const isWritten = Option.isSome(yield* Payouts.get(reference))
        written.add(isWritten)
        assert.lengthOf(yield* Payouts.events(reference), isWritten ? 1 : 0, `after ${steps} steps`)

        const again = yield* Effect.forkChild(Payouts.pay(reference, order).pipe(Effect.timeoutOption("1 second")))
        yield* TestClock.adjust("1 second")
        assert.isTrue(Option.isNone(yield* Fiber.join(again)))
        assert.lengthOf(yield* Payouts.events(reference), 1, `after ${steps} steps, and again`)
      }
      // Some were interrupted before they were written, and some after.
      assert.sameMembers([...written], [false, true])
    }).pipe(Effect.provide(inMemory))
  )
})
