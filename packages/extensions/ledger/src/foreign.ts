/**
 * Rows of the history that no payout of this ledger owns, and the payouts that they may be: a backup that was restored, a
 * lost file, a second ledger, or a payment by hand.
 */
import { Transaction } from "@effect-custody/transactions"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import {
  type Database,
  durably,
  everyPayout,
  findNote,
  referencesOf,
  type RowError,
  rowsOf,
  unsent
} from "./database.ts"
import {
  dismissalsOf,
  judge,
  type Known,
  noteOf,
  pairOf,
  type Subject,
  suspected,
  termsOfOrder,
  termsOfRow
} from "./evidence.ts"
import { toRow } from "./order.ts"
import { findFollowed } from "./payoutRows.ts"
import { needPerson, settle } from "./settle.ts"

/** What a judge needs to know of a row, as it is kept. */
const encodeShown = Schema.encodeEffect(Schema.fromJsonString(Transaction))
const decodeShown = Schema.decodeOption(Schema.fromJsonString(Transaction))

const kept = [
  "amount",
  "assetId",
  "clientId",
  "fee",
  "feeAssetId",
  "id",
  "networkId",
  "note",
  "status",
  "to",
  "type"
] as const

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
 * Writes down rows of the history that no payout owns. Returns how many are new. `showsNotes`: the history certainly shows
 * notes as they were sent, so that a row is a payout only if it has the payout's note.
 */
export const noteForeign = Effect.fnUntraced(
  function* (
    database: Database,
    foreign: ReadonlyArray<Transaction>,
    showsNotes: boolean
  ): Effect.fn.Return<number, SqlError> {
    if (foreign.length === 0) return 0
    const { sql } = database
    const shapes = yield* lockShapes(database, "UPDATE")
    const given = yield* Effect.forEach(foreign, (row) =>
      Effect.map(Effect.orDie(encodeShown({ ...Struct.pick(row, kept), extra: {} })), (encoded) => {
        const { shape, terms } = termsOfRow(row)
        return { shape, terms: showsNotes ? null : terms, transaction_id: row.id, note: noteOf(row) ?? "", encoded }
      })
    )
    const rows = rowsOf(database, given, { transaction_id: "text", note: "text", terms: "text", encoded: "text" })
    const added = yield* sql<{ readonly transaction_id: string }>`
      INSERT INTO payout_foreign (transaction_id, note, terms, shown)
      SELECT d.transaction_id, d.note, d.terms, d.encoded FROM ${rows} AS d
      WHERE NOT EXISTS (SELECT 1 FROM ${sql.literal(everyPayout)} p WHERE p.transaction_id = d.transaction_id)
        AND NOT EXISTS (SELECT 1 FROM ${sql.literal(everyPayout)} p WHERE p.note = d.note AND p.attempt > 0)
      ON CONFLICT DO NOTHING RETURNING transaction_id`
    const isAdded = new Set(added.map(({ transaction_id }) => transaction_id))
    const shapesAdded = given.flatMap(({ shape, transaction_id }) => (isAdded.has(transaction_id) ? [shape] : []))
    const all = [...new Set([...shapes, ...shapesAdded])]
    if (all.length > shapes.length) yield* sql`UPDATE payout_meta SET value = ${all.join()} WHERE name = 'foreign'`
    return added.length
  },
  (work, database) => durably(database)(work)
)

/** What is known beside the rows about some payouts. */
export const findKnown = Effect.fnUntraced(function* (
  database: Database,
  payouts: ReadonlyArray<Subject>
): Effect.fn.Return<Known, SqlError> {
  const { sql } = database
  const twins = rowsOf(
    database,
    payouts.flatMap((payout) => Object.values(dismissalsOf(payout)).map((twin) => ({ twin }))),
    { twin: "text" }
  )
  const found = yield* sql<{ readonly transaction_id: string; readonly twin: string }>`SELECT transaction_id, twin
    FROM payout_dismissed WHERE twin IN (SELECT d.twin FROM ${twins} AS d)`
  return {
    showsNotes: (yield* findNote(database, "notes")) === "shown",
    dismissed: new Set(found.map(({ transaction_id: id, twin }) => pairOf(id, twin)))
  }
})

/** A foreign row that may be a payout. */
interface Suspect {
  readonly row: Transaction
  /** `true` if it has the payout's note, and is a payment to a recipient. */
  readonly isBehind: boolean
}

interface Kept {
  readonly transaction_id: string
  readonly note: string
  readonly terms: string | null
  readonly shown: string
}

/** Finds the foreign rows that may be some payouts. */
const findSuspects = Effect.fnUntraced(function* (
  database: Database,
  payouts: ReadonlyArray<Subject>,
  shapes: ReadonlyArray<string>
): Effect.fn.Return<(payout: Subject) => ReadonlyArray<Suspect>, SqlError> {
  const { sql } = database
  const termsBy = new Map(payouts.map((payout) => [payout.reference, termsOfOrder(toRow(payout), shapes)]))
  const wanted = rowsOf(
    database,
    [
      ...[...new Set([...termsBy.values()].flat())].map((terms) => ({ terms, note: null })),
      ...payouts.map(({ note }) => ({ terms: null, note }))
    ],
    { terms: "text", note: "text" }
  )
  const found = yield* sql<Kept>`SELECT f.transaction_id, f.note, f.terms, f.shown FROM payout_foreign f
    WHERE f.transaction_id IN (SELECT o.transaction_id FROM ${wanted} AS d JOIN payout_foreign o ON o.terms = d.terms
        UNION SELECT o.transaction_id FROM ${wanted} AS d JOIN payout_foreign o ON o.note = d.note)
      AND NOT EXISTS (SELECT 1 FROM ${sql.literal(everyPayout)} p WHERE p.transaction_id = f.transaction_id)`
  const rows = found.map((one) => ({ ...one, row: Option.getOrThrow(decodeShown(one.shown)) }))
  const byTerms = Map.groupBy(rows, ({ terms }) => terms)
  const byNote = Map.groupBy(rows, ({ note }) => note)
  const known = yield* findKnown(database, payouts)
  return (payout) => {
    const terms = termsBy.get(payout.reference) ?? []
    const near = new Map(
      [...(byNote.get(payout.note) ?? []), ...terms.flatMap((one) => byTerms.get(one) ?? [])].map((one) => [
        one.transaction_id,
        one.row
      ])
    )
    return [...near.values()].flatMap((row) => {
      const { isOfUnknownType, link, verdict } = judge(payout, row, known)
      return verdict === "another" ? [] : [{ row, isBehind: link === "note" && !isOfUnknownType }]
    })
  }
})

