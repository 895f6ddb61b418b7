/**
 * Follows payouts in the service's history: finds what may have been sent, and the end of what was accepted. What the
 * history should show by now, and does not, goes to a person, and is looked for again.
 */
import type { CustodyClient } from "@effect-custody/core/CustodyClient"
import type { InputInvalid } from "@effect-custody/core/SdkError"
import * as Instrumentation from "@effect-custody/core/siblings/Instrumentation"
import type { Transaction } from "@effect-custody/transactions"
import * as Transactions from "@effect-custody/transactions/Transactions"
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import {
  type Database,
  decodeRows,
  doubtful,
  findNote,
  follower,
  holdLease,
  Integer,
  Millis,
  quietly,
  referencesOf,
  type RowError,
  takeTurn,
  waiting
} from "./database.ts"
import { attribute, isPayment, isUnmapped, judge, noteOf, nothing, stepsOf } from "./evidence.ts"
import * as Foreign from "./foreign.ts"
import * as History from "./history.ts"
import type { Ledger } from "./ledger.ts"
import { findByHistory, findFollowed, findUndecided, type Followed } from "./payoutRows.ts"
import { type Move, settle, takeSteps } from "./settle.ts"

/** The maximum number of payouts that are read one by one in a pass. */
const maxSingle = 50

/** The maximum number of payouts that one search is about. */
const maxSearched = 200

type ReadError = Transactions.StreamError | Transactions.GetError | RowError

/**
 * Makes the follower: each run of it is one pass over the history, if anything waits and no other worker follows.
 * `showsNotes`: the history certainly shows notes as they were sent.
 */
export const makeFollower = (ledger: Ledger, showsNotes: boolean) => {
  const { database, settings } = ledger
  const pace = History.makePace()
  const noteOthers = makeNoter(ledger, showsNotes)
  const takeLease = Effect.suspend(() => holdLease(database, follower, settings.worker, pace.pause))
  /** What waits, if this worker is the follower. */
  const look = Effect.gen(function* () {
    if (!(yield* takeLease)) return { began: 0, oldest: null, count: 0 }
    yield* expire(database, settings.worker)
    return yield* findWaiting(database)
  })
  const pass = Effect.fnUntraced(function* (now: Waiting, oldest: number) {
    const { began } = now
    // Many pages may be read in a second.
    const keepLease = yield* Effect.cachedWithTTL(takeLease, "1 second")
    // What waits is usually new. Whatever the pages do not show, is read singly or searched for.
    const seen = new Set<string>()
    const readPages = History.readBackward(History.listPaced(pace), oldest - settings.clockSkew, (rows) =>
      Effect.gen(function* () {
        yield* keepLease
        const { echoes, others, shown } = yield* followPage(ledger, rows)
        yield* noteOthers(others)
        const waited = shown.filter((payout) => isWaiting(payout, now))
        yield* learnNotes(database, echoes)
        yield* learnLag(database, began, waited)
        for (const { reference } of waited) seen.add(reference)
        return seen.size < now.count
      })
    )
    // Pages that repeat or drop rows keep nothing waiting.
    const pages = yield* Effect.result(readPages)
    if (Result.isFailure(pages) && pages.failure._tag !== "PagesIncomplete") return yield* Effect.fromResult(pages)
    yield* postpone(database, began, seen, settings.pollInterval)
    yield* followSingly(ledger, pace, began)
    yield* handToPerson(ledger, pace, keepLease, began)
    yield* reschedule(database, began, settings)
    return yield* Effect.fromResult(pages)
  })
  return Effect.flatMap(quietly(look), (now) =>
    now.oldest === null ? Effect.void : Instrumentation.around("payouts.follow")(pass(now, now.oldest))
  )
}

/** What a page of the history has shown. */
interface Shown {
  /** The payouts that have a row, in the state before the steps of this page. */
  readonly shown: ReadonlyArray<Followed>
  /** Whether each transaction of the ledger shows the note that it was sent with. */
  readonly echoes: ReadonlyArray<boolean>
  /** The rows that are no payout's by their transaction or their note. */
  readonly others: ReadonlyArray<Transaction>
}

