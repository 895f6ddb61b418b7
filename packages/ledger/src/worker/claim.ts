/** Claims payouts: only one worker gets a payout, and its intent is on the disk before anything is sent. */
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import * as Condition from "../database/conditions.ts"
import { atomically, type Database } from "../database/database.ts"
import { type Committed, isUnchanged, lastMark, type Mark } from "../database/identity.ts"
import { writer } from "../database/migrations.ts"
import type { RowError } from "../database/rows.ts"
import { type Claimed, decodeClaimed } from "../payouts/followed.ts"
import { settle } from "../payouts/writeState.ts"

/** The columns of a claimed payout, before they are decoded. */
interface Row {
  readonly reference: string
  readonly is_first?: unknown
}

export interface ClaimOptions {
  readonly who: string
  /** The name of this claim, by which its owner finds it again if the commit got no answer. */
  readonly claim: string
  readonly limit: number
  /** For how long the intents may be acted on, in milliseconds. */
  readonly validity: number
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

const names = "reference, attempt, client_id, asset_id, network_id, destination, amount, note"

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
const claimOf = (
  database: Database,
  { claim, contract, limit, validity }: ClaimOptions,
  now: Fragment,
  unchanged: Fragment
): readonly [candidates: Fragment, update: Fragment] => {
  const { durable, isPostgres, sql } = database
  const echoed = sql`(SELECT value FROM payout_meta WHERE name = 'notes') = 'shown'`
  const candidates = sql`due AS (
    SELECT reference, twin, asset_id, ${isConfirmed(database, contract)} AS confirmed FROM payouts
      WHERE state = 'ready' AND due_at <= ${now} AND ${unchanged}
        AND (SELECT CAST(value AS INTEGER) FROM payout_meta WHERE name = 'writer') <= ${sql.literal(`${writer}`)}
        AND NOT EXISTS (SELECT 1 FROM payouts WHERE ${sql.literal(Condition.alarmed)})
        AND (${echoed} OR NOT EXISTS (SELECT 1 FROM payouts o WHERE o.guard = payouts.twin))
        AND (${isConfirmed(database, contract)} OR ${isFirst(database, contract)})
      ORDER BY due_at, reference LIMIT ${limit} ${sql.literal(isPostgres ? "FOR UPDATE SKIP LOCKED" : "")}),
    one AS (SELECT reference AS name, confirmed, row_number() OVER (PARTITION BY twin ORDER BY reference) AS of_twins,
      row_number() OVER (PARTITION BY asset_id ORDER BY reference) AS of_asset FROM due)`
  const update = sql`UPDATE payouts AS p SET state = 'sending', attempt = attempt + 1, claim = ${claim}, detail = NULL,
      intent_at = ${now}, valid_until = ${now} + ${validity}, guard = CASE WHEN ${echoed} THEN NULL ELSE p.twin END,
      missed_at = NULL, unchecked = 0
    FROM one WHERE p.reference = one.name AND ${durable} AND (of_twins = 1 OR ${echoed}) AND (confirmed OR of_asset = 1)`
  return [candidates, update]
}

const claimInPostgres = Effect.fnUntraced(function* (
  database: Database,
  options: ClaimOptions
): Effect.fn.Return<readonly [ReadonlyArray<Row>, Mark | undefined, boolean], SqlError> {
  const { sql } = database
  const { committed, contract, who } = options
  const now = yield* database.now
  const [candidates, update] = claimOf(database, options, now, sql`(SELECT unchanged FROM seen)`)
  // The primary key of the gates lets one of two workers send the first payout.
  const rows = yield* sql<Row & { readonly unchanged: boolean; readonly sequence: unknown; readonly at: unknown }>`
    WITH seen AS MATERIALIZED (SELECT (${isUnchanged(database, who, committed)}) AS unchanged), ${candidates},
    taken AS (${update} RETURNING p.*),
    gated AS (INSERT INTO payout_gates (contract, asset_id, reference)
      SELECT ${contract ?? ""}, payouts.asset_id, payouts.reference FROM taken AS payouts
      WHERE ${isFirst(database, contract)} RETURNING reference),
    logged AS (INSERT INTO payout_events (reference, attempt, at, who, step, state)
      SELECT reference, attempt, ${now}, ${who}, 'claimed', state FROM taken RETURNING reference, sequence, at)
    SELECT unchanged, sequence, at, taken.*, gated.reference IS NOT NULL AS is_first FROM seen LEFT JOIN taken ON true
      LEFT JOIN logged ON logged.reference = taken.reference
      LEFT JOIN gated ON gated.reference = taken.reference`
  const taken = rows.filter(({ sequence }) => sequence !== null)
  return [taken, lastMark(taken), rows[0]?.unchanged !== true]
})

const claimInSqlite = Effect.fnUntraced(function* (
  database: Database,
  options: ClaimOptions
): Effect.fn.Return<readonly [ReadonlyArray<Row>, Mark | undefined, boolean], SqlError> {
  const { sql } = database
  const { claim, committed, contract, who } = options
  const [seen] = yield* sql<{
    readonly unchanged: unknown
  }>`SELECT (${isUnchanged(database, who, committed)}) AS unchanged`
  if (Number(seen?.unchanged) !== 1) return [[], undefined, true]
  const now = yield* database.now
  const [candidates, update] = claimOf(database, options, now, sql`true`)
  const rows = yield* sql<Row>`WITH ${candidates} ${update} RETURNING ${sql.literal(names)}`
  if (rows.length === 0) return [rows, undefined, false]
  const claimed = sql`FROM payouts WHERE ${sql.literal(Condition.doubtful)} AND valid_until > ${now} AND claim = ${claim}`
  const first =
    contract === undefined
      ? []
      : yield* sql<Pick<Row, "reference">>`INSERT INTO payout_gates (contract, asset_id, reference)
          SELECT ${contract}, asset_id, reference ${claimed} AND ${isFirst(database, contract)} RETURNING reference`
  const events = yield* sql<{ readonly sequence: unknown; readonly at: unknown }>`INSERT INTO payout_events
    (reference, attempt, at, who, step, state) SELECT reference, attempt, ${now}, ${who}, 'claimed', state ${claimed}
    RETURNING sequence, at`
  const isOfFirst = (reference: string) => first.some((one) => one.reference === reference)
  return [rows.map((row) => ({ ...row, is_first: isOfFirst(row.reference) })), lastMark(events), false]
})

/**
 * Claims due payouts. Of payouts that only their notes tell apart, it claims one at a time, until the history has shown a
 * note; the first payout of an asset with a new contract goes alone. Claims nothing while a person has to look at a
 * payout, after the database has changed, or if a newer version of this code has taken over.
 */
export const claim = Effect.fnUntraced(function* (
  database: Database,
  options: ClaimOptions
): Effect.fn.Return<Claims, RowError> {
  const claimed = database.isPostgres ? claimInPostgres(database, options) : claimInSqlite(database, options)
  const [rows, mark, hasChanged] = yield* atomically(database)(claimed)
  options.committed.add(mark)
  const isFirst = new Set(rows.filter(({ is_first }) => is_first === true).map(({ reference }) => reference))
  const decoded = yield* decodeClaimed(Effect.succeed(rows))
  const payouts = decoded.map((payout) => ({ ...payout, isFirst: isFirst.has(payout.reference) }))
  return { payouts, hasChanged }
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
    WHERE claim = ${name} AND ${sql.literal(Condition.doubtful)}`
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
