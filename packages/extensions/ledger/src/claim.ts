/** Claims payouts: only one worker gets a payout, and its intent is on the disk before anything is sent. */
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import {
  alarmed,
  type Committed,
  type Database,
  doubtful,
  isUnchanged,
  lastMark,
  type Mark,
  referencesOf,
  type RowError
} from "./database.ts"
import { writer } from "./ledger.ts"
import { type Claimed, decodeClaimed } from "./payoutRows.ts"
import { record, settle } from "./settle.ts"

export interface ClaimOptions {
  readonly who: string
  /** The name of this claim, by which its owner finds it again if the commit got no answer. */
  readonly claim: string
  readonly limit: number
  /** For how long the intents may be acted on, in milliseconds. */
  readonly sendWithin: number
  /** What this worker has seen committed. */
  readonly committed: Committed
  /** The contract whose first payout of an asset goes alone; `undefined` if none has to. */
  readonly contract: string | undefined
}

export interface Claims {
  readonly payouts: ReadonlyArray<Claimed>
  /** `true` if the database is another one than at the last comparison, so that nothing was claimed. */
  readonly hasChanged: boolean
}

/** The columns of a claimed payout, before they are decoded. */
interface Row {
  readonly reference: string
}

const names = "reference, attempt, client_id, asset_id, network_id, destination, amount, note, trace"

/** A condition: the contract's first payout of the asset was confirmed. */
const isConfirmed = ({ sql }: Database, contract: string | undefined): Fragment =>
  contract === undefined
    ? sql`true`
    : sql`EXISTS (SELECT 1 FROM payout_gates g
        WHERE g.contract = ${contract} AND g.asset_id = payouts.asset_id AND g.confirmed_at IS NOT NULL)`

/** A condition: no payout of the asset was sent with the contract. */
const isFirst = ({ sql }: Database, contract: string | undefined): Fragment =>
  contract === undefined
    ? sql`false`
    : sql`NOT EXISTS (SELECT 1 FROM payout_gates g WHERE g.contract = ${contract} AND g.asset_id = payouts.asset_id)`

/**
 * The rows that may be claimed, and the update that claims them. One worker gets a payout, because it locks the row and
 * PostgreSQL reads the state again under the lock; SQLite has one writer.
 */
const statementOf = (
  database: Database,
  { claim, committed, contract, limit, sendWithin, who }: ClaimOptions,
  now: Fragment
): readonly [candidates: Fragment, update: Fragment] => {
  const { durable, isPostgres, sql } = database
  const echoed = sql`(SELECT value FROM payout_meta WHERE name = 'notes') = 'shown'`
  const candidates = sql`seen AS ${sql.literal(isPostgres ? "MATERIALIZED" : "")}
      (SELECT (${isUnchanged(database, who, committed)}) AS unchanged),
    due AS (SELECT reference, twin, asset_id, ${isConfirmed(database, contract)} AS confirmed FROM payouts
      WHERE state = 'ready' AND due_at <= ${now} AND (SELECT unchanged FROM seen)
        AND (SELECT CAST(value AS INTEGER) FROM payout_meta WHERE name = 'writer') <= ${sql.literal(`${writer}`)}
        AND NOT EXISTS (SELECT 1 FROM payouts WHERE ${sql.literal(alarmed)})
        AND NOT EXISTS (SELECT 1 FROM archived_payouts WHERE ${sql.literal(alarmed)})
        AND (${echoed} OR NOT EXISTS (SELECT 1 FROM payouts o WHERE o.guard = payouts.twin))
        AND (${isConfirmed(database, contract)} OR ${isFirst(database, contract)})
      ORDER BY due_at, reference LIMIT ${limit} ${sql.literal(isPostgres ? "FOR UPDATE SKIP LOCKED" : "")}),
    one AS (SELECT reference AS name, confirmed, row_number() OVER (PARTITION BY twin ORDER BY reference) AS of_twins,
      row_number() OVER (PARTITION BY asset_id ORDER BY reference) AS of_asset FROM due)`
  const update = sql`UPDATE payouts AS p SET state = 'sending', attempt = attempt + 1, claim = ${claim}, detail = NULL,
      intent_at = ${now}, valid_until = ${now} + ${sendWithin}, guard = CASE WHEN ${echoed} THEN NULL ELSE p.twin END,
      missed_at = NULL, unchecked = 0
    FROM one WHERE p.reference = one.name AND ${durable} AND (of_twins = 1 OR ${echoed}) AND (confirmed OR of_asset = 1)
    RETURNING ${sql.literal(names)}`
  return [candidates, update]
}

/** Makes claimed payouts the first of their assets. The primary key of the gates lets one of two workers do it. */
const gate = (database: Database, contract: string | undefined, claimed: Fragment): Fragment =>
  database.sql`INSERT INTO payout_gates (contract, asset_id, reference)
    SELECT ${contract ?? ""}, payouts.asset_id, payouts.reference FROM ${claimed} AS payouts
    WHERE ${isFirst(database, contract)} RETURNING reference`

