/** How payouts come into the ledger: what a batch may hold, `submit` and `preview`, and a caller that waits for the end. */
import * as Amount from "@effect-custody/core/Amount"
import { escapeInvisible } from "@effect-custody/core/Text"
import * as BigDecimal from "effect/BigDecimal"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import {
  type Database,
  durably,
  everyPayout,
  isInTransaction,
  quietly,
  referencesOf,
  type RowError,
  rowsOf
} from "./database.ts"
import { compareUnsent } from "./foreign.ts"
import {
  AllowanceExceeded,
  LedgerError,
  LedgerStopped,
  type OrdersInvalid,
  PayoutFailed,
  PayoutRefused,
  PayoutUndecided,
  ReferenceConflict
} from "./LedgerError.ts"
import { named } from "./metrics.ts"
import * as Order from "./order.ts"
import type { OrderColumns } from "./order.ts"
import type { Payout, PayoutState, ReferencedOrder } from "./Payout.ts"
import type { Progress } from "./read.ts"
import { record } from "./settle.ts"
import { unpaidStates } from "./siblings/Transitions.ts"

/**
 * What may be in a batch.
 *
 * @since 0.1.0
 * @category models
 */
export interface Allowance {
  /** How many payouts. */
  readonly payouts: number
  /** How much of each asset, by its id, over all clients and networks; nothing of any other asset. */
  readonly sums: Readonly<Record<string, Amount.Amount>>
}

export type Allowed = Pick<OrderColumns, "asset_id" | "amount">

/** Says which limit a batch would exceed with the new payouts. */
export const exceeded = (
  batch: string,
  before: ReadonlyArray<Allowed>,
  added: ReadonlyArray<Allowed>,
  { payouts, sums }: Allowance
): AllowanceExceeded | undefined => {
  const refuse = (of: string, allowed: string, used: string) => new AllowanceExceeded({ batch, of, allowed, used })
  if (added.length === 0) return undefined
  // A number that is NaN allows nothing.
  if (!(before.length + added.length <= payouts)) return refuse("payouts", `${payouts}`, `${before.length}`)
  const sumOf = (rows: ReadonlyArray<Allowed>, assetId: string) =>
    BigDecimal.sumAll(rows.filter((one) => one.asset_id === assetId).map((one) => Amount.fromStringUnsafe(one.amount)))
  for (const assetId of new Set(added.map(({ asset_id }) => asset_id))) {
    const allowed = Object.hasOwn(sums, assetId) ? sums[assetId]! : Amount.of("0")
    const used = sumOf(before, assetId)
    // A sum may have more digits than an `Amount` can hold.
    const sum = BigDecimal.sum(used, sumOf(added, assetId))
    if (BigDecimal.isGreaterThan(sum, allowed)) return refuse(assetId, Amount.format(allowed), BigDecimal.format(used))
  }
  return undefined
}

// Writes orders into the ledger.

const orderColumns = {
  reference: "text",
  client_id: "text",
  asset_id: "text",
  network_id: "text",
  destination: "text",
  amount: "text",
  note: "text",
  twin: "text"
} as const

const chunk = 1_000
/** How many orders one preview is about: it reads the terms of all payouts. */
const previewed = 20_000

export interface Submission {
  readonly batch: string
  readonly by: string
  readonly state: "ready" | "held"
  /** The W3C `traceparent` of the span that submits, if a send is to be linked to it. */
  readonly trace?: string | undefined
}

const columnNames = Object.keys(orderColumns).join(", ")

/** The references of these that the ledger has. */
const selectKnown = Effect.fnUntraced(function* (
  database: Database,
  references: ReadonlyArray<string>
): Effect.fn.Return<ReadonlySet<string>, SqlError> {
  const { isPostgres, sql } = database
  // PostgreSQL stores neither a NUL nor a half of a character.
  const possible = isPostgres ? references.filter((one) => !one.includes("\0") && one.isWellFormed()) : references
  if (possible.length === 0) return new Set()
  const rows = yield* sql<{ readonly reference: string }>`SELECT d.reference
    FROM ${referencesOf(database, possible)} AS d JOIN ${sql.literal(everyPayout)} p ON p.reference = d.reference`
  return new Set(rows.map(({ reference }) => reference))
})