/** Takes the steps that the rows of a page show. */
export const followPage = Effect.fnUntraced(function* (
  ledger: Ledger,
  rows: ReadonlyArray<Transaction>
): Effect.fn.Return<Shown, RowError> {
  const payouts = yield* findByHistory(
    ledger.database,
    rows.flatMap((row) => noteOf(row) ?? []),
    rows.map(({ id }) => id)
  )
  const payoutOf = attribute(payouts)
  const pairs = rows.map((row) => ({ row, payout: payoutOf(row) }))
  // A person never says of the transaction of a payout that it is not it.
  const noted = pairs.flatMap(({ payout, row }) =>
    payout === undefined || payout.transactionId === row.id ? [] : [payout]
  )
  const known = noted.length === 0 ? nothing : yield* Foreign.findKnown(ledger.database, noted)
  const judged = pairs.flatMap(({ payout, row }) =>
    payout === undefined ? [] : [{ payout, row, judgement: judge(payout, row, known) }]
  )
  yield* takeSteps(
    ledger,
    judged.flatMap(({ judgement, payout, row }) => stepsOf(payout, row, judgement))
  )
  yield* leaveUnmapped(ledger, judged)
  return {
    others: pairs.flatMap(({ payout, row }) => (payout === undefined && isPayment(row) ? [row] : [])),
    shown: judged.flatMap(({ judgement: { contradicts, link, verdict }, payout }) =>
      link === "id" || verdict === "is" || contradicts ? [payout] : []
    ),
    echoes: judged.flatMap(({ judgement, payout, row }) =>
      judgement.link === "id" ? [noteOf(row) === payout.note] : []
    )
  }
})

/** A payout, a row of the history, and what the row says about it. */
interface Judged {
  readonly payout: Followed
  readonly row: Transaction
  readonly judgement: ReturnType<typeof judge>
}

/** Leaves accepted payouts to a person whose last steps are older than `undecidedAfter`. */
const leaveUnclear = Effect.fnUntraced(function* (
  ledger: Ledger,
  payouts: ReadonlyArray<{ readonly payout: Followed; readonly detail: string }>
): Effect.fn.Return<void, SqlError> {
  if (payouts.length === 0) return
  const { database, settings } = ledger
  const { sql } = database
  const now = yield* database.now
  const given = referencesOf(
    database,
    payouts.map(({ payout }) => payout.reference)
  )
  const overdue = yield* sql<{ readonly reference: string }>`SELECT d.reference FROM ${given} AS d
    JOIN payout_events e ON e.reference = d.reference
    GROUP BY d.reference HAVING max(e.at) + ${settings.undecidedAfter} < ${now}`
  const isOverdue = new Set(overdue.map(({ reference }) => reference))
  yield* takeSteps(
    ledger,
    payouts.flatMap(({ detail, payout: { attempt, reference } }): ReadonlyArray<Move> =>
      isOverdue.has(reference) ? [{ reference, attempt, step: "unclear", detail }] : []
    )
  )
})

/** A status that the contract does not map may be an end. */
const leaveUnmapped = (ledger: Ledger, judged: ReadonlyArray<Judged>): Effect.Effect<void, SqlError> =>
  leaveUnclear(
    ledger,
    judged.flatMap(({ judgement, payout, row }) =>
      judgement.link === "id" && payout.state === "accepted" && isUnmapped(row)
        ? [{ payout, detail: `the contract does not map the status ${row.status} of transaction ${row.id}` }]
        : []
    )
  )

/** Reads the transactions of accepted payouts that the list does not show. */
const followSingly = Effect.fnUntraced(function* (
  ledger: Ledger,
  pace: History.Pace,
  began: number
): Effect.fn.Return<void, ReadError, CustodyClient> {
  const [late, missing]: [Array<Followed>, Array<{ payout: Followed; detail: string }>] = [[], []]
  for (const payout of yield* findUnseen(ledger.database, began, maxSingle)) {
    const { transactionId } = payout
    const found = yield* History.readOne(pace, transactionId ?? "")
    if (Result.isFailure(found)) {
      missing.push({ payout, detail: `the service does not show transaction ${transactionId}` })
      continue
    }
    // The answer is about the transaction that was asked for.
    const asked = { ...payout, transactionId: found.success.id }
    const judgement = judge(asked, found.success)
    yield* takeSteps(ledger, stepsOf(asked, found.success, judgement))
    yield* leaveUnmapped(ledger, [{ payout, row: found.success, judgement }])
    late.push(payout)
  }
  yield* leaveUnclear(ledger, missing)
  yield* learnLag(ledger.database, began, late)
})

