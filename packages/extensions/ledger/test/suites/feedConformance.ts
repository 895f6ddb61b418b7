import * as Feed from "@effect-custody/ledger/Feed"
import * as Payouts from "@effect-custody/ledger/Payouts"
import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as SqlClient from "effect/sql/SqlClient"
import { makeHistory } from "./shownHistory.ts"
import type { LedgerPlace } from "./ledgerPlace.ts"

/** What a handler has seen, as `id status`. */
const makeHandler = () => {
  const seen: Array<string> = []
  const handler = ({ previousStatus, transaction: { id, status } }: Feed.Change) =>
    Effect.sync(() => void seen.push(`${id} ${previousStatus ?? "-"} ${status}`))
  return { seen, handler }
}

const ago = (parts: Partial<DateTime.DateTime.PartsForMath>) => Effect.map(DateTime.now, DateTime.subtract(parts))

/** The tests that a feed keeps its promises on a database. */
export const feedConformance = (name: string, place: LedgerPlace) => {
  const inLedger =
    (history: ReturnType<typeof makeHistory>) =>
    <A, E, R>(test: Effect.Effect<A, E, R>) =>
      Effect.provide(test, Payouts.layer().pipe(Layer.provideMerge(Layer.unwrap(place)), Layer.merge(history.client)), {
        local: true
      })

  describe(`a feed on ${name}`, () => {
    it.live("a feed gives each transaction and each change of its status once, also after a restart", () => {
      const history = makeHistory()
      const { handler, seen } = makeHandler()
      const read = Feed.readOnce("deposits", handler)
      return Effect.gen(function* () {
        for (let n = 0; n < 250; n++) history.add(`t-${n}`, yield* ago({ minutes: 300 - n }))
        const pending = history.add("pending", yield* ago({ minutes: 1 }), { status: "PENDING" })
        assert.strictEqual(yield* read, 251)
        assert.strictEqual(yield* read, 0)
        pending.status = "COMPLETED"
        history.add("new", yield* DateTime.now)
        assert.strictEqual(yield* read, 2)
        assert.strictEqual(yield* read, 0)
        assert.deepStrictEqual(seen.slice(250), ["pending - PENDING", "pending PENDING COMPLETED", "new - COMPLETED"])
        assert.strictEqual(new Set(seen).size, seen.length)
        const other = makeHandler()
        assert.strictEqual(yield* Feed.readOnce("another name", other.handler), 252)
      }).pipe(inLedger(history))
    })

    it.live("a feed gives what appears late, what moved, and the end of what is old", () => {
      const history = makeHistory()
      const { handler, seen } = makeHandler()
      const read = Feed.readOnce("deposits", handler)
      return Effect.gen(function* () {
        const old = history.add("old", yield* ago({ days: 30 }), { status: "BROADCASTING" })
        history.add("today", yield* ago({ minutes: 1 }))
        yield* read
        history.add("late", yield* ago({ hours: 20 }))
        assert.strictEqual(yield* read, 1)
        old.status = "COMPLETED"
        const sql = yield* SqlClient.SqlClient
        yield* sql`UPDATE feed_seen SET due_at = 0`
        assert.strictEqual(yield* read, 1)
        assert.deepStrictEqual(seen.slice(2), ["late - COMPLETED", "old BROADCASTING COMPLETED"])
      }).pipe(inLedger(history))
    })

    it.live("a feed does not trust a filter that shows nothing", () => {
      const history = makeHistory()
      const { handler, seen } = makeHandler()
      const read = Feed.readOnce("deposits", handler)
      return Effect.gen(function* () {
        history.add("first", yield* ago({ minutes: 2 }))
        yield* read
        history.state.showsNothingByTime = true
        history.add("second", yield* ago({ minutes: 1 }))
        yield* read
        assert.deepStrictEqual(seen, ["first - COMPLETED", "second - COMPLETED"])
      }).pipe(inLedger(history))
    })

    it.live("what a handler writes is kept exactly once, although it fails and two processes read", () => {
      const history = makeHistory()
      let fails = 3
      const book = ({ transaction: { id } }: Feed.Change) =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* sql`INSERT INTO bookings (id) VALUES (${id})`
          if (id === "t-5" && fails-- > 0) return yield* Effect.fail("the handler failed" as const)
        })
      const read = Feed.readOnce("bookings", book)
      return Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`CREATE TABLE bookings (id TEXT NOT NULL)`
        for (let n = 0; n < 20; n++) history.add(`t-${n}`, yield* ago({ minutes: 60 - n }))
        for (let n = 0; n < 3; n++) {
          const failed = yield* Effect.result(read)
          assert.deepStrictEqual(failed, Result.fail("the handler failed" as const))
        }
        yield* Effect.all([read, read, read], { concurrency: "unbounded" })
        yield* read
        const rows = yield* sql<{ readonly id: string }>`SELECT id FROM bookings`
        assert.lengthOf(rows, 20)
        assert.strictEqual(new Set(rows.map(({ id }) => id)).size, 20)
      }).pipe(inLedger(history))
    })

    it.live("a feed that runs goes on after the service has refused it, and stops with its handler's error", () => {
      const history = makeHistory()
      const { handler, seen } = makeHandler()
      history.state.refusals = 2
      const stopAt = (change: Feed.Change) =>
        change.transaction.id === "stop" ? Effect.fail("stopped" as const) : handler(change)
      return Effect.gen(function* () {
        history.add("first", yield* ago({ minutes: 2 }))
        const running = yield* Effect.forkChild(
          Effect.result(Feed.run("deposits", stopAt, { pollInterval: "10 millis" }))
        )
        while (seen.length === 0) yield* Effect.sleep("10 millis")
        history.add("stop", yield* DateTime.now)
        assert.deepStrictEqual(yield* Fiber.join(running), Result.fail("stopped" as const))
        assert.deepStrictEqual(seen, ["first - COMPLETED"])
        assert.isAbove(history.state.lists, 3)
      }).pipe(inLedger(history))
    })
  })
}