/** The maximum number of foreign rows that the evidence of one payout names. */
const maxSuspects = 5

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
  const moves = found.map(({ attempt, reference, suspect }) =>
    suspected({ reference, attempt: Number(attempt) }, suspect.split(", "))
  )
  yield* settle(database, who, moves)
})

/**
 * Compares payouts that are to be sent, also those that were tried before, with the foreign rows. A row with a payout's note
 * stops the ledger. Any other row that is not certainly another payment makes the payout undecided.
 */
export const compareUnsent = Effect.fnUntraced(function* (
  database: Database,
  who: string,
  references: ReadonlyArray<string>
): Effect.fn.Return<void, RowError> {
  const shapes = yield* lockShapes(database, "SHARE")
  if (shapes.length === 0 || references.length === 0) return
  const { sql } = database
  const of = (some: ReadonlyArray<string>): Fragment => referencesOf(database, some)
  const payouts = yield* findFollowed(
    database,
    sql`reference IN (SELECT d.reference FROM ${of(references)} AS d) AND ${sql.literal(unsent)} AND alarm IS NULL`
  )
  if (payouts.length === 0) return
  const suspectsOf = yield* findSuspects(database, payouts, shapes)
  const [behind, doubted]: [Array<object>, Array<object>] = [[], []]
  for (const payout of payouts) {
    const { reference } = payout
    const all = suspectsOf(payout)
    const paid = all.find(({ isBehind }) => isBehind)
    if (paid !== undefined) behind.push({ name: reference, detail: `${paid.row.id} (${paid.row.status})` })
    else if (all.length > 0) {
      const ids = all.slice(0, maxSuspects).map(({ row }) => row.id)
      doubted.push({ name: reference, detail: ids.join(", ") })
    }
  }
  const columns = { name: "text", detail: "text" } as const
  if (behind.length > 0) {
    const alarmed = yield* sql<{ readonly reference: string }>`UPDATE payouts AS p
      SET alarm = 'behind', alarm_detail = d.detail FROM ${rowsOf(database, behind, columns)} AS d
      WHERE p.reference = d.name AND ${sql.literal(unsent)} AND p.alarm IS NULL RETURNING reference`
    for (const { reference } of alarmed) yield* needPerson(reference, "in the history, and this ledger never sent it")
  }
  if (doubted.length === 0) return
  yield* sql`UPDATE payouts AS p SET suspect = d.detail FROM ${rowsOf(database, doubted, columns)} AS d
    WHERE p.reference = d.name AND ${sql.literal(unsent)} AND p.alarm IS NULL`
  yield* doubtSuspected(database, who, references)
})

const chunk = 1_000

/**
 * Compares all payouts that are to be sent with the foreign rows. Without such rows it reads no payout, because each
 * worker does this when it starts.
 */
export const compareAllUnsent = Effect.fnUntraced(function* (
  database: Database,
  who: string
): Effect.fn.Return<void, RowError> {
  const { sql } = database
  if ((yield* findNote(database, "foreign")) === "") return
  for (let after: string | undefined = ""; after !== undefined;) {
    const rows: ReadonlyArray<{ readonly reference: string }> = yield* sql<{ readonly reference: string }>`
      SELECT reference FROM payouts WHERE ${sql.literal(unsent)} AND reference > ${after} ORDER BY reference LIMIT ${chunk}`
    const references = rows.map(({ reference }) => reference)
    yield* durably(database)(compareUnsent(database, who, references))
    after = references.at(-1)
  }
})

/**
 * A person has said that some payouts were not paid: neither their transactions nor the foreign rows that they may be are
 * compared with them again, or with an equal order that is not sent.
 */
export const dismiss = Effect.fnUntraced(function* (
  database: Database,
  payouts: ReadonlyArray<Subject>
): Effect.fn.Return<void, SqlError> {
  const shapes = yield* lockShapes(database, "UPDATE")
  const suspectsOf = yield* findSuspects(database, payouts, shapes)
  const pairs = payouts.flatMap((payout) => {
    const { transactionId } = payout
    const ids = [
      ...suspectsOf(payout).map(({ row }) => row.id as string),
      ...(transactionId === null ? [] : [transactionId])
    ]
    return ids.flatMap((transaction_id) =>
      Object.values(dismissalsOf(payout)).map((twin) => ({ transaction_id, twin }))
    )
  })
  if (pairs.length === 0) return
  const rows = rowsOf(database, pairs, { transaction_id: "text", twin: "text" })
  yield* database.sql`INSERT INTO payout_dismissed (transaction_id, twin) SELECT d.transaction_id, d.twin
    FROM ${rows} AS d WHERE true ON CONFLICT DO NOTHING`
})