/** The maximum number of rows that a follower remembers as noted. */
const maxNoted = 10_000

/**
 * Notes rows that no payout owns, such as a payment by hand, and compares the unsent payouts with them. A row that an open
 * payout may own waits until that payout has its transaction.
 */
const makeNoter = ({ database, settings }: Ledger, showsNotes: boolean) => {
  const noted = new Set<string>()
  return Effect.fnUntraced(function* (rows: ReadonlyArray<Transaction>): Effect.fn.Return<void, RowError> {
    const others = rows.filter((row) => !noted.has(row.id) && !(showsNotes && noteOf(row) === undefined))
    if (others.length === 0) return
    const open = yield* findFollowed(
      database,
      database.sql`${database.sql.literal(doubtful)} AND transaction_id IS NULL`
    )
    const known = yield* Foreign.findKnown(database, open)
    const free = others.filter((row) => open.every((payout) => judge(payout, row, known).verdict === "another"))
    const added = yield* Foreign.noteForeign(database, free, showsNotes)
    if (noted.size > maxNoted) noted.clear()
    for (const { id } of free) noted.add(id)
    if (added > 0) yield* Foreign.compareAllUnsent(database, settings.worker)
  })
}

/**
 * Searches the whole history, once for all, for payouts that should have appeared by now. What it does not show becomes
 * undecided.
 */
const handToPerson = Effect.fnUntraced(function* (
  ledger: Ledger,
  pace: History.Pace,
  keepLease: Effect.Effect<unknown, SqlError>,
  began: number
): Effect.fn.Return<void, Transactions.ListError | InputInvalid | RowError, CustodyClient> {
  const payouts = yield* findOverdue(ledger.database, began, ledger.settings.undecidedAfter, maxSearched)
  if (payouts.length === 0) return
  const searched = yield* History.search(ledger, payouts, "last", (query) =>
    Effect.tap(History.listPaced(pace)(query), Effect.ignore(keepLease))
  )
  yield* takeSteps(
    ledger,
    searched.map(({ move }) => move)
  )
})

/** How often a worker asks whether it is its turn to look again, in milliseconds. */
export const lookAgainEvery = 60_000

/** How often the workers of a ledger look again together, in milliseconds. */
const lookTogetherEvery = 3_600_000

/**
 * Looks again, if it is this worker's turn: for undecided payouts, because a history may show a payment after a person was
 * asked about it, and at what has ended, because an end may change.
 */
export const makeLookAgain = (ledger: Ledger, showsNotes: boolean) => {
  const { database, settings } = ledger
  const noteOthers = makeNoter(ledger, showsNotes)
  return Effect.gen(function* () {
    yield* quietly(mendTimes(ledger))
    if (!(yield* quietly(takeTurn(database, "look again", lookTogetherEvery)))) return
    const payouts = yield* findUndecided(database, maxSearched)
    if (payouts.length > 0) {
      yield* takeSteps(ledger, History.foundBy(yield* History.search(ledger, payouts)))
      yield* putLast(
        database,
        payouts.map(({ reference }) => reference)
      )
    }
    const from = (yield* Clock.currentTimeMillis) - settings.finalAfter
    if (((yield* lastEvent(database)) ?? 0) < from) return
    yield* History.readForward(History.listPaced(History.makePace()), from, (rows) =>
      Effect.flatMap(followPage(ledger, rows), ({ others }) => noteOthers(others))
    )
  })
}

/**
 * The time of the last event of a claimed payout that is not ahead, in milliseconds: the clock may have been. `undefined` if
 * nothing was ever claimed.
 */
export const lastEvent = Effect.fnUntraced(function* (
  database: Database
): Effect.fn.Return<number | undefined, SqlError> {
  const { sql } = database
  const now = yield* database.now
  const [row] = yield* sql<{ readonly at: unknown }>`SELECT COALESCE((SELECT at FROM payout_events
      WHERE attempt > 0 AND at <= ${now} ORDER BY sequence DESC LIMIT 1), 0) AS at
    FROM payout_events WHERE attempt > 0 LIMIT 1`
  return row === undefined ? undefined : Number(row.at)
})

// What the history teaches about itself.

/**
 * Notes whether the history shows the notes of transactions. One transaction without its note outweighs any number with
 * it.
 */
