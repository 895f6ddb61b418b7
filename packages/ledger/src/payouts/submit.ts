/** Writes orders into the ledger. */
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import { type Database, durably, isInTransaction, rowsOf } from "../database/database.ts"
import { compareUnsent } from "./unmatchedTransactions.ts"
import { type Allowance, type Allowed, exceeded } from "./allowance.ts"
import { type AllowanceExceeded, ReferenceConflict } from "./LedgerError.ts"
import type { OrderColumns } from "./orders.ts"
import { record } from "./writeState.ts"

const columns = {
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

export interface Submission {
  readonly batch: string
  readonly by: string
  readonly held: boolean
}

const names = Object.keys(columns).join(", ")

/** The orders whose reference or whose note belongs to another order of the ledger. */
const selectConflicts = ({ sql }: Database, given: Fragment): Effect.Effect<ReadonlyArray<string>, SqlError> =>
  Effect.map(
    sql<{ readonly reference: string }>`SELECT d.reference FROM ${given} AS d
      LEFT JOIN payouts p ON p.reference = d.reference LEFT JOIN payouts n ON n.note = d.note
      WHERE p.twin <> d.twin OR p.note <> d.note OR n.reference <> d.reference`,
    (rows) => rows.map(({ reference }) => reference)
  )

/** What {@link submit} would refuse. Writes nothing. */
export const findConflicts = Effect.fnUntraced(function* (
  database: Database,
  orders: ReadonlyArray<OrderColumns>
): Effect.fn.Return<ReadonlyArray<string>, SqlError> {
  const found: Array<string> = []
  for (let from = 0; from < orders.length; from += chunk) {
    const given = rowsOf(database, orders.slice(from, from + chunk), columns)
    found.push(...(yield* selectConflicts(database, given)))
  }
  return found
})

const insert = Effect.fnUntraced(function* (
  database: Database,
  { batch, by, held }: Submission,
  orders: ReadonlyArray<OrderColumns>
): Effect.fn.Return<number, SqlError | ReferenceConflict> {
  const { sql } = database
  const now = yield* database.now
  const given = rowsOf(database, orders, columns)
  const state = held ? "held" : "ready"
  const added = yield* sql<{ readonly reference: string }>`
    INSERT INTO payouts (${sql.literal(names)}, batch, state, submitted_by, submitted_at)
    SELECT ${sql.literal(names)}, ${batch}, ${state}, ${by}, ${now}
    FROM ${given} AS d WHERE true ON CONFLICT DO NOTHING RETURNING reference`
  if (added.length < orders.length) {
    // The other orders are here already, or another order has their reference or their note.
    const references = yield* selectConflicts(database, given)
    if (references.length > 0) return yield* new ReferenceConflict({ references })
  }
  if (added.length > 0) {
    yield* record(
      database,
      by,
      added.map(({ reference }) => ({ reference, step: "submitted" }))
    )
    const isNew = new Set(added.map(({ reference }) => reference))
    yield* compareUnsent(
      database,
      by,
      orders.filter(({ reference }) => isNew.has(reference))
    )
  }
  return added.length
})

const insertAll = Effect.fnUntraced(
  function* (
    database: Database,
    submission: Submission,
    orders: ReadonlyArray<OrderColumns>
  ): Effect.fn.Return<number, SqlError | ReferenceConflict> {
    let added = 0
    for (let from = 0; from < orders.length; from += chunk) {
      added += yield* insert(database, submission, orders.slice(from, from + chunk))
    }
    return added
  },
  (work, database) => durably(database)(work)
)

/** Adds orders, all or none. The same order again adds nothing. Returns the number of new payouts. */
export const submit = Effect.fnUntraced(function* (
  database: Database,
  submission: Submission,
  orders: ReadonlyArray<OrderColumns>
): Effect.fn.Return<number, SqlError | ReferenceConflict> {
  const { isPostgres, sql } = database
  const added = yield* insertAll(database, submission, orders)
  // PostgreSQL would count the new rows up to a minute later, and until then read whole tables, as if they were small.
  if (isPostgres && added >= chunk && !(yield* isInTransaction(database))) {
    yield* Effect.ignore(sql`ANALYZE payouts, payout_events`)
  }
  return added
})

/** Adds an order that waits for a person, unless its batch then has more than is allowed. */
export const hold = Effect.fnUntraced(
  function* (
    database: Database,
    { atMost, batch, by }: Pick<Submission, "batch" | "by"> & { readonly atMost: Allowance },
    order: OrderColumns
  ): Effect.fn.Return<void, SqlError | ReferenceConflict | AllowanceExceeded> {
    const { sql } = database
    // The row stays locked until the end of the transaction, so the next call sees what this one adds. It is updated and
    // not only locked: at REPEATABLE READ, the database then refuses a call that does not see that.
    yield* sql`INSERT INTO payout_meta (name, value) VALUES ('allowance', '')
      ON CONFLICT (name) DO UPDATE SET value = excluded.value`
    const added = yield* insert(database, { batch, by, held: true }, [order])
    if (added === 0) return
    const all = yield* sql<Allowed>`SELECT asset_id, amount FROM payouts WHERE batch = ${batch}`
    const failure = exceeded(batch, all, order, atMost)
    if (failure !== undefined) return yield* failure
  },
  (work, database) => durably(database)(work)
)
