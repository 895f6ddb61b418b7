import * as Amount from "@effect-custody/core/Amount"
import * as Payouts from "@effect-custody/ledger/Payouts"
import * as TieOut from "@effect-custody/ledger/TieOut"
import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Layer from "effect/Layer"
import type { LedgerPlace } from "./ledgerPlace.ts"
import { type Entry, makeHistory } from "./shownHistory.ts"

const order = (reference: string) => ({
  reference,
  clientId: "alice",
  assetId: "usdc",
  to: `0x${reference}`,
  amount: Amount.of("5")
})

/** The tests that a tie-out keeps its promises on a database. */
export const tieOutConformance = (name: string, place: LedgerPlace) => {
  describe(`a tie-out on ${name}`, () => {
    it.live(
      "a tie-out shows what only one side has, what differs, what is open, and nothing else, and refuses an empty period",
      () => {
        const history = makeHistory()
        return Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const references = ["equal", "amount", "missing", "undecided", "twice", "outside", "unsent"]
          yield* Payouts.submit({ batch: "june", by: "ann", orders: references.map((one) => order(one)) })
          const now = yield* DateTime.now
          const at = (days: number) => DateTime.subtract(now, { days })
          const pay = (reference: string, transactionId: string | null, state: string, intent: DateTime.Utc) =>
            sql`UPDATE payouts SET state = ${state}, transaction_id = ${transactionId}, attempt = 1,
            intent_at = ${DateTime.toEpochMillis(intent)} WHERE reference = ${reference}`
          yield* pay("equal", "t-equal", "paid", at(2))
          yield* pay("amount", "t-amount", "paid", at(2))
          yield* pay("missing", "t-missing", "paid", at(2))
          yield* pay("undecided", null, "undecided", at(2))
          yield* pay("twice", "t-twice", "paid", at(2))
          yield* pay("outside", "t-outside", "paid", at(9))
          const sent = (id: string, reference: string, more: Partial<Entry> = {}) =>
            history.add(id, at(2), {
              type: "OUTGOING",
              note: reference,
              to: `0x${reference}`,
              amount: Amount.of("5"),
              ...more
            })
          sent("t-equal", "equal")
          sent("t-amount", "amount", { amount: Amount.of("50") })
          sent("t-twice", "twice")
          sent("t-again", "twice")
          sent("t-foreign", 'of someone else, "quoted"', { amount: Amount.of("7") })
          history.add("t-deposit", at(2), { type: "INCOMING" })

          const report = yield* TieOut.run({ from: at(3), to: at(1) })
          assert.deepInclude(report, { payouts: 5, transactions: 5 })
          assert.deepStrictEqual(
            report.rows
              .toSorted((a, b) => (a.kind < b.kind ? -1 : 1))
              .map(({ kind, reference, theirs, transactionId }) => [kind, reference, transactionId, theirs]),
            [
              ["difference", "amount", "t-amount", "50"],
              ["open", "undecided", null, null],
              ["oursOnly", "missing", "t-missing", null],
              ["paidTwice", "twice", "t-again", "5"],
              ["theirsOnly", null, "t-foreign", "7"]
            ]
          )
          const csv = TieOut.toCsv(report).split("\r\n")
          assert.strictEqual(csv[0], "kind,reference,transactionId,clientId,assetId,ours,theirs,detail")
          assert.include(csv, 'difference,amount,t-amount,alice,usdc,5,50,"amount: 5 here, 50 there"')
          assert.lengthOf(csv, 7)
          const empty = yield* Effect.flip(TieOut.run({ from: at(1), to: at(1) }))
          assert.deepInclude(empty, { _tag: "InputInvalid", operation: "TieOut.run" })
        }).pipe(
          Effect.provide(Payouts.layer().pipe(Layer.provideMerge(Layer.unwrap(place)), Layer.merge(history.client)), {
            local: true
          })
        )
      }
    )

    it.live(
      "a tie-out shows a payment whose time is wrong, or which the history does not list, and writes no formula",
      () => {
        const history = makeHistory()
        return Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const to = "0x52908400098527886E0F7030069857D2E4169EE7"
          const references = ["equal", "late", "unit", "unlisted"]
          const orders = references.map((one) => ({ ...order(one), to }))
          yield* Payouts.submit({ batch: "june", by: "ann", orders })
          const now = yield* DateTime.now
          const at = (days: number) => DateTime.subtract(now, { days })
          yield* sql`UPDATE payouts SET state = 'paid', transaction_id = 't-' || reference, attempt = 1,
          intent_at = ${DateTime.toEpochMillis(at(2))}`
          const sent = (reference: string, createdAt: DateTime.Utc, more: Partial<Entry> = {}) =>
            history.add(`t-${reference}`, createdAt, {
              type: "OUTGOING",
              note: reference,
              to: to.toLowerCase(),
              clientId: "Alice",
              assetId: "USDC",
              amount: Amount.of("-5.000000"),
              ...more
            })
          const seconds = (days: number) => DateTime.makeUnsafe(DateTime.toEpochMillis(at(days)) / 1_000)
          sent("equal", at(2), { type: "INTERNAL_TRANSFER" })
          sent("late", at(0))
          sent("unit", seconds(2))
          sent("unlisted", at(2))
          history.add('=HYPERLINK("http://evil.example")', seconds(2), { type: "OUTGOING", amount: Amount.of("-7") })
          history.state.unlisted.add("t-unlisted")
          history.state.showsNothingByTime = true

          const report = yield* TieOut.run({ from: at(3), to: at(1) })
          const details = Object.fromEntries(report.rows.map(({ detail, reference }) => [reference, detail]))
          assert.deepStrictEqual(Object.keys(details).toSorted(), ["late", "null", "unit", "unlisted"])
          const time = DateTime.formatIso
          assert.strictEqual(details["late"], `time: ${time(at(2))} here, ${time(at(0))} there`)
          assert.include(
            details["unit"],
            `time: the transaction has the time ${time(seconds(2))}, which cannot be true`
          )
          assert.strictEqual(
            details["unlisted"],
            `history: it does not list this transaction, created at ${time(at(2))}`
          )
          assert.include(details["null"], "not sent by this ledger; it has the time 1970-01-")
          const csv = TieOut.toCsv(report)
          assert.include(csv, `theirsOnly,,"'=HYPERLINK(""http://evil.example"")",alice,usdc,,-7,`)
        }).pipe(
          Effect.provide(Payouts.layer().pipe(Layer.provideMerge(Layer.unwrap(place)), Layer.merge(history.client)), {
            local: true
          })
        )
      }
    )
  })
}