/** Refuses new orders with what could forge an approval. Looks up first which of them are new. */
export const refuseForged = Effect.fnUntraced(function* (
  database: Database,
  orders: ReadonlyArray<ReferencedOrder>,
  submission?: Pick<Submission, "batch" | "by">
): Effect.fn.Return<void, SqlError | OrdersInvalid> {
  const forged = Order.findForged(orders, submission)
  const references = new Set(forged.map(({ row }) => orders[row - 1]!.reference))
  const known = yield* selectKnown(database, [...references])
  return yield* Effect.fromResult(Order.refuseForged(orders, forged, known))
})

/** The orders whose reference or whose note belongs to another order of the ledger. */
const selectConflicts = ({ sql }: Database, given: Fragment): Effect.Effect<ReadonlyArray<string>, SqlError> =>
  Effect.map(
    sql<{ readonly reference: string }>`SELECT d.reference FROM ${given} AS d
        JOIN ${sql.literal(everyPayout)} p ON p.reference = d.reference WHERE p.twin <> d.twin OR p.note <> d.note
      UNION SELECT d.reference FROM ${given} AS d
        JOIN ${sql.literal(everyPayout)} p ON p.note = d.note WHERE p.reference <> d.reference
      ORDER BY 1`,
    (rows) => rows.map(({ reference }) => reference)
  )

/**
 * What `submit` would find. Writes nothing.
 *
 * @since 0.1.0
 * @category models
 */
export interface Preview {
  /** The references under which, or under whose notes, the ledger has other orders. */
  readonly conflicts: ReadonlyArray<string>
  /** How many orders the ledger has already. */
  readonly known: number
  /**
   * The new orders that are equal to payouts which were paid, or may have been: the same client, asset, network, recipient
   * and amount. `of` is the reference of one such payout. It is another month, or the same payout under another name.
   */
  readonly repeats: ReadonlyArray<{ readonly reference: string; readonly of: string }>
}

/** The payouts that were paid, or may have been, by their terms. */
const selectSent = Effect.fnUntraced(function* (
  { sql }: Database,
  given: Fragment
): Effect.fn.Return<ReadonlyMap<string, string>, SqlError> {
  const rows = yield* sql<{
    readonly twin: string
    readonly reference: string
  }>`SELECT twin, max(reference) AS reference
    FROM ${sql.literal(everyPayout)} p WHERE twin IN (SELECT d.twin FROM ${given} AS d)
    AND state NOT IN ${sql.in(unpaidStates)} GROUP BY twin`
  return new Map(rows.map(({ reference, twin }) => [twin, reference]))
})

export const preview = Effect.fnUntraced(function* (
  database: Database,
  orders: ReadonlyArray<OrderColumns>
): Effect.fn.Return<Preview, SqlError> {
  const conflicts: Array<string> = []
  const repeats: Array<Preview["repeats"][number]> = []
  let known = 0
  for (let from = 0; from < orders.length; from += previewed) {
    const part = orders.slice(from, from + previewed)
    const given = rowsOf(database, part, orderColumns)
    conflicts.push(...(yield* selectConflicts(database, given)))
    const sent = yield* selectSent(database, given)
    const ours = yield* selectKnown(
      database,
      part.map(({ reference }) => reference)
    )
    known += ours.size
    for (const { reference, twin } of part) {
      const of = sent.get(twin)
      if (of !== undefined && !ours.has(reference)) repeats.push({ reference, of })
    }
  }
  return { conflicts, known, repeats }
})

