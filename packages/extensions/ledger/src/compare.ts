/**
 * Compares the ledger with the history before anything is sent: what the history shows, and this ledger has not sent, must
 * not be sent again.
 */
import type { CustodyClient } from "@effect-custody/core/CustodyClient"
import type { Transaction } from "@effect-custody/transactions"
import { timeProblem } from "@effect-custody/transactions/siblings/HistorySearch"
import type * as Transactions from "@effect-custody/transactions/Transactions"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import { noteOf } from "./evidence.ts"
import * as Follow from "./follow.ts"
import { findChange, noteCompared } from "./database.ts"
import * as Foreign from "./foreign.ts"
import * as History from "./history.ts"
import type { Ledger } from "./ledger.ts"
import { LedgerError } from "./LedgerError.ts"
import { report } from "./metrics.ts"

/** How often a waiting worker looks whether a greater lag was measured, or another worker has compared it, in milliseconds. */
const lookEvery = 5_000

/**
 * After a change of the database, waits until the history shows what was sent before the change. The lag that was measured
 * is no bound: the history may be later just now.
 */
const awaitHistory = Effect.fnUntraced(function* (
  { database, settings }: Ledger,
  age: number
): Effect.fn.Return<void, SqlError> {
  const began = yield* Clock.currentTimeMillis
  let said: number | undefined
  while (true) {
    if ((yield* findChange(database)).age === undefined) return
    const lag = Math.max(settings.shownWithin, (yield* Follow.findLag(database)) ?? 0)
    // An intent that was committed before the change is acted on for its validity, and its request for as long again.
    const end = began - age + 2 * settings.sendWithin + lag
    const left = end - (yield* Clock.currentTimeMillis)
    if (left <= 0) return
    if (said !== end) {
      const until = DateTime.formatIso(DateTime.makeUnsafe(end))
      yield* report("payouts.database_changed", `The comparison begins at ${until}`)
      said = end
    }
    yield* Effect.sleep(Duration.millis(Math.min(left, lookEvery)))
  }
})

/** From when the history is read, in milliseconds. */
interface Scope {
  readonly from: number
  /** What a new ledger has read so far; `undefined` for a ledger that has claimed a payout. */
  readonly reading: History.Reading | undefined
}

/** A ledger in which nothing was ever claimed reads far back: what another ledger has paid must not be paid again. */
const findScope = Effect.fnUntraced(function* ({ database, settings }: Ledger): Effect.fn.Return<Scope, SqlError> {
  const last = yield* Follow.lastEvent(database)
  if (last !== undefined) return { from: last - settings.clockSkew, reading: undefined }
  const from = settings.history === "all" ? 0 : (yield* Clock.currentTimeMillis) - settings.history
  const before = yield* History.findReading(database)
  const resumed = History.resumeAt(before, from, settings.clockSkew)
  const begun = { from: from === 0 ? null : DateTime.makeUnsafe(from), at: null, back: null, rows: 0, isDone: false }
  return { from: resumed, reading: resumed === from || before === null ? begun : { ...before, isDone: false } }
})

/** Fails if the times of a history cannot be true: it would prove nothing. */
const checkTimes = Effect.fnUntraced(function* (rows: ReadonlyArray<Transaction>): Effect.fn.Return<void, LedgerError> {
  const now = yield* DateTime.now
  for (const { createdAt, id } of rows) {
    const problem = createdAt === undefined ? undefined : timeProblem(now, createdAt)
    if (problem === undefined) continue
    const reason = `it cannot be compared with the history: transaction ${id} ${problem}`
    return yield* new LedgerError({ operation: "run", reason })
  }
})

const timesOf = (rows: ReadonlyArray<Transaction>): ReadonlyArray<number> =>
  rows.flatMap(({ createdAt }) => (createdAt === undefined ? [] : [DateTime.toEpochMillis(createdAt)]))

const toTime = (millis: number): DateTime.Utc | null => (Number.isFinite(millis) ? DateTime.makeUnsafe(millis) : null)

/** Keeps how far a new ledger has read. A service that does not sort makes it begin anew after a restart. */
const makeReader = ({ database }: Ledger, reading: History.Reading, sorts: boolean) => {
  let [seen, last, isInOrder] = [reading, -Infinity, sorts]
  return {
    read: Effect.fnUntraced(function* (page: ReadonlyArray<Transaction>): Effect.fn.Return<void, SqlError> {
      const times = timesOf(page)
      const { at, back, rows } = seen
      const newest = at === null ? -Infinity : DateTime.toEpochMillis(at)
      const oldest = back === null ? Infinity : DateTime.toEpochMillis(back)
      isInOrder = isInOrder && times.every((time, index) => time >= (times[index - 1] ?? last))
      last = times.at(-1) ?? last
      seen = {
        ...seen,
        at: isInOrder ? toTime(Math.max(newest, ...times)) : null,
        back: toTime(Math.min(oldest, ...times)),
        rows: rows + page.length
      }
      yield* History.keepReading(database, seen)
    }),
    end: Effect.suspend(() => History.keepReading(database, { ...seen, isDone: true }))
  }
}

/**
 * Compares the ledger with the history. `showsNotes`: the history certainly shows notes as they were sent. After a change
 * of the database, it first waits until the history shows what was sent before. Returns `false`, and has read nothing, if
 * another worker has compared it meanwhile.
 */
export const compare = Effect.fnUntraced(function* (
  ledger: Ledger,
  showsNotes: boolean
): Effect.fn.Return<boolean, Transactions.StreamError | SqlError | LedgerError, CustodyClient> {
  const { committed, database, settings } = ledger
  const noticed = yield* findChange(database)
  const scope = yield* findScope(ledger)
  const hasClaimed = scope.reading === undefined || committed.hasAny
  if (noticed.age !== undefined && hasClaimed) yield* awaitHistory(ledger, noticed.age)
  const change = yield* findChange(database)
  // Another worker has compared it meanwhile.
  if (noticed.age !== undefined && change.age === undefined) return false
  const reader = scope.reading === undefined ? undefined : makeReader(ledger, scope.reading, yield* History.isSorted)
  yield* History.readForward(
    History.listPaced(History.makePace()),
    scope.from,
    Effect.fnUntraced(function* (rows) {
      yield* checkTimes(rows)
      // A payout that waits for another attempt may have been paid, too.
      const { others, shown } = yield* Follow.followPage(ledger, rows)
      yield* Follow.learnLag(database, yield* Clock.currentTimeMillis, shown)
      const foreign = others.filter((row) => !(showsNotes && noteOf(row) === undefined))
      yield* Foreign.noteForeign(database, foreign, showsNotes)
      if (reader !== undefined) yield* reader.read(rows)
    })
  )
  yield* Foreign.compareAllUnsent(database, settings.worker)
  if (reader !== undefined) yield* reader.end
  yield* noteCompared(database, change)
  return true
})