const learnNotes = ({ sql }: Database, echoes: ReadonlyArray<boolean>): Effect.Effect<void, SqlError> =>
  echoes.length === 0
    ? Effect.void
    : Effect.asVoid(
        echoes.includes(false)
          ? sql`UPDATE payout_meta SET value = 'hidden' WHERE name = 'notes' AND value <> 'hidden'`
          : sql`UPDATE payout_meta SET value = 'shown' WHERE name = 'notes' AND value = 'unseen'`
      )

/** How long after its last miss a payout may have been shown, in milliseconds. */
const sinceMiss = 600_000

/**
 * How late the history has shown a payout, in milliseconds: not before the last pass that missed it. A worker may have
 * rested since; while it does not, the next pass comes after a quarter of the payout's age.
 */
const lagOf = ({ intentAt, missedAt }: Followed, shownAt: number): number =>
  missedAt === null || intentAt === null ? 0 : Math.min(shownAt - intentAt, 1.5 * (missedAt - intentAt) + sinceMiss)

/** Notes how late the history shows payouts that waited for it. */
export const learnLag = Effect.fnUntraced(function* (
  { isPostgres, sql }: Database,
  shownAt: number,
  payouts: ReadonlyArray<Followed>
): Effect.fn.Return<void, SqlError> {
  const waited = payouts.filter(({ state }) => state === "sending" || state === "accepted" || state === "unknown")
  if (waited.length === 0) return
  const lag = Math.round(Math.max(...waited.map((payout) => lagOf(payout, shownAt))))
  yield* sql`UPDATE payout_meta SET value = ${`${lag}`} WHERE name = 'lag'
    AND (value = '' OR CAST(value AS ${sql.literal(isPostgres ? "BIGINT" : "INTEGER")}) < ${lag})`
})

/** How late the history has shown a payout at most, in milliseconds; `undefined` if no pass has looked. */
export const findLag = (database: Database): Effect.Effect<number | undefined, SqlError> =>
  Effect.map(findNote(database, "lag"), (lag) => (lag === "" ? undefined : Number(lag)))

// The statements: what waits for the history.

/** When a payout was sent, or, if a person named its transaction, when it was submitted. */
const since = "COALESCE(searched_from, intent_at, submitted_at)"

/** The maximum number of payouts that one step of the follower touches. */
const maxRows = 1_000

/** Ends the intents that expired, and whose senders wrote nothing: the payouts may have been sent. */
const expire = Effect.fnUntraced(function* (database: Database, who: string): Effect.fn.Return<void, SqlError> {
  const { sql } = database
  while (true) {
    const now = yield* database.now
    const rows = yield* sql<{
      readonly reference: string
      readonly attempt: unknown
    }>`SELECT reference, attempt FROM payouts
      WHERE ${sql.literal(doubtful)} AND state = 'sending' AND valid_until < ${now} LIMIT ${maxRows}`
    const moves = rows.map(({ attempt, reference }): Move => ({ reference, attempt: Number(attempt), step: "expired" }))
    yield* settle(database, who, moves)
    if (rows.length < maxRows) return
  }
})

/** What waits for the history now. */
interface Waiting {
  /** The time of the database at which this was read, in milliseconds. */
  readonly began: number
  /** When the first of the waiting payouts was sent; `null` if none waits. */
  readonly oldest: number | null
  readonly count: number
}

/** `true` for a payout that {@link findWaiting} has counted, and that still waits. */
const isWaiting = ({ dueAt, state }: Followed, { began }: Waiting): boolean =>
  (state === "unknown" || state === "accepted") && dueAt <= began

const decodeWaiting = decodeRows(
  Schema.Struct({ began: Millis, oldest: Schema.NullOr(Millis), count: Integer }).pipe(
    Schema.encodeKeys({ count: "payouts" })
  )
)

const findWaiting = Effect.fnUntraced(function* (database: Database): Effect.fn.Return<Waiting, RowError> {
  const { sql } = database
  const now = yield* database.now
  const [row] = yield* decodeWaiting(sql`
    SELECT min(${sql.literal(since)}) AS oldest, ${now} AS began, count(*) AS payouts FROM payouts
    WHERE ${sql.literal(waiting)} AND due_at <= ${now}`)
  return row!
})