const insert = Effect.fnUntraced(function* (
  database: Database,
  { batch, by, state, trace }: Submission,
  orders: ReadonlyArray<OrderColumns>
): Effect.fn.Return<ReadonlyArray<string>, RowError | ReferenceConflict> {
  const { sql } = database
  const now = yield* database.now
  const given = rowsOf(database, orders, orderColumns)
  const added = yield* sql<{ readonly reference: string }>`
    INSERT INTO payouts (${sql.literal(columnNames)}, batch, state, submitted_by, submitted_at, trace)
    SELECT ${sql.literal(columnNames)}, ${batch}, ${state}, ${by}, ${now}, ${trace ?? null}
    FROM ${given} AS d WHERE true ON CONFLICT DO NOTHING RETURNING reference`
  if (added.length < orders.length) {
    // The other orders are here already, or another order has their reference or their note.
    const conflicts = yield* selectConflicts(database, given)
    if (conflicts.length > 0) return yield* new ReferenceConflict({ references: conflicts })
  }
  const references = added.map(({ reference }) => reference)
  if (references.length > 0) {
    yield* record(
      database,
      by,
      references.map((reference) => ({ reference, step: "submitted" }))
    )
    yield* compareUnsent(database, by, references)
  }
  return references
})

const insertAll = Effect.fnUntraced(function* (
  database: Database,
  submission: Submission,
  orders: ReadonlyArray<OrderColumns>
): Effect.fn.Return<ReadonlySet<string>, RowError | ReferenceConflict> {
  const added: Array<string> = []
  for (let from = 0; from < orders.length; from += chunk) {
    added.push(...(yield* insert(database, submission, orders.slice(from, from + chunk))))
  }
  return new Set(added)
})

/** Adds orders, all or none. The same order again adds nothing. Returns the number of new payouts. */
export const writeOrders = Effect.fnUntraced(function* (
  database: Database,
  submission: Submission,
  orders: ReadonlyArray<OrderColumns>
): Effect.fn.Return<number, RowError | ReferenceConflict> {
  const { isPostgres, sql } = database
  const { size: added } = yield* durably(database)(insertAll(database, submission, orders))
  // PostgreSQL would count the new rows up to a minute later, and until then read whole tables, as if they were small.
  if (isPostgres && added >= chunk && !(yield* isInTransaction(database))) {
    yield* Effect.ignore(sql`ANALYZE payouts, payout_events`)
  }
  return added
})

/** As {@link writeOrders}, unless the batch would then have more than is allowed. */
export const writeAllowed = Effect.fnUntraced(
  function* (
    database: Database,
    submission: Submission,
    orders: ReadonlyArray<OrderColumns>,
    atMost: Allowance
  ): Effect.fn.Return<number, RowError | ReferenceConflict | AllowanceExceeded> {
    const { sql } = database
    const { batch } = submission
    // The row stays locked until the end of the transaction, so the next call sees what this one adds. It is updated and
    // not only locked: at REPEATABLE READ, the database then refuses a call that does not see that.
    yield* sql`INSERT INTO payout_meta (name, value) VALUES ('allowance', '')
      ON CONFLICT (name) DO UPDATE SET value = excluded.value`
    const before =
      yield* sql<Allowed>`SELECT asset_id, amount FROM ${sql.literal(everyPayout)} p WHERE batch = ${batch}`
    const added = yield* insertAll(database, submission, orders)
    const failure = exceeded(
      batch,
      before,
      orders.filter(({ reference }) => added.has(reference)),
      atMost
    )
    if (failure !== undefined) return yield* failure
    return added.size
  },
  (work, database) => durably(database)(work)
)

// The end of a payout, for the caller who waits for it.

/** What {@link awaitEnd} reads. */
interface Reads {
  readonly get: (reference: string) => Effect.Effect<Option.Option<Payout>, LedgerError>
  readonly progress: (batch?: string) => Effect.Effect<Progress, LedgerError>
}

/** How long after a payout was first seen in a state the log says what it waits for, in milliseconds. */
const sayAfter = 5_000