interface Taken {
  readonly rows: ReadonlyArray<Row>
  readonly first: ReadonlySet<string>
  /** The last event, once it is committed. */
  readonly mark: Mark | undefined
  readonly hasChanged: boolean
}

const referencesIn = (rows: ReadonlyArray<Row>): ReadonlySet<string> => new Set(rows.map(({ reference }) => reference))

/** PostgreSQL: one statement, because each round trip to the server costs as much as a claim. */
const takeInPostgres = Effect.fnUntraced(function* (
  database: Database,
  options: ClaimOptions
): Effect.fn.Return<Taken, SqlError> {
  const { sql } = database
  const now = yield* database.now
  const [candidates, update] = statementOf(database, options, now)
  const rows = yield* sql<Row & Readonly<Record<"unchanged" | "sequence" | "at" | "is_first", unknown>>>`
    WITH ${candidates}, taken AS (${update}), gated AS (${gate(database, options.contract, sql`taken`)}),
    logged AS (INSERT INTO payout_events (reference, attempt, at, who, step, state)
      SELECT reference, attempt, ${now}, ${options.who}, 'claimed', 'sending' FROM taken RETURNING reference, sequence, at)
    SELECT unchanged, sequence, at, taken.*, gated.reference IS NOT NULL AS is_first FROM seen LEFT JOIN taken ON true
      LEFT JOIN logged ON logged.reference = taken.reference
      LEFT JOIN gated ON gated.reference = taken.reference`
  const taken = rows.filter(({ sequence }) => sequence !== null)
  const first = referencesIn(taken.filter(({ is_first }) => is_first === true))
  return { rows: taken, first, mark: lastMark(taken), hasChanged: rows[0]?.unchanged !== true }
})

/** SQLite: several statements in a transaction. They cost no round trip. */
const takeInSqlite = Effect.fnUntraced(
  function* (database: Database, options: ClaimOptions): Effect.fn.Return<Taken, SqlError> {
    const { committed, contract, who } = options
    const { sql } = database
    const [candidates, update] = statementOf(database, options, yield* database.now)
    const rows = yield* sql<Row>`WITH ${candidates} ${update}`
    const none = { first: new Set<string>(), hasChanged: false }
    if (rows.length === 0) {
      const condition = isUnchanged(database, who, committed)
      const [seen] = yield* sql<{ readonly unchanged: unknown }>`SELECT (${condition}) AS unchanged`
      return { ...none, rows, mark: undefined, hasChanged: Number(seen?.unchanged) !== 1 }
    }
    const events = rows.map(({ reference }) => ({ reference, step: "claimed" }))
    const mark = yield* record(database, who, events)
    if (contract === undefined) return { ...none, rows, mark }
    const given = referencesOf(database, [...referencesIn(rows)])
    const claimed = sql`(SELECT reference, asset_id FROM payouts WHERE reference IN ${given})`
    return { ...none, rows, mark, first: referencesIn(yield* sql<Row>`${gate(database, contract, claimed)}`) }
  },
  (work, { sql }) => sql.withTransaction(work)
)

/**
 * Claims due payouts. Of payouts that only their notes tell apart, it claims one at a time, until the history has shown a
 * note; the first payout of an asset with a new contract goes alone. Claims nothing while a person has to look at a
 * payout, after the database has changed, or if a newer version of this code has taken over.
 */
export const claim = Effect.fnUntraced(function* (
  database: Database,
  options: ClaimOptions
): Effect.fn.Return<Claims, RowError> {
  const { first, hasChanged, mark, rows } = yield* database.isPostgres
    ? takeInPostgres(database, options)
    : takeInSqlite(database, options)
  options.committed.add(mark)
  const decoded = yield* decodeClaimed(Effect.succeed(rows))
  return { payouts: decoded.map((payout) => ({ ...payout, isFirst: first.has(payout.reference) })), hasChanged }
})

/**
 * Gives back what a claim without an answer has taken. Only its owner may: it knows that nothing of the claim was sent.
 */
export const release = Effect.fnUntraced(function* (
  database: Database,
  who: string,
  name: string
): Effect.fn.Return<void, SqlError> {
  const { sql } = database
  const rows = yield* sql<{
    readonly reference: string
    readonly attempt: unknown
  }>`SELECT reference, attempt FROM payouts
    WHERE claim = ${name} AND ${sql.literal(doubtful)}`
  yield* settle(
    database,
    who,
    rows.map(({ attempt, reference }) => ({
      reference,
      attempt: Number(attempt),
      claim: name,
      step: "notSent",
      detail: "the claim got no answer"
    }))
  )
})