/** The accepted payouts that a pass over the history should have ended or shown, and has not. */
const findUnseen = (
  database: Database,
  began: number,
  limit: number
): Effect.Effect<ReadonlyArray<Followed>, RowError> => {
  const { sql } = database
  return findFollowed(
    database,
    sql`${sql.literal(waiting)} AND state = 'accepted' AND due_at <= ${began} ORDER BY due_at LIMIT ${limit}`
  )
}

/** The payouts that the history has not shown for so long that it will not show them any more. */
const findOverdue = (
  database: Database,
  began: number,
  undecidedAfter: number,
  limit: number
): Effect.Effect<ReadonlyArray<Followed>, RowError> => {
  const { sql } = database
  return findFollowed(
    database,
    sql`${sql.literal(waiting)} AND state = 'unknown' AND due_at <= ${began}
      AND valid_until + ${undecidedAfter} < ${began} ORDER BY due_at LIMIT ${limit}`
  )
}

/** An intent is dated ahead if it ends so much later than a new one would, in milliseconds. */
const ahead = 60_000

/** The longest time that a waiting payout is left alone, in milliseconds. */
const maxPause = 3_600_000

/** When to look at a waiting payout again: the older it is, the later. */
const nextLook = ({ sql }: Database, now: Fragment, pollInterval: number): Fragment =>
  sql`${now} + ${pollInterval} + CASE WHEN ${now} - ${sql.literal(since)} > 4 * ${maxPause} THEN ${maxPause}
    ELSE (${now} - ${sql.literal(since)}) / 4 END`

/** Postpones the next look at what a pass has not shown, except for overdue payouts, which the next pass searches for. */
const reschedule = Effect.fnUntraced(function* (
  database: Database,
  began: number,
  { pollInterval, undecidedAfter }: { readonly pollInterval: number; readonly undecidedAfter: number }
): Effect.fn.Return<void, SqlError> {
  const { sql } = database
  const now = yield* database.now
  yield* sql`UPDATE payouts SET due_at = ${nextLook(database, now, pollInterval)}, missed_at = ${began}
    WHERE ${sql.literal(waiting)} AND due_at <= ${began}
      AND NOT (state = 'unknown' AND valid_until + ${undecidedAfter} < ${began})`
})

/** Leaves payouts alone that a pass has shown: only those that it has not shown have to be read one by one. */
const postpone = Effect.fnUntraced(function* (
  database: Database,
  began: number,
  shown: Iterable<string>,
  pollInterval: number
): Effect.fn.Return<void, SqlError> {
  const { sql } = database
  for (const references of Arr.chunksOf(shown, maxRows)) {
    const now = yield* database.now
    yield* sql`UPDATE payouts SET due_at = ${nextLook(database, now, pollInterval)}
      WHERE reference IN (SELECT reference FROM ${referencesOf(database, references)} AS d) AND ${sql.literal(waiting)} AND due_at <= ${began}`
  }
})

/**
 * Mends what was written while the clock was ahead. Waits end that are longer than any that a worker writes. An intent keeps
 * its validity, so that no person is asked early; but it is searched for from the last event whose time can be true.
 */
const mendTimes = Effect.fnUntraced(function* ({ database, settings }: Ledger): Effect.fn.Return<void, SqlError> {
  const { sql } = database
  const now = yield* database.now
  for (const state of ["state = 'ready'", waiting]) {
    yield* sql`UPDATE payouts SET due_at = ${now}
      WHERE ${sql.literal(state)} AND due_at > ${now} + ${2 * (maxPause + settings.pollInterval)}`
  }
  yield* sql`UPDATE payouts SET searched_from = COALESCE((SELECT e.at FROM payout_events e
      WHERE e.at <= ${now} AND e.sequence < (SELECT min(c.sequence) FROM payout_events c
        WHERE c.reference = payouts.reference AND c.attempt = payouts.attempt)
      ORDER BY e.sequence DESC LIMIT 1), 0)
    WHERE ${sql.literal(doubtful)} AND valid_until > ${now} + ${settings.sendWithin + ahead} AND searched_from IS NULL`
})

/** Lets other undecided payouts be looked for before some. */
const putLast = Effect.fnUntraced(function* (
  database: Database,
  references: ReadonlyArray<string>
): Effect.fn.Return<void, SqlError> {
  const { sql } = database
  const now = yield* database.now
  yield* sql`UPDATE payouts SET due_at = ${now} WHERE state = 'undecided' AND ${sql.in("reference", references)}`
})