/** The payout if it is paid, the error if it ended otherwise, and `undefined` while it goes on. */
const end = (payout: Payout): Effect.Effect<Payout, PayoutFailed | PayoutRefused | PayoutUndecided> | undefined => {
  const { detail, intentAt, reference, state, submittedAt, transactionId } = payout
  switch (state) {
    case "paid":
      return Effect.succeed(payout)
    case "failed":
      return Effect.fail(new PayoutFailed({ reference, transactionId: transactionId ?? "", status: detail ?? "" }))
    case "refused":
      return Effect.fail(new PayoutRefused({ reference, reason: detail ?? "the service refused it" }))
    case "cancelled":
      return Effect.fail(new PayoutRefused({ reference, reason: `cancelled: ${detail ?? ""}` }))
    case "undecided":
    case "mismatched":
      return Effect.fail(new PayoutUndecided({ reference, since: intentAt ?? submittedAt, evidence: detail ?? "" }))
    default:
      return undefined
  }
}

/** Why a payout was not sent yet. */
const whyReady = (
  { assetId, detail, reference }: Payout,
  { alarms, changedAt, confirmations, reading, waiting }: Progress
): string => {
  if (alarms.length > 0) return new LedgerStopped({ payouts: alarms }).message
  if (changedAt !== null) {
    const since = DateTime.formatIso(changedAt)
    return `since ${since} the database is another one, and a worker has to compare it with the history first`
  }
  const twin = waiting.find((one) => one.reference === reference)
  if (twin !== undefined) return `${twin.waitsFor} is equal to it, may have been sent, and has to end first`
  const first = confirmations.find((one) => one.assetId === assetId)
  if (first !== undefined) {
    const missing = first.shownAt === null ? "the service has to show it" : "a person has to confirm it"
    return `${first.reference} is the first payout of ${assetId} with its contract: ${missing}`
  }
  if (reading !== null && !reading.isDone) return "a worker has to read the history before the first payout"
  return `Payouts.run has to run, here or in another process${detail === null ? "" : ` (${detail})`}`
}

/** Says what an open payout waits for, and until when. */
const describeWait = Effect.fnUntraced(function* ({ progress }: Reads, payout: Payout) {
  const { batch, lookedForUntil, state, transactionId } = payout
  switch (state) {
    case "ready":
      return whyReady(payout, yield* progress(batch))
    case "held":
      return "another person has to approve it"
    case "accepted":
      return `transaction ${transactionId} is not final yet`
    default: {
      const until = lookedForUntil === null ? "" : ` until ${DateTime.formatIso(lookedForUntil)}`
      return `it may have been sent, and a worker looks for it in the history${until}; then a person has to decide`
    }
  }
})

/** How often it looks: at first often, then every 2 seconds. */
const looks = Schedule.min([Schedule.exponential("50 millis", 1.5), Schedule.spaced("2 seconds")])

/** Waits for the end of a payout, and says once of each state that lasts what it waits for. */
export const awaitEnd = (
  reads: Reads,
  reference: string
): Effect.Effect<Payout, PayoutFailed | PayoutRefused | PayoutUndecided | LedgerError> =>
  Effect.suspend(() => {
    /** From when on each state is said: once. */
    const sayAt = new Map<PayoutState, number>()
    const look = Effect.gen(function* () {
      const found = yield* quietly(reads.get(reference))
      if (Option.isNone(found)) {
        return yield* new LedgerError({ operation: "read", reason: `it has lost payout ${reference}` })
      }
      const payout = found.value
      const { state } = payout
      const ended = end(payout)
      if (ended !== undefined) return yield* Effect.asSome(ended)
      const now = yield* Clock.currentTimeMillis
      const at = sayAt.get(state) ?? now + sayAfter
      sayAt.set(state, now >= at ? Infinity : at)
      if (now >= at) {
        const text = yield* describeWait(reads, payout)
        const line = escapeInvisible(`payout ${reference} is ${state}: ${text}`)
        yield* state === "accepted" ? Effect.logInfo(line) : named("payouts.waits")(Effect.logWarning(line))
      }
      return Option.none<Payout>()
    })
    return Effect.map(Effect.repeat(look, { until: Option.isSome, schedule: looks }), Option.getOrThrow)
  })
