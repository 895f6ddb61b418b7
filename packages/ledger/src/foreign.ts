/**
 * Rows of the history that no payout of this ledger owns, and the payouts that they may be: a backup that was restored, a
 * lost file, a second ledger, or a payment by hand.
 */
import type { Transaction } from "@effect-custody/transactions"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import { type Database, durably, findNote, referencesOf, rowsOf, unsent } from "./database.ts"
import { termsOfOrder, termsOfRow } from "./evidence.ts"
import type { Terms } from "./order.ts"
import { type Move, needPerson, settle } from "./settle.ts"

/** A row of the history that may be foreign. */
export interface Foreign {
  readonly note: string
  readonly transaction: Transaction
}

/**
 * The shapes of the foreign rows. A statement that adds rows waits for a submission that has read the shapes, so that one
 * of the two sees the other.
 */
const lockShapes = Effect.fnUntraced(function* (
  { isPostgres, sql }: Database,
  lock: "SHARE" | "UPDATE"
): Effect.fn.Return<ReadonlyArray<string>, SqlError> {
  const [row] = yield* sql<{ readonly value: string }>`SELECT value FROM payout_meta WHERE name = 'foreign'
    ${sql.literal(isPostgres ? `FOR ${lock}` : "")}`
  const { value = "" } = row ?? {}
  return value === "" ? [] : value.split(",")
})

/**
 * Writes down rows of the history that no payout owns. `terms: false`: the history certainly shows notes as they were
 * sent, so that a row is a payout only if it has the payout's note.
 */
export const noteForeign = Effect.fnUntraced(
  function* (database: Database, foreign: ReadonlyArray<Foreign>, terms: boolean): Effect.fn.Return<void, SqlError> {
    const { sql } = database
    const shapes = yield* lockShapes(database, "UPDATE")
    const given = foreign.map(({ note, transaction }) => {
      const of = termsOfRow(transaction)
      return { ...of, transaction_id: transaction.id as string, note, terms: terms ? of.terms : null }
    })
    const rows = rowsOf(database, given, { transaction_id: "text", note: "text", terms: "text" })
    const added = yield* sql<{ readonly transaction_id: string }>`
      INSERT INTO payout_foreign (transaction_id, note, terms) SELECT d.transaction_id, d.note, d.terms FROM ${rows} AS d
      WHERE NOT EXISTS (SELECT 1 FROM payouts p WHERE p.transaction_id = d.transaction_id)
        AND NOT EXISTS (SELECT 1 FROM payouts p WHERE p.note = d.note AND p.attempt > 0)
      ON CONFLICT DO NOTHING RETURNING transaction_id`
    const isAdded = new Set(added.map(({ transaction_id }) => transaction_id))
    const shapesAdded = given.flatMap(({ shape, transaction_id }) => (isAdded.has(transaction_id) ? [shape] : []))
    const all = [...new Set([...shapes, ...shapesAdded])]
    if (all.length === shapes.length) return
    yield* sql`UPDATE payout_meta SET value = ${all.join()} WHERE name = 'foreign'`
  },
  (work, database) => durably(database)(work)
)

/** The maximum number of foreign rows that the evidence of one payout names. */
const maxSuspects = 5

/** An order that is not sent yet. */
export interface Unsent extends Terms {
  readonly reference: string
}

const columns = { reference: "text", terms: "text" } as const

const withTerms = (orders: ReadonlyArray<Unsent>, shapes: ReadonlyArray<string>) =>
  orders.flatMap((order) => termsOfOrder(order, shapes).map((terms) => ({ reference: order.reference, terms })))

interface Suspected {
  readonly reference: string
  readonly attempt: unknown
  readonly suspect: string
}

/** Leaves those of some payouts to a person that a foreign row may be. A held payout waits for its approval first. */
export const doubtSuspected = Effect.fnUntraced(function* (
  database: Database,
  who: string,
  references: ReadonlyArray<string>
): Effect.fn.Return<void, SqlError> {
  const given = referencesOf(database, references)
  const found = yield* database.sql<Suspected>`SELECT reference, attempt, suspect FROM payouts
    WHERE reference IN (SELECT d.reference FROM ${given} AS d) AND state = 'ready' AND suspect IS NOT NULL`
  const moves = found.map(({ attempt, reference, suspect }): Move => ({
    reference,
    attempt: Number(attempt),
    step: "suspected",
    detail: `these transactions may be it: ${suspect}. No payout owns them; client, asset, recipient and amount are the same`
  }))
  yield* settle(database, who, moves)
})

