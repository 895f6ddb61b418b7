/** Claims payouts: their intents are on the disk before anything is sent. */
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import * as Condition from "./conditions.ts"
import { atomically, type Database } from "./database.ts"
import { writer } from "./migrations.ts"
import { settle } from "./settle.ts"

/** A payout whose intent this process has committed. */
export interface Claimed {
  readonly reference: string
  readonly attempt: number
  readonly clientId: string
  readonly assetId: string
  readonly networkId: string | null
  readonly to: string
  readonly amount: string
  readonly note: string
}

interface Row {
  readonly reference: string
  readonly attempt: unknown
  readonly client_id: string
  readonly asset_id: string
  readonly network_id: string | null
  readonly destination: string
  readonly amount: string
  readonly note: string
}

export interface ClaimOptions {
  readonly who: string
  /** The name of this claim, by which its owner finds it again if the commit got no answer. */
  readonly claim: string
  readonly limit: number
  /** For how long the intents may be acted on, in milliseconds. */
  readonly validity: number
}

const names = "reference, attempt, client_id, asset_id, network_id, destination, amount, note"

/**
 * Claims due payouts. Of payouts that only their notes tell apart, it claims one at a time, until the history has shown a
 * note. Claims nothing while the ledger is behind the history, or if a newer version of this code has taken over.
 */
export const claim = Effect.fnUntraced(
  function* (
    database: Database,
    { claim: name, limit, validity, who }: ClaimOptions
  ): Effect.fn.Return<ReadonlyArray<Claimed>, SqlError> {
    const { durable, isPostgres, sql } = database
    const now = yield* database.now
    const echoed = sql`(SELECT value FROM payout_meta WHERE name = 'notes') = 'shown'`
    const due = sql`due AS (
      SELECT reference, twin FROM payouts WHERE state = 'ready' AND due_at <= ${now}
        AND (SELECT CAST(value AS INTEGER) FROM payout_meta WHERE name = 'writer') <= ${sql.literal(`${writer}`)}
        AND NOT EXISTS (SELECT 1 FROM payouts WHERE ${sql.literal(Condition.behind)})
        AND (${echoed} OR NOT EXISTS (SELECT 1 FROM payouts o WHERE o.guard = payouts.twin))
      ORDER BY due_at, reference LIMIT ${limit} ${sql.literal(isPostgres ? "FOR UPDATE SKIP LOCKED" : "")}),
    one AS (SELECT reference AS r, row_number() OVER (PARTITION BY twin ORDER BY reference) AS n FROM due)`
    const update = sql`UPDATE payouts AS p SET state = 'sending', attempt = attempt + 1, claim = ${name}, detail = NULL,
      intent_at = ${now}, valid_until = ${now} + ${validity}, guard = CASE WHEN ${echoed} THEN NULL ELSE p.twin END
    FROM one WHERE p.reference = one.r AND (n = 1 OR ${echoed}) AND p.state = 'ready' AND ${durable}`
    const rows = isPostgres
      ? yield* sql<Row>`WITH ${due}, taken AS (${update} RETURNING p.*),
      logged AS (INSERT INTO payout_events (reference, attempt, at, who, step, state)
        SELECT reference, attempt, ${now}, ${who}, 'claimed', state FROM taken)
      SELECT ${sql.literal(names)} FROM taken`
      : yield* sql<Row>`WITH ${due} ${update} RETURNING ${sql.literal(names)}`
    if (!isPostgres && rows.length > 0) {
      yield* sql`INSERT INTO payout_events (reference, attempt, at, who, step, state)
        SELECT reference, attempt, ${now}, ${who}, 'claimed', state FROM payouts
        WHERE ${sql.literal(Condition.doubtful)} AND valid_until > ${now} AND claim = ${name}`
    }
    return rows.map((row) => ({
      reference: row.reference,
      attempt: Number(row.attempt),
      clientId: row.client_id,
      assetId: row.asset_id,
      networkId: row.network_id,
      to: row.destination,
      amount: row.amount,
      note: row.note
    }))
  },
  (work, database) => atomically(database)(work)
)

/**
 * Gives back what a claim without an answer has taken. Only its owner may: it knows that nothing of the claim was sent.
 */
export const release = Effect.fnUntraced(function* (
  database: Database,
  who: string,
  name: string
): Effect.fn.Return<void, SqlError> {
  const { sql } = database
  const rows = yield* sql<Pick<Row, "reference" | "attempt">>`SELECT reference, attempt FROM payouts
    WHERE claim = ${name} AND ${sql.literal(Condition.doubtful)}`
  yield* settle(
    database,
    who,
    rows.map(({ attempt, reference }) => ({
      reference,
      attempt: Number(attempt),
      step: "notSent",
      detail: "the claim got no answer"
    }))
  )
})