/**
 * Compares payouts that are to be sent, also those that were tried before, with the foreign rows. A row with a payout's note stops the ledger. A row with the
 * payout's client, asset, recipient and amount makes it undecided, unless its note is certainly another's: the history
 * shows the ledger's own notes as they were sent, and the row's note is no beginning of the payout's.
 */
export const compareUnsent = Effect.fnUntraced(function* (
  database: Database,
  who: string,
  orders: ReadonlyArray<Unsent>
): Effect.fn.Return<void, SqlError> {
  const shapes = yield* lockShapes(database, "SHARE")
  if (shapes.length === 0 || orders.length === 0) return
  const { sql } = database
  const given = rowsOf(database, withTerms(orders, shapes), columns)
  const behind = yield* sql<{ readonly reference: string }>`UPDATE payouts AS p
    SET alarm = 'behind', alarm_detail = f.transaction_id
    FROM payout_foreign f WHERE f.note = p.note AND p.reference IN (SELECT d.reference FROM ${given} AS d)
      AND ${sql.literal(unsent)} AND p.alarm IS NULL
      AND NOT EXISTS (SELECT 1 FROM payouts o WHERE o.transaction_id = f.transaction_id) RETURNING reference`
  for (const { reference } of behind) yield* needPerson(reference, "paid, and this ledger never sent it")
  yield* sql`UPDATE payouts AS p SET suspect = s.suspect FROM (
      SELECT d.reference, (SELECT string_agg(few.transaction_id, ', ') FROM (SELECT f.transaction_id FROM payout_foreign f
        WHERE f.terms = d.terms AND f.dismissed = 0
          AND ((SELECT value FROM payout_meta WHERE name = 'notes') <> 'shown'
            OR f.note <> '' AND substr(u.note, 1, length(f.note)) = f.note)
          AND NOT EXISTS (SELECT 1 FROM payouts o WHERE o.transaction_id = f.transaction_id)
        LIMIT ${maxSuspects}) AS few) AS suspect
      FROM ${given} AS d JOIN payouts u ON u.reference = d.reference) AS s
    WHERE p.reference = s.reference AND s.suspect IS NOT NULL
      AND ${sql.literal(unsent)} AND p.alarm IS NULL`
  yield* doubtSuspected(
    database,
    who,
    orders.map(({ reference }) => reference)
  )
})

const chunk = 1_000

/**
 * Compares all payouts that are to be sent with the foreign rows. Without such rows it reads no payout, because each
 * worker does this when it starts.
 */
export const compareAllUnsent = Effect.fnUntraced(function* (
  database: Database,
  who: string
): Effect.fn.Return<void, SqlError> {
  const { sql } = database
  if ((yield* findNote(database, "foreign")) === "") return
  for (let after: string | undefined = ""; after !== undefined;) {
    const orders: ReadonlyArray<Unsent> = yield* sql<Unsent>`SELECT * FROM payouts
      WHERE ${sql.literal(unsent)} AND reference > ${after} ORDER BY reference LIMIT ${chunk}`
    yield* durably(database)(compareUnsent(database, who, orders))
    after = orders.at(-1)?.reference
  }
})

/** A person has said that the foreign rows are no payment of some payouts: no other payout is compared with them either. */
export const dismiss = Effect.fnUntraced(function* (
  database: Database,
  orders: ReadonlyArray<Unsent>
): Effect.fn.Return<void, SqlError> {
  const shapes = yield* lockShapes(database, "UPDATE")
  if (shapes.length === 0 || orders.length === 0) return
  const given = rowsOf(database, withTerms(orders, shapes), columns)
  yield* database.sql`UPDATE payout_foreign SET dismissed = 1 WHERE terms IN (SELECT d.terms FROM ${given} AS d)`
})
